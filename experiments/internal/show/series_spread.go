package show

import (
	"maps"
	"math"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// Spread is the distribution of a quantity over time: each value is weighted with its duration.
type Spread struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// weights maps each value of a quantity to the total time during which the quantity had this value.
type weights map[float64]unit.Time

// add adds a value with a time. NaN is ignored.
func (w weights) add(v float64, d unit.Time) {
	if d > 0 && v == v {
		w[columns.Round(v)] += d
	}
}

// addAll adds the values of others.
func (w weights) addAll(others weights) {
	for v, d := range others {
		w[v] += d
	}
}

func (w weights) total() unit.Time {
	var t unit.Time
	for _, d := range w {
		t += d
	}
	return t
}

// spread returns the distribution of the values, or nil if there are none.
func (w weights) spread() *Spread {
	if len(w) == 0 {
		return nil
	}
	values := slices.Sorted(maps.Keys(w))
	total := w.total().Seconds()
	s := &Spread{Min: values[0], Max: values[len(values)-1]}
	var below unit.Time
	mean, percentiles := 0.0, []struct {
		share float64
		value *float64
	}{{0.50, &s.P50}, {0.95, &s.P95}, {0.99, &s.P99}}
	for _, v := range values {
		mean += float64(v * w[v].Seconds())
		below += w[v]
		// Because of rounding, the quotient may be slightly below a share that is reached exactly.
		reached := below.Seconds()/total + 1e-12
		for len(percentiles) > 0 && reached >= percentiles[0].share {
			*percentiles[0].value = v
			percentiles = percentiles[1:]
		}
	}
	s.Mean = columns.Round(mean / total)
	return s
}

// cdf returns the distribution: the share of the time at or below each value. It omits values, but keeps enough of them
// to resolve the share to 0.001, and the share of the time above a value to a tenth of that share.
func (w weights) cdf() (x, y []float64) {
	if len(w) == 0 {
		return nil, nil
	}
	values := slices.Sorted(maps.Keys(w))
	total := w.total().Seconds()
	x, y = []float64{values[0]}, []float64{0}
	var below unit.Time
	for i, v := range values {
		below += w[v]
		share := below.Seconds() / total
		last := i == len(values)-1
		if last {
			share = 1
		}
		before := y[len(y)-1]
		if last || share-before >= 0.001 || 1-share <= 0.9*(1-before) {
			x, y = append(x, v), append(y, columns.Round(share))
		}
	}
	return x, y
}

// Jain returns Jain's fairness index of non-negative shares. It returns NaN if there are fewer than two shares or if
// all are 0.
func Jain(shares []float64) float64 {
	var sum, squares float64
	for _, x := range shares {
		sum += x
		squares += float64(x * x)
	}
	if len(shares) < 2 || squares == 0 {
		return math.NaN()
	}
	return float64(sum*sum) / float64(float64(len(shares))*squares)
}
