package stats

import (
	"fmt"
	"math"
)

// Percentile returns the value of rank ⌈p·n⌉ among n sorted values, 0 < p <= 1. It panics if there are no
// values or p is out of range.
func Percentile(sorted []float64, p float64) float64 { return sorted[rank(len(sorted), p)-1] }

// rank returns ⌈p·n⌉, limited to the range from 1 to n. It treats p as a decimal number: for p = 0.07 and n = 100 it
// returns 7, although the floating-point product is slightly more.
func rank(n int, p float64) int {
	if n < 1 || !(p > 0 && p <= 1) {
		panic(fmt.Sprintf("stats: percentile %v of %d values", p, n))
	}
	exact := float64(p * float64(n))
	r := math.Round(exact)
	if math.Abs(exact-r) > 1e-9*exact {
		r = math.Ceil(exact)
	}
	return max(1, min(n, int(r)))
}

// beyond is the number of values that must lie above a percentile for Enough.
const beyond = 5

// Enough reports whether a percentile of n values has at least five values above it. This requires at least 100 values
// for p = 0.95, and at least 500 for p = 0.99.
func Enough(n int, p float64) bool { return n > 0 && n-rank(n, p) >= beyond }
