package lightguardian

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/int/sketch/sketchtest"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// testLayout returns the layout of a chain of three switches.
func testLayout(t testing.TB, change func(*Params)) *layout {
	t.Helper()
	g, err := topo.Chain{Switches: 3, HostsPerSwitch: 1, HostRate: unit.Gbps, FabricRate: unit.Gbps,
		Delay: unit.Microsecond}.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := &Params{
		Interval: unit.Millisecond, DelayArrays: 2, DelayBuckets: 50, Fast: 100 * unit.Nanosecond,
		Medium: unit.Microsecond, Slow: 10 * unit.Microsecond,
		IntervalBuckets: 30, Clock: unit.Nanosecond,
	}
	if change != nil {
		change(p)
	}
	return newLayout(p, g, 5)
}

// Invalid sketchlets are counted by their error and change nothing else.
func TestBadSketchlets(t *testing.T) {
	l := testLayout(t, nil)
	m := newModule(l, 0)
	good := sumax.Sketchlet{Device: 2, Interval: 4094, ID: 7, Cells: [sumax.Cells]uint32{1, 2, 3, 4}}
	m.datagram(good.AppendTo(nil), 0)
	if m.Received != (Received{Stale: 1}) || m.Latest() != -1 || m.At(0) != nil {
		t.Errorf("before anything is collected: %+v", m.Received)
	}
	const now = 2*sumax.Intervals - 2
	m.begin(now)
	var datagram []byte
	for _, change := range []func(*sumax.Sketchlet){
		func(*sumax.Sketchlet) {},
		func(x *sumax.Sketchlet) { x.Cells[0] = 99 }, // a duplicate: the first sketchlet stays
		func(x *sumax.Sketchlet) { x.Device = 3 },
		func(x *sumax.Sketchlet) { x.ID = l.ids },
		func(x *sumax.Sketchlet) { x.ID, x.Interval = 8, 4093 },
		func(x *sumax.Sketchlet) { x.ID, x.Interval = 9, 4092 }, // with the active bit of the right interval
		func(x *sumax.Sketchlet) { x.ID, x.Interval = 10, 0 },   // as well
	} {
		x := good
		change(&x)
		datagram = x.AppendTo(datagram)
	}
	m.datagram(datagram, 5)
	m.datagram(datagram[:len(datagram)-1], 5)
	want := Received{New: 1, Duplicate: 1, UnknownDevice: 1, UnknownID: 1, Stale: 4, CorruptLengths: 1}
	if m.Received != want {
		t.Errorf("%+v, want %+v", m.Received, want)
	}
	if c, ok := m.At(now).column(2)(7); !ok || c != good.Cells {
		t.Errorf("column %v", c)
	}
	if got := m.At(now).Received(l.nodes[2]); got != 1/float64(l.ids) {
		t.Errorf("share %v", got)
	}
	if got := m.At(now).Received(0); got != 0 {
		t.Errorf("a host has a share of %v", got)
	}
}

// For any datagram the module does not crash, and counts every sketchlet once.
func FuzzDatagram(f *testing.F) {
	l := testLayout(f, func(p *Params) { p.Last, p.Bytes = true, true })
	x := sumax.Sketchlet{Device: 1, Interval: 1, ID: 3}
	f.Add(x.AppendTo(nil))
	f.Add(x.AppendTo(x.AppendTo(nil))[:30])
	f.Fuzz(func(t *testing.T, b []byte) {
		m := newModule(l, 1)
		m.begin(1)
		m.datagram(b, 9)
		n := m.Received
		sum := n.New + n.Duplicate + n.Stale + n.UnknownDevice + n.UnknownID
		if len(b)%sumax.SketchletBytes != 0 {
			if n != (Received{CorruptLengths: 1}) {
				t.Fatalf("%d bytes: %+v", len(b), n)
			}
			return
		}
		if sum != int64(len(b)/sumax.SketchletBytes) || n.CorruptLengths != 0 || int(n.New) != len(m.current.columns) {
			t.Fatalf("%d bytes: %+v, %d columns", len(b), n, len(m.current.columns))
		}
		for _, node := range l.nodes {
			m.At(1).Query(node, 12)
			m.At(1).Tasks(node, 1)
		}
	})
}

// From the first switch, one of the 50 counters of each array has arrived, with a flow of 3 packets: linear counting
// has no zero. For the whole array these are 50 flows with equal shares of the packets: their entropy is log2 50 =
// 5.64386. From the second switch, a zero of each array has arrived, which means no flows, and so no entropy. From the
// third switch only the second array has arrived, so neither is known.
func TestTasksOfPartsOfSketches(t *testing.T) {
	l := testLayout(t, nil)
	m := &Monitor{layout: l, analyzer: newModule(l, 0)}
	m.analyzer.begin(0)
	for _, x := range []sumax.Sketchlet{
		{Device: 0, ID: 0, Cells: [sumax.Cells]uint32{1, 2}}, {Device: 0, ID: 50, Cells: [sumax.Cells]uint32{1, 2}},
		{Device: 1, ID: 0}, {Device: 1, ID: 50},
		{Device: 2, ID: 51},
	} {
		m.analyzer.take(&x, 0)
	}
	share := func(n int) string { return strconv.FormatFloat(float64(n)/float64(l.ids), 'g', 6, 64) }
	nodes := lists.Map(l.nodes, func(n netsim.NodeID) string { return strconv.Itoa(int(n)) })
	want := [][]string{
		{"0", nodes[0], share(2), "", "5.64386"}, {"0", nodes[1], share(2), "0", ""}, {"0", nodes[2], share(1), "", ""},
	}
	if diff := cmp.Diff(want, m.tasks().Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The module collects the newest interval and keeps some older ones, which do not change any more.
func TestIntervals(t *testing.T) {
	m := newModule(testLayout(t, nil), 2)
	for i := range 5 {
		m.begin(i)
		x := sumax.Sketchlet{Device: 1, Interval: uint16(i), ID: uint32(i)}
		m.datagram(x.AppendTo(nil), 0)
	}
	for i := range 6 {
		r := m.At(i)
		if kept := i >= 2 && i < 5; (r != nil) != kept {
			t.Fatalf("interval %d is kept: %t", i, !kept)
		}
		if r == nil {
			continue
		}
		if _, ok := r.column(1)(uint32(i)); !ok || len(r.columns) != 1 {
			t.Errorf("interval %d has %d columns", i, len(r.columns))
		}
	}
	if m.Latest() != 4 || m.Received.New != 5 {
		t.Errorf("latest %d, %+v", m.Latest(), m.Received)
	}
}

// Times in answers are right after the 32-bit clock has wrapped.
func TestQueryTimes(t *testing.T) {
	l := testLayout(t, func(p *Params) { p.Last, p.Bytes, p.Interval = true, true, 4*unit.Second })
	p, err := sumax.NewParts(l.shape)
	if err != nil {
		t.Fatal(err)
	}
	node, key := l.nodes[1], uint64(12345)
	at := l.shape.Place(key, l.seeds[1])
	first, last := 4_200_000_000*unit.Nanosecond, 4_300_000_000*unit.Nanosecond // 2^32 ns pass between them
	p.Record(&at, 500, uint32(first/unit.Nanosecond), 1000)
	p.Record(&at, 50_000, uint32(last/unit.Nanosecond), 60)
	m := newModule(l, 0)
	m.begin(1)
	for id := range l.ids {
		x := sumax.Sketchlet{Device: 1, Interval: 1, ID: id, Cells: p.Column(id)}
		m.datagram(x.AppendTo(nil), unit.Time(id+1))
	}
	want := Flow{
		Packets: Count{2, true}, Delay: [sumax.Cells]uint64{0, 1, 0, 1}, Bytes: Count{1060, true},
		Longest: Moment{100 * unit.Millisecond, true}, Last: Moment{last, true},
	}
	r := m.At(1)
	if got := r.Query(node, key); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if f := r.Query(l.nodes[2], key); f != (Flow{}) || f.Absent() {
		t.Errorf("a switch of which nothing has come: %+v", f)
	}
	if f := r.Query(node, 999); !f.Absent() || f.Last != (Moment{0, true}) {
		t.Errorf("a flow that was not there: %+v", f)
	}
	if f := r.Query(0, key); f != (Flow{}) {
		t.Errorf("a host: %+v", f)
	}
	// Of 190 sketchlets, half, 90 %, 99 % and all arrive.
	if got, want := r.devices[1].reached, [len(levels)]unit.Time{95, 171, 189, 190}; got != want {
		t.Errorf("reached at %v, want %v", got, want)
	}
}

// Theorem 6.1: with a share θ of the sketchlets, a share 1 − (1 − θ)^d of the flows has a valid answer, and errors
// beyond ε are as rare as stated. Over 20 seeds with 1000 flows each the share has a standard error below 0.004, so
// that it deviates by more than 0.02 once in a million; the seeds are fixed. The bound of the error is loose (Markov's
// inequality), so chance does not exceed it.
func TestTheorem61(t *testing.T) {
	const d, w, seeds = 3, 700, 20
	l := testLayout(t, func(p *Params) { p.DelayArrays, p.DelayBuckets, p.IntervalBuckets = d, w, 0 })
	for _, theta := range []float64{0.2, 0.55, 0.8, 1} {
		flows, valid := 0, 0
		eps := []float64{5, 20, 100}
		beyond, bound := make([]int, len(eps)), make([]float64, len(eps))
		for seed := range uint64(seeds) {
			p, err := sumax.NewParts(l.shape)
			if err != nil {
				t.Fatal(err)
			}
			stream := sketchtest.Skewed(10_000, 1_000, seed)
			for _, k := range stream {
				at := l.shape.Place(k, l.seeds[0])
				p.Record(&at, 1, 1, 1)
			}
			m := newModule(l, 0)
			m.begin(0)
			for id := range l.ids {
				if hash.Unit(hash.Combine(hash.Combine(seed, 9), uint64(id))) < theta {
					x := sumax.Sketchlet{ID: id, Cells: p.Column(id)}
					m.take(&x, 0)
				}
			}
			for key, n := range sketchtest.Count(stream) {
				flows++
				f := m.At(0).Query(l.nodes[0], key)
				if !f.Packets.Valid {
					continue
				}
				if f.Packets.N < n {
					t.Fatalf("%d packets, true %d", f.Packets.N, n)
				}
				valid++
				for i, e := range eps {
					if float64(f.Packets.N-n) > e {
						beyond[i]++
					}
				}
			}
			for i, e := range eps {
				x := math.Pow(float64(len(stream))*theta/(w*e)+1-theta, d)
				bound[i] = (x - math.Pow(1-theta, d)) / (1 - math.Pow(1-theta, d))
			}
			if got := m.At(0).expected(0); math.Abs(got-(1-math.Pow(1-theta, d))) > 0.04 {
				t.Errorf("θ = %v: expected %v", theta, got)
			}
		}
		if got, want := float64(valid)/float64(flows), 1-math.Pow(1-theta, d); math.Abs(got-want) > 0.02 {
			t.Errorf("θ = %v: %.3f of the answers are valid, want %.3f", theta, got, want)
		}
		for i, e := range eps {
			if got := float64(beyond[i]) / float64(valid); got > bound[i] {
				t.Errorf("θ = %v: %.4f of the valid answers are beyond %v, the theorem says at most %.4f",
					theta, got, e, bound[i])
			}
		}
	}
}

// Forged sketchlets with cells that are too small cause errors as large as the true values.
func TestErrorsOfTooSmallAnswers(t *testing.T) {
	l := testLayout(t, nil)
	real := newTruth()
	for range 3 {
		real.record(12345, 1, 7)
	}
	m := newModule(l, 0)
	m.begin(0)
	for id := range l.ids {
		m.take(&sumax.Sketchlet{Device: 1, ID: id}, 0)
	}
	if e := real.compare(m.At(0), 1); e.flows != 1 || e.valid != 1 || e.size != 1 || e.delay != 2 {
		t.Errorf("3 packets, answer 0: %+v, want an ARE of 1 and a WMRE of 2", e)
	}
}

// In steady state, receiving sketchlets of successive intervals allocates nothing.
func TestModuleAllocatesNothing(t *testing.T) {
	l := testLayout(t, nil)
	m := newModule(l, 1)
	var datagram []byte
	for id := range l.ids {
		for device := range l.nodes {
			x := sumax.Sketchlet{Device: uint16(device), ID: id}
			datagram = x.AppendTo(datagram)
		}
	}
	interval := 0
	collect := func() {
		m.begin(interval)
		m.datagram(datagram, 1)
		interval += sumax.Intervals // the sketchlets stay the same
	}
	for range 4 {
		collect()
	}
	if n := testing.AllocsPerRun(20, collect); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if want := int64(25 * len(l.nodes) * int(l.ids)); m.Received.New != want {
		t.Errorf("%d sketchlets, want %d", m.Received.New, want)
	}
}

func BenchmarkDatagram(b *testing.B) {
	l := testLayout(b, func(p *Params) { p.DelayBuckets, p.IntervalBuckets = 2048, 2048 })
	m := newModule(l, 0)
	var datagram []byte
	for i := range uint32(350) {
		x := sumax.Sketchlet{Device: uint16(i % 3), ID: uint32(hash.Combine(1, uint64(i))) % l.ids}
		datagram = x.AppendTo(datagram)
	}
	m.begin(0)
	b.ReportAllocs()
	for range b.N {
		m.current.reset(0)
		m.datagram(datagram, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(350*b.N), "ns/sketchlet")
}
