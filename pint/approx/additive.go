package approx

import (
	"math"

	"pintlab/internal/rules"
)

// AdditiveConfig describes an additive code: code a represents 2·Delta·a.
type AdditiveConfig struct {
	Delta    float64  `json:"delta"`    // Δ, largest error of Nearest, in the unit of the values, > 0
	Codes    int      `json:"codes"`    // number of codes, 2 to 2^32
	Rounding Rounding `json:"rounding"` // nearest or value, but not log
}

// validate reports every rule that c breaks, not only the first.
func (c AdditiveConfig) validate() error {
	var errs rules.Broken
	errs.If(!(c.Delta > 0) || math.IsInf(2*c.Delta*float64(c.Codes), 1),
		"delta = %v, want a positive number whose 2·delta·codes is finite", c.Delta)
	errs.If(c.Codes < 2 || uint64(c.Codes) > 1<<32, "codes = %d, want 2 to 2^32", c.Codes)
	errs.If(c.Rounding != Nearest && c.Rounding != UnbiasedValue, "rounding = %v, want nearest or value", c.Rounding)
	return errs.Err("approx: bad additive code")
}

// Additive is the code of §4.3 with a bounded absolute error: a = [v/2Δ].
type Additive struct{ config AdditiveConfig }

// NewAdditive makes a code. It returns an error if c is not valid.
func NewAdditive(c AdditiveConfig) (*Additive, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Additive{config: c}, nil
}

// Config returns the configuration of d.
func (d *Additive) Config() AdditiveConfig { return d.config }

// Encode returns the code of v. Nearest rounds a half up. Values below zero and NaN get code 0,
// values above the last code get the last code. Only UnbiasedValue uses word.
func (d *Additive) Encode(v float64, word uint64) uint32 {
	x := v / (2 * d.config.Delta)
	if !(x > 0) {
		return 0
	}
	top := uint32(d.config.Codes - 1)
	if x >= float64(top) {
		return top
	}
	code := uint32(x)
	f := x - float64(code)
	if d.config.Rounding == UnbiasedValue {
		if unitWord(word) < f {
			code++
		}
	} else if f >= 0.5 {
		code++
	}
	return code
}

// Interval returns the values that can get a code, up to rounding errors of float64. Code 0 includes 0, and the last
// code includes all larger values.
func (d *Additive) Interval(code uint32) (low, high float64) {
	reach := 0.5 // in steps
	if d.config.Rounding == UnbiasedValue {
		reach = 1
	}
	if low, high = 0, math.Inf(1); code > 0 {
		low = float64(2 * d.config.Delta * (float64(code) - reach))
	}
	if int(code) < d.config.Codes-1 {
		high = float64(2 * d.config.Delta * (float64(code) + reach))
	}
	return low, high
}

// Decode returns 2·Delta·code.
func (d *Additive) Decode(code uint32) float64 { return 2 * d.config.Delta * float64(code) }
