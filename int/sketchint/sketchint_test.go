package sketchint

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// The layer after two switches is checked byte by byte: the number of hops, then 48 bits for each.
func TestLayer(t *testing.T) {
	l := layer{make([]byte, plain.bytes(2)), plain}
	l.begin()
	if !l.push(0x0102, 0x03040506, 9) || !l.push(0xfffe, 7, 9) {
		t.Fatal("no room")
	}
	if want := []byte{0, 2, 1, 2, 3, 4, 5, 6, 0xff, 0xfe, 0, 0, 0, 7}; !bytes.Equal(l.data, want) {
		t.Errorf("% x, want % x", l.data, want)
	}
	if l.push(1, 1, 9) || l.hops() != 2 {
		t.Error("a third hop in a layer of two")
	}
	if id, latency := l.record(1); id != 0xfffe || latency != 7 {
		t.Error(id, latency)
	}
}

// A counting record has 32 bits of drops after the latency.
func TestCountingLayer(t *testing.T) {
	l := layer{make([]byte, counting.bytes(2)), counting}
	l.begin()
	if !l.push(0x0102, 0x03040506, 0x0708090a) || !l.push(0xfffe, 7, 8) || l.push(1, 1, 1) {
		t.Fatal("want room for two records")
	}
	want := []byte{0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xff, 0xfe, 0, 0, 0, 7, 0, 0, 0, 8}
	if !bytes.Equal(l.data, want) {
		t.Errorf("% x, want % x", l.data, want)
	}
	if id, latency := l.record(1); id != 0xfffe || latency != 7 || l.drops(0) != 0x0708090a || l.drops(1) != 8 {
		t.Error(id, latency, l.drops(0), l.drops(1))
	}
}

func params() *Params {
	return &Params{
		Sketch: "tower", Insertion: "cu", Memory: 20 * unit.KB, LatencyMemory: 60 * unit.KB, Table: 16,
		Hitter: 40, Change: 20,
		Inflation: 5, Frame: 1000,
	}
}

func newTestGroup(t testing.TB, p *Params, maxHops int) *group {
	t.Helper()
	s := newShape(p, maxHops, 8)
	g, err := newGroup(&s, 7, apart)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// path returns an INT layer with the given latencies, at switches 3, 4, …
func path(latencies ...uint32) layer {
	l := layer{make([]byte, plain.bytes(len(latencies))), plain}
	l.begin()
	for i, ns := range latencies {
		l.push(uint16(3+i), ns, 0)
	}
	return l
}

// One flow of 50 packets takes 100 ns at switch 3 and 200 ns at switch 4, except for one packet:
// 501 ns at switch 3 is more than five times the average. A flow of 10 packets is not heavy.
func TestTasks(t *testing.T) {
	for _, sketch := range []string{"tower", "rows", "tower apart", "rows apart", "tower hops", "rows hops"} {
		p := params()
		p.Sketch, p.Counters, _ = strings.Cut(sketch, " ")
		p.LatencySketches = p.Counters
		g := newTestGroup(t, p, 5)
		for range 49 {
			encode(g, 1, path(100, 200))
		}
		encode(g, 1, path(501, 200))
		for range 10 {
			encode(g, 2, path(1000))
		}
		if ns, ok := g.meanLatency(1, 3, 0); !ok || math.Abs(ns-(4900+501)/50.0) > 1e-9 {
			t.Errorf("%s: %v ns (%t)", sketch, ns, ok)
		}
		if ns, ok := g.meanLatency(1, 4, 1); !ok || ns != 200 {
			t.Errorf("%s: %v ns (%t)", sketch, ns, ok)
		}
		if _, ok := g.meanLatency(2, 4, 1); ok {
			t.Errorf("%s: a latency where the flow never was", sketch)
		}
		want := []hitter{{pair{1, 3}, 50}, {pair{1, 4}, 50}}
		if got := g.hitters(40); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", sketch, got, want)
		}
		if n := g.inflated.Flows(); len(n) != 1 || n[0].Estimate != 1 || g.sources[0] != (pair{1, 3}) {
			t.Errorf("%s: inflated %v %v", sketch, n, g.sources[:1])
		}
		// In the next period flow 1 has stopped and flow 2 has 35 packets, 25 more.
		next := newTestGroup(t, p, 5)
		for range 35 {
			encode(next, 2, path(1000))
		}
		wantChanges := []change{{pair{1, 3}, 50, 0}, {pair{2, 3}, 10, 35}, {pair{1, 4}, 50, 0}}
		if got := next.changes(g, 20); !slices.Equal(got, wantChanges) {
			t.Errorf("%s: %v, want %v", sketch, got, wantChanges)
		}
		g.reset()
		if _, ok := g.meanLatency(1, 3, 0); ok || g.size(1) != 0 || len(g.hitters(1)) != 0 {
			t.Errorf("%s: not empty after reset", sketch)
		}
	}
}

// Counters of drops never decrease. So a group keeps the largest value of each switch until a reset. The shipment
// contains these values, except those in lost frames.
func TestDropsOfAGroup(t *testing.T) {
	p := params()
	p.Drops = true
	g := newTestGroup(t, p, 5)
	for _, n := range []uint32{7, 9, 8} {
		l := layer{make([]byte, counting.bytes(2)), counting}
		l.begin()
		l.push(3, 100, n)
		l.push(5, 100, 2)
		encode(g, 1, l)
	}
	want := []uint32{0, 0, 0, 9, 0, 2, 0, 0}
	if !slices.Equal(g.drops, want) {
		t.Errorf("%v, want %v", g.drops, want)
	}
	b := g.appendTo(nil)
	if end := b[len(b)-32:]; len(b) != g.shape.size() || end[15] != 9 || end[23] != 2 {
		t.Errorf("%d bytes, want %d; the last ones % x", len(b), g.shape.size(), end)
	}
	for at, want := range map[int][]uint32{
		0: want, 15: {0, 0, 0, 0, 0, 2, 0, 0}, 20: {0, 0, 0, 9, 0, 0, 0, 0}, 16: want,
	} {
		got, lost := newTestGroup(t, p, 5), bytes.Clone(b)
		g.shape.lose(lost, len(b)-32+at, len(b)-32+at+1)
		if err := got.read(lost); err != nil || !slices.Equal(got.drops, want) {
			t.Errorf("without byte %d: %v, want %v, %v", at, got.drops, want, err)
		}
	}
	if g.reset(); slices.Max(g.drops) > 0 {
		t.Errorf("%v after reset", g.drops)
	}
}

// The drops are computed by hand. Two agents have read the counters 5 and 3 of switch 0, so the monitor reports 5
// drops; the truth is 6. In the next period, they read 6, so the monitor reports one more drop; the truth is none. They
// have no data from switch 1.
func TestDropsOfPeriods(t *testing.T) {
	d := &drops{
		nodes: []netsim.NodeID{20, 21}, read: make([]uint32, 2), was: make([]uint32, 2),
		table: telemetry.NewTable("drops", "period node packets real"), truth: true, real: []uint32{6, 2},
	}
	d.take([]uint32{3, 0})
	d.take([]uint32{5, 0})
	d.close(0)
	d.real = []uint32{0, 0}
	d.take([]uint32{6, 0})
	d.close(1)
	want := [][]string{{"0", "20", "5", "6"}, {"0", "21", "0", "2"}, {"1", "20", "1", "0"}}
	if !reflect.DeepEqual(d.table.Rows, want) {
		t.Errorf("%v, want %v", d.table.Rows, want)
	}
	if d.errors != (score{1, 2, 2}) || d.unreported != 1 || math.Abs(d.error-7.0/6) > 1e-12 {
		t.Errorf("%+v, sum of errors %v, %d unreported", d.errors, d.error, d.unreported)
	}
}

// A bucket is never below the truth, and an overflowed bucket is ignored.
func TestBuckets(t *testing.T) {
	b := newBuckets(bucketShape{bits: []int{8, 16}, buckets: []int{1, 1}}, 1, apart)
	for range 254 {
		b.insert(b.find(9), 10)
	}
	if sum, n, ok := b.average(9); sum != 2540 || n != 254 || !ok {
		t.Error(sum, n, ok)
	}
	b.insert(b.find(9), 10) // the bucket of 8 bits is full; the other bucket counts all packets
	b.insert(b.find(9), 10)
	if sum, n, ok := b.average(9); sum != 2560 || n != 256 || !ok {
		t.Error(sum, n, ok)
	}
	b.insert(b.find(9), overflowed) // the latency counter of the other bucket is full, too
	if _, _, ok := b.average(9); ok {
		t.Error("an average without a bucket")
	}
	before := bytes.Clone(b.slab)
	b.insert(b.find(9), 10)
	if !bytes.Equal(before, b.slab) {
		t.Error("an overflowed bucket moved")
	}
	if n := len(b.bytes()); n != 5+6 {
		t.Errorf("%d bytes, want 11", n)
	}
}

// Compared with exact sums, averages are exact if each bucket has one flow. The sum and the frequency are never below
// the exact values of a flow.
func TestBucketsAgainstTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBuckets(bucketShape{bits: []int{8, 16, 32}, buckets: []int{12, 6, 3}},
			rapid.Uint64().Draw(t, "seed"), apart)
		truth := map[uint64]total{}
		for range rapid.IntRange(0, 400).Draw(t, "packets") {
			k, ns := rapid.Uint64Range(0, 9).Draw(t, "flow"), rapid.Uint64Range(0, 1000).Draw(t, "latency")
			b.insert(b.find(k), ns)
			truth[k] = total{n: truth[k].n + 1, sum: truth[k].sum + ns}
		}
		for k, x := range truth {
			if sum, n, ok := b.average(k); ok && (n < x.n || sum < x.sum) {
				t.Fatalf("flow %d: %d packets with %d ns, want at least %d with %d", k, n, sum, x.n, x.sum)
			}
		}
	})
}

func fill(g *group, seed uint64) {
	r := hash.Stream(seed, "sketchint")
	for range 4000 {
		flow := hash.Combine(3, r.Uint64N(1+r.Uint64N(300)))
		encode(g, flow, path(100, uint32(50+r.IntN(1000)), 70))
	}
}

// A shipment restores the group, and its size does not depend on the content.
func TestShipment(t *testing.T) {
	for _, sketch := range []string{"tower", "rows", "tower apart", "rows apart", "tower hops", "rows hops"} {
		p := params()
		p.Sketch, p.Counters, _ = strings.Cut(sketch, " ")
		p.LatencySketches = p.Counters
		g := newTestGroup(t, p, 5)
		fill(g, 1)
		b := g.appendTo(nil)
		if len(b) != g.shape.size() || len(newTestGroup(t, p, 5).appendTo(nil)) != len(b) {
			t.Fatalf("%d bytes, want %d", len(b), g.shape.size())
		}
		// There are counters of 20 and 60 KB, minus the remainder of the rounding, and 16 entries of 28 and 19 B.
		if n := len(b) - 16*(28+19); n > 80_000 || n < 79_900 {
			t.Errorf("%s: %d bytes of counters", sketch, n)
		}
		got := newTestGroup(t, p, 5)
		if err := got.read(b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.appendTo(nil), b) || !slices.Equal(got.hitters(1), g.hitters(1)) || len(g.hitters(1)) == 0 {
			t.Errorf("%s: what arrives is not what was sent", sketch)
		}
		if err := newTestGroup(t, p, 5).read(b[1:]); err == nil {
			t.Error("no error for a shipment that is too short")
		}
	}
}

// A sketch for each hop contains only packets of this hop. So one bucket per sketch suffices for one flow at each of
// three switches. A single sketch with three buckets mixes them.
func TestHopSketches(t *testing.T) {
	p := params()
	p.Sketch, p.LatencySketches, p.LatencyMemory = "rows", "hops", 3*24*unit.Byte
	g := newTestGroup(t, p, 3)
	for range 10 {
		encode(g, 1, path(100, 200, 300))
	}
	for hop, want := range []float64{100, 200, 300} {
		if ns, ok := g.meanLatency(1, uint16(3+hop), hop); !ok || ns != want {
			t.Errorf("hop %d: %v ns, want %v", hop, ns, want)
		}
	}
	if n := len(g.latencyBytes()); n != 3 || g.shape.latency.size() != 24 {
		t.Errorf("%d sketches of %d bytes", n, g.shape.latency.size())
	}
	p.LatencySketches, p.LatencyMemory = "one", 24*unit.Byte
	one := newTestGroup(t, p, 3)
	encode(one, 1, path(100, 200, 300))
	if ns, _ := one.meanLatency(1, 3, 0); ns != 200 {
		t.Errorf("%v ns, want the mean of all, 200", ns)
	}
}

// The content of a lost frame is missing, and the other frames still answer: an estimate comes from another array and
// is right, or there is no estimate.
func TestLostFrames(t *testing.T) {
	p := params()
	g := newTestGroup(t, p, 5)
	fill(g, 2)
	flows := g.flows.Flows()
	whole := g.appendTo(nil)
	load := int(p.Frame) - frameHeader
	for from := 0; from < len(whole); from += load {
		b := bytes.Clone(whole)
		to := min(from+load, len(b))
		g.shape.lose(b, from, to)
		got := newTestGroup(t, p, 5)
		if err := got.read(b); err != nil {
			t.Fatal(err)
		}
		for _, f := range flows {
			n, ok := got.heavy.Estimate(f.Key)
			if m, _ := g.heavy.Estimate(f.Key); ok && n < m {
				t.Fatalf("bytes %d to %d lost: %d packets, %d without loss", from, to, n, m)
			}
			if ns, ok := got.meanLatency(f.Key, 3, 0); ok && ns < 50 {
				t.Fatalf("bytes %d to %d lost: latency %v ns", from, to, ns)
			}
		}
		if len(got.flows.Flows()) > len(flows) {
			t.Fatalf("bytes %d to %d lost: %d entries of %d", from, to, len(got.flows.Flows()), len(flows))
		}
	}
}

// The errors relative to exact values are computed by hand.
func TestErrors(t *testing.T) {
	p := params()
	g := newTestGroup(t, p, 5)
	x := newTruth()
	for range 50 {
		encode(g, 1, path(100, 200))
		x.insert(1, path(100, 200), 5)
	}
	x.insert(2, path(100), 5) // the sketch has not seen flow 2
	for range 40 {
		x.insert(3, path(100), 5) // nor flow 3, which is heavy
	}
	var e evaluation
	e.add(p, g, nil, x, nil)
	// The sketch finds flow 1 at two switches. The truth also contains flow 3 at one switch.
	if e.hitters != (score{2, 2, 3}) || math.Abs(e.hitters.f1()-0.8) > 1e-12 {
		t.Errorf("%+v", e.hitters)
	}
	if e.latencies != 4 || e.missing != 2 || math.Abs(e.are()-0.5) > 1e-12 {
		t.Errorf("%+v", e)
	}
	// Of these four latencies, two are reported.
	if row := e.table(nil).Rows[3]; !slices.Equal(row, []string{"latency", "", "0.5", "2", "4", "2"}) {
		t.Errorf("%q", row)
	}
	// In the next period flow 1 is gone.
	e.add(p, newTestGroup(t, p, 5), g, newTruth(), x)
	// Flow 1 at two switches is found; flow 3 is not.
	if e.changes != (score{2, 2, 3}) {
		t.Errorf("%+v", e.changes)
	}
}

// encode inserts a packet into a group.
func encode(g *group, flow uint64, l layer) {
	p := packet{hops: make([]hop, g.shape.maxHops)}
	g.take(&p, flow, l)
	g.insert(&p)
}

func TestInsertAllocatesNothing(t *testing.T) {
	g := newTestGroup(t, params(), 5)
	l := path(100, 200, 300)
	i := uint64(0)
	var p packet
	p.hops = make([]hop, 5)
	if n := testing.AllocsPerRun(5000, func() { i++; g.insert(&p); g.take(&p, i%40, l) }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}

func BenchmarkInsert(b *testing.B) {
	p := params()
	p.Memory, p.LatencyMemory, p.Table = 50*unit.KB, 300*unit.KB, 1024
	g := newTestGroup(b, p, 5)
	l := path(500, 600, 700, 800, 900)
	i := uint64(0)
	x := packet{hops: make([]hop, 5)}
	for b.Loop() {
		i++
		g.insert(&x)
		g.take(&x, hash.Mix64(i)%1000, l)
	}
}
