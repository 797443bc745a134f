package sumax

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
)

func sizes(t testing.TB, d, w int, seed uint64) *Sizes {
	t.Helper()
	s, err := NewSizes(d, w, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// In Fig. 2, the packet 〈f, 3, 4〉 changes the buckets [6, 3], [9, 7] and [3, 5] to [9, 4], [9, 7] and [6, 5]. A query
// then returns [6, 4]. The interval cells are not in the figure: a time of 4 after a time of 3 is a gap of 1, and cells
// with times above 4 show that the packet is out of order.
func TestFigure2(t *testing.T) {
	s, err := New(3, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	copy(s.buckets, []bucket{{6, 3, 0}, {9, 7, 2}, {3, 5, 2}})
	s.Record(1, 3, 4)
	if want := []bucket{{9, 4, 1}, {9, 7, 2}, {6, 5, 2}}; !slices.Equal(s.buckets, want) {
		t.Errorf("buckets %v, want %v", s.buckets, want)
	}
	if got, want := s.Query(1), (Flow{Size: 6, Last: 4, Interval: 1}); got != want {
		t.Errorf("query %+v, want %+v", got, want)
	}
}

// Update equals Algorithm 1 as printed, with ω = +∞ and cells that never overflow.
func TestUpdateIsAlgorithm1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.Uint32Max(40)
		a := rapid.SliceOfN(cell, 1, 6).Draw(t, "cells")
		alpha := uint64(rapid.Uint32Range(1, 20).Draw(t, "alpha"))
		omega, least := math.Inf(1), uint64(infinite)
		for i := range a {
			want := a[i]
			if sum := float64(a[i]) + float64(alpha); sum < omega {
				omega = sum
				want = uint32(omega)
			} else if float64(a[i]) < omega {
				want = uint32(omega)
			}
			var got uint32
			if got, least = update(a[i], alpha, least); got != want || float64(least) != omega {
				t.Fatalf("cell %d: %d, ω %d; want %d, ω %v", i, got, least, want, omega)
			}
		}
	})
}

// SuMax is never above Count-Min (§4.3), so that it keeps the bound of Count-Min.
func TestPromise(t *testing.T) {
	const d, w = 3, 2048
	sketchtest.Run(t, sketchtest.CountMin(d, w), func(seed uint64) sketchtest.Frequency { return sizes(t, d, w, seed) })
}

// The first array of SuMax equals the first array of Count-Min.
func TestNeverAboveCountMin(t *testing.T) {
	sketchtest.NeverAbove(t, NewSizes, rows.NewCountMin, func(t *rapid.T, a *Sizes, b *rows.CountMin) {
		if !slices.Equal(a.Row(0), b.Row(0)) {
			t.Fatalf("first array %v, in Count-Min %v", a.Row(0), b.Row(0))
		}
	})
}

// "Its error is also bounded between them, but closer to CU" (§4.3). The seeds are fixed; with
// these shapes the three errors are far apart.
func TestErrorBetweenCountMinAndCU(t *testing.T) {
	for seed := range uint64(3) {
		const d, w = 3, 1500
		stream := sketchtest.Skewed(60_000, 5_000, seed)
		most, err := rows.NewCountMin(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		least, err := rows.NewCU(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		s := sizes(t, d, w, seed)
		for _, k := range stream {
			most.Insert(k, 1)
			least.Insert(k, 1)
			s.Insert(k, 1)
		}
		a, b, c := sketchtest.Error(least, stream), sketchtest.Error(s, stream), sketchtest.Error(most, stream)
		if !(a < b && b < c && b-a < c-b) {
			t.Errorf("seed %d: CU %.3f, SuMax %.3f, Count-Min %.3f", seed, a, b, c)
		}
	}
}

// Sizes equals the sums of a Sketch with the same shape. Times are not below the exact times, and exact for a flow
// without collisions.
func TestSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, w := rapid.IntRange(1, 4).Draw(t, "d"), rapid.IntRange(1, 30).Draw(t, "w")
		seed := rapid.Uint64().Draw(t, "seed")
		a, err := New(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewSizes(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := New(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		alone.Longest = rapid.Uint32Range(1, 40).Draw(t, "longest")
		last, size, interval := map[uint64]uint32{}, uint64(0), uint32(0)
		now := uint32(0)
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 20)).Draw(t, "stream") {
			now += 1 + uint32(k*k%7)
			a.Record(k, 1, now)
			b.Insert(k, 1)
			if k == 3 {
				alone.Record(k, 1, now)
				if size++; size > 1 && now-last[k] <= alone.Longest {
					interval = max(interval, now-last[k])
				}
			}
			last[k] = now
		}
		for k, at := range last {
			n, ok := b.Estimate(k)
			if q := a.Query(k); q.Size != n || q.Infinite == ok || q.Last < at {
				t.Fatalf("flow %d: %+v, want size %d and a last packet at %d or later", k, q, n, at)
			}
		}
		if got, want := alone.Query(3), (Flow{Size: size, Last: last[3], Interval: interval}); got != want {
			t.Fatalf("a flow alone: %+v, want %+v", got, want)
		}
	})
}

func TestSaturation(t *testing.T) {
	s := sizes(t, 2, 1, 0)
	s.Cells[0], s.Cells[1] = infinite, infinite-2
	for want := uint64(infinite - 1); want <= infinite; want++ {
		s.Insert(1, 1)
		if n, ok := s.Estimate(1); n != want || ok != (want < infinite) {
			t.Error(n, ok)
		}
	}
	s.Insert(1, 1)
	if s.Cells[0] != infinite || s.Cells[1] != infinite {
		t.Error(s.Cells)
	}
	k, err := New(2, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	k.Record(1, infinite-1, 1)
	k.Record(1, 7, 2)
	if got, want := k.Query(1), (Flow{Size: infinite, Infinite: true, Last: 2, Interval: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMerge(t *testing.T) {
	a, b := sizes(t, 3, 64, 5), sizes(t, 3, 64, 5)
	stream := sketchtest.Skewed(2000, 300, 1)
	for i, k := range stream {
		[]*Sizes{a, b}[i%2].Insert(k, 1)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	for k, n := range sketchtest.Count(stream) {
		if x, _ := a.Estimate(k); x < n {
			t.Fatalf("%d merged, %d packets", x, n)
		}
	}
	want := "sumax: cannot merge … sketch … seed 6 … seed 5"
	if err := a.Merge(sizes(t, 3, 64, 6)); !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A cell is zero exactly if the same cell of Count-Min is zero, so linear counting has the same result. MRAC reads the
// first array, which equals the first row of Count-Min.
func TestCountsOfFlows(t *testing.T) {
	const d, w = 3, 4000
	a := sizes(t, d, w, 9)
	b, err := rows.NewCountMin(d, w, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range sketchtest.Skewed(20_000, 3_000, 2) {
		a.Insert(k, 1)
		b.Insert(k, 1)
	}
	x, ok := a.Cardinality()
	if y, _ := b.Cardinality(); x != y || !ok {
		t.Errorf("%v flows (%t), Count-Min has %v", x, ok, y)
	}
	want := mrac.Estimate(b.Row(0), rows.Infinite, mrac.Epochs)
	if got := a.Distribution(mrac.Epochs); !slices.Equal(got, want) {
		t.Errorf("%d sizes, want the %d of Count-Min's first row", len(got), len(want))
	}
}

func TestRefuses(t *testing.T) {
	if _, err := NewSizes(0, 8, 0); !errtest.Says(err, "sumax: 0 rows, want 1 to 16") {
		t.Error(err)
	}
	if _, err := New(3, 0, 0); !errtest.Says(err, "sumax: 0 counters in a row, want 1 to 67108864") {
		t.Error(err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	s, err := New(3, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	shape := Prototype()
	shape.Bytes = true
	p, buf := parts(t, shape), make([]byte, 0, SketchletBytes)
	l, err := NewDelays(3, 64, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]uint64, 0, 8)
	now := uint32(0)
	if n := testing.AllocsPerRun(1000, func() {
		now++
		s.Record(uint64(now), 1, now)
		s.Query(uint64(now))
		at := shape.Place(uint64(now), 7)
		p.Record(&at, now, now, 1000)
		shape.Query(&at, p.Arrived)
		x := Sketchlet{Device: 1, ID: now, Cells: p.Column(now)}
		x.AppendTo(buf)
		l.Record(uint64(now), int(now%8))
		l.Query(uint64(now), counts)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
