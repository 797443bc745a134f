package mrac

import (
	"math"
	"testing"
)

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		counters, zeros int
		want            float64
		ok              bool
	}{
		{8, 8, 0, true},
		{8, 4, 8 * math.Ln2, true},
		{1000, 1, 1000 * math.Log(1000), true},
		{1000, 0, 1000 * math.Log(1000), false},
	} {
		if got, ok := Cardinality(c.counters, c.zeros); math.Abs(got-c.want) > 1e-9 || ok != c.ok {
			t.Errorf("%d zeros of %d: %v (%t), want %v", c.zeros, c.counters, got, ok, c.want)
		}
	}
}
