// Package numeric provides logarithm and exponential functions whose results have the
// same bits on every machine.
//
// The functions Log, Exp and Pow of package math may use assembly whose last bit differs
// between architectures, and a compiler may fuse x*y + z into one rounding. The functions
// below use only the four operations and the square root, which IEEE 754 defines to the
// last bit, and round each result by an explicit conversion.
package numeric

import (
	"math"
	"math/rand/v2"
)

const (
	// ln 2 = ln2Hi + ln2Lo; ln2Hi has 32 significant bits, so that a product with an
	// exponent (at most 11 bits) is exact.
	ln2Hi = 0x1.62e42feep-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Ln returns the natural logarithm of a normal positive number. The relative error of the result is below 1e-15.
//
// With x = 2^k·m, √½ <= m < √2, and s = (m-1)/(m+1), ln x = k·ln 2 + 2·artanh s.
// |s| < 0.1716, so the eleven terms s + s³/3 + … + s^21/21 leave out less than
// s^23/23/(1-s²) < 6e-19·|s|.
func Ln(x float64) float64 {
	const sqrtHalf = 0x1.6a09e667f3bcdp-1
	b := math.Float64bits(x)
	k := int(b>>52) - 1022
	m := math.Float64frombits(b&(1<<52-1) | 1022<<52) // in [½, 1)
	if m < sqrtHalf {
		m *= 2
		k--
	}
	s := (m - 1) / (m + 1)
	z := float64(s * s)
	p := 1.0 / 21
	p = float64(p*z) + 1.0/19
	p = float64(p*z) + 1.0/17
	p = float64(p*z) + 1.0/15
	p = float64(p*z) + 1.0/13
	p = float64(p*z) + 1.0/11
	p = float64(p*z) + 1.0/9
	p = float64(p*z) + 1.0/7
	p = float64(p*z) + 1.0/5
	p = float64(p*z) + 1.0/3
	p = float64(p * z)
	s2 := 2 * s
	tail := float64(s2*p) + float64(float64(k)*ln2Lo)
	return float64(float64(k)*ln2Hi) + float64(s2+tail)
}

// Exponential turns a word of random bits into a sample of the exponential distribution with mean 1: -ln of a uniform
// number in (0, 1] with 53 bits. The sample is at least 0 and at most 36.8.
func Exponential(u uint64) float64 {
	return -Ln(float64(u>>11+1) * (1.0 / (1 << 53)))
}

// Exp returns e^x for -700 <= x <= 700. The relative error of the result is below 1e-15.
//
// With x = k·ln 2 + r, |r| <= 0.3466, e^x = 2^k·e^r, and the terms up to r^13/13!
// leave out less than r^14/14!·1.03 < 5e-18.
func Exp(x float64) float64 {
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := float64(x-float64(k*ln2Hi)) - float64(k*ln2Lo)
	p := 1.0
	for n := 13.0; n >= 1; n-- {
		p = float64(float64(r*p)/n) + 1
	}
	return float64(p * math.Float64frombits(uint64(1023+int(k))<<52))
}

// Growth returns (e^y - 1)/y, and 1 at 0, for y <= 700. The relative error of the result is below 1e-14. For small y
// the subtraction would cancel digits, so Growth sums the series 1 + y/2! + y²/3! + … instead.
func Growth(y float64) float64 {
	if y < -40 { // e^y < 5e-18
		return -1 / y
	}
	if y > -0.5 && y < 0.5 {
		p := 1.0
		for n := 15.0; n >= 2; n-- { // the next term is below 2^-16/17! < 1e-18
			p = float64(float64(y*p)/n) + 1
		}
		return p
	}
	return (Exp(y) - 1) / y
}

// Normal draws from the normal distribution with mean 0 and variance 1 by Marsaglia's
// polar method (Marsaglia, Bray, "A convenient method for generating normal variables",
// SIAM Review 1964). It uses one of the method's two results.
func Normal(r *rand.Rand) float64 {
	for {
		u, v := 2*r.Float64()-1, 2*r.Float64()-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return float64(u * math.Sqrt(float64(-2*Ln(s))/s))
		}
	}
}
