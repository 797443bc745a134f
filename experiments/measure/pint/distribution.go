package pint

import (
	"math"
	"sort"
)

// Distribution is how many runs took how many packets. The zero value is empty.
type Distribution struct {
	counts map[int]int
	runs   int
	failed int // runs that gave up
}

// Add records a run that took n packets.
func (d *Distribution) Add(n int) {
	if d.counts == nil {
		d.counts = map[int]int{}
	}
	d.counts[n]++
	d.runs++
}

// AddFailure records a run that gave up. It counts as longer than any other.
func (d *Distribution) AddFailure() { d.runs++; d.failed++ }

// Runs returns the number of runs, those that gave up included.
func (d *Distribution) Runs() int { return d.runs }

// Failed returns the number of runs that gave up.
func (d *Distribution) Failed() int { return d.failed }

// Bin is that a number of runs took a number of packets.
type Bin struct{ Packets, Runs int }

// bins returns the histogram, by ascending number of packets.
func (d *Distribution) bins() []Bin {
	out := make([]Bin, 0, len(d.counts))
	for n, c := range d.counts {
		out = append(out, Bin{n, c})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Packets < out[j].Packets })
	return out
}

// Mean returns the average over the runs that did not give up; NaN if there are none.
func (d *Distribution) Mean() float64 {
	sum := 0
	for n, c := range d.counts {
		sum += n * c
	}
	return float64(sum) / float64(d.runs-d.failed)
}

// deviation returns the standard deviation over the runs that did not give up; NaN for
// fewer than two.
func (d *Distribution) deviation() float64 {
	n := d.runs - d.failed
	if n < 2 {
		return math.NaN()
	}
	mean, sum := d.Mean(), 0.0
	for _, p := range d.bins() {
		x := float64(p.Packets) - mean
		sum += float64(float64(p.Runs)*x) * x
	}
	return math.Sqrt(sum / float64(n-1))
}

// HalfWidth returns half the width of the 95 % confidence interval of the mean, by the
// normal approximation.
func (d *Distribution) HalfWidth() float64 {
	return 1.959963984540054 * d.deviation() / math.Sqrt(float64(d.runs-d.failed))
}

// Quantile returns the smallest number of packets that at least the share q of all runs did
// not exceed; -1 if too many gave up, or without runs.
func (d *Distribution) Quantile(q float64) int {
	need := int(math.Ceil(q * float64(d.runs)))
	for _, p := range d.bins() {
		if need -= p.Runs; need <= 0 {
			return p.Packets
		}
	}
	return -1
}

// Share returns the share of all runs that took at most n packets; NaN without runs.
func (d *Distribution) Share(n int) float64 {
	known := 0
	for packets, runs := range d.counts {
		if packets <= n {
			known += runs
		}
	}
	return float64(known) / float64(d.runs)
}

// QuantileInterval returns the 95 % interval of Quantile(q), by order statistics; hi is -1 if the runs
// are too few to bound it.
func (d *Distribution) QuantileInterval(q float64) (lo, hi int) {
	half := 1.959963984540054 * math.Sqrt(q*(1-q)/float64(d.runs))
	if lo, hi = d.Quantile(q-half), -1; q+half < 1 {
		hi = d.Quantile(q + half)
	}
	return lo, hi
}
