package query

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Fraction is an exact share of the packets, in [0, 1]. The zero Fraction is 0; as a requested
// frequency, it means that no frequency is requested.
type Fraction struct {
	num, den uint64 // in lowest terms; den is 0 only in the zero value
}

// maxDen limits denominators, so that fractions can be added exactly in a plan.
const maxDen = 1 << 40

// newFraction returns num/den. It returns an error unless 0 <= num <= den <= 2^40 and den > 0.
func newFraction(num, den uint64) (Fraction, error) {
	if den == 0 || num > den || den > maxDen {
		return Fraction{}, fmt.Errorf("fraction %d/%d: want a number from 0 to 1 with a denominator of at most 2^40",
			num, den)
	}
	return reduced(num, den), nil
}

// Share returns num/den for constants. It panics if newFraction returns an error.
func Share(num, den uint64) Fraction {
	f, err := newFraction(num, den)
	if err != nil {
		panic("query: " + err.Error())
	}
	return f
}

func reduced(num, den uint64) Fraction {
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return Fraction{num / a, den / a}
}

// parseFraction reads "15/16", "0.9375", "93.75%" or "1", exactly.
func parseFraction(s string) (Fraction, error) {
	bad := func() (Fraction, error) {
		return Fraction{}, fmt.Errorf("fraction %q: want a number from 0 to 1 such as 15/16, 0.9375 or 93.75%%, with "+
			"up to 12 digits after the point", s)
	}
	if n, d, ok := strings.Cut(s, "/"); ok {
		num, ok1 := digits(n)
		den, ok2 := digits(d)
		if !ok1 || !ok2 {
			return bad()
		}
		f, err := newFraction(num, den)
		if err != nil {
			return bad()
		}
		return f, nil
	}
	number, percent := strings.CutSuffix(s, "%")
	whole, frac, point := strings.Cut(number, ".")
	if len(frac) > 12 || point && frac == "" {
		return bad()
	}
	num, ok := digits(whole + frac)
	if !ok || whole == "" {
		return bad()
	}
	den := uint64(1)
	for range frac {
		den *= 10
	}
	if percent {
		den *= 100
	}
	// Reduce first: 50.00000000000% has a small denominator.
	f := reduced(num, den)
	if f.num > f.den || f.den > maxDen {
		return bad()
	}
	return f, nil
}

// digits reads a decimal number without a sign.
func digits(s string) (uint64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseUint(s, 10, 64)
	return v, err == nil
}

// IsZero reports whether f is 0.
func (f Fraction) IsZero() bool { return f.num == 0 }

// Float64 returns f as a real number.
func (f Fraction) Float64() float64 {
	if f.num == 0 {
		return 0
	}
	return float64(f.num) / float64(f.den)
}

// rat returns f as a new exact number.
func (f Fraction) rat() *big.Rat {
	if f.num == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(f.num), new(big.Int).SetUint64(f.den))
}

// String returns "15/16", or "0" or "1"; parseFraction reads it back.
func (f Fraction) String() string {
	switch {
	case f.num == 0:
		return "0"
	case f.num == f.den:
		return "1"
	}
	return strconv.FormatUint(f.num, 10) + "/" + strconv.FormatUint(f.den, 10)
}

// MarshalText writes f as String does.
func (f Fraction) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what ParseFraction accepts.
func (f *Fraction) UnmarshalText(b []byte) error {
	v, err := parseFraction(string(b))
	if err == nil {
		*f = v
	}
	return err
}
