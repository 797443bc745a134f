package dcqcn

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of DCQCN in a scenario. The defaults of variant paper are from the DCQCN
// paper (§5 and Fig. 14), scaled from its 40 Gb/s links to the rate of a host. That paper has no
// value for R_HAI. The default is ten times R_AI, as in QCN. The defaults of variant ns3 are the
// presets of the published simulator for 100 Gb/s, scaled in the same way.
type Params struct {
	// Algorithm of the DCQCN paper or of the published simulator.
	Variant string `yaml:"variant" default:"paper" oneof:"paper|ns3"`
	// g, gain of alpha.
	Gain float64 `yaml:"gain" default:"0.00390625" range:">0 <1"`
	// N, shortest time between two CNPs of a flow; auto: 50 µs, and at least the largest base RTT.
	CNPInterval unit.Time `yaml:"cnp_interval" when:"variant=paper" default:"auto" range:">=0s"`
	// K, time without a CNP after which alpha falls (paper), or time between updates of alpha
	// (ns3); auto: 1.1 N.
	AlphaTimer unit.Time `yaml:"alpha_timer" default:"auto; variant=ns3: 1us" range:">=1ns" draw:"1..60us"`
	// Time between two checks for marks. Each check may cut the rate.
	CutInterval unit.Time `yaml:"cut_interval" when:"variant=ns3" default:"4us" range:">=1ns"`
	// T, time between two increases by time; auto: 1.1 N.
	Timer unit.Time `yaml:"timer" default:"auto; variant=ns3: 300us" range:">=1ns" draw:"1..100us"`
	// B, bytes between two increases by bytes; auto: what a host sends in 2 ms, 10 MB at 40 Gb/s.
	ByteCounter unit.Bytes `yaml:"byte_counter" when:"variant=paper" default:"auto" range:">=1000B"`
	// F, steps of fast recovery.
	Recovery int `yaml:"recovery" default:"5; variant=ns3: 1" range:">=0 <=1000"`
	// R_AI, additive increase of the target; auto: 1/1000 of the rate of the flow's slower host, with ns3 1/5000.
	RateAI unit.Rate `yaml:"rate_ai" default:"auto" range:">=0bps"`
	// R_HAI, hyper increase of the target; auto: 10 R_AI.
	RateHAI unit.Rate `yaml:"rate_hai" default:"auto" range:">=0bps"`
	// Smallest rate; the largest is the NIC's. auto: 1/4000 of the slowest host's or link's, with ns3 1/100.
	MinRate unit.Rate `yaml:"min_rate" default:"auto" range:">0bps" draw:"500Mbps"`
	// Every cut lowers the target, not only the first one after an increase.
	ClampTarget bool `yaml:"clamp_target" when:"variant=ns3" default:"false"`
	// Bytes in flight: no limit, rate times base RTT, or line rate times base RTT.
	Window string `yaml:"window" default:"none" oneof:"none|scaled|constant"`
	// Base RTT of the window: the largest of the network, or the flow's.
	RTT string `yaml:"rtt" when:"window=scaled|constant" default:"max" oneof:"max|path"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "cnp_interval", &p.CNPInterval, max(50*unit.Microsecond, rtt),
		"50 µs (DCQCN, section 5), at least the largest base RTT")
	transport.Choose(c, "alpha_timer", &p.AlphaTimer, p.CNPInterval+p.CNPInterval/10,
		"1.1 cc.cnp_interval (DCQCN, section 5)")
	transport.Choose(c, "timer", &p.Timer, p.CNPInterval+p.CNPInterval/10, "1.1 cc.cnp_interval (DCQCN, section 5)")
	transport.Choose(c, "byte_counter", &p.ByteCounter, s.HostRate.In(2*unit.Millisecond),
		s.Host()+" x 2 ms (DCQCN, section 5)", transport.AtLeast(unit.KB, "1 KB"))
	step, share, source := unit.Rate(1000), unit.Rate(4000), " (DCQCN, section 5)"
	if p.Variant == "ns3" {
		step, share, source = 5000, 100, " (published simulator)"
	}
	transport.Choose(c, "rate_ai", &p.RateAI, s.HostRate/step,
		fmt.Sprintf("1/%d of the %s%s", int64(step), s.Host(), source), s.OneBit())
	transport.Choose(c, "rate_hai", &p.RateHAI, 10*p.RateAI, "10 cc.rate_ai")
	s.ChooseLeast(c, &p.MinRate, share, source)
}

// Marking implements transport.Marker. Thresholds are proportional to the rate (HPCC paper, §5.1).
func (*Params) Marking(s *transport.Setting) transport.Marking {
	least := s.HostRate.In(32 * unit.Microsecond)
	return transport.Marking{Min: least, Max: 4 * least, PMax: 0.2,
		From: "port rate x 32 µs, 128 µs and 20 % (HPCC, section 5.1)"}
}

// Needs requires marks, RDMA-like loss recovery and senders that pace.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{Loss: transport.RDMALoss, Pacing: transport.Paced, Marking: true}
	if p.Variant == "ns3" {
		n.NextPacket, n.Pacing = true, transport.AnyPacing
	}
	return n
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if err := s.CheckMinRate(p.MinRate); err != nil {
		return nil, err
	}
	rated, c := transport.Rated{Limit: s.Window(p.Window, p.RTT)}, *p
	if p.Variant == "ns3" {
		return func() transport.Controller { return &polled{Rated: rated, cfg: &c} }, nil
	}
	return func() transport.Controller { return &sender{Rated: rated, cfg: &c} }, nil
}
