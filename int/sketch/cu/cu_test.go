package cu

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/countmin"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
)

func mustNew(t testing.TB, d, counters int, seed uint64) *Sketch {
	t.Helper()
	s, err := New(d, counters, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// CU is never above Count-Min, so it keeps the promise of that.
func TestPromise(t *testing.T) {
	const d, w = 3, 2048
	sketchtest.Run(t, sketchtest.Promise{
		NeverUnder: true,
		Beyond:     func(_, _ uint64, eps float64) float64 { return math.Pow(min(1, 1/(eps*w)), d) },
	}, func(seed uint64) sketchtest.Frequency { return mustNew(t, d, w, seed) })
}

func TestNeverAboveCountMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, w, seed := rapid.IntRange(1, 5).Draw(t, "d"), rapid.IntRange(1, 20).Draw(t, "w"), rapid.Uint64().Draw(t, "seed")
		a, err := New(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := countmin.New(d, w, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range rapid.SliceOf(rapid.Uint64Range(0, 60)).Draw(t, "stream") {
			a.Insert(k)
			b.Insert(k)
			x, _ := a.Estimate(k)
			if y, _ := b.Estimate(k); x > y {
				t.Fatalf("CU has %d, Count-Min %d", x, y)
			}
		}
	})
}

func TestSaturation(t *testing.T) {
	s := mustNew(t, 2, 1, 0)
	s.Cells[0], s.Cells[1] = rows.Infinite, rows.Infinite-2
	for want := uint64(rows.Infinite - 1); want <= rows.Infinite; want++ {
		s.Insert(1)
		if n, ok := s.Estimate(1); n != want || ok != (want < rows.Infinite) {
			t.Error(n, ok)
		}
	}
	s.Insert(1)
	if s.Cells[0] != rows.Infinite || s.Cells[1] != rows.Infinite {
		t.Error(s.Cells)
	}
}

// Both bounds hold after a merge: not below the sum of the true counts, and not above
// Count-Min's.
func TestMerge(t *testing.T) {
	a, b := mustNew(t, 3, 64, 5), mustNew(t, 3, 64, 5)
	stream := sketchtest.Skewed(2000, 300, 1)
	for i, k := range stream {
		[]*Sketch{a, b}[i%2].Insert(k)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	for k, n := range sketchtest.Count(stream) {
		if x, _ := a.Estimate(k); x < n {
			t.Fatalf("%d merged, %d packets", x, n)
		}
	}
	want := "cu: merge of a sketch with seed 6 into one with seed 5"
	if err := a.Merge(mustNew(t, 3, 64, 6)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := New(0, 8, 0); err == nil || err.Error() != "cu: 0 rows, want 1 to 16" {
		t.Error(err)
	}
}
