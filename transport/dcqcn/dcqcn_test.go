package dcqcn

import (
	"testing"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

const us = unit.Microsecond

func start(c transport.Controller) *cctest.Clock {
	k := &cctest.Clock{}
	c.Start(0, transport.FlowInfo{
		Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps,
		BaseRTT: 10 * us, Alarms: k,
	})
	return k
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// The published simulator's rules with g = 1/16, updates of alpha every 1 us, checks for a cut every 4 us, increases
// every 10 us, and F = 1.
func TestPolledByHand(t *testing.T) {
	s := &polled{cfg: &Params{
		Gain: 1.0 / 16, AlphaTimer: 1 * us, CutInterval: 4 * us, Timer: 10 * us, Recovery: 1,
		RateAI: 20 * unit.Mbps, RateHAI: 200 * unit.Mbps, MinRate: unit.Gbps,
	}}
	k := start(s)
	k.Ring(s, 50*us, 9)
	s.OnAck(50*us, &transport.Ack{Acked: 1000})
	if s.begun || s.Pace != 100*unit.Gbps {
		t.Fatal("something has happened before the first mark")
	}
	check := func(what string, rate, target unit.Rate, stage int) {
		t.Helper()
		if s.Pace != rate || s.target != target || s.stage != stage {
			t.Errorf("%s: rate %v, target %v, stage %d, want %v, %v, %d",
				what, s.Pace, s.target, s.stage, rate, target, stage)
		}
	}
	// The first mark arrives at 100 us. It does not cut the rate at once: the first check is at 104.001 us.
	s.OnAck(100*us, &transport.Ack{Marked: true})
	k.Ring(s, 104*us, 100)
	check("first mark", 100*unit.Gbps, 100*unit.Gbps, 0)
	// alpha has fallen four times, at 101 to 104 us, because the first mark does not count for alpha.
	alpha := 1.0
	for range 4 {
		alpha *= 15.0 / 16
	}
	if !near(s.alpha, alpha) {
		t.Errorf("alpha %v, want %v", s.alpha, alpha)
	}
	k.Ring(s, 105*us, 100)
	first := unit.Rate(100e9 * (1 - s.alpha*16/15/2)) // alpha of 104.001 us
	if d := s.Pace - first; d < -1 || d > 1 {
		t.Errorf("cut to %v, want %v", s.Pace, first)
	}
	first = s.Pace
	check("first cut", first, 100*unit.Gbps, 0)
	// Another mark at 106 us: the check at 108.001 us cuts again, and the target stays,
	// because there has been no increase.
	s.OnAck(106*us, &transport.Ack{Marked: true})
	// The mark counts for the update of alpha at 106 us, and the update at 107 us has no mark.
	alpha = (s.alpha*15/16 + 1.0/16) * 15 / 16
	k.Ring(s, 107*us, 100)
	if want := alpha; !near(s.alpha, want) {
		t.Errorf("alpha %v, want %v", s.alpha, want)
	}
	k.Ring(s, 109*us, 100)
	second := s.Pace
	if second >= first || s.target != 100*unit.Gbps {
		t.Fatalf("second cut to %v with target %v", second, s.target)
	}
	// At 118.001 us, ten microseconds after the cut, the rate moves half way to the target. At 128.001 us additive
	// increase follows, which cannot raise a target of 100 Gb/s.
	k.Ring(s, 119*us, 100)
	check("recovery", second/2+50*unit.Gbps, 100*unit.Gbps, 1)
	third := s.Pace/2 + 50*unit.Gbps
	k.Ring(s, 129*us, 100)
	check("additive", third, 100*unit.Gbps, 2)
	// The next cut sets the target to the rate, because there were increases.
	s.OnAck(130*us, &transport.Ack{Marked: true})
	k.Ring(s, 133*us, 100)
	if s.target != third || s.Pace >= third || s.stage != 0 {
		t.Errorf("third cut: rate %v, target %v, stage %d", s.Pace, s.target, s.stage)
	}
	rate := s.Pace
	k.Ring(s, 143*us, 100)
	check("recovery", rate/2+third/2, third, 1)
	rate = s.Pace
	k.Ring(s, 153*us, 100)
	check("additive", rate/2+(third+20*unit.Mbps)/2, third+20*unit.Mbps, 2)
	rate = s.Pace
	k.Ring(s, 163*us, 100)
	check("hyper", rate/2+(third+220*unit.Mbps)/2, third+220*unit.Mbps, 3)
}

// Fig. 7 of the paper with g = 1/4, N = 50 us, K = 55 us, T = 55 us, B = 10 kB, F = 2.
func TestPaperByHand(t *testing.T) {
	s := &sender{cfg: &Params{
		Gain: 0.25, CNPInterval: 50 * us, AlphaTimer: 55 * us, Timer: 55 * us, ByteCounter: 10_000, Recovery: 2,
		RateAI: 40 * unit.Mbps, RateHAI: 400 * unit.Mbps, MinRate: unit.Mbps,
	}}
	k := start(s)
	check := func(what string, rate, target unit.Rate, alpha float64) {
		t.Helper()
		if s.Pace != rate || s.target != target || !near(s.alpha, alpha) {
			t.Errorf("%s: rate %v, target %v, alpha %v, want %v, %v, %v",
				what, s.Pace, s.target, s.alpha, rate, target, alpha)
		}
	}
	mark := func(at unit.Time) bool { return s.OnAck(at, &transport.Ack{Marked: true}) }
	// The first CNP halves the rate at once: alpha is 1 and stays 1.
	mark(1000 * us)
	check("first CNP", 50*unit.Gbps, 100*unit.Gbps, 1)
	// A mark 49 us later is in the same interval.
	if mark(1049 * us) {
		t.Error("a mark within the CNP interval is a CNP")
	}
	// The timer at 1055 us moves the rate half way to the target.
	k.Ring(s, 1060*us, 9)
	check("recovery by time", 75*unit.Gbps, 100*unit.Gbps, 1)
	// After 10 kB the byte counter causes another step.
	s.OnAck(1061*us, &transport.Ack{Acked: 9000})
	check("9 kB", 75*unit.Gbps, 100*unit.Gbps, 1)
	s.OnAck(1062*us, &transport.Ack{Acked: 1000})
	check("recovery by bytes", 87_500*unit.Mbps, 100*unit.Gbps, 1)
	// The next CNP arrives at 1120 us. Two intervals K have passed without a CNP, so alpha is 9/16 for the cut. After
	// the cut alpha is 3/4·9/16 + 1/4 = 43/64. The target is the previous rate.
	k.Ring(s, 1111*us, 9)
	rate := unit.Rate(93_750 * unit.Mbps)
	check("second step by time", rate, 100*unit.Gbps, 1)
	mark(1120 * us)
	low := unit.Rate(float64(rate) * 23 / 32)
	check("second CNP", low, rate, 43.0/64)
	// Steps by bytes: one step of recovery, then additive increase, because BC is not below F = 2.
	s.OnAck(1121*us, &transport.Ack{Acked: 10_000})
	one := (low + rate + 1) / 2
	check("one", one, rate, 43.0/64)
	s.OnAck(1122*us, &transport.Ack{Acked: 10_000})
	target := rate + 40*unit.Mbps
	two := (one + target + 1) / 2
	check("additive", two, target, 43.0/64)
	// Hyper increase begins when both counters exceed F: after three steps by time and three by bytes.
	s.OnAck(1123*us, &transport.Ack{Acked: 10_000})
	k.Ring(s, 1120*us+2*55*us, 9)
	target = s.target
	k.Ring(s, 1120*us+3*55*us, 9)
	if s.target != target+400*unit.Mbps {
		t.Errorf("hyper increase takes the target from %v to %v", target, s.target)
	}
	// At line rate the timer is off.
	for i := range 200 {
		k.Ring(s, 1400*us+unit.Time(i)*55*us, 9)
		s.OnAck(1400*us, &transport.Ack{Acked: 10_000})
	}
	if s.Pace != 100*unit.Gbps || k.Due[0] != unit.Never {
		t.Errorf("rate %v, timer %v", s.Pace, k.Due[0])
	}
}

func TestControllers(t *testing.T) {
	for name, f := range map[string]transport.Factory{
		"polled": func() transport.Controller {
			return &polled{Rated: transport.Rated{Limit: transport.RateWindow{Rule: transport.Scaled}}, cfg: &Params{
				Gain: 1.0 / 256, AlphaTimer: us, CutInterval: 4 * us, Timer: 300 * us, Recovery: 1,
				RateAI: 20 * unit.Mbps, RateHAI: 200 * unit.Mbps, MinRate: unit.Gbps,
			}}
		},
		"paper": func() transport.Controller {
			return &sender{cfg: &Params{
				Gain: 1.0 / 256, CNPInterval: 50 * us, AlphaTimer: 55 * us, Timer: 55 * us,
				ByteCounter: 10_000_000, Recovery: 5,
				RateAI: 40 * unit.Mbps, RateHAI: 400 * unit.Mbps, MinRate: 10 * unit.Mbps,
			}}
		},
	} {
		t.Run(name, func(t *testing.T) { cctest.Suite(t, f) })
	}
}
