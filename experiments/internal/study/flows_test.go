package study

import (
	"math"
	"testing"

	"pintlab/experiments/results/stats"
)

// Flows of 10, 20 and 30 bytes have slowdowns 1, 2 and 9. The test computes the median of all flows, of flows of up to
// 20 bytes, and of flows of up to 5 bytes. There are no flows of up to 5 bytes.
func TestMeasures(t *testing.T) {
	trials := []*Trial{{Points: []stats.Point{{ID: 1, Size: 20, Slowdown: 2},
		{ID: 2, Size: 10, Slowdown: 1}, {ID: 3, Size: 30, Slowdown: 9}}}}
	for _, c := range []struct {
		q    Measure
		want []float64
	}{
		{Slowdown("", 0.5, 0, math.MaxInt64), []float64{2}},
		{Slowdown("", 0.5, 0, 20), []float64{1}},
		{Slowdown("", 0.5, 0, 5), nil},
		{MeanSlowdown(""), []float64{4}},
		{BySize("", 0.95, 3), []float64{1, 2, 9}},
	} {
		list, err := c.q.Of(trials)
		if err != nil || len(list) != len(c.want) {
			t.Fatalf("%v, %v; want %v", list, err, c.want)
		}
		for i, m := range list {
			if m.Value != c.want[i] {
				t.Errorf("%v, want %v", m.Value, c.want[i])
			}
		}
	}
}
