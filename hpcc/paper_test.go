package hpcc_test

import (
	"math"
	"testing"

	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// The tests of this file are named after the lines of Algorithm 1. Their numbers allow mental arithmetic: at 100 Gb/s,
// 12 500 B take one microsecond, and for T = 10 us the product B·T is 125 000 B.
const (
	us   = unit.Microsecond
	base = 10 * us
	line = 100 * unit.Gbps
	bt   = 125_000
)

// gauge returns an INT gauge for hops with the given link rates, 100 Gb/s by default. It has begun a flow, with U = 1.
func gauge(rates ...unit.Rate) *hpcc.INT {
	g := hpcc.NewINT(func(p netsim.PortID) unit.Rate {
		if int(p) < len(rates) {
			return rates[p]
		}
		return line
	}, nil)
	g.Start(transport.FlowInfo{LineRate: line}, base, bt)
	return g
}

// hop returns the record of the n-th switch: the time, the bytes sent so far, and the queue.
func hop(n int, ts unit.Time, sent unit.Bytes, queue int32) netsim.PortSample {
	return netsim.PortSample{TS: ts, Sent: sent, Queue: queue, Port: netsim.PortID(n)}
}

// measure passes the stacks of successive ACKs to a gauge and returns the last U.
func measure(t *testing.T, g *hpcc.INT, stacks ...[]netsim.PortSample) float64 {
	t.Helper()
	var u float64
	for i, s := range stacks {
		var first, fresh bool
		u, first, fresh = g.Utilisation(0, &transport.Ack{Hops: append([]netsim.PortSample(nil), s...)})
		if !fresh || first != (i == 0) {
			t.Fatalf("ACK %d: first %v, fresh %v", i, first, fresh)
		}
	}
	return u
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

type stack = []netsim.PortSample

// Line 4: txRate = ΔtxBytes/Δts. In T at 100 Gb/s, 125000 B are a load of 1, 93750 B of 0.75, and 1000 B of 0.008. The
// division must not truncate to integers.
func TestLine4MeasuresTheRate(t *testing.T) {
	for _, tt := range []struct {
		bytes unit.Bytes
		want  float64
	}{{125_000, 1}, {93_750, 0.75}, {62_500, 0.5}, {1_000, 0.008}} {
		u := measure(t, gauge(), stack{hop(0, 0, 0, 0)}, stack{hop(0, base, tt.bytes, 0)})
		near(t, "U", u, tt.want)
	}
	// From a start that is not zero, only the difference counts.
	u := measure(t, gauge(), stack{hop(0, 777*us, 5_000_000, 0)}, stack{hop(0, 787*us, 5_093_750, 0)})
	near(t, "U", u, 0.75)
}

// Line 5: the queue counts as qlen/(B·T), with the smaller of the present and the previous queue. A link that is half
// busy and has a queue of a quarter of B·T has a load of 0.5 + 0.25.
func TestLine5AddsTheSmallerQueue(t *testing.T) {
	for _, tt := range []struct {
		before, now int32
		want        float64
	}{{31_250, 31_250, 0.75}, {31_250, 125_000, 0.75}, {125_000, 31_250, 0.75}, {0, 125_000, 0.5},
		{125_000, 125_000, 1.5}} {
		u := measure(t, gauge(), stack{hop(0, 0, 0, tt.before)}, stack{hop(0, base, 62_500, tt.now)})
		near(t, "U", u, tt.want)
	}
}

// Line 5 uses the rate B of the hop and not of the sender. On a link of 400 Gb/s, B·T is 500000 B. So a queue of 125000
// B and 125000 sent bytes count 0.25 each.
func TestLine5UsesTheRateOfTheHop(t *testing.T) {
	u := measure(t, gauge(400*unit.Gbps), stack{hop(0, 0, 0, bt)}, stack{hop(0, base, bt, bt)})
	near(t, "U", u, 0.5)
}

// Lines 6 and 7: the busiest hop counts at any position, with its own interval. A load of 1.5 during 2.5 us, a quarter
// of T, moves U by a quarter of the difference, from 1 to 1.125.
func TestLines6And7TakeTheBusiestHopAndItsInterval(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}} {
		// load and interval of three hops, in some order
		ends := []netsim.PortSample{
			hop(0, 10*us, 25_000, 0),  // 0.2 for 10 us
			hop(0, 5*us, 62_500, 0),   // 1.0 for 5 us
			hop(0, 5*us/2, 46_875, 0), // 1.5 for 2.5 us
		}
		var from, to stack
		for n, i := range order {
			e := ends[i]
			e.Port = netsim.PortID(n)
			from, to = append(from, hop(n, 0, 0, 0)), append(to, e)
		}
		near(t, "U", measure(t, gauge(), from, to), 1.125)
	}
}

// Line 8: an interval longer than T counts as T. A measurement over 30 us replaces U completely, without extrapolation.
func TestLine8ClipsTheIntervalToT(t *testing.T) {
	u := measure(t, gauge(), stack{hop(0, 0, 0, 0)}, stack{hop(0, 30*us, 93_750, 0)})
	near(t, "U", u, 0.25) // 93750 of 375000 B
}

// Line 9: U is a weighted average with τ/T: a quarter load for half of T moves U from 1
// to 0.5·1 + 0.5·0.25.
func TestLine9IsAWeightedAverage(t *testing.T) {
	near(t, "U", measure(t, gauge(), stack{hop(0, 0, 0, 0)}, stack{hop(0, 5*us, 15_625, 0)}), 0.625)
}

// Line 27: each ACK's stack is compared with the next ACK's stack. The load is 1 in the first T and 0.25 in the second,
// so U ends at 0.25. If the second load were measured from the first ACK, U would be 0.625.
func TestLine27ReplacesTheStack(t *testing.T) {
	u := measure(t, gauge(), stack{hop(0, 0, 0, 0)}, stack{hop(0, base, bt, 0)}, stack{hop(0, 2*base, bt+31_250, 0)})
	near(t, "U", u, 0.25)
}

// puppet is a gauge that returns what a test sets.
type puppet struct {
	u            float64
	first, stale bool
}

func (p *puppet) Start(transport.FlowInfo, unit.Time, unit.Bytes) {}

func (p *puppet) Utilisation(unit.Time, *transport.Ack) (float64, bool, bool) {
	return p.u, p.first, !p.stale
}

// sender returns an HPCC sender with T = 8 us, for which 100000 B are in flight at line rate. It has begun a flow, with
// W = W^c = 100000 B.
func sender(t *testing.T, edit func(*hpcc.Config)) (*puppet, transport.Controller) {
	t.Helper()
	g := &puppet{}
	c := defaults()
	c.T = 8 * us
	if edit != nil {
		edit(&c)
	}
	f, err := hpcc.New(c, func() hpcc.Gauge { return g })
	if err != nil {
		t.Fatal(err)
	}
	s := f()
	s.Start(0, transport.FlowInfo{LineRate: line, PathRate: line, Packet: 1048, Segment: 1000, BaseRTT: 8 * us})
	return g, s
}

// ack passes U to the sender with the ACK of seq; next is the first byte not sent yet.
func ack(g *puppet, s transport.Controller, u float64, seq, next int64) unit.Bytes {
	g.u = u
	s.OnAck(0, &transport.Ack{Seq: seq, Next: next})
	return s.Window()
}

func window(t *testing.T, what string, got, want unit.Bytes) {
	t.Helper()
	if got != want {
		t.Errorf("%s: window %d, want %d", what, got, want)
	}
}

// Line 13 divides the reference window W^c, which moves once per round trip: a second ACK of the same round trip
// results in the same window and does not halve it again. At U = 1.9 = 2η, 100000 becomes 50000 + 80.
func TestLine13DividesTheReferenceWindow(t *testing.T) {
	g, s := sender(t, nil)
	g.first = true // so that lastUpdateSeq is set and no later ACK of this test passes it
	ack(g, s, 0, 1000, 100_000)
	g.first = false
	for i := range int64(3) {
		window(t, "U = 1.9", ack(g, s, 1.9, 2000+1000*i, 110_000), 50_080)
	}
}

// Lines 12 and 16: below η the window grows; at η or above, it is divided. With maxStage = 5, W^c = 50080 after one
// division at U = 1.9.
func TestLine12DividesFromEtaOn(t *testing.T) {
	for _, tt := range []struct {
		u    float64
		want unit.Bytes
	}{{0.94, 50_080 + 80}, {0.95, 50_080 + 80}, {0.951, 50_107}, {1.9, 25_120}} {
		g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 5 })
		ack(g, s, 1.9, 1000, 50_000)
		window(t, "second round trip", ack(g, s, tt.u, 60_000, 99_000), tt.want)
	}
}

// At η both branches compute the same window, but the algorithm takes the first branch, which does not count as a
// stage. So with maxStage = 1 the next round trip may add.
func TestLine12IncludesEta(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 1 })
	ack(g, s, 1.9, 1000, 50_000)
	window(t, "at eta", ack(g, s, 0.95, 60_000, 70_000), 50_160)
	window(t, "below", ack(g, s, 0.475, 80_000, 90_000), 50_240)
}

// Line 17: W = W^c + W_AI also starts from the reference, so that three ACKs of one round trip add only once.
func TestLine17AddsToTheReferenceWindow(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 5 })
	ack(g, s, 1.9, 1000, 50_000) // W^c = 50080
	for seq := range int64(3) {
		window(t, "same round trip", ack(g, s, 0.5, 2000+seq, 60_000), 50_160)
	}
}

// Lines 14 and 18: incStage counts the additive steps, one per round trip. After maxStage steps, the window is divided
// even at low load, and the count begins again.
func TestLines14And18CountTheStages(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 2 })
	seq := int64(0)
	round := func(u float64) unit.Bytes {
		seq += 100_000
		return ack(g, s, u, seq, seq+50_000)
	}
	window(t, "divided", round(1.9), 50_080)
	for range 2 {
		w := s.Window()
		window(t, "first additive step", round(0.76), w+80)
		window(t, "second additive step", round(0.76), w+160)
		window(t, "divided by 0.8", round(0.76), unit.Bytes(float64(w+160)/(0.76/0.95))+80)
	}
}

// An ACK within the round trip does not count as a stage.
func TestLine18CountsOnlyUpdates(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 1 })
	ack(g, s, 1.9, 1000, 50_000)
	for i := range int64(5) {
		window(t, "within the round trip", ack(g, s, 0.5, 1001+i, 50_000), 50_160)
	}
	window(t, "next round trip", ack(g, s, 0.5, 60_000, 90_000), 50_160)
}

// Lines 22 to 24: W^c and lastUpdateSeq move when an ACK passes lastUpdateSeq, which
// is set to snd_nxt: the ACK of exactly that byte is the last of the round trip. Every
// update adds 80 to W^c.
func TestLines22To24UpdateOncePerRoundTrip(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 100 })
	window(t, "first update", ack(g, s, 1.9, 1000, 50_000), 50_080)
	for i, tt := range []struct {
		seq, next int64
		want      unit.Bytes
	}{
		{49_000, 70_000, 50_160}, // W^c + 80
		{50_000, 70_000, 50_160}, // the last one
		{50_001, 90_000, 50_160}, // W^c = 50160
		{50_002, 90_000, 50_240},
		{90_000, 95_000, 50_240}, // the last one again
		{90_001, 99_000, 50_240}, // W^c = 50240
		{90_002, 99_000, 50_320},
	} {
		if w := ack(g, s, 0.5, tt.seq, tt.next); w != tt.want {
			t.Errorf("ACK %d, of %d: window %d, want %d", i+2, tt.seq, w, tt.want)
		}
	}
}

// Line 26: between two updates an ACK sets W and leaves W^c unchanged: the second ACK halves W, and the third sets it
// to W^c + 80 again.
func TestLine26ReactsToEveryAck(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 100 })
	ack(g, s, 1.9, 1000, 50_000) // W^c = 50080
	window(t, "U = 1.9", ack(g, s, 1.9, 2000, 50_000), 25_120)
	window(t, "U = 0.5", ack(g, s, 0.5, 3000, 50_000), 50_160)
}

// R = W/T: 50080 B in 8 us are 50.08 Gb/s. R is never more than the line rate.
func TestRateIsWindowOverT(t *testing.T) {
	g, s := sender(t, nil)
	if s.Rate() != line || s.Window() != 100_000 {
		t.Errorf("start: %v and %d B, want line rate and 100000 B", s.Rate(), s.Window())
	}
	ack(g, s, 1.9, 1000, 50_000)
	if want := 50_080 * unit.Mbps; s.Rate() != want {
		t.Errorf("rate %v, want %v", s.Rate(), want)
	}
}

// The window stays within a packet and B·T; a load below 1/512 counts as 1/512.
func TestWindowKeepsItsBounds(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.WAI = 0 })
	window(t, "idle path", ack(g, s, 0, 1000, 2000), 100_000)
	window(t, "path at 10000", ack(g, s, 10_000, 3000, 4000), 1048)
	// With U = 1/512, the window would be 1048/(1/512/0.95) = 509747, which exceeds B·T. 1048 B, a packet, is the lower
	// bound.
	window(t, "idle again", ack(g, s, 0, 5000, 6000), 100_000)
	if r := s.Rate(); r != line {
		t.Errorf("rate %v, want the line rate", r)
	}
}

// The first feedback only begins a measurement: the window stays the same, and the next update waits until all bytes
// sent before are acknowledged. A second beginning, after a change of path, does not delay this update.
func TestFirstFeedbackStartsTheClockOfUpdates(t *testing.T) {
	g, s := sender(t, func(c *hpcc.Config) { c.MaxStage = 100 })
	g.first = true
	window(t, "first", ack(g, s, 5, 1000, 50_000), 100_000)
	g.first = false
	ack(g, s, 1.9, 50_000, 60_000)
	window(t, "W^c has not moved", ack(g, s, 0.5, 50_000, 60_000), 100_000)
	window(t, "now it moves", ack(g, s, 1.9, 50_001, 70_000), 50_080)
	g.first = true
	window(t, "new path", ack(g, s, 5, 60_000, 90_000), 50_080)
	g.first = false
	window(t, "at the time set before", ack(g, s, 1.9, 70_001, 95_000), 25_120)
}

// An ACK without feedback changes neither the window nor the time of the next update.
func TestAnAckWithoutFeedbackOnlyClocks(t *testing.T) {
	g, s := sender(t, nil)
	ack(g, s, 1.9, 1000, 50_000)
	g.stale = true
	if s.OnAck(0, &transport.Ack{Seq: 60_000, Next: 70_000}) {
		t.Error("OnAck reports a change")
	}
	window(t, "without feedback", s.Window(), 50_080)
	g.stale = false
	window(t, "the update has not been used up", ack(g, s, 1.9, 60_000, 70_000), 25_120)
}
