package hpcc

import (
	"errors"
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of HPCC in a scenario. η and maxStage are from PINT §6.1. The other values follow from the
// network by the rules of the HPCC paper. In the network of PINT §6.1, these rules yield W_AI = 80 B, as stated there,
// and T = 12.24 µs instead of the 13 µs stated there.
type Params struct {
	// What is updated: the window (paper) or the rate (published simulator).
	Form string `yaml:"form" default:"window" oneof:"window|rate"`
	// η, target utilisation.
	Eta float64 `yaml:"eta" default:"0.95" range:">0 <=1" draw:"0.95|0.8|0.99"`
	// maxStage, additive steps before a multiplicative one.
	MaxStage int `yaml:"max_stage" default:"0" range:">=0 <=1000" draw:"0..5"`
	// Source of T: the key t, the largest base RTT of the network, or the flow's path.
	RTT string `yaml:"rtt" default:"given" oneof:"given|max|path"`
	// T, base round-trip time; auto: the largest of the network (HPCC paper, §3.2).
	T unit.Time `yaml:"t" when:"rtt=given" default:"auto" range:">0s <=1s" draw:"1..40us"`
	// W_AI, additive increase of the window; auto: B·T·(1-η)/N with the rate B of the flow's slower host and N = 100
	// flows at a port (HPCC paper, §3.3).
	WAI unit.Bytes `yaml:"w_ai" when:"form=window" default:"auto" range:">=0B" draw:"80B"`
	// Additive increase of the rate; auto: B·(1-η)/100.
	RateAI unit.Rate `yaml:"rate_ai" when:"form=rate" default:"auto" range:">=0bps" draw:"50Mbps"`
	// What carries telemetry: data packets, or probes without data. A flow has at most one probe in the network and
	// sends the next probe when the answer arrives. Each answer changes W^c (draft-miao-tsv-hpcc).
	Carrier string `yaml:"carrier" default:"data" oneof:"data|probes" omit:"default"`
	// Where the window is computed: at the sender, from the telemetry in ACKs, or at the receiver, which sends the
	// window and changes W^c at most once per T (draft-miao-tsv-hpcc). Here the sender computes the receiver's window
	// when the ACK arrives.
	Computed string `yaml:"computed" default:"sender" oneof:"sender|receiver" omit:"default"`
	// Size of the field for the window in each ACK. The draft defines no format.
	Notice unit.Bytes `yaml:"notice" when:"computed=receiver" default:"4B" range:">=1B <=64B"`
	// The earlier record with which INT compares a record: the one at the same place on the path of the previous packet
	// (hop), or the latest one of the same port (port). Sprayed packets need port, which no paper describes: U is then
	// the load of the busiest port on the packet's path, among the ports that have an earlier record.
	Records string `yaml:"records" default:"hop" oneof:"hop|port" omit:"default"`
	// Largest age of a port's earlier record, as a multiple of T. An older record is ignored.
	RecordAge float64 `yaml:"record_age" when:"records=port" default:"8" range:">=1 <=1e6" draw:"1|8"`
	// Average of a port's loads over T, like U on a single path (ewma), or no average: the load since the last record
	// (none).
	RecordAverage string `yaml:"record_average" when:"records=port" default:"ewma" oneof:"ewma|none"`
	transport.Pooling
	// Smallest rate; the largest is the NIC's. auto: a hundredth of the slowest host's or link's (published simulator).
	MinRate unit.Rate `yaml:"min_rate" when:"form=rate" default:"auto" range:">0bps" draw:"100Mbps"`
}

// Default returns the parameters with the defaults of their tags. A run replaces those that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

// portFlows is N in the rule for W_AI: the number of flows at a port that may add W_AI at the same time without a
// queue. N = 100 corresponds to the 80 B of PINT §6.1.
const portFlows = 100

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "t", &p.T, rtt, "the largest base RTT")
	if p.RTT == "given" {
		rtt = p.T
	}
	room := 1 - p.Eta
	transport.Choose(c, "w_ai", &p.WAI, unit.Bytes(float64(s.HostRate.In(rtt))*room/portFlows),
		s.Host()+" x T x (1 - eta) / 100 flows (HPCC, section 3.3)", transport.AtLeast(unit.Byte, "1 B"))
	transport.Choose(c, "rate_ai", &p.RateAI, unit.Rate(float64(s.HostRate)*room/portFlows),
		s.Host()+" x (1 - eta) / 100 flows (HPCC, section 3.3)", s.OneBit())
	s.ChooseLeast(c, &p.MinRate, 100, "")
}

// Needs requires feedback about the load of the path, and RDMA-like loss recovery.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{
		Loss:     transport.RDMALoss,
		Feedback: []telemetry.Quantity{telemetry.PerHop, telemetry.Utilisation, telemetry.HopRates},
		AnyPath:  p.Records == "port",
		Probes:   p.Carrier == "probes",
	}
	if p.Computed == "receiver" {
		n.Notice = p.Notice
	}
	if n.AnyPath {
		n.Feedback = n.Feedback[:1]
	}
	return n
}

// Horizon returns T, the time over which switches average U.
func (p *Params) Horizon(s *transport.Setting) (unit.Time, error) {
	switch p.RTT {
	case "max":
		rtt, _ := s.Farthest()
		return rtt, nil
	case "path":
		return 0, errors.New("cc.rtt = path: telemetry.kind = pint needs one RTT for all paths, because a switch " +
			"does not know the RTT of each path (accepted: given, max)")
	}
	return p.T, nil
}

func (p *Params) Target() float64 { return p.Eta }

// Config returns the configuration of the controllers in a run.
func (p *Params) Config(s *transport.Setting) Config {
	c := Config{Eta: p.Eta, MaxStage: p.MaxStage, ByTime: p.Computed == "receiver", Probes: p.Carrier == "probes"}
	switch p.RTT {
	case "given":
		c.T = p.T
	case "max":
		c.T, c.BDP = s.Farthest()
	case "path":
		c.PathRTT = true
	}
	if p.Form == "rate" {
		c.Form, c.RAI, c.MinRate = Rate, p.RateAI, p.MinRate
	} else {
		c.WAI, c.BDP = p.WAI, 0
	}
	return c
}

// warn warns about a T that is far from the largest base RTT of the network.
func (p *Params) warn(s *transport.Setting) {
	if p.RTT != "given" || s.Warn == nil {
		return
	}
	const far = 10
	does := "flows send far less than the path can carry"
	rtt, _ := s.Farthest()
	if p.T > rtt {
		does = "flows may send far more than the path can carry"
	}
	if rtt > 0 && (p.T > far*rtt || rtt > far*p.T) {
		s.Warn(fmt.Sprintf("cc.t = %v, but the base RTT of this network is up to %v: HPCC's windows are rate × T, "+
			"so %s (cc.rtt = max takes T from the network)", p.T, rtt, does))
	}
}

// New makes the controllers of a run. U comes from the digest if the telemetry has a digest, and otherwise from the
// records per hop.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if p.Form == "rate" {
		if err := s.CheckMinRate(p.MinRate); err != nil {
			return nil, err
		}
	}
	p.warn(s)
	c := p.Config(s)
	gauge, err := p.gauge(s)
	if err != nil {
		return nil, err
	}
	if p.Pool() == nil {
		return New(c, gauge)
	}
	return New(c, func() Gauge { return &pooled{Gauge: gauge(), pool: p.Pool()} })
}

// gauge returns a function that makes the gauge of a controller.
func (p *Params) gauge(s *transport.Setting) (func() Gauge, error) {
	rates, fields := s.PortRate, s.Feedback.Fields
	switch {
	case s.Feedback.Digest != nil:
		d, err := s.Feedback.Digest(telemetry.Utilisation)
		if err != nil {
			return nil, fmt.Errorf("cc.kind = hpcc: %w", err)
		}
		return func() Gauge { return NewDigest(*d) }, nil
	case s.Feedback.Rates:
		return func() Gauge { return &rated{INT: NewINT(rates, fields)} }, nil
	case p.Records == "port":
		return func() Gauge { return newPorts(rates, fields, p.RecordAge, p.RecordAverage == "ewma") }, nil
	case s.Published:
		return func() Gauge { return NewPlacesINT(rates, fields) }, nil
	}
	return func() Gauge { return NewINT(rates, fields) }, nil
}
