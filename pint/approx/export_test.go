package approx

import "math"

// Functions that only tests use.

// Eps returns the relative error that the estimate does not exceed with probability 1-delta. This is the bound of the
// guarantee; real errors are well below it.
func (s *Sum) Eps(delta float64) float64 { return math.Sqrt(2 * s.config.Growth / delta) }

// Bits returns the width of a code in bits.
func (s *Sum) Bits() int { return bitsFor(len(s.at)) }

// Config returns the configuration from which s was made.
func (s *Sum) Config() SumConfig { return s.config }

// MaxBias returns the relative bias of ExpectedMax if all of the given number of hops have the same load. It returns
// the mean and the maximum over grid positions of this load between two codes.
func (m *Multiplicative) MaxBias(hops, grid int) (mean, worst float64) {
	values := make([]float64, hops)
	low, high := m.at[0].value, m.at[1].value
	for i := range grid {
		v := low + float64((high-low)*(float64(i)+0.5)/float64(grid))
		for j := range values {
			values[j] = v
		}
		b := m.ExpectedMax(values...)/v - 1
		mean += b / float64(grid)
		worst = max(worst, b)
	}
	return mean, worst
}

// Expected returns the expected decoded value of v, exactly and not by sampling.
func (m *Multiplicative) Expected(v float64) float64 { return m.ExpectedMax(v) }

// Range returns the values of the first and of the last code.
func (m *Multiplicative) Range() (low, high float64) {
	return m.at[0].value, m.at[len(m.at)-1].value
}

// Bits returns the width of a code in bits.
func (m *Multiplicative) Bits() int { return bitsFor(m.config.Codes) }

// Eps returns the ε of c: nearest rounding keeps values between the first and the last
// code within a factor 1+ε.
func (c Config) Eps() float64 { return math.Sqrt(c.Base) - 1 }

// bitsFor returns the number of bits that n codes need.
func bitsFor(n int) int {
	b := 1
	for 1<<b < n {
		b++
	}
	return b
}

// ExpectedMax returns the expected decoded value of the largest code, if several hops encode their
// values with independent words. A PINT packet under HPCC carries this code. The result exceeds the
// largest value, because a hop that happens to round up determines the maximum.
func (m *Multiplicative) ExpectedMax(values ...float64) float64 {
	top := uint32(0)
	for _, v := range values {
		code, _ := m.up(v)
		top = max(top, code)
	}
	// The maximum is top+1, unless all values that could be rounded to it are rounded down; then it is top.
	down := 1.0
	for _, v := range values {
		if code, p := m.up(v); code == top {
			down *= 1 - p
		}
	}
	e := m.Decode(top)
	if down < 1 {
		e += float64((m.Decode(top+1) - e) * (1 - down))
	}
	return e
}

// up returns the next lower code of v and the probability that Encode takes the code above it (0 or
// 1 under Nearest).
func (m *Multiplicative) up(v float64) (code uint32, probability float64) {
	c := m.below(v)
	low := m.at[c]
	t := float64((v - low.value) * low.invStep)
	if !(t > 0) {
		return uint32(c), 0
	}
	switch m.config.Rounding {
	case UnbiasedValue:
		return uint32(c), t
	case UnbiasedLog:
		return uint32(c), min(m.logFraction(t, v, low.value), 1)
	default:
		if t >= m.split {
			return uint32(c), 1
		}
		return uint32(c), 0
	}
}
