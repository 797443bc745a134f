package sumax

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
)

// §7.1.2 is computed by hand for a flow that shares a bucket of the delay part and a bucket of the interval part with
// another flow.
func TestParts(t *testing.T) {
	shape := Prototype()
	shape.Last, shape.Bytes = true, true
	p := parts(t, shape)
	flow := Place{Delay: [maxDelayArrays]uint32{1, 7}, Interval: [Cells]uint32{10, 20, 30, 40}}
	other := Place{Delay: [maxDelayArrays]uint32{1, 8}, Interval: [Cells]uint32{11, 21, 31, 40}}
	p.Record(&flow, 99, 1000, 60)
	p.Record(&other, 99, 1100, 60)
	p.Record(&flow, 100, 1250, 60)
	p.Record(&flow, 10_000, 1300, 1500)
	p.Record(&other, 9_999, 1300, 60)
	p.Record(&flow, 0, 1301, 60)
	// In the cell below 100 ns, three packets have raised the shared bucket to 1, 2 and 3. The
	// flow's second packet in this cell raises the flow's own bucket to 1 + 1, because this is
	// below ω = 3.
	const w, wi = 1 << 15, 1 << 16
	for _, c := range []struct {
		at   int
		want Delay
	}{{1, Delay{3, 1, 1, 1}}, {w + 7, Delay{2, 1, 0, 1}}, {w + 8, Delay{1, 0, 1, 0}}} {
		if got := p.Delay[c.at]; got != c.want {
			t.Errorf("bucket %d: %v, want %v", c.at, got, c.want)
		}
	}
	for at, want := range map[int]Gap{10: {250, 1301}, 11: {200, 1300}, 3*wi + 40: {150, 1301}} {
		if got := p.Gaps[at]; got != want {
			t.Errorf("bucket %d: %+v, want %+v", at, got, want)
		}
	}

	// Column 40 also contains unused buckets of the other arrays. Both flows share bucket 40 of the last
	// array. The flow's packets raise the bytes of this bucket to 60, 120, 1620 and 1680. The other flow's
	// packets do not change the bytes, because ω of these packets is 60 and 120.
	for _, c := range []struct {
		id    uint32
		cells [Cells]uint32
	}{
		{1, [Cells]uint32{3, 1, 1, 1}}, {w + 7, [Cells]uint32{2, 1, 0, 1}},
		{2*w + 40, [Cells]uint32{0, 0, 0, 150}}, {2*w + 10, [Cells]uint32{250}},
		{2*w + wi + 10, [Cells]uint32{1301}},
		{2*w + 2*wi + 10, [Cells]uint32{1680}}, {2*w + 2*wi + 40, [Cells]uint32{0, 0, 0, 1680}},
		{uint32(shape.Sketchlets()) - 1, [Cells]uint32{}},
	} {
		want := []byte{0xab, 0xcd, 0xd2, 0x40} // the lowest bit of 0x0a49, then the other bits
		want = binary.BigEndian.AppendUint32(want, c.id)
		for _, x := range c.cells {
			want = binary.BigEndian.AppendUint32(want, x)
		}
		x := Sketchlet{0xabcd, 0xa49, c.id, p.Column(c.id)}
		got := x.AppendTo(nil)
		if len(got) != SketchletBytes || !slices.Equal(got, want) {
			t.Errorf("sketchlet %d: %x, want %x", c.id, got, want)
		}
		if back := ReadSketchlet(got); back != x {
			t.Errorf("sketchlet %d is read as %+v, want %+v", c.id, back, x)
		}
	}

	// The flow shares only one bucket of each part, so that the answer is exact.
	want := Answer{Delay: [Cells]uint64{2, 1, 0, 1}, Longest: 150, Last: 1301, Bytes: 1680, DelayValid: true,
		LongestValid: true, LastValid: true, BytesValid: true}
	if got := shape.Query(&flow, p.Arrived); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// If only the shared bucket of delays has arrived, the other flow's packet also counts.
	want = Answer{Delay: [Cells]uint64{3, 1, 1, 1}, DelayValid: true}
	if got := shape.Query(&flow, func(id uint32) ([Cells]uint32, bool) { return p.Column(id), id == 1 }); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := shape.Query(&flow, func(uint32) (c [Cells]uint32, ok bool) { return c, false }); got != (Answer{}) {
		t.Errorf("%+v of nothing", got)
	}
	p.Reset()
	if slices.ContainsFunc(p.Delay, func(d Delay) bool { return d != Delay{} }) ||
		slices.ContainsFunc(p.Gaps, func(g Gap) bool { return g != Gap{} }) ||
		slices.ContainsFunc(p.Bytes, func(n uint32) bool { return n != 0 }) {
		t.Error("Reset leaves something")
	}
}

func TestPrototype(t *testing.T) {
	shape := Prototype()
	if n := shape.Sketchlets(); n != 1<<17 {
		t.Errorf("%d sketchlets, want 2^17", n)
	}
	if n := shape.Memory(); n != 3<<20 {
		t.Errorf("%d B, want 3 MiB", n)
	}
	for delay, want := range map[uint32]int{
		0: 0, 99: 0, 100: 1, 999: 1, 1_000: 2, 9_999: 2, 10_000: 3, math.MaxUint32: 3} {
		if got := shape.DelayCell(delay); got != want {
			t.Errorf("%d ns: cell %d, want %d", delay, got, want)
		}
	}
}

func TestShapeRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(*Shape)
		want   string
	}{
		{func(s *Shape) { s.DelayArrays = 9 }, "9 arrays in the delay part, want 1 to 8"},
		{func(s *Shape) { s.DelayBuckets = 0 }, "0 buckets in an array of the delay part"},
		{func(s *Shape) { s.IntervalBuckets = -1 }, "-1 buckets in an array of the interval part"},
		{func(s *Shape) { s.IntervalBuckets, s.Last = 0, true }, "the interval part has no buckets"},
		{func(s *Shape) { s.Bounds[1] = 10_000 }, "want positive and ascending"},
	} {
		s := Prototype()
		c.change(&s)
		if _, err := NewParts(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func drawShape(t *rapid.T) Shape {
	s := Prototype()
	s.DelayArrays = rapid.IntRange(1, 4).Draw(t, "arrays")
	s.DelayBuckets = rapid.IntRange(1, 20).Draw(t, "delay buckets")
	s.IntervalBuckets = rapid.IntRange(0, 20).Draw(t, "interval buckets")
	if s.IntervalBuckets > 0 {
		s.Last, s.Bytes = rapid.Bool().Draw(t, "last"), rapid.Bool().Draw(t, "bytes")
	}
	return s
}

// For any columns that have arrived, sums and last arrivals are not below the truth, and more columns never increase
// these answers. A query is valid exactly if a bucket of the flow has arrived.
func TestPartsAgainstTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := drawShape(t)
		p, err := NewParts(shape)
		if err != nil {
			t.Fatal(err)
		}
		seed := rows.Seed(rapid.Uint64().Draw(t, "seed"))
		type flow struct {
			delay       Delay
			last, bytes uint32
		}
		truth := map[uint64]*flow{}
		now := uint32(0)
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 30)).Draw(t, "stream") {
			now += 1 + uint32(k%5)
			delay := uint32(k*k*k*37) % 20_000
			at := shape.Place(k, seed)
			p.Record(&at, delay, now, 64+uint32(k))
			if truth[k] == nil {
				truth[k] = &flow{}
			}
			f := truth[k]
			f.delay[shape.DelayCell(delay)]++
			f.last, f.bytes = now, f.bytes+64+uint32(k)
		}
		arrived := rapid.SliceOfN(rapid.Bool(), shape.Sketchlets(), shape.Sketchlets()).Draw(t, "arrived")
		some := func(id uint32) ([Cells]uint32, bool) { return p.Column(id), arrived[id] }
		for k, f := range truth {
			at := shape.Place(k, seed)
			all, part := shape.Query(&at, p.Arrived), shape.Query(&at, some)
			if !all.DelayValid || all.LongestValid != (shape.IntervalBuckets > 0) || all.LastValid != shape.Last ||
				all.BytesValid != shape.Bytes {
				t.Fatalf("flow %d of a complete sketch: %+v", k, all)
			}
			valid := false
			for i := range shape.DelayArrays {
				valid = valid || arrived[i*shape.DelayBuckets+int(at.Delay[i])]
			}
			if part.DelayValid != valid {
				t.Fatalf("flow %d: valid %t, want %t", k, part.DelayValid, valid)
			}
			for i, n := range f.delay {
				if all.Delay[i] < uint64(n) || part.DelayValid && part.Delay[i] < all.Delay[i] {
					t.Fatalf("flow %d: %v of all, %v of a part, %v true", k, all.Delay, part.Delay, f.delay)
				}
			}
			if shape.Last && all.Last < f.last || part.LastValid && part.Last < all.Last {
				t.Fatalf("flow %d: last arrival %d of all, %d of a part, %d true", k, all.Last, part.Last, f.last)
			}
			if shape.Bytes && all.Bytes < uint64(f.bytes) || part.BytesValid && part.Bytes < all.Bytes {
				t.Fatalf("flow %d: %d bytes of all, %d of a part, %d true", k, all.Bytes, part.Bytes, f.bytes)
			}
		}
	})
}

// The delay part with one kind of delay counts like Sizes, and so do Delays.
func TestPartsAndDelaysAgainstSizes(t *testing.T) {
	shape := Shape{DelayArrays: 3, DelayBuckets: 500, Bounds: Prototype().Bounds}
	p, s := parts(t, shape), sizes(t, 3, 500, 4)
	l, err := NewDelays(3, 500, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	stream := sketchtest.Skewed(10_000, 2_000, 1)
	for _, k := range stream {
		at := shape.Place(k, rows.Seed(4))
		p.Record(&at, 50, 1, 0)
		s.Insert(k, 1)
		l.Record(k, 1)
	}
	for k := range sketchtest.Count(stream) {
		at := shape.Place(k, rows.Seed(4))
		a := shape.Query(&at, p.Arrived)
		n, _ := a.Packets()
		want, _ := s.Estimate(k)
		if got := l.Query(k, nil); n != want || got[0] != 0 || got[1] != want {
			t.Fatalf("flow %x: %d in the delay part, %v in delays, want %d", k, n, got, want)
		}
	}
	if _, err := NewDelays(3, 8, 65, 0); !errtest.Says(err, "sumax: 65 delay cells in a bucket, want 1 to 64") {
		t.Error(err)
	}
}

// The tasks about all flows are answered with all columns, and with half of them. The sketch is wide, so that the
// estimates are within a few percent; seeds are fixed.
func TestTasks(t *testing.T) {
	shape := Shape{DelayArrays: 2, DelayBuckets: 1 << 14, Bounds: Prototype().Bounds}
	p := parts(t, shape)
	stream := sketchtest.Skewed(30_000, 3_000, 5)
	for i, k := range stream {
		at := shape.Place(k, 9)
		p.Record(&at, uint32(i), 1, 0)
	}
	var truth mrac.EntropySum
	smallest := 0.0 // number of flows with two packets; no flow has one packet
	for _, n := range sketchtest.Count(stream) {
		truth.Add(n, 1)
		if n == 2 {
			smallest++
		}
	}
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within*want {
			t.Errorf("%s: %v, want %v within %v", what, got, want, within)
		}
	}
	for _, c := range []struct {
		name   string
		column Column
		within float64
	}{
		{"all", p.Arrived, 0.03},
		{"half", func(id uint32) ([Cells]uint32, bool) { return p.Column(id), id*0x9e3779b1>>16&1 == 0 }, 0.12},
	} {
		got := shape.Tasks(c.column, 10)
		if !got.FlowsOK {
			t.Errorf("%s: no number of flows", c.name)
		}
		near(c.name+": flows", got.Flows, 3_000, c.within)
		near(c.name+": entropy", got.Entropy, truth.Value(), c.within)
		near(c.name+": flows of two packets", got.Sizes[0].Flows, smallest, c.within)
	}
	if got := shape.Tasks(func(uint32) (c [Cells]uint32, ok bool) { return c, false }, 1); got.FlowsOK ||
		got.Flows != 0 || got.Sizes != nil {
		t.Errorf("of nothing: %+v", got)
	}
}
