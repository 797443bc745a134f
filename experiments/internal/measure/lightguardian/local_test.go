package lightguardian

import (
	"math"
	"slices"
	"testing"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// small returns a trace of three flows. Flow 7 has packets at 1, 5 and 6 µs, flow 8 has packets at 2 and 9 µs, and flow
// 9 has a packet at 3 µs.
func small() *Trace {
	t := &Trace{flow: []int32{0, 1, 2, 0, 0, 1}, time: []uint32{1, 2, 3, 5, 6, 9}, keys: []uint64{7, 8, 9},
		sizes: []uint32{3, 2, 1}}
	t.order()
	return t
}

// Wide sketches are exact. If a sketch has one bucket in each array, this bucket contains the sums of all flows.
func TestByHand(t *testing.T) {
	z := small()
	for _, s := range Sketches {
		if x, err := z.Size(s, 120_000, []int{0}, 1); err != nil || x[0] != 0 {
			t.Errorf("%s: ARE %v (%v), want 0", s, x, err)
		}
		if x, err := z.Delay(s, ChiSquare, 10_000, 0, 1); err != nil || x != 0 {
			t.Errorf("%s: WMRE of delays %v (%v), want 0", s, x, err)
		}
		// Every flow is estimated as six packets. So the ARE is (6/3 − 1 + 6/2 − 1 + 6/1 − 1)/3, and for the two
		// largest flows (6/3 − 1 + 6/2 − 1)/2. CU also increments one counter in each array for every packet.
		x, err := z.Size(s, 12, []int{0, 2}, 1)
		if err != nil || math.Abs(x[0]-8.0/3) > 1e-12 || math.Abs(x[1]-1.5) > 1e-12 {
			t.Errorf("%s: ARE %v (%v), want 8/3 and 1.5", s, x, err)
		}
	}
	a, err := z.Arrivals(1_200_000, 0, 1)
	if err != nil || a != (Arrivals{Exact: 1}) {
		t.Errorf("%+v (%v), want no error", a, err)
	}
	// All flows share one bucket. Before its packet at 5 µs, flow 7 is queried: the bucket returns 3 µs, but the flow's
	// last packet was at 1 µs. Before its packet at 6 µs, the answer of 5 µs is right. Before its packet at 9 µs, flow
	// 8 is queried: the bucket returns 6 µs, but the flow's last packet was at 2 µs. The longest gap in the bucket is 3
	// µs; the true gaps are 4 and 7 µs.
	a, err = z.Arrivals(LeastArrivals, 0, 1)
	want := Arrivals{Interval: (1.0/4 + 4.0/7) / 2, Last: 6e-6 / 3, LastARE: (2.0 + 2) / 3, Exact: 1.0 / 3}
	if err != nil || math.Abs(a.Interval-want.Interval) > 1e-12 || math.Abs(a.Last-want.Last) > 1e-18 ||
		math.Abs(a.LastARE-want.LastARE) > 1e-12 || a.Exact != want.Exact {
		t.Errorf("%+v (%v), want %+v", a, err, want)
	}
	// With one bucket, the errors of the three flows are 3, 4 and 5 packets, and the limits are 3 and 4.5 packets.
	outside, bound, err := z.Outside(12, 1, []float64{0.5, 0.75}, 1)
	if want := []float64{2. / 3, 1. / 3}; err != nil || !slices.Equal(outside, want) || math.Abs(bound[0]-8) > 1e-12 {
		t.Error(outside, bound, err)
	}
	// If all columns have arrived, all answers are valid and exact. If none has arrived, no answer is valid. Then each
	// of the eight estimates of a flow is -1, so the relative errors are 11/3, 10/2 and 9.
	cells, err := z.PartCells(120_000, 0, []float64{0, 1}, 1)
	if want := (11./3 + 5 + 9) / 3; err != nil || math.Abs(cells[0]-want) > 1e-12 || cells[1] != 0 {
		t.Error(cells, err)
	}
	valid, are, err := z.Part(120_000, 0, []float64{0, 1}, 1)
	if err != nil || valid[0] != 0 || valid[1] != 1 || !math.IsNaN(are[0]) || are[1] != 0 {
		t.Error(valid, are, err)
	}
}

// If all columns have arrived, the error of a part equals the error of the whole sketch. Both are measured as in the
// published code.
func TestWholePart(t *testing.T) {
	trace, err := LocalScales[study.Smoke].Load(Lives, Coded, 1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := trace.Cells(SuMax, 4000, []int{100}, 3)
	part, bad := trace.PartCells(4000, 100, []float64{1}, 3)
	if err != nil || bad != nil || all[0] == 0 || part[0] != all[0] {
		t.Error(all, part, err, bad)
	}
}

func TestTrace(t *testing.T) {
	z := LocalScales[study.Smoke]
	a, err := z.Load(Lives, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a.Packets() != 6_000_000/z.Share || a.flows() != 900_000/z.Share {
		t.Errorf("%d packets of %d flows", a.Packets(), a.flows())
	}
	for i := 1; i < len(a.sizes); i++ {
		if a.sizes[i] > a.sizes[i-1] {
			t.Fatal("flows are not in order of their sizes")
		}
	}
	h := a.Head(0.25)
	sum := uint32(0)
	for _, n := range h.sizes {
		sum += n
	}
	if h.Packets() != a.Packets()/4 || int(sum) != h.Packets() || h.flows() >= a.flows() {
		t.Errorf("head of %d packets, %d in %d flows", h.Packets(), sum, h.flows())
	}
	for i, f := range h.flow {
		if h.keys[f] != a.keys[a.flow[i]] {
			t.Fatalf("packet %d is of another flow", i)
		}
	}
}

func TestLeast(t *testing.T) {
	z := LocalScale{Share: 10}
	got, err := z.Least(0.1, func(m int) (float64, error) { return 200 / float64(m), nil })
	if err != nil || got != 22_500 { // the first two sizes are too small: a tenth of 10 000 and of 15 000
		t.Errorf("%v (%v), want 22500", got, err)
	}
	if got, err = z.Least(-1, func(int) (float64, error) { return 0, nil }); err != nil || !math.IsNaN(got) {
		t.Error(got, err)
	}
}

// laptop loads the trace of the laptop scale.
func laptop(t *testing.T) (LocalScale, *Trace) {
	t.Helper()
	if testing.Short() {
		t.Skip("a trace of 750 000 packets, which takes seconds; needs go test without -short")
	}
	z := LocalScales[study.Laptop]
	trace, err := z.Load(Lives, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return z, trace
}

// If there are few buckets, SuMax counts the delays of the largest flows better than CM. For shares of delays, this is
// true only for the very largest flows; lightguardian/fig12/known.csv contains the numbers. 256 buckets here correspond
// to 2048 buckets for the whole trace.
func TestCrowdedDelays(t *testing.T) {
	z, trace := laptop(t)
	for _, kind := range []string{Exponential, Normal} {
		for _, largest := range []int{400, 2000} {
			var shares, counts [2][]float64 // results of CM and SuMax, by seed
			for seed := range uint64(z.Seeds) {
				for i, sketch := range []string{CM, SuMax} {
					a, b, err := trace.delays(sketch, kind, 2048/z.Share, largest/z.Share, seed+1)
					if err != nil {
						t.Fatal(err)
					}
					shares[i], counts[i] = append(shares[i], a), append(counts[i], b)
				}
			}
			ofShares, err := stats.PairedRatio(shares[0], shares[1], stats.Level)
			if err != nil {
				t.Fatal(err)
			}
			ofCounts, err := stats.PairedRatio(counts[0], counts[1], stats.Level)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d largest flows: WMRE of CM over SuMax: shares %.3f, %.3f to %.3f; counts %.3g, %.3g to %.3g",
				kind, largest/z.Share,
				ofShares.Value, ofShares.Lo, ofShares.Hi, ofCounts.Value, ofCounts.Lo, ofCounts.Hi)
			if ofCounts.Lo < 1 || largest == 400 && ofShares.Lo < 1 || largest == 2000 && ofShares.Hi > 1 {
				t.Errorf("%s, %d largest flows: WMRE of CM over SuMax: shares %v, counts %v",
					kind, largest/z.Share, ofShares, ofCounts)
			}
		}
	}
}
