package workloads

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// maxDecimal is the largest number that parseDecimal returns.
const maxDecimal = 1<<63 - 1

// tooLarge returns the error of a number above the limit of parseDecimal.
func tooLarge(s string, places int) error {
	limit := int64(maxDecimal)
	for range places {
		limit /= 10
	}
	return fmt.Errorf("%q is too large, want at most %d", s, limit)
}

// parseDecimal reads a number such as "2.000000033", "97.5", ".5", "2." or "1e-06" as a multiple of 10^-places. It
// rounds further digits to the nearest multiple, halves up, and then reports exact = false. A sign, a number without
// digits and a result above 2^63-1 are errors.
func parseDecimal(s string, places int) (v int64, exact bool, err error) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	shift := places
	if hasExponent {
		e, err := strconv.Atoi(exponent)
		if err != nil || e < -9999 || e > 9999 {
			return 0, false, fmt.Errorf("%q is not a decimal number", s)
		}
		shift += e
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if whole+frac == "" || !digits(whole) || !digits(frac) {
		return 0, false, fmt.Errorf("%q is not a decimal number >= 0", s)
	}
	shift -= len(frac)
	number := strings.TrimLeft(whole+frac, "0")
	if number == "" {
		return 0, true, nil
	}
	roundUp := false
	exact = true
	if shift < 0 { // drop the last -shift digits
		keep := max(0, len(number)+shift)
		gone := number[keep:]
		exact = strings.Trim(gone, "0") == ""
		roundUp = len(gone) == -shift && gone[0] >= '5'
		number = number[:keep]
		shift = 0
	}
	if len(number)+shift > 19 {
		return 0, false, tooLarge(s, places)
	}
	var n uint64
	for _, c := range []byte(number) {
		n = n*10 + uint64(c-'0') // at most 19 digits, so below 2^64
	}
	for range shift {
		hi, lo := bits.Mul64(n, 10)
		if hi != 0 {
			return 0, false, tooLarge(s, places)
		}
		n = lo
	}
	if roundUp {
		n++
	}
	if n > maxDecimal {
		return 0, false, tooLarge(s, places)
	}
	return int64(n), exact, nil
}

// formatDecimal writes v·10^-places without trailing zeros, but with at least minPlaces decimals.
func formatDecimal(v int64, places, minPlaces int) string {
	s := fmt.Sprintf("%0*d", places+1, v)
	whole, frac := s[:len(s)-places], s[len(s)-places:]
	keep := max(minPlaces, len(strings.TrimRight(frac, "0")))
	if keep == 0 {
		return whole
	}
	return whole + "." + frac[:keep]
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
