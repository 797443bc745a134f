package approx

import "math"

// ln2 is the natural logarithm of 2, rounded to float64.
const ln2 = 0.693147180559945309417232121458176568

// ln is the natural logarithm of a positive, finite x.
//
// With x = 2^k·m, √½ <= m < √2, it is k·ln 2 + 2·artanh(z), z = (m-1)/(m+1),
// |z| <= 0.1716. The series z + z³/3 + z⁵/5 + … stops after z²¹: the rest is
// below 1.2e-19 of the sum, so that what remains is the rounding of some twenty
// operations, below 4e-16 in units of max(|ln x|, |z|). For x near 1 no term
// cancels another.
func ln(x float64) float64 {
	const mantissa = 1<<52 - 1
	if x < 0x1p-1022 { // subnormal: scale into the normal range
		return ln(x*0x1p54) - 54*ln2
	}
	b := math.Float64bits(x)
	k := int(b>>52) - 1023
	m := math.Float64frombits(b&mantissa | 1023<<52) // in [1, 2)
	if m > 1.4142135623730951 {
		m /= 2
		k++
	}
	z := (m - 1) / (m + 1)
	z2 := z * z
	s := 0.0
	for i := 21; i >= 1; i -= 2 {
		s = float64(s*z2) + 1/float64(i)
	}
	return float64(float64(k)*ln2) + float64(2*z*s)
}
