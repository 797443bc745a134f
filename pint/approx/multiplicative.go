package approx

import (
	"fmt"
	"math"
	"slices"

	"pintlab/internal/mem"
	"pintlab/internal/number"
	"pintlab/internal/numeric"
	"pintlab/internal/rules"
)

// Config describes a multiplicative code: code a means Min·Base^a.
type Config struct {
	Base     float64  `json:"base"`     // (1+ε)², ratio of neighbouring codes, > 1
	Min      float64  `json:"min"`      // value of code 0, in the unit of the values, > 0
	Codes    int      `json:"codes"`    // number of codes, 2 to 65536
	Rounding Rounding `json:"rounding"` // between two codes
}

// Base returns (1+ε)². If neighbouring codes differ by this ratio, the nearest code is within a
// factor 1+ε of the value.
func Base(eps float64) float64 { return (1 + eps) * (1 + eps) }

// validate reports every rule that c breaks, not only the first.
func (c Config) validate() error {
	var errs rules.Broken
	errs.If(!(c.Base > 1) || math.IsInf(c.Base, 1), "base = %v, want a number above 1", c.Base)
	errs.If(!(c.Min >= 0x1p-1022) || math.IsInf(c.Min, 1), "min = %v, want a positive number", c.Min)
	errs.If(c.Codes < 2 || c.Codes > maxCodes, "codes = %d, want 2 to %d", c.Codes, maxCodes)
	errs.If(int(c.Rounding) >= len(roundingNames), "rounding = %d, want nearest, log or value", c.Rounding)
	if len(errs) == 0 {
		if code := slices.Index(c.values(), math.Inf(1)); code >= 0 {
			errs = append(errs, fmt.Errorf("code %d of %d exceeds the largest float64", code, c.Codes))
		}
	}
	return errs.Err("approx: bad multiplicative code")
}

// values returns the values of the codes, by repeated multiplication. The relative error of code a
// is at most a·2^-53.
func (c Config) values() []float64 {
	values := make([]float64, c.Codes)
	v := c.Min
	for i := range values {
		values[i] = v
		v *= c.Base
	}
	return values
}

// Cover returns the finest code of this width that covers a range: the first code means low, and
// the last code means high or the next float64 above high.
func Cover(low, high float64, bits int) (Config, error) {
	if bits < 1 || bits > 16 {
		return Config{}, fmt.Errorf("approx: %d bits: want 1 to 16", bits)
	}
	if !(low >= 0x1p-1022) || !(high > low) || math.IsInf(high, 1) {
		return Config{}, fmt.Errorf("approx: range %v to %v: want 0 < low < high", low, high)
	}
	c := Config{Min: low, Codes: 1 << bits}
	reaches := func(base float64) bool {
		v := low
		for range c.Codes - 1 {
			if v *= base; v >= high {
				return true
			}
		}
		return false
	}
	most := min(math.Nextafter(high/low, math.Inf(1)), math.MaxFloat64)
	if !reaches(most) {
		return Config{}, fmt.Errorf("approx: range %v to %v: too wide for %s", low, high, number.Count(bits, "bit"))
	}
	c.Base = least(1, most, reaches)
	return c, c.validate()
}

// Multiplicative is the code of §4.3 with a bounded relative error. It is read-only after New, so
// any number of simulations may share it.
type Multiplicative struct {
	levels
	config Config
	invLn  float64 // 1/ln(Base)
	bulge  float64 // largest excess of the logarithmic fraction over the linear fraction
	split  float64 // linear fraction at which the logarithmic fraction is 1/2
}

// New builds the tables of c.
func New(c Config) (*Multiplicative, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	m := &Multiplicative{levels: *newLevels(c.values(), c.Base-1), config: c}
	lnBase := numeric.Ln(c.Base)
	m.invLn = 1 / lnBase
	// √Base is the middle of a level on the logarithmic scale: (√b-1)/(b-1) = 1/(√b+1).
	m.split = 1 / (math.Sqrt(c.Base) + 1)
	// The excess log_b(1+(b-1)t) - t is largest where its derivative is 0, at t = 1/ln b - 1/(b-1).
	// 1e-9 covers all rounding errors.
	t := m.invLn - 1/(c.Base-1)
	m.bulge = float64(numeric.Ln(1+float64((c.Base-1)*t))*m.invLn) - t + 1e-9
	return m, nil
}

// Config returns the configuration of m.
func (m *Multiplicative) Config() Config { return m.config }

// Decode returns the value of a code. It panics if the code does not exist.
func (m *Multiplicative) Decode(code uint32) float64 { return m.at[code].value }

// Interval returns the values that can get a code, up to rounding errors of float64. Code 0 includes all values down to
// 0, and the last code includes all larger values. Under random rounding, a code can mean any value between its two
// neighbours. Interval panics if the code does not exist.
func (m *Multiplicative) Interval(code uint32) (low, high float64) {
	above, below := m.split, 1-m.split // as shares of the steps to the neighbours
	if m.config.Rounding != Nearest {
		above, below = 1, 1
	}
	value := m.at[code].value
	if code > 0 {
		low = value - float64(below*(value-m.at[code-1].value))
	}
	if high = math.Inf(1); int(code) < len(m.at)-1 {
		high = value + float64(above*(m.at[code+1].value-value))
	}
	return low, high
}

// Encode returns the code of v. Values below the first code, zero, negative numbers and NaN get
// code 0. Values above the last code get the last code. Under random rounding, word (64 uniform
// bits) decides between the two neighbouring codes. Nearest ignores word.
func (m *Multiplicative) Encode(v float64, word uint64) uint32 {
	code := m.below(v)
	low := mem.At(m.at, code)
	// t is in [0, 1] between two codes. It is 0 below the first code and from the last code on,
	// because only one code is possible there.
	t := float64((v - low.value) * low.invStep)
	if !(t > 0) {
		return uint32(code)
	}
	switch m.config.Rounding {
	case Nearest:
		if t >= m.split {
			code++
		}
	case UnbiasedValue:
		if unitWord(word) < t {
			code++
		}
	case UnbiasedLog:
		// The logarithm is concave, so the logarithmic fraction lies between t and t+bulge. Few
		// words fall into this range or close to it, and only these need the exact logarithm.
		u := unitWord(word)
		if math.Abs(u-t-float64(m.bulge/2)) <= m.bulge {
			t = m.logFraction(t, v, low.value)
		}
		if u < t {
			code++
		}
	}
	return uint32(code)
}

// logFraction returns log_Base(v/low) with an error of at most 1e-15/ln(Base). t is the linear fraction.
func (m *Multiplicative) logFraction(t, v, low float64) float64 {
	return min(max(float64(numeric.Ln(v/low)*m.invLn), t), t+m.bulge)
}
