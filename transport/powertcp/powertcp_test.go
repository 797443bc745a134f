package powertcp

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// The numbers of these tests allow mental arithmetic: at 100 Gb/s 12 500 B take one microsecond, and with τ = 10 us b·τ
// is 125 000 B. β is a tenth of that.
const (
	us   = unit.Microsecond
	tau  = 10 * us
	line = 100 * unit.Gbps
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func hop(n int, ts unit.Time, sent unit.Bytes, queue int32) netsim.PortSample {
	return netsim.PortSample{TS: ts, Sent: sent, Queue: queue, Port: netsim.PortID(n)}
}

// hops returns a gauge for hops with the given link rates. The gauge has begun a flow.
func hops(rates ...unit.Rate) *hopGauge {
	g := &hopGauge{rates: func(p netsim.PortID) unit.Rate { return rates[p] }}
	g.start(ns(tau))
	return g
}

// measure passes the records of two ACKs to a gauge.
func measure(t *testing.T, g *hopGauge, from, to []netsim.PortSample) float64 {
	t.Helper()
	if _, fresh := g.power(0, &transport.Ack{Hops: from}); fresh {
		t.Fatal("the first ACK has nothing to take a difference with")
	}
	p, fresh := g.power(0, &transport.Ack{Hops: to})
	if !fresh {
		t.Fatal("the second ACK tells nothing")
	}
	return p
}

type stack = []netsim.PortSample

// NORMPOWER of Algorithm 1 over a whole τ, so that the average is the new value. The current is q̇·τ + µ·τ bytes
// relative to 125 000, and the voltage q + 125 000 relative to 125 000.
func TestPowerOfOneHop(t *testing.T) {
	for _, tt := range []struct {
		before, now int32
		sent        unit.Bytes
		want        float64
	}{
		{0, 0, 125_000, 1},           // a full link without a queue
		{0, 0, 62_500, 0.5},          // half of it
		{0, 125_000, 125_000, 2 * 2}, // twice the rate arrives, and half is queued
		{125_000, 0, 125_000, 1},     // nothing arrives while the queue drains: no change
		{125_000, 62_500, 125_000, 1.5 * 0.5},
		{12_500, 12_500, 125_000, 1.1}, // the equilibrium of one flow: q = β
		{50_000, 0, 25_000, 1},         // rounded fields: a negative current
	} {
		got := measure(t, hops(line), stack{hop(0, 0, 0, tt.before)}, stack{hop(0, tau, tt.sent, tt.now)})
		near(t, "power", got, tt.want)
	}
}

// b is the rate of the hop: at 400 Gb/s b·τ is 500 000 B. Only the port with the largest Γ counts, over its own
// interval. The three ports have Γ = 0.25 over 10 us, 2·1.1 over 5 us and 1 over 10 us. So the average is half of the
// initial 1 plus half of 2.2.
func TestBusiestHopCounts(t *testing.T) {
	got := measure(t, hops(400*unit.Gbps, line, line),
		stack{hop(0, 0, 0, 0), hop(1, 0, 0, 0), hop(2, 0, 0, 0)},
		stack{hop(0, 10*us, 125_000, 0), hop(1, 5*us, 112_500, 12_500), hop(2, 10*us, 125_000, 0)})
	near(t, "power", got, 0.5*1+0.5*2.2)
}

// An interval longer than τ counts as τ: 30 us at a quarter of the rate are 0.25.
func TestLongIntervalCountsAsTau(t *testing.T) {
	near(t, "power", measure(t, hops(line), stack{hop(0, 0, 0, 0)}, stack{hop(0, 30*us, 93_750, 0)}), 0.25)
}

// After a change of path the first records only begin a measurement.
func TestChangeOfPath(t *testing.T) {
	g := hops(line, line)
	measure(t, g, stack{hop(0, 0, 0, 0)}, stack{hop(0, tau, 250_000, 0)})
	for _, s := range []stack{{hop(1, tau, 7, 0)}, {hop(1, tau, 7, 0), hop(0, tau, 7, 0)}, {}} {
		if _, fresh := g.power(0, &transport.Ack{Hops: s}); fresh {
			t.Errorf("%v tells something", s)
		}
	}
	p, _ := g.power(0, &transport.Ack{Hops: stack{hop(1, 2*tau, 125_007, 0), hop(0, 2*tau, 125_007, 0)}})
	near(t, "power", p, 1)
}

// puppet is a gauge that returns what a test sets.
type puppet struct {
	p     float64
	stale bool
}

func (g *puppet) start(float64) {}

func (g *puppet) power(unit.Time, *transport.Ack) (float64, bool) { return g.p, !g.stale }

func start(g gauge, perRTT bool) *sender {
	s := &sender{cfg: config{gamma: 0.9, flows: 10, tau: tau, perRTT: perRTT}, gauge: g}
	s.Start(0, transport.FlowInfo{Packet: 1048, LineRate: line, PathRate: line, BaseRTT: 8 * us})
	return s
}

// UPDATEWINDOW: γ·(cwnd_old/Γ + β) + (1-γ)·cwnd, and rate = cwnd/τ.
func TestUpdateWindow(t *testing.T) {
	g := &puppet{p: 2}
	s := start(g, false)
	if s.Window() != 125_000 || s.Rate() != line {
		t.Errorf("start: %v, %v", s.Window(), s.Rate())
	}
	s.OnAck(0, &transport.Ack{Seq: 1000, Next: 125_000})
	near(t, "cwnd", s.cwnd, 0.9*(62_500+12_500)+0.1*125_000) // 80 000
	if s.Rate() != 64*unit.Gbps {
		t.Errorf("rate %v, want 64Gbps", s.Rate())
	}
	// Packets up to 125 000 were sent under the first window.
	s.OnAck(0, &transport.Ack{Seq: 125_000, Next: 126_000})
	near(t, "cwnd", s.cwnd, 0.9*75_000+0.1*80_000) // 75 500
	// The next thousand bytes were sent under 80 000, and later ones under 75 500.
	s.OnAck(0, &transport.Ack{Seq: 126_000, Next: 127_000})
	near(t, "cwnd", s.cwnd, 0.9*52_500+0.1*75_500) // 54 800
	s.OnAck(0, &transport.Ack{Seq: 126_001, Next: 127_000})
	near(t, "cwnd", s.cwnd, 0.9*(37_750+12_500)+0.1*54_800)
	// An ACK without feedback changes nothing.
	g.stale = true
	if s.OnAck(0, &transport.Ack{Seq: 127_000, Next: 128_000}) {
		t.Error("an ACK without feedback sets the window")
	}
}

// At Γ = 1 + β/cwnd the window stays the same: the window exceeds the flow's share of the bandwidth-delay product by β,
// which waits in the queue (Theorem 1). Two flows share 125 000 B in flight and 25 000 B in the queue: 62 500 B and 12
// 500 B each, so that Γ = 1.2.
func TestEquilibrium(t *testing.T) {
	s := start(&puppet{p: 1.2}, false)
	s.cwnd = 75_000
	s.old.reset(0, s.cwnd)
	for i := range int64(10) {
		s.OnAck(0, &transport.Ack{Seq: 1000 * i, Next: 75_000 + 1000*i})
		near(t, "cwnd", s.cwnd, 75_000)
	}
}

// The window stays between one packet and b·τ.
func TestBounds(t *testing.T) {
	g := &puppet{p: 0}
	s := start(g, false)
	s.OnAck(0, &transport.Ack{Seq: 1000, Next: 2000})
	if s.Window() != 125_000 {
		t.Errorf("no power: %v", s.Window())
	}
	s.beta, g.p = 0, 1e9
	for range 10 {
		s.OnAck(0, &transport.Ack{Seq: 1000, Next: 2000})
	}
	if s.Window() != 1048 {
		t.Errorf("a lot of power: %v", s.Window())
	}
}

// Data sent again after a loss is sent under the present window. But if only missing segments are sent again, the rest
// of the data in flight was sent under the previous window.
func TestLossForgetsOldWindows(t *testing.T) {
	for kind, want := range map[transport.LossKind]float64{
		transport.Gap:       0.9*52_500 + 0.1*80_000,
		transport.Timeout:   0.9*52_500 + 0.1*80_000,
		transport.Selective: 0.9*75_000 + 0.1*80_000,
	} {
		s := start(&puppet{p: 2}, false)
		s.OnAck(0, &transport.Ack{Seq: 1000, Next: 100_000}) // 80 000
		s.OnLoss(0, transport.Loss{Kind: kind, Seq: 1000})
		s.OnAck(0, &transport.Ack{Seq: 2000, Next: 3000})
		near(t, "cwnd", s.cwnd, want)
	}
}

// Algorithm 2. Two round trips of 10 and 12 us are 4 us apart: θ̇ = 1/2, Γ = 1.5·1.2 = 1.8, and the average is 0.6·1 +
// 0.4·1.8. The third round trip, of 12 us, ends at the same time as the second and has no gradient. The fourth, of 9
// us, ends 2 us later and has θ̇ = -1.5.
func TestThetaPower(t *testing.T) {
	g := newThetaGauge()
	g.start(ns(tau))
	ack := func(at, rtt unit.Time) (float64, bool) { return g.power(at, &transport.Ack{HasRTT: true, RTT: rtt}) }
	if _, fresh := ack(100*us, 10*us); fresh {
		t.Error("the first round trip has no gradient")
	}
	p, _ := ack(104*us, 12*us)
	near(t, "power", p, 1.32)
	p, _ = ack(104*us, 12*us)
	near(t, "power", p, 1.32)
	p, _ = ack(106*us, 9*us)
	near(t, "power", p, 0.8*1.32+0.2*(-0.5*0.9))
	if _, fresh := g.power(110*us, &transport.Ack{}); fresh {
		t.Error("an ACK without a round trip tells something")
	}
}

// θ-PowerTCP sets its window once per round trip. The next update comes with the ACK of the first byte that was sent
// after the last update.
func TestThetaUpdatesOncePerRoundTrip(t *testing.T) {
	s := start(&puppet{p: 2}, true)
	for i, tt := range []struct {
		seq, next int64
		set       bool
	}{{1000, 125_000, true}, {2000, 126_000, false}, {124_999, 200_000, false}, {125_000, 205_000, true},
		{126_000, 206_000, false}} {
		if set := s.OnAck(0, &transport.Ack{Seq: tt.seq, Next: tt.next}); set != tt.set {
			t.Errorf("ACK %d: set %v", i, set)
		}
	}
}

// A history behaves like a list of all changes that is searched from the end.
func TestHistoryByTheBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h history
		h.reset(0, 1)
		all := []change{{0, 1}}
		seq, next, lost := int64(0), int64(0), int64(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "acks") {
			next += rapid.Int64Range(0, 3).Draw(t, "sent")
			seq = min(next, seq+rapid.Int64Range(0, 3).Draw(t, "acked"))
			want := 1.0
			for _, c := range all {
				if c.from < seq {
					want = c.cwnd
				}
			}
			if got := h.window(seq); seq > lost && got != want {
				t.Fatalf("the byte before %d was sent under %v, not %v", seq, want, got)
			}
			if rapid.IntRange(0, 9).Draw(t, "loss") == 0 {
				h.reset(seq, float64(i))
				all, next, lost = []change{{0, float64(i)}}, seq, seq
			}
			h.add(next, float64(i+2))
			all = append(all, change{next, float64(i + 2)})
		}
	})
}

// codes replaces the code of Γ.
type codes struct{}

func (codes) Decode(code uint32) float64 { return float64(code) / 16 }

// The digest has a field of 8 bits above 8 other bits, and the code 32 means 2. Only packets with an odd key carry it.
func TestDigest(t *testing.T) {
	d := telemetry.Digest{Code: codes{}, Shift: 8, Mask: 0xff, Carries: func(key uint64) bool { return key&1 == 1 }}
	s := start(newDigestGauge(&d)(), false)
	set := 0
	for id := range uint32(16) {
		a := transport.Ack{Seq: 1000, Next: 125_000, Digest: 32<<8 | 99, ID: id, FlowKey: 5}
		if got := s.OnAck(0, &a); got != (a.Key()&1 == 1) {
			t.Errorf("packet %d: set %v", id, got)
		} else if got {
			set++
		}
	}
	if set == 0 || s.last != 2 {
		t.Errorf("%d windows set, power %v, want 2", set, s.last)
	}
	e := transport.Step{Terms: s.Explain(nil)}
	if e.Term("code") != 32 || e.Term("load") != 2 || e.Term("reference") != float64(line) {
		t.Errorf("%+v", e.Terms)
	}
}

func TestControllers(t *testing.T) {
	rates := func(netsim.PortID) unit.Rate { return line }
	for name, p := range map[string]Params{
		"INT":   {Power: "telemetry", Gamma: 0.9, Flows: 10, RTT: "path"},
		"theta": {Power: "theta", Gamma: 0.9, Flows: 10, RTT: "given", T: tau},
		"PINT":  {Power: "telemetry", Gamma: 1, Flows: 1, RTT: "given", T: tau},
	} {
		t.Run(name, func(t *testing.T) {
			set := &transport.Setting{PortRate: rates}
			if name == "PINT" {
				set.Feedback.Digest = func(telemetry.Quantity) (*telemetry.Digest, error) {
					return &telemetry.Digest{Code: codes{}, Mask: 0xff}, nil
				}
			}
			f, err := p.New(set)
			if err != nil {
				t.Fatal(err)
			}
			cctest.Suite(t, f)
		})
	}
}
