package stats

import (
	"testing"

	"pintlab/netsim/unit"
)

// Some tools compute percentiles from too few flows. If 600 flows are divided into 20 buckets, each bucket has 30
// flows. This suffices for a median, but not for a 95th percentile, which would be the second largest value. In 6
// buckets of 100 flows, five flows of each bucket exceed the 95th percentile, and one flow exceeds the 99th.
func TestABucketWithTooFewFlowsIsMarked(t *testing.T) {
	var points []Point
	for i := range int64(600) {
		points = append(points, Point{ID: i, Size: unit.Bytes(i), Slowdown: 1})
	}
	for _, tt := range []struct {
		buckets       int
		p50, p95, p99 bool // marked
	}{{20, false, true, true}, {6, false, false, true}, {1, false, false, false}, {100, true, true, true}} {
		table, err := Table(points, tt.buckets)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range table {
			if b.Few(0.50) != tt.p50 || b.Few(0.95) != tt.p95 || b.Few(0.99) != tt.p99 {
				t.Errorf("bucket %d of %d has %d flows: marked %v, %v, %v", i, tt.buckets, b.N, b.Few(0.50),
					b.Few(0.95), b.Few(0.99))
			}
		}
	}
}

// Warm-up and run length change results. Flows that start during the warm-up or cool-down, or outside of the arrivals,
// do not count.
func TestWarmUpAndCoolDownAreLeftOut(t *testing.T) {
	const us = unit.Microsecond
	flows := flowsOf(
		flow(0, 1, 10*us, us, 9), flow(1, 1, 19*us, us, 8), // warm-up of 10 us from the first start
		flow(2, 1, 20*us, us, 2), flow(3, 1, 50*us, us, 3),
		flow(4, 1, 51*us, us, 7), flow(5, 1, 60*us, us, 6), // cool-down of 10 us before the last start
	)
	points := Points(flows, Arrivals(flows, 10*us, 10*us))
	if len(points) != 2 || points[0].ID != 2 || points[1].ID != 3 {
		t.Errorf("points %v", points)
	}
}
