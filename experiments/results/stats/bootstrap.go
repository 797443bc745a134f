package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"pintlab/internal/rng"
)

// PercentileInterval is the percentile p of the sorted values with its bootstrap
// interval, in the limit of infinitely many resamples.
//
// No resampling is needed: the k-th smallest of n random indices below n is
// ⌊n·B⌋, where B, the k-th smallest of n uniform numbers, has the distribution
// Beta(k, n-k+1). So the interval ends at the values whose indices are quantiles
// of that (Efron, "Bootstrap methods", Annals of Statistics 7, 1979, section 3,
// does the same for the median).
func PercentileInterval(sorted []float64, p, level float64) (Interval, error) {
	if len(sorted) == 0 || !(p > 0 && p <= 1) || !(level > 0 && level < 1) {
		return Interval{}, fmt.Errorf("interval of level %v for the percentile %v of %d values", level, p, len(sorted))
	}
	n := len(sorted)
	k := rank(n, p)
	i := Interval{Value: sorted[k-1], Lo: math.Inf(-1), Hi: math.Inf(1), N: n, Level: level}
	if n == 1 {
		return i, nil
	}
	b := distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}
	at := func(q float64) float64 { return sorted[min(n-1, int(float64(n)*b.Quantile(q)))] }
	i.Lo, i.Hi = at((1-level)/2), at((1+level)/2)
	return i, nil
}

// Bootstrap is a statistic of n items with the interval between the percentiles of
// its values on resamples. statistic is called with indices below n, which it must
// not keep: first with each once, then with as many drawn at random with
// replacement. The draws depend on seed and name only.
func Bootstrap(n, resamples int, level float64, seed uint64, name string, statistic func(items []int) float64) (Interval, error) {
	if n < 1 || resamples < 1 || !(level > 0 && level < 1) {
		return Interval{}, fmt.Errorf("bootstrap of %d items with %d resamples at level %v", n, resamples, level)
	}
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	iv := Interval{Value: statistic(items), Lo: math.Inf(-1), Hi: math.Inf(1), N: n, Level: level}
	if n == 1 {
		return iv, nil
	}
	r := rng.New(seed, "stats/bootstrap/"+name)
	values := make([]float64, resamples)
	for b := range values {
		for i := range items {
			items[i] = r.IntN(n)
		}
		values[b] = statistic(items)
		if math.IsNaN(values[b]) {
			return Interval{}, fmt.Errorf("bootstrap: the statistic of a resample is not a number")
		}
	}
	slices.Sort(values)
	iv.Lo, iv.Hi = Percentile(values, (1-level)/2), Percentile(values, (1+level)/2)
	return iv, nil
}
