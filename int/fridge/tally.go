package fridge

import (
	"fmt"
	"math"
	"math/bits"
)

// DefaultWidth is the usual width of the bins of a Tally: 1 %.
const DefaultWidth = 0.01

// The bounds of the width.
const (
	minWidth = 0.001
	maxWidth = 1
)

// The index of bins divides each octave of delays into cells.
const (
	cellBits = 6
	cells    = 1 << cellBits
)

// Tally adds up the correction factors of samples in logarithmic bins. The first bin holds
// delays below 1; each further bin is wider than the previous bin by a constant factor. The
// bins are the buckets of the quantile sketch DDSketch (Masson, Rim, Lee, VLDB 2019), with
// the same guarantee for weighted samples: a quantile is off by less than the width of a
// bin, relative to the delay. Memory does not depend on the number of samples.
//
// For each fridge and bin there are f̂ = Σ factor and V̂ = Σ factor². Distribution,
// Expected and ByEstimatedVariance combine the fridges of each bin.
type Tally struct {
	scale *scale
	bins  [][]binSums // bins of each fridge
}

// binSums are the f̂ and V̂ of a bin.
type binSums struct{ f, v float64 }

// scale maps delays to bins. It computes edges by multiplication only, so that all machines
// get the same edges.
type scale struct {
	edges []float64 // bin i is [edges[i], edges[i+1]); edges[0] = 0, edges[1] = 1
	// first contains, for each 64th part of an octave, the bin of the smallest delay in this part.
	first [64 * cells]uint16
}

func newScale(width float64) *scale {
	s := &scale{edges: []float64{0, 1}}
	for e := 1.0; e <= 1<<64; { // the largest delay becomes 2^64 as a float64
		e = float64(e * (1 + width))
		s.edges = append(s.edges, e)
	}
	i := 0
	for k := range s.first {
		low := math.Ldexp(1+float64(k%cells)/cells, k/cells)
		for s.edges[i+1] <= low {
			i++
		}
		s.first[k] = uint16(i)
	}
	return s
}

func (s *scale) bin(delay uint64) int {
	if delay == 0 {
		return 0
	}
	octave := bits.Len64(delay) - 1
	i := int(s.first[octave<<cellBits|int(delay<<(63-octave)>>(63-cellBits)&(cells-1))])
	for float64(delay) >= s.edges[i+1] {
		i++
	}
	return i
}

// NewTally makes an empty tally for the samples of the given number of fridges. The width of the bins is relative to
// the delay, 0.001 to 1.
func NewTally(parts int, width float64) (*Tally, error) {
	if parts < 1 {
		return nil, fmt.Errorf("fridge: a tally of %d fridges, want at least 1", parts)
	}
	if !(width >= minWidth && width <= maxWidth) {
		return nil, fmt.Errorf("fridge: bins of width %v, want %v to %v", width, minWidth, maxWidth)
	}
	return newTally(parts, newScale(width)), nil
}

// NewLatencies makes an empty tally of latencies in ns, with bins of 5 %.
func NewLatencies() *Tally { return newTally(1, newScale(0.05)) }

func newTally(parts int, s *scale) *Tally {
	t := &Tally{scale: s, bins: make([][]binSums, parts)}
	for k := range parts {
		t.bins[k] = make([]binSums, len(s.edges)-1)
	}
	return t
}

// Like makes an empty tally of the same shape. The two share their read-only tables.
func (t *Tally) Like() *Tally { return newTally(len(t.bins), t.scale) }

// Add counts a sample of a fridge: a delay in ticks and its correction factor.
func (t *Tally) Add(part int, delay uint64, factor float64) {
	b := &t.bins[part][t.scale.bin(delay)]
	b.f += factor
	b.v += float64(factor * factor)
}

// Distribution returns the estimated distribution of all pairs, with delays spread evenly
// over each bin. In each bin, f̂ is the mean of the f̂_k of the fridges. It is unbiased.
// With several fridges Expected is also unbiased, and varies less.
func (t *Tally) Distribution() *Distribution {
	return t.combine(func(int, int) float64 { return 1 })
}

// Expected returns the Distribution with the weights 1/v. v is the mean correction factor of a fridge for a delay in
// ticks; the variance of f̂_k is proportional to v (Lemma 3.1). These weights do not depend on the samples to which
// they apply, so the numbers of pairs are unbiased for any number of fridges. Fridge.At returns v for a rate of
// requests.
func (t *Tally) Expected(v func(part int, delay float64) float64) *Distribution {
	return t.combine(func(part, bin int) float64 {
		return v(part, (t.scale.edges[bin]+t.scale.edges[bin+1])/2)
	})
}

// ByEstimatedVariance returns the Distribution with the weights 1/V̂_k of the fridges paper (§4.2, Eq. 7), with V̂_k
// from another tally of the same shape. A fridge without samples in a bin has weight 0 there; if no fridge has samples,
// all have the same weight. If both tallies are the same, as in the fridges paper, the weights depend on the samples
// that they weigh, so the result is biased with more than one fridge (see the package comment). If V̂_k comes from
// other samples, the result is unbiased.
func (t *Tally) ByEstimatedVariance(of *Tally) *Distribution {
	return t.combine(func(part, bin int) float64 {
		for k := range of.bins {
			if of.bins[k][bin].v > 0 {
				return of.bins[part][bin].v
			}
		}
		return 1
	})
}

// combine weighs the fridges of each bin by the inverse of a variance. It ignores fridges with variance 0.
func (t *Tally) combine(variance func(part, bin int) float64) *Distribution {
	d := &Distribution{}
	for i := range t.bins[0] {
		some := false
		for k := range t.bins {
			some = some || t.bins[k][i].f > 0
		}
		if !some {
			continue
		}
		least := math.Inf(1) // all variances are divided by the least one, so that no weight overflows
		for k := range t.bins {
			if v := variance(k, i); v > 0 {
				least = min(least, v)
			}
		}
		weights, f, spread := 0.0, 0.0, 0.0
		for k := range t.bins {
			if v := variance(k, i); v > 0 {
				w := least / v
				weights += w
				f += float64(w * t.bins[k][i].f)
				// Σ factor·(factor - 1) is the variance if the delays are fixed.
				spread += float64(w * w * max(t.bins[k][i].v-t.bins[k][i].f, 0))
			}
		}
		if weights > 0 {
			d.add(t.scale.edges[i], t.scale.edges[i+1], f/weights, spread/float64(weights*weights))
		}
	}
	return d
}

// Coarse returns a tally that merges each n bins of t into one, from bin 1 on.
func (t *Tally) Coarse(n int) *Tally {
	edges := t.scale.edges[:1:1]
	for i := 1; i < len(t.scale.edges)-1; i += n {
		edges = append(edges, t.scale.edges[i])
	}
	c := newTally(len(t.bins), &scale{edges: append(edges, t.scale.edges[len(t.scale.edges)-1])})
	for k := range t.bins {
		c.bins[k][0] = t.bins[k][0]
		for i, b := range t.bins[k][1:] {
			c.bins[k][1+i/n].f += b.f
			c.bins[k][1+i/n].v += b.v
		}
	}
	return c
}

// SizeBytes returns the memory of the bins.
func (t *Tally) SizeBytes() int { return 16 * len(t.bins) * len(t.bins[0]) }
