package rows

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
)

func mustNewCU(t testing.TB, d, counters int, seed uint64) *CU {
	t.Helper()
	s, err := NewCU(d, counters, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// CU is never above Count-Min, so that it keeps the bound of Count-Min.
func TestPromise(t *testing.T) {
	const d, w = 3, 2048
	sketchtest.Run(t, sketchtest.CountMin(d, w),
		func(seed uint64) sketchtest.Frequency { return mustNewCU(t, d, w, seed) })
}

func TestNeverAboveCountMin(t *testing.T) {
	sketchtest.NeverAbove(t, NewCU, NewCountMin, nil)
}

func TestCuSaturation(t *testing.T) {
	s := mustNewCU(t, 2, 1, 0)
	s.Cells[0], s.Cells[1] = Infinite, Infinite-2
	for want := uint64(Infinite - 1); want <= Infinite; want++ {
		s.Insert(1, 1)
		if n, ok := s.Estimate(1); n != want || ok != (want < Infinite) {
			t.Error(n, ok)
		}
	}
	s.Insert(1, 1)
	if s.Cells[0] != Infinite || s.Cells[1] != Infinite {
		t.Error(s.Cells)
	}
}

// After a merge an estimate is not below the sum of the true counts, and not above Count-Min's estimate.
func TestCuMerge(t *testing.T) {
	a, b := mustNewCU(t, 3, 64, 5), mustNewCU(t, 3, 64, 5)
	stream := sketchtest.Skewed(2000, 300, 1)
	for i, k := range stream {
		[]*CU{a, b}[i%2].Insert(k, 1)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	for k, n := range sketchtest.Count(stream) {
		if x, _ := a.Estimate(k); x < n {
			t.Fatalf("%d merged, %d packets", x, n)
		}
	}
	want := "cu: cannot merge … sketch … seed 6 … seed 5"
	if err := a.Merge(mustNewCU(t, 3, 64, 6)); !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := NewCU(0, 8, 0); !errtest.Says(err, "cu: 0 rows, want 1 to 16") {
		t.Error(err)
	}
}
