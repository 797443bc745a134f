package pint

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/results/columns"
)

// Distribution is the distribution of the number of packets that runs took. The zero value is empty.
type Distribution struct {
	packets []float64 // by run; runs that gave up are only in failed
	failed  int
}

// Add records a run that took n packets.
func (d *Distribution) Add(n int) { d.packets = append(d.packets, float64(n)) }

// AddFailure records a run that gave up. Such a run counts as longer than all others.
func (d *Distribution) AddFailure() { d.failed++ }

// merge adds the runs of another distribution.
func (d *Distribution) merge(o *Distribution) {
	d.packets, d.failed = append(d.packets, o.packets...), d.failed+o.failed
}

// Runs returns the number of runs, including the runs that gave up.
func (d *Distribution) Runs() int { return len(d.packets) + d.failed }

// Failed returns the number of runs that gave up.
func (d *Distribution) Failed() int { return d.failed }

// Mean returns the average over the runs that did not give up. It returns NaN if there are no such runs.
func (d *Distribution) Mean() float64 { return stat.Mean(d.packets, nil) }

// HalfWidth returns half the width of the 95 % confidence interval of the mean, by the
// normal approximation.
func (d *Distribution) HalfWidth() float64 {
	return z95 * stat.StdErr(stat.StdDev(d.packets, nil), float64(len(d.packets)))
}

// Quantile returns the smallest number of packets that suffices for at least the share q of all runs. It is -1 if too
// many runs gave up, or if there are no runs.
func (d *Distribution) Quantile(q float64) int {
	slices.Sort(d.packets)
	need := max(1, int(math.Ceil(q*float64(d.Runs()))))
	if need > len(d.packets) {
		return -1
	}
	return int(d.packets[need-1])
}

// number returns Quantile(q), or NaN instead of -1.
func (d *Distribution) number(q float64) columns.Number {
	if n := d.Quantile(q); n >= 0 {
		return columns.Number(n)
	}
	return columns.Number(math.NaN())
}

// share returns the share of all runs that took at most n packets. It returns NaN if there are no runs.
func (d *Distribution) share(n int) float64 {
	slices.Sort(d.packets)
	return float64(sort.SearchFloat64s(d.packets, float64(n)+0.5)) / float64(d.Runs())
}

// QuantileInterval returns the 95 % interval of Quantile(q), by order statistics. hi is -1 if there are too few runs
// for an upper end.
func (d *Distribution) QuantileInterval(q float64) (lo, hi int) {
	half := z95 * math.Sqrt(q*(1-q)/float64(d.Runs()))
	if lo, hi = d.Quantile(q-half), -1; q+half < 1 {
		hi = d.Quantile(q + half)
	}
	return lo, hi
}
