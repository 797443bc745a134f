package fridge

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// Distribution is an estimated distribution of delays. The number of pairs with a delay up to t is linear between
// knots. The zero value has no pairs.
type Distribution struct{ knots []knot }

// knot is a delay t with the number f of pairs up to it and the variance v of this number.
type knot struct{ t, f, v float64 }

// add appends f pairs with variance v, spread evenly over delays from low to high. Callers add
// ranges in ascending order.
func (d *Distribution) add(low, high, f, v float64) {
	var last knot
	if n := len(d.knots); n > 0 {
		last = d.knots[n-1]
	}
	if len(d.knots) == 0 || low > last.t {
		last.t = low
		d.knots = append(d.knots, last)
	}
	d.knots = append(d.knots, knot{high, last.f + f, last.v + v})
}

// Total returns the estimated number of pairs.
func (d *Distribution) Total() float64 { return d.end().f }

func (d *Distribution) end() knot {
	if len(d.knots) == 0 {
		return knot{}
	}
	return d.knots[len(d.knots)-1]
}

// at returns the pairs up to a delay, and their variance.
func (d *Distribution) at(t float64) knot {
	i := sort.Search(len(d.knots), func(i int) bool { return d.knots[i].t > t })
	switch i {
	case 0:
		return knot{t: t}
	case len(d.knots):
		return d.end()
	}
	return between(d.knots[i-1], d.knots[i], t)
}

// between returns the point of the line from a to b at t.
func between(a, b knot, t float64) knot {
	s := (t - a.t) / (b.t - a.t)
	return knot{t, a.f + s*(b.f-a.f), a.v + s*(b.v-a.v)}
}

// CDF returns the share of the pairs with a delay up to t, in ticks. It is NaN without pairs.
func (d *Distribution) CDF(t float64) float64 { return d.at(t).f / d.Total() }

// Quantile returns the delay, in ticks, up to which the share q of the pairs lies, 0 <= q <= 1.
// It is NaN without pairs.
func (d *Distribution) Quantile(q float64) float64 {
	if len(d.knots) == 0 {
		return math.NaN()
	}
	want := q * d.Total()
	i := sort.Search(len(d.knots), func(i int) bool { return d.knots[i].f >= want })
	switch i {
	case 0:
		return d.knots[0].t
	case len(d.knots): // rounding
		return d.end().t
	}
	a, b := d.knots[i-1], d.knots[i]
	return a.t + (b.t-a.t)*(want-a.f)/(b.f-a.f)
}

// effective returns the effective number of samples at t: how many equally weighted samples would give the same
// variance of CDF(t). CDF(t) = F is a ratio of sums, so its variance follows from the first-order formula of survey
// sampling: (1-F)² times the variance of the pairs up to t plus F² times the variance of the other pairs, divided by
// the square of their total. This variance is 0 if all samples are on one side of t. The result is therefore at most
// the effective number of all samples, computed as if one more pair with their mean weight had been lost (Korn and
// Graubard, "Confidence intervals for proportions with small expected number of positive counts", 1998).
func (d *Distribution) effective(t float64) float64 {
	k, end := d.at(t), d.end()
	lost := (end.f + end.v) / end.f // Σ factor² / Σ factor
	most := end.f * end.f / (end.v + lost*lost)
	share := k.f / end.f
	below, above := k.v, max(end.v-k.v, 0)
	if v := (1-share)*(1-share)*below + share*share*above; v > 0 && share > 0 && share < 1 {
		most = min(most, share*(1-share)*end.f*end.f/v)
	}
	return most
}

// Interval returns the confidence interval of Quantile(q) of the true distribution of all pairs, at the
// level of z standard deviations of a normal law (1.96: 95 %). It is the exact interval of order
// statistics, from the binomial law, with the effective number of samples. If there are too few samples
// for a bound, low is 0 or high is infinite. d must not be a result of Mean.
func (d *Distribution) Interval(q, z float64) (low, high float64) {
	low, high = 0, math.Inf(1)
	if len(d.knots) == 0 || !(q > 0 && q < 1) {
		return low, high
	}
	n, tail := d.effective(d.Quantile(q)), math.Erfc(z/math.Sqrt2)/2
	if math.Pow(1-q, n) <= tail {
		low = d.Quantile((rank(n, q, tail) - 1) / n)
	}
	if math.Pow(q, n) <= tail {
		high = d.Quantile(rank(n, q, 1-tail) / n)
	}
	return low, high
}

// rank returns the rank s, from 1 to n, for which the s-th smallest of n independent samples exceeds the quantile q
// with the given probability. This means that fewer than s samples are below the quantile. s and n need not be whole
// numbers.
func rank(n, q, probability float64) float64 {
	low, high := 1.0, n
	for range 60 {
		s := (low + high) / 2
		if mathext.RegIncBeta(n-s+1, s, 1-q) < probability {
			low = s
		} else {
			high = s
		}
	}
	return high
}

// Error returns the fridges paper's measure of error (§5): |log2(estimated/true)| of the delay up to which the share q
// of the pairs lies.
func Error(estimated, truth *Distribution, q float64) float64 {
	return math.Abs(math.Log2(estimated.Quantile(q) / truth.Quantile(q)))
}

// MaxError returns the largest Error for q = 5 %, 5.1 %, …, 95 %.
func MaxError(estimated, truth *Distribution) float64 {
	worst := 0.0
	for i := 50; i <= 950; i++ {
		e := Error(estimated, truth, float64(i)/1000)
		if math.IsNaN(e) {
			return e
		}
		worst = max(worst, e)
	}
	return worst
}

// Mean returns the distribution whose CDF is the mean of the CDFs of list; §5 combines ten hash seeds
// in this way. It leaves out distributions without pairs. Variances are computed for a mean of
// independent estimates.
func Mean(list ...*Distribution) *Distribution {
	n := 0
	var times []float64
	for _, d := range list {
		if d.Total() > 0 {
			n++
		}
		for _, k := range d.knots {
			times = append(times, k.t)
		}
	}
	sort.Float64s(times)
	mean := &Distribution{}
	for i, t := range times {
		if i > 0 && t == times[i-1] {
			continue
		}
		sum := knot{t: t}
		for _, d := range list {
			total := d.Total()
			if total == 0 {
				continue
			}
			k := d.at(t)
			sum.f += k.f / total / float64(n)
			sum.v += k.v / (total * total) / float64(n*n)
		}
		mean.knots = append(mean.knots, sum)
	}
	return mean
}
