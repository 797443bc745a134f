package fridge

import "math/bits"

// Bins is the number of bins of a Histogram.
const Bins = 32

// Histogram is the tally of a switch (§6.2): 32 bins on the logarithm of the delay, each
// a 32-bit sum of whole correction factors, which wraps around.
type Histogram struct {
	factors *Factors
	bins    [Bins]uint32
}

// NewHistogram makes an empty histogram.
func NewHistogram(f *Factors) *Histogram { return &Histogram{factors: f} }

// Add counts a sample with a delay in ticks and x survived insertions.
func (h *Histogram) Add(delay, x uint32) { h.bins[bin(delay)] += h.factors.Factor(x) }

// bin returns the integer part of log2 of the delay, or 0 for no delay.
func bin(delay uint32) int { return max(bits.Len32(delay), 1) - 1 }

// Bin returns the sum of the factors of delays in [2^i, 2^(i+1)) ticks; bin 0 begins with 0.
func (h *Histogram) Bin(i int) uint32 { return h.bins[i] }

// Distribution returns the CDF of the histogram, with delays spread evenly over each bin. Each delay is
// multiplied by tick, the length of the histogram's tick in the caller's unit. The result has no
// intervals, because the histogram does not know the variance of its bins.
func (h *Histogram) Distribution(tick uint64) *Distribution {
	d := &Distribution{}
	for i, n := range h.bins {
		if n > 0 {
			low := float64(uint64(1) << i)
			if i == 0 {
				low = 0
			}
			d.add(low*float64(tick), float64(uint64(2)<<i)*float64(tick), float64(n), 0)
		}
	}
	return d
}
