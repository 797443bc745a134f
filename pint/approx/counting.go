package approx

import (
	"fmt"
	"math"

	"pintlab/internal/number"
	"pintlab/internal/rules"
)

// SumConfig describes a randomised counter of sums (§4.3). It extends the counter of Morris
// ("Counting large numbers of events in small registers", CACM 1978) to steps of any weight. Code 0
// means 0. Code x+1 means (1+Growth) times the value of x, plus 1. So code x means
// ((1+Growth)^x - 1)/Growth.
type SumConfig struct {
	Growth float64 `json:"growth"` // >= 0; 0 counts exactly, with one code per unit
	Max    uint64  `json:"max"`    // largest sum to distinguish, 1 to 2^53
}

// validate reports every rule that c breaks, not only the first.
func (c SumConfig) validate() error {
	var errs rules.Broken
	errs.If(!(c.Growth >= 0) || math.IsInf(c.Growth, 1), "growth = %v, want 0 or more", c.Growth)
	errs.If(c.Max < 1 || c.Max > 1<<53, "max = %d, want 1 to 2^53", c.Max)
	errs.If(len(errs) == 0 && c.values() == nil, "growth = %v, max = %d: this range needs more than %d codes",
		c.Growth, c.Max, maxCodes)
	return errs.Err("approx: bad counter")
}

// values returns the values of the codes from code 0 to the first code whose value is Max or more.
// It returns nil if maxCodes codes do not reach Max.
func (c SumConfig) values() []float64 {
	values := []float64{0}
	for v := 0.0; v < float64(c.Max); {
		if len(values) == maxCodes {
			return nil
		}
		v += float64(c.Growth*v) + 1
		values = append(values, v)
	}
	return values
}

// CoverSum returns the finest counter of this width, 1 to 16 bits, that reaches limit.
func CoverSum(limit uint64, bits int) (SumConfig, error) {
	if bits < 1 || bits > 16 {
		return SumConfig{}, fmt.Errorf("approx: %d bits: want 1 to 16", bits)
	}
	c := SumConfig{Max: limit}
	fits := func(growth float64) bool {
		v := 0.0
		for range 1<<bits - 1 {
			if v += float64(growth*v) + 1; v >= float64(limit) {
				return true
			}
		}
		return false
	}
	if !fits(0) {
		// With limit as the growth, the second step reaches limit. One bit allows only one step.
		if !fits(float64(limit)) {
			return SumConfig{}, fmt.Errorf("approx: a sum up to %d in %s: want 2 bits or more", limit,
				number.Count(bits, "bit"))
		}
		c.Growth = least(0, float64(limit), fits)
	}
	return c, c.validate()
}

// Sum adds whole numbers to a code, hop by hop: the end-to-end latency, or the number of hops with
// a high latency. The estimate is unbiased as long as the last code is not reached.
//
// # Guarantee
//
// Let n be the sum so far, and a the growth. One addition of w to a counter at level y rounds
// x = y+w to one of the levels lo <= x < hi around it, without bias and with variance (hi-x)(x-lo).
// The two levels are hi-lo = 1+a·lo apart. With d = x-lo <= w the variance is d(1-d) + a·lo·d. The
// first term is positive only if 0 < d < 1. Let S be the sum of the m levels from y to the last one
// below lo. Then d = w - m - a·S. For d > 0 the whole number w-m is at least 1, so
// 1-d <= a·S <= a·m·lo <= a·w·lo. In every case the variance is at most 2·a·w·lo. Summed over the
// additions, the variance is at most 2·a·n², because E[lo] <= n. By Chebyshev's inequality the
// estimate is farther than ε·n from n with probability at most 2a/ε². The width is log2 of
// ln(1+a·Max)/ln(1+a): O(log 1/ε + log log Max) bits.
type Sum struct {
	levels
	config SumConfig
}

// NewSum builds the table of c.
func NewSum(c SumConfig) (*Sum, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	values := c.values()
	// Level L and the next level differ by the factor 1 + Growth + 1/L.
	growth := c.Growth + 1/values[len(values)-1]
	return &Sum{levels: *newLevels(values, growth), config: c}, nil
}

// Codes returns the number of codes of the counter.
func (s *Sum) Codes() int { return len(s.at) }

// Decode returns the estimate of the sum. It panics if the code does not exist.
func (s *Sum) Decode(code uint32) float64 { return s.at[code].value }

// Add returns the code after adding w. word is 64 uniform bits that no other addition to this
// packet uses. A counter that reaches the last code stays there.
func (s *Sum) Add(code uint32, w uint64, word uint64) uint32 {
	next, p := s.up(code, w)
	if unitWord(word) < p {
		next++
	}
	return next
}

// up returns the largest code whose value is at most the value of code plus w, and the probability of taking the next
// code instead.
func (s *Sum) up(code uint32, w uint64) (uint32, float64) {
	x := s.at[code].value + float64(w)
	next := s.below(x)
	low := &s.at[next]
	if next == len(s.at)-1 {
		return uint32(next), 0
	}
	return uint32(next), (x - low.value) * low.invStep
}

// Product multiplies numbers in a code, hop by hop: the codes of the factors are added. Factors are
// at least 1. For factors below 1 (the probability that no hop loses a packet), multiply their
// reciprocals.
//
// # Guarantee
//
// Under UnbiasedValue every factor is rounded without bias and independently, so the decoded
// product is unbiased. Under UnbiasedLog its logarithm is unbiased. With k factors, the error of
// the code is then a sum of k errors of mean 0, each within an interval of length 1. By Hoeffding's
// inequality this sum exceeds t with probability at most 2·exp(-2t²/k). Nearest errs by at most k/2
// codes, which is a factor (1+ε)^k.
type Product struct{ m *Multiplicative }

// NewProduct makes a product in which code a means base^a.
func NewProduct(base float64, codes int, rounding Rounding) (*Product, error) {
	m, err := New(Config{Base: base, Min: 1, Codes: codes, Rounding: rounding})
	if err != nil {
		return nil, err
	}
	return &Product{m: m}, nil
}

// Code returns the code that rounds single factors.
func (p *Product) Code() *Multiplicative { return p.m }

// Mul returns the code after multiplication by v. word is 64 uniform bits that no other factor of
// this packet uses. A factor below 1 counts as 1. A product that reaches the last code stays there.
func (p *Product) Mul(code uint32, v float64, word uint64) uint32 {
	return min(code+p.m.Encode(v, word), uint32(p.m.config.Codes-1))
}

// Decode returns the estimate of the product. It panics if the code does not exist.
func (p *Product) Decode(code uint32) float64 { return p.m.Decode(code) }
