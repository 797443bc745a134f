package timely

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of TIMELY in a scenario. The TIMELY paper (§5) uses 10 Gb/s and a base RTT of
// 20 µs. The times of the paper are scaled to the base RTT of the network, and the rates to the
// rate of a host. The defaults of variant ns3 are the presets of the published simulator for 100
// Gb/s, scaled in the same way.
type Params struct {
	// Algorithm of the TIMELY paper, with the patch of CoNEXT 2016, or of the published simulator.
	Variant string `yaml:"variant" default:"paper" oneof:"paper|patched|ns3"`
	// Source of round-trip times: the host's time stamps, its switch (telemetry.kind: rtt), or the
	// base RTT of the path plus the delay of the worst hop (telemetry.kind: csig).
	Signal string `yaml:"signal" default:"host" oneof:"host|switch|hop"`
	// α, weight of the newest difference of round-trip times.
	Alpha float64 `yaml:"alpha" default:"0.875" range:">0 <=1"`
	// β, multiplicative decrease.
	Beta float64 `yaml:"beta" default:"0.8; variant=patched: 0.008" range:">0 <1"`
	// T_low, round-trip time below which the rate increases; auto: 2.5 minRTT, 50 µs in the TIMELY
	// paper.
	Low unit.Time `yaml:"t_low" default:"auto" range:">=0s" draw:"0..60us"`
	// T_high, round-trip time above which the rate decreases; auto: 25 minRTT, 500 µs in the TIMELY
	// paper.
	High unit.Time `yaml:"t_high" default:"auto" range:">0s"`
	// minRTT, which normalises the gradient; auto: the largest base RTT of the network, 20 µs in
	// the TIMELY paper, and at least 16 packets of a host.
	MinRTT unit.Time `yaml:"min_rtt" default:"auto" range:">=1ns" draw:"1..30us"`
	// RTT_ref, round-trip time at which the rate does not change; auto: T_low.
	Reference unit.Time `yaml:"rtt_ref" when:"variant=patched" default:"auto" range:">=1ns"`
	// Acknowledged bytes per update; auto: 16 KB, and at least what a host sends in 0.64 minRTT.
	Segment unit.Bytes `yaml:"segment" when:"variant=paper|patched" default:"auto" range:">=1B"`
	// N, successive updates without a decrease after which hyper increase begins.
	HyperAfter int `yaml:"hyper_after" when:"variant=paper|ns3" default:"5" range:">=0 <=1000"`
	// δ, additive increase of the rate; auto: 1/1000 of the rate of the flow's slower host.
	RateAI unit.Rate `yaml:"rate_ai" default:"auto" range:">=0bps"`
	// Hyper increase of the rate; auto: 5 δ, as in the TIMELY paper.
	RateHAI unit.Rate `yaml:"rate_hai" when:"variant=ns3" default:"auto" range:">=0bps"`
	// Smallest rate; the largest is the NIC's. auto: 1/100 of the slowest host's or link's (published simulator).
	MinRate unit.Rate `yaml:"min_rate" default:"auto" range:">0bps" draw:"500Mbps"`
	// Bytes in flight: no limit, rate times base RTT, or line rate times base RTT.
	Window string `yaml:"window" default:"none" oneof:"none|scaled|constant"`
	// Base RTT of the window: the largest of the network, or the flow's.
	RTT string `yaml:"rtt" when:"window=scaled|constant" default:"max" oneof:"max|path"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "min_rtt", &p.MinRTT, max(rtt, 16*s.HostRate.TxTime(s.Packet)),
		"the largest base RTT, at least 16 packets of "+s.AHost())
	highest := p.High
	if schema.IsAuto(highest) {
		highest = unit.Never
	}
	transport.Choose(c, "t_low", &p.Low, p.MinRTT*5/2,
		"2.5 cc.min_rtt (TIMELY, section 5)", transport.AtMost(highest, "cc.t_high"))
	transport.Choose(c, "t_high", &p.High, 25*p.MinRTT,
		"25 cc.min_rtt (TIMELY, section 5)", transport.AtLeast(p.Low, "cc.t_low"))
	transport.Choose(c, "rtt_ref", &p.Reference, p.Low, "cc.t_low", transport.AtLeast(unit.Nanosecond, "1 ns"))
	transport.Choose(c, "segment", &p.Segment, max(16*unit.KB, s.HostRate.In(p.MinRTT*16/25)),
		"16 KB (TIMELY, section 5), at least "+s.Host()+" x 0.64 cc.min_rtt")
	transport.Choose(c, "rate_ai", &p.RateAI, s.HostRate/1000, "1/1000 of the "+s.Host()+" (TIMELY, section 5)",
		s.OneBit())
	transport.Choose(c, "rate_hai", &p.RateHAI, 5*p.RateAI, "5 cc.rate_ai (TIMELY, section 4.3)")
	s.ChooseLeast(c, &p.MinRate, 100, " (published simulator)")
}

func (*Params) Otherwise(q telemetry.Quantity) (key, value string) {
	return transport.SignalKey(q)
}

// Needs requires RDMA-like loss recovery, senders that pace, and the signal.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{Loss: transport.RDMALoss, Pacing: transport.Paced, Feedback: transport.SignalNeeds(p.Signal)}
	if p.Variant == "ns3" {
		n.NextPacket, n.Pacing = true, transport.AnyPacing
	}
	return n
}

// slowUpdate is how many minRTT a segment may take at the slowest link. If a segment takes longer, New warns.
const slowUpdate = 4

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if err := s.CheckMinRate(p.MinRate); err != nil {
		return nil, err
	}
	if p.Low > p.High {
		return nil, fmt.Errorf("cc.t_low = %v: want at most cc.t_high = %v, because between the two the rate would "+
			"have to rise and fall at once", p.Low, p.High)
	}
	trips, err := s.RoundTrips(p.Signal)
	if err != nil {
		return nil, fmt.Errorf("cc.signal = %s: %w", p.Signal, err)
	}
	if rate := min(s.HostRate, s.Slowest); p.Variant != "ns3" && s.Warn != nil && rate > 0 {
		if t := rate.TxTime(p.Segment); t > slowUpdate*p.MinRTT {
			s.Warn(fmt.Sprintf("cc.segment = %v takes %v at the slowest link, %v, "+
				"which is %.3g times cc.min_rtt: TIMELY changes a rate once for each segment, "+
				"so shorter flows never change their rate, and long flows adapt slowly (in the TIMELY paper, a "+
				"segment takes 0.64 times cc.min_rtt)",
				p.Segment, t, rate, float64(t)/float64(p.MinRTT)))
		}
	}
	rated, c := transport.Rated{Limit: s.Window(p.Window, p.RTT)}, config{*p, trips}
	if p.Variant == "ns3" {
		return func() transport.Controller { return &roundSender{Rated: rated, cfg: &c} }, nil
	}
	return func() transport.Controller { return &segmentSender{Rated: rated, cfg: &c} }, nil
}
