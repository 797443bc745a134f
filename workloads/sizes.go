package workloads

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"pintlab/netsim/unit"
)

// Sizes is a distribution of flow sizes.
type Sizes interface {
	// Name returns the distribution in the format of ParseSizes, except for a CDF made in the program.
	Name() string
	// Mean returns the expected size in bytes.
	Mean() float64
	// Size returns the quantile at u/2^64, at least 1, so a uniformly random u yields a random size. It
	// does not decrease with u.
	Size(u uint64) unit.Bytes
}

// Draw returns a random size. It takes one word from r for every distribution.
func Draw(s Sizes, r *rand.Rand) unit.Bytes { return s.Size(r.Uint64()) }

// Quantile returns the size below which the share p of the flows lies. It panics unless 0 <= p <= 1.
func Quantile(s Sizes, p float64) unit.Bytes {
	if !(p >= 0 && p <= 1) {
		panic("workloads: Quantile wants 0 <= p <= 1")
	}
	if p == 1 {
		return s.Size(math.MaxUint64)
	}
	return s.Size(uint64(p * (1 << 32) * (1 << 32)))
}

// Fixed is the distribution in which all flows have n bytes, n >= 1.
type Fixed unit.Bytes

// Name returns "fixed:SIZE".
func (f Fixed) Name() string { return "fixed:" + unit.Bytes(f).String() }

func (f Fixed) Mean() float64 { return float64(f) }

func (f Fixed) Size(uint64) unit.Bytes { return unit.Bytes(f) }

func (f Fixed) validate() error {
	if f < 1 || f > maxSize {
		return fmt.Errorf("fixed size %d B, want 1 to %d", int64(f), int64(maxSize))
	}
	return nil
}

// Uniform is the uniform distribution over the whole numbers of bytes from Min to Max, 1 <= Min <=
// Max.
type Uniform struct{ Min, Max unit.Bytes }

// Name returns "uniform:MIN:MAX".
func (d Uniform) Name() string { return fmt.Sprintf("uniform:%v:%v", d.Min, d.Max) }

// Mean returns the middle of the range.
func (d Uniform) Mean() float64 { return float64(d.Min+d.Max) / 2 }

// Size returns the quantile at u/2^64.
func (d Uniform) Size(u uint64) unit.Bytes {
	return d.Min + unit.Bytes(below(u, uint64(d.Max-d.Min)+1))
}

func (d Uniform) validate() error {
	if d.Min < 1 || d.Max < d.Min || d.Max > maxSize {
		return fmt.Errorf("uniform sizes from %d to %d B, want 1 <= min <= max <= %d",
			int64(d.Min), int64(d.Max), int64(maxSize))
	}
	return nil
}

// below maps a random word to 0 ... n-1 without loops or rejected draws. The probabilities of two results
// differ by at most 2^-64.
func below(u, n uint64) uint64 {
	hi, _ := bits.Mul64(u, n)
	return hi
}

// checkSizes returns an error if a distribution is missing or invalid.
func checkSizes(s Sizes) error {
	if s == nil {
		return fmt.Errorf("no size distribution")
	}
	if v, ok := s.(interface{ validate() error }); ok {
		return v.validate()
	}
	if m := s.Mean(); !(m > 0 && m <= maxSize) {
		return fmt.Errorf("size distribution %s has mean %v B, want more than 0 and at most %d",
			s.Name(), m, int64(maxSize))
	}
	return nil
}
