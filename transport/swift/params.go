package swift

import (
	"fmt"
	"math"

	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of Swift in a scenario.
type Params struct {
	// Source of round-trip times: the host's time stamps, its switch (telemetry.kind: rtt), or the
	// base RTT of the path plus the delay of the worst hop (telemetry.kind: csig).
	Signal string `yaml:"signal" default:"host" oneof:"host|switch|hop"`
	// base_target, target delay without hop_target (§3.5); auto: the largest base RTT of the
	// network and a quarter more, at least 8 packets of a host (our choice).
	Base unit.Time `yaml:"base_target" default:"auto" range:">0s <=10s" draw:"1ms|3ms"`
	// ℏ, addition to the target for each switch on the path (§3.5); auto: a quarter of the largest
	// base RTT, divided by the switches of the longest path (our choice).
	Hop unit.Time `yaml:"hop_target" default:"auto" range:">=0s <=1s"`
	// fs_range, largest addition to the target by flow scaling; 0 turns it off (§3.5); auto: 2
	// base_target (our choice).
	Range unit.Time `yaml:"fs_range" default:"auto" range:">=0s <=10s" draw:"30us|0s|1ms"`
	// fs_min_cwnd, window in packets up to which flow scaling adds all of fs_range (§3.5).
	RangeMin float64 `yaml:"fs_min_cwnd" default:"0.1" range:">0 <=1e6"`
	// fs_max_cwnd, window in packets from which flow scaling adds nothing (§3.5).
	RangeMax float64 `yaml:"fs_max_cwnd" default:"100" range:">0 <=1e6"`
	// ai, packets by which the window grows per round trip (Algorithm 1).
	Increase float64 `yaml:"ai" default:"1" range:">0 <=1000"`
	// β, share of the excess delay by which the window is cut (Algorithm 1).
	Beta float64 `yaml:"md" default:"0.8" range:">0 <=1"`
	// max_mdf, largest share of the window that one cut removes (Algorithm 1).
	MaxDecrease float64 `yaml:"max_mdf" default:"0.5" range:">0 <1"`
	// Successive timeouts after which the window is min_cwnd (§3.6).
	Reset int `yaml:"retx_reset" default:"4" range:">=1 <=1000"`
	// Smallest window in packets.
	Least float64 `yaml:"min_cwnd" default:"0.01" range:">=0.0001 <=1" draw:"0.01|1"`
	// Largest window in packets; auto: twice the largest bandwidth-delay product of the network, at
	// least 10000 (our choice).
	Most float64 `yaml:"max_cwnd" default:"auto" range:">=1 <=1e9"`
	// Delayed acknowledgements in a row before the window is cut: 1 in Swift, 5 in LSwift and MSwift (arXiv
	// 2509.07907).
	Delayed int `yaml:"delayed_acks" default:"1" range:">=1 <=1000" draw:"1|5" omit:"default"`
	transport.Pooling
	// Delay that determines the size of a cut: the delay that is compared with the target (pooled), or the newest
	// delay. Two re-implementations differ here.
	Cut string `yaml:"feedback_cut" when:"feedback=median|minimum|mean" default:"pooled" oneof:"pooled|newest"`
	// First window in packets; 0: what the NIC sends in the base RTT of the path.
	Initial float64 `yaml:"initial_cwnd" default:"0" range:">=0 <=1e6" draw:"0|1|0.05|40"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, bdp := s.Farthest()
	queue := max(rtt/4, 8*s.HostRate.TxTime(s.Packet))
	transport.Choose(c, "base_target", &p.Base, rtt+queue,
		"the largest base RTT and a quarter, at least 8 packets of "+s.AHost())
	transport.Choose(c, "hop_target", &p.Hop, rtt/4/unit.Time(max(1, s.MaxHops)),
		fmt.Sprintf("a quarter of the largest base RTT over %s", number.Count(s.MaxHops, "switch")))
	transport.Choose(c, "fs_range", &p.Range, 2*p.Base, "2 cc.base_target")
	transport.Choose(c, "max_cwnd", &p.Most, max(10000, float64(2*bdp/s.Payload)),
		"2 times the largest bandwidth-delay product, at least 10000")
}

func (*Params) Otherwise(q telemetry.Quantity) (key, value string) {
	return transport.SignalKey(q)
}

// Needs requires the signal, and senders that pace, because a window below one packet is a rate.
func (p *Params) Needs() transport.Needs {
	return transport.Needs{Pacing: transport.Paced, Feedback: transport.SignalNeeds(p.Signal)}
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if p.RangeMin >= p.RangeMax {
		return nil, fmt.Errorf("cc.fs_min_cwnd = %g: want less than cc.fs_max_cwnd = %g", p.RangeMin, p.RangeMax)
	}
	if p.Least > p.Most {
		return nil, fmt.Errorf("cc.min_cwnd = %g: want at most cc.max_cwnd = %g", p.Least, p.Most)
	}
	if rtt, _ := s.Farthest(); p.Base+unit.Time(s.MaxHops)*p.Hop < rtt {
		return nil, fmt.Errorf("cc.base_target = %v, cc.hop_target = %v: want a target above the base RTT of the "+
			"longest paths (%s, %v); otherwise flows on these paths could never fill a link", p.Base, p.Hop,
			number.Count(s.MaxHops, "switch"), rtt)
	}
	trips, err := s.RoundTrips(p.Signal)
	if err != nil {
		return nil, fmt.Errorf("cc.signal = %s: %w", p.Signal, err)
	}
	c := config{Params: *p, trips: trips}
	low, high := 1/math.Sqrt(p.RangeMin), 1/math.Sqrt(p.RangeMax)
	c.alpha = float64(p.Range) / (low - high)
	c.offset = -float64(c.alpha * high)
	return func() transport.Controller { return &sender{cfg: c, pool: p.Pool()} }, nil
}
