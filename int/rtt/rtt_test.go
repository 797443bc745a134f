package rtt

import (
	"math"
	"testing"

	"pintlab/int/fridge"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

const us = unit.Microsecond

// probe is a controller that compares the estimate in an ACK with the measurement of the host.
type probe struct {
	transport.Controller
	trips  transport.RoundTrips
	t      *testing.T
	longer *int // ACKs whose packet has waited
}

func (p *probe) OnAck(now unit.Time, a *transport.Ack) bool {
	got, ok := p.trips.Of(a, 0)
	if !ok || got != a.RTT {
		p.t.Errorf("at %v: the control reads %v (%t), measured %v", now, got, ok, a.RTT)
	}
	if a.RTT > 25*us {
		*p.longer++
	}
	return p.Controller.OnAck(now, a)
}

// With a fridge for all packets and a period so short that an estimate is one sample, senders receive the same values
// that they measure, to the nanosecond. This holds across a fat tree and below one switch, with queues, and with data
// in both directions.
func TestASampleIsWhatTheSenderMeasures(t *testing.T) {
	p := Params{Entries: 1 << 18, Probability: 1, Corrected: true, Of: "flow", Estimates: 1 << 12,
		Period: unit.Nanosecond, Unit: unit.Nanosecond}
	g := netsimtest.KAry(4)
	longer := 0
	var parts *telemetry.Parts
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA(), Seed: 7}
	l.Transport.AckField = fieldSize
	l.Taps = func(n *netsim.Network) []netsim.Tap {
		var err error
		if parts, err = p.Attach(&telemetry.Site{Graph: g, Net: n, Seed: 7}); err != nil {
			t.Fatal(err)
		}
		return []netsim.Tap{parts.Tap}
	}
	l.Control = func(*netsim.Network) transport.Factory {
		trips, err := (&transport.Setting{Feedback: parts.Feedback}).RoundTrips("switch")
		if err != nil {
			t.Fatal(err)
		}
		fixed := cctest.Fixed(60_000, 100*unit.Gbps)
		return func() transport.Controller { return &probe{fixed(), trips, t, &longer} }
	}
	l.Run(t, cctest.Flow(1, 0, 300_000), cctest.Flow(7, 0, 300_000), cctest.Flow(15, 0, 300_001),
		cctest.Flow(0, 15, 200_500))
	if longer == 0 {
		t.Error("no packet has waited: the test shows little")
	}
}

// Two samples of 100 and 200 ns with weights 1 and 3 have the mean 175 ns. They also count in the next period, together
// with a sample of 525 ns and weight 4 (a sum of 2800 with a weight of 8), but not in the period after that. After two
// periods without samples there is no estimate.
func TestEstimateByHand(t *testing.T) {
	var e estimate
	if got := e.mean(); got != 0 {
		t.Errorf("without a sample %v", got)
	}
	for _, c := range []struct {
		period        int64
		delay         uint32
		weight, want  float64
		encoded       uint64 // in units of 32 ns
		withoutSample bool
	}{
		{period: 5, delay: 100, weight: 1, want: 100, encoded: 3},
		{period: 5, delay: 200, weight: 3, want: 175, encoded: 5},
		{period: 6, delay: 525, weight: 4, want: 350, encoded: 11},
		{period: 7, withoutSample: true, want: 525, encoded: 16},
		{period: 8, withoutSample: true},
		{period: 20, delay: 3, weight: 7, want: 3, encoded: 1}, // 0 would mean none
		{period: 30, delay: 1 << 31, weight: 1, want: 1 << 31, encoded: 65535},
		{period: 40, delay: 5, weight: math.MaxFloat64}, // beyond float64
	} {
		e.turn(c.period)
		if !c.withoutSample {
			e.add(c.delay, c.weight)
		}
		if got := e.mean(); got != c.want || encode(got, 32*unit.Nanosecond) != c.encoded {
			t.Errorf("period %d: %v ns, encoded %d; want %v, %d",
				c.period, got, encode(got, 32*unit.Nanosecond), c.want, c.encoded)
		}
	}
	if got := code(32 * unit.Nanosecond).Decode(11); got != 352_000 {
		t.Errorf("11 units of 32 ns are %v ps", got)
	}
}

// Requests come every 100 ns. Their responses come alternately after 5 us and after 200 us, after 102.5 us on average.
// In a fridge of 1024 entries a long delay survives 2000 insertions with probability e^-1.95. With correction the mean
// of 25 000 long and 25 000 short delays has a standard deviation of 0.6 us. Without correction the mean is near (5 +
// 200·0.142)/(1 + 0.142) = 29 us.
func TestCorrection(t *testing.T) {
	for _, c := range []struct {
		corrected bool
		low, high float64 // us; five standard deviations
	}{{true, 99.5, 105.5}, {false, 27, 31}} {
		m := meterOf(t, 1024)
		long := func(i int) bool { return i%2 == 1 }
		mean := 0.0
		for i := range 52_000 {
			now := 100 * i
			m.fridge.Request(uint64(i), uint32(now))
			for _, back := range []int{i - 50, i - 2000} { // requests whose responses arrive now
				if back >= 0 && long(back) == (back == i-2000) {
					mean = m.answer(0, 1, uint64(back), uint32(now), c.corrected)
				}
			}
		}
		if mean /= 1000; mean < c.low || mean > c.high {
			t.Errorf("corrected %t: %.1f us on the mean, want %v to %v", c.corrected, mean, c.low, c.high)
		}
	}
}

// 2000 requests pass during every round trip. A fridge of 16 entries keeps no request for that long, and a
// note reports this. A fridge of 2^14 entries keeps most.
func TestNoteOfLostSamples(t *testing.T) {
	for _, c := range []struct{ entries, notes int }{{16, 2}, {1 << 14, 1}} {
		m := meterOf(t, c.entries)
		for i := range 20_000 {
			m.fridge.Request(uint64(i), uint32(100*i))
			if i >= 2000 {
				m.count(m.answer(0, 1, uint64(i-2000), uint32(100*i), true), 200_000)
			}
		}
		if got := (&tap{meters: []*meter{nil, m}}).notes(); len(got) != c.notes {
			t.Errorf("%d entries: %d notes, want %d: %q", c.entries, len(got), c.notes, got)
		}
		// six standard deviations of 0.5 %
		if share := m.weight / float64(m.acks); c.notes == 1 && (share < 0.97 || share > 1.03) {
			t.Errorf("%d entries: the samples stand for %.3f of the ACKs", c.entries, share)
		}
	}
}

func meterOf(tb testing.TB, entries int) *meter {
	tb.Helper()
	f, err := fridge.New[uint32](fridge.Config{Parts: []fridge.Part{{Entries: entries, Probability: 1}}, Seed: 3})
	if err != nil {
		tb.Fatal(err)
	}
	return &meter{fridge: f, estimates: make([]estimate, 1024)}
}

// round sends a data packet and the ACK of an older one.
func round(m *meter, i int) {
	m.fridge.Request(uint64(i), uint32(100*i))
	mean := m.answer(i%1000, int64(i/100), uint64(i-130), uint32(100*i), true)
	m.count(mean, 13_000)
}

func TestNothingIsAllocated(t *testing.T) {
	m, i := meterOf(t, 4096), 1000
	if n := testing.AllocsPerRun(10_000, func() { round(m, i); i++ }); n != 0 {
		t.Errorf("%v allocations for a packet and its ACK", n)
	}
}

func BenchmarkPacketAndAck(b *testing.B) {
	m := meterOf(b, 16384)
	b.ReportAllocs()
	for i := range b.N {
		round(m, i+1000)
	}
}
