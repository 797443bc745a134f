package hpcc_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// forms returns a sender of each form. Both have the same T = 8 us and read the same U. In T, a W_AI of 80 B is 80
// Mb/s, a packet of 1048 B is 1.048 Gb/s, and 100 Gb/s are 100000 B.
func forms(t rapid.TB, maxStage int) (g *puppet, w, r transport.Controller) {
	g = &puppet{}
	mk := func(c hpcc.Config) transport.Controller {
		c.Eta, c.MaxStage, c.T = 0.95, maxStage, 8*us
		f, err := hpcc.New(c, func() hpcc.Gauge { return g })
		if err != nil {
			t.Fatal(err)
		}
		s := f()
		s.Start(0, transport.FlowInfo{LineRate: line, PathRate: line, Packet: 1048, Segment: 1000})
		return s
	}
	w = mk(hpcc.Config{Form: hpcc.Window, WAI: 80})
	r = mk(hpcc.Config{Form: hpcc.Rate, RAI: 80 * unit.Mbps, MinRate: 1048 * unit.Mbps, BDP: 100_000})
	return g, w, r
}

// The two forms are the same algorithm in two units. If both read the same U at every ACK, as they do when the round
// trip is near T, window and rate agree up to rounding to whole bytes and bits per second.
func TestWindowAndRateFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, w, r := forms(t, rapid.IntRange(0, 3).Draw(t, "maxStage"))
		g.first = rapid.Bool().Draw(t, "first")
		seq := int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "acks") {
			seq += 1000
			g.u = rapid.Float64Range(0, 3).Draw(t, "u")
			a := transport.Ack{Seq: seq, Next: seq + int64(w.Window())}
			w.OnAck(0, &a)
			r.OnAck(0, &a)
			g.first = false
			if d := w.Window() - r.Window(); d < -1 || d > 1 {
				t.Fatalf("windows %d and %d", w.Window(), r.Window())
			}
			if d := float64(w.Rate() - r.Rate()); math.Abs(d) > 1e-6*float64(line) {
				t.Fatalf("rates %v and %v", w.Rate(), r.Rate())
			}
		}
	})
}

// The rate form starts at line rate with a window of BDP and keeps the rate within
// MinRate and the line rate.
func TestRateFormKeepsItsBounds(t *testing.T) {
	g, _, s := forms(t, 0)
	if s.Rate() != line || s.Window() != 100_000 {
		t.Errorf("start: %v, %d B", s.Rate(), s.Window())
	}
	ack(g, s, 1e9, 1000, 2000)
	if s.Rate() != 1048*unit.Mbps || s.Window() != 1048 {
		t.Errorf("under extreme load: %v, %d B, want 1.048Gbps and 1048 B", s.Rate(), s.Window())
	}
	ack(g, s, 0, 3000, 4000)
	if s.Rate() != line || s.Window() != 100_000 {
		t.Errorf("on an idle path: %v, %d B, want the line rate and 100000 B", s.Rate(), s.Window())
	}
}

// At 400 Gb/s with 5 GB in flight, intermediate products of window and rate exceed 64 bits. A division by two must
// still give half of both.
func TestRateFormOnALongFatPath(t *testing.T) {
	g := &puppet{u: 1.9}
	c := hpcc.Config{Form: hpcc.Rate, Eta: 0.95, T: 100 * unit.Millisecond, MinRate: unit.Gbps, BDP: 5 * unit.GB}
	f, err := hpcc.New(c, func() hpcc.Gauge { return g })
	if err != nil {
		t.Fatal(err)
	}
	s := f()
	s.Start(0, transport.FlowInfo{LineRate: 400 * unit.Gbps, PathRate: 400 * unit.Gbps, Packet: 1048, Segment: 1000})
	if s.Window() != 5*unit.GB {
		t.Errorf("start: window %v, want 5GB", s.Window())
	}
	s.OnAck(0, &transport.Ack{Seq: 1000, Next: 2000})
	if s.Rate() != 200*unit.Gbps || s.Window() != 2500*unit.MB {
		t.Errorf("half: %v, %v, want 200Gbps, 2.5GB", s.Rate(), s.Window())
	}
}

// With PathRTT, T is the base RTT of the flow's path, here 20 us. In Form Window, the window is what the line rate of
// 100 Gb/s carries in T: 250000 B. In Form Rate, it is what the slowest link, of 25 Gb/s, carries in T: 62500 B.
func TestPathRTTTakesTheFlowsOwn(t *testing.T) {
	for _, tt := range []struct {
		cfg  hpcc.Config
		want unit.Bytes
	}{
		{hpcc.Config{Form: hpcc.Window, Eta: 0.95, PathRTT: true, WAI: 80}, 250_000},
		{hpcc.Config{Form: hpcc.Rate, Eta: 0.95, PathRTT: true, MinRate: unit.Gbps}, 62_500},
	} {
		f, err := hpcc.New(tt.cfg, func() hpcc.Gauge { return &puppet{} })
		if err != nil {
			t.Fatal(err)
		}
		s := f()
		s.Start(0, transport.FlowInfo{LineRate: line, PathRate: 25 * unit.Gbps, Packet: 1048, Segment: 1000,
			BaseRTT: 20 * us})
		if s.Window() != tt.want || s.Rate() != line {
			t.Errorf("form %d: window %d, rate %v, want %d at line rate", tt.cfg.Form, s.Window(), s.Rate(), tt.want)
		}
	}
}

// An ACK without a stack, as on a path without switches, is not feedback. A stack from other ports or of another length
// begins a new measurement.
func TestAChangeOfPathBeginsANewMeasurement(t *testing.T) {
	g := gauge()
	if _, _, fresh := g.Utilisation(0, &transport.Ack{}); fresh {
		t.Error("no stack: fresh")
	}
	for i, tt := range []struct {
		hops  stack
		first bool
	}{
		{stack{hop(0, 0, 0, 0), hop(1, 0, 0, 0)}, true},
		{stack{hop(0, base, bt, 0), hop(1, base, 0, 0)}, false},
		{stack{hop(0, 2*base, bt, 0), hop(2, 2*base, 999_999_999, 0)}, true},
		{stack{hop(0, 3*base, bt, 0)}, true},
		{stack{hop(0, 4*base, 2*bt, 0)}, false},
	} {
		u, first, fresh := g.Utilisation(0, &transport.Ack{Hops: tt.hops})
		if first != tt.first || !fresh {
			t.Errorf("ACK %d: first %v, fresh %v", i, first, fresh)
		}
		if !first {
			near(t, "U", u, 1)
		}
	}
}

// A flow starts with U = 1 and no stack, and does not depend on the previous flow.
func TestAGaugeForgetsTheFlowBefore(t *testing.T) {
	g := gauge()
	measure(t, g, stack{hop(0, 0, 0, 0)}, stack{hop(0, base, 1000, 0)})
	g.Start(transport.FlowInfo{LineRate: line}, base, bt)
	u := measure(t, g, stack{hop(0, 100*us, 0, 0)}, stack{hop(0, 105*us, 15_625, 0)})
	near(t, "U", u, 0.625)
}

// The published fields wrap after 16.777216 ms and 536870912 B. Both wrap between two records that are 10 us and 125440
// B (245 steps of 512 B) apart.
func TestUAcrossAWrapOfTheFields(t *testing.T) {
	q, err := inband.NewQuantizer(inband.Published())
	if err != nil {
		t.Fatal(err)
	}
	span, _, _ := q.Spans()
	stacks := make([]stack, 2)
	for i, h := range []inband.Hop{
		{Time: span - 3*us, Tx: 536_870_912 - 51_200},
		{Time: span + 7*us, Tx: 536_870_912 + 74_240},
	} {
		x := q.Quantize(h)
		stacks[i] = stack{hop(0, x.Time, x.Tx, int32(x.Queue))}
	}
	if stacks[1][0].TS >= stacks[0][0].TS || stacks[1][0].Sent >= stacks[0][0].Sent {
		t.Fatal("the fields do not wrap in this test")
	}
	g := hpcc.NewINT(func(netsim.PortID) unit.Rate { return line }, q)
	g.Start(transport.FlowInfo{LineRate: line}, base, bt)
	near(t, "U", measure(t, g, stacks...), 125_440.0/125_000)
}

// Shift and Mask select the digest. ACKs of packets without a digest are not feedback. With SkipFirst, the first digest
// of each flow only begins the measurement. Code 23 means 0.23.
func TestDigestGauge(t *testing.T) {
	asked := 0
	g := hpcc.NewDigest(telemetry.Digest{
		Code: codes{}, Shift: 8, Mask: 0xff, SkipFirst: true,
		Carries: func(uint64) bool { asked++; return asked%2 == 0 },
	})
	for range 2 {
		g.Start(transport.FlowInfo{}, base, bt)
		for i, tt := range []struct{ first, fresh bool }{{false, false}, {true, true}, {false, false}, {false, true}} {
			u, first, fresh := g.Utilisation(0, &transport.Ack{Digest: 0xab_17_cd, ID: uint32(i + 1), Next: 1000})
			if first != tt.first || fresh != tt.fresh || fresh && u != 0.23 {
				t.Errorf("ACK %d: U = %v, first %v, fresh %v, want %v, %v, %v",
					i+1, u, first, fresh, 0.23, tt.first, tt.fresh)
			}
		}
	}
	plain := hpcc.NewDigest(telemetry.Digest{Code: codes{}, Mask: 0xff})
	plain.Start(transport.FlowInfo{}, base, bt)
	if u, first, fresh := plain.Utilisation(0, &transport.Ack{Digest: 0x1ff}); u != 2.55 || first || !fresh {
		t.Errorf("U = %v, first %v, fresh %v, want 2.55 at once", u, first, fresh)
	}
}

func TestControllers(t *testing.T) {
	window := defaults()
	window.MaxStage = 5
	path := hpcc.Config{Form: hpcc.Rate, Eta: 0.95, PathRTT: true, RAI: 50 * unit.Mbps, MinRate: 100 * unit.Mbps}
	rates := func(p netsim.PortID) unit.Rate { return []unit.Rate{10, 25, 100, 400}[p%4] * unit.Gbps }
	for name, tt := range map[string]struct {
		cfg   hpcc.Config
		gauge func() hpcc.Gauge
	}{
		"WindowINT": {window, func() hpcc.Gauge { return hpcc.NewINT(rates, nil) }},
		"RateINT":   {path, func() hpcc.Gauge { return hpcc.NewINT(rates, nil) }},
		"WindowDigest": {defaults(),
			func() hpcc.Gauge { return hpcc.NewDigest(telemetry.Digest{Code: codes{}, Mask: 0xff}) }},
		"RateDigest": {path, func() hpcc.Gauge {
			return hpcc.NewDigest(telemetry.Digest{Code: codes{}, Mask: 0xff,
				SkipFirst: true})
		}},
	} {
		f, err := hpcc.New(tt.cfg, tt.gauge)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { cctest.Suite(t, f) })
	}
}

func TestConfigValidate(t *testing.T) {
	rate := hpcc.Config{Form: hpcc.Rate, Eta: 0.95, T: base, RAI: unit.Mbps, MinRate: unit.Mbps, BDP: bt}
	for _, tt := range []struct {
		from hpcc.Config
		edit func(*hpcc.Config)
		want string
	}{
		{defaults(), func(c *hpcc.Config) { c.Eta = math.NaN() }, "eta = NaN, want 0 < eta <= 1"},
		{defaults(), func(c *hpcc.Config) { c.Eta = 0 }, "eta = 0, want 0 < eta <= 1"},
		{defaults(), func(c *hpcc.Config) { c.MaxStage = -1 }, "max_stage = -1, want >= 0"},
		{defaults(), func(c *hpcc.Config) { c.T = 0 }, "t = 0s, … > 0, … 0 … RTT … path"},
		{defaults(), func(c *hpcc.Config) { c.PathRTT = true }, "t = 13us, … > 0, … 0 … RTT … path"},
		{defaults(), func(c *hpcc.Config) { c.WAI = -1 }, "w_ai = -1 bytes, want >= 0"},
		{defaults(), func(c *hpcc.Config) { c.Form = 2 }, "form = 2, want Window or Rate"},
		{defaults(), func(c *hpcc.Config) { c.Eta, c.MaxStage = 2, -5 },
			"eta = 2, want 0 < eta <= 1\nmax_stage = -5, want >= 0"},
		{rate, func(c *hpcc.Config) { c.MinRate = 0 },
			"r_ai = 1Mbps, min_rate = 0bps, want r_ai >= 0 and min_rate > 0"},
		{rate, func(c *hpcc.Config) { c.BDP = -1 }, "bdp = -1B, … >= 0, … 0 … RTT … path"},
	} {
		tt.edit(&tt.from)
		_, err := hpcc.New(tt.from, nil)
		if want := "hpcc: bad config: " + tt.want; !errtest.Says(err, want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for _, c := range []hpcc.Config{defaults(), rate} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// If T is too short for even one byte, the window is one byte, at line rate.
func TestTheSmallestT(t *testing.T) {
	newSender, err := hpcc.New(hpcc.Config{T: 1, Eta: 0.95, WAI: 1}, func() hpcc.Gauge { return &puppet{} })
	if err != nil {
		t.Fatal(err)
	}
	s := newSender()
	s.Start(0, transport.FlowInfo{LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps, Packet: 1000,
		BaseRTT: unit.Microsecond})
	if s.Window() != 1 || s.Rate() != 100*unit.Gbps {
		t.Errorf("window %v, rate %v; want 1B and 100Gbps", s.Window(), s.Rate())
	}
}
