// Package number writes numbers for people, in the same way in drawings, on pages and on the terminal: "30,000", "−13
// %", "500 KB", "20 µs". Numbers in rows and scenarios have another format, because programs read them.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Units with prefixes. Any other unit follows the number unchanged.
const (
	Bytes         = "B"   // 10 KB, 1 MB (powers of ten)
	Seconds       = "s"   // 5 µs, 1 ms
	BitsPerSecond = "b/s" // 100 Gb/s
)

// Scale is a power of a thousand, and the unit with the prefix for it.
type Scale struct {
	By   float64
	Name string
}

var scales = map[string][]Scale{
	Bytes:         {{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}},
	Seconds:       {{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}},
	BitsPerSecond: {{1, "b/s"}, {1e3, "Kb/s"}, {1e6, "Mb/s"}, {1e9, "Gb/s"}, {1e12, "Tb/s"}},
}

// binary lists powers of 1024, the largest first.
var binary = []Scale{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}

// Binary returns the power of two with which a number of bytes has fewer digits than with powers of ten, and at most
// digits of them. 98304 are 96 KiB; 32,000,000 are 32 MB and also 31,250 KiB, so that there is none. There is none
// either for numbers of up to three digits: 512,000 are 512 KB, although they are also 500 KiB.
func Binary(v float64, digits int) (Scale, bool) {
	n := significant(v)
	if n <= 3 || v != math.Trunc(v) || math.Abs(v) >= 1<<53 || math.Mod(v, 1024) != 0 {
		return Scale{}, false
	}
	most, best := min(n, digits+1), Scale{}
	for _, s := range binary {
		if n := significant(v / s.By); math.Abs(v) >= s.By && n < most {
			most, best = n, s
		}
	}
	return best, best.Name != ""
}

// Size writes a size that somebody chose, such as a memory: "96 KiB" if that needs fewer digits than with powers of
// ten, and "32 MB" otherwise.
func Size(bytes float64, digits int) string {
	if s, ok := Binary(bytes, digits); ok {
		return Digits(bytes/s.By, digits) + " " + s.Name
	}
	return Format(bytes, Bytes, digits)
}

// significant returns the number of decimal digits of v without zeros at its ends.
func significant(v float64) int {
	digits, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	return len(strings.TrimRight(strings.Replace(digits, ".", "", 1), "0"))
}

// Prefixed reports whether a unit has prefixes.
func Prefixed(unit string) bool { return len(scales[unit]) > 0 }

// ScaleOf returns the scale under which v has one to three digits before the point. A unit without prefixes has the
// scale 1.
func ScaleOf(v float64, unit string) Scale {
	list := scales[unit]
	if len(list) == 0 {
		return Scale{1, Unit(unit)}
	}
	best := list[0]
	if v == 0 && unit == Seconds {
		return list[len(list)-1]
	}
	for _, s := range list {
		if math.Abs(v) >= s.By*(1-1e-9) {
			best = s
		}
	}
	return best
}

// Unit returns a unit as people write it: "µs" for "us".
func Unit(unit string) string {
	if unit == "us" {
		return "µs"
	}
	return unit
}

// Format writes a value with its unit and this many significant digits: 1.5e6 B is "1.5 MB", 2e-5 s is "20 µs".
func Format(v float64, unit string, digits int) string {
	if !finite(v) {
		return special(v)
	}
	s := Short(v, unit, digits)
	if unit = Unit(unit); !Prefixed(unit) && unit != "" {
		s += " " + unit
	}
	return s
}

// Share writes a fraction as a percentage: 0.125 is "12.5 %".
func Share(v float64) string { return Format(100*v, "%", 3) }

// Short is Format, but omits units without prefixes, because they are shown elsewhere.
func Short(v float64, unit string, digits int) string {
	list, scale := scales[unit], ScaleOf(v, unit)
	s := Digits(v/scale.By, digits)
	if len(list) == 0 {
		return s
	}
	if s == "1000" && scale != list[len(list)-1] { // rounding reached the next prefix
		s, scale = "1", ScaleOf(scale.By*1000, unit)
	}
	return s + " " + scale.Name
}

// Digits writes v without an exponent. It rounds v to this many significant digits, but never rounds the part before
// the point. It omits trailing zeros.
func Digits(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	s := Fixed(v, max(digits-1-exponent(v), 0))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Fixed writes v with this many decimals, and zero as a plain 0.
func Fixed(v float64, decimals int) string {
	if s := fixed(v, decimals); strings.Trim(s, "−0.") != "" {
		return s
	}
	return "0"
}

func fixed(v float64, decimals int) string { return Group(strconv.FormatFloat(v, 'f', decimals, 64)) }

// Change writes a difference with its sign and this many decimals: "+7.8", "−13". If the result is zero, it has no
// sign.
func Change(v float64, decimals int) string {
	switch s := fixed(v, decimals); {
	case strings.Trim(s, "−0.") == "":
		return strings.TrimPrefix(s, "−")
	case v < 0:
		return s
	default:
		return "+" + s
	}
}

// Column chooses how to write the numbers of a column: with enough decimals for three significant digits of the
// smallest number, at most six. If the numbers span more than that, it uses three significant digits, and a power of
// ten for very small or large numbers.
func Column(values []float64) func(float64) string {
	lo, hi, whole := math.Inf(1), 0.0, true
	for _, v := range values {
		if !finite(v) || v == 0 {
			continue
		}
		lo, hi = min(lo, math.Abs(v)), max(hi, math.Abs(v))
		whole = whole && v == math.Trunc(v)
	}
	form := threeDigits
	switch {
	case hi >= 1e9 || hi < 1e-4 && hi > 0 || !whole && hi/lo >= 1e8:
	case whole:
		form = func(v float64) string { return fixed(v, 0) }
	default:
		decimals := min(max(2-exponent(lo), 0), 6)
		if hi >= 1000 {
			decimals = min(decimals, 3)
		}
		form = func(v float64) string { return fixed(v, decimals) }
	}
	return func(v float64) string {
		if !finite(v) {
			return special(v)
		}
		return form(v)
	}
}

// threeDigits writes a number to three significant digits, with a power of ten if it is below 0.0001 or from 10000 on.
func threeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 1e-4 || a >= 9999.5:
		digits, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
		n, _ := strconv.Atoi(power) // FormatFloat has written the exponent
		return Group(digits) + "×" + Power(n)
	default:
		return fixed(v, max(2-exponent(a), 0))
	}
}

// Power writes a power of ten: "10⁶".
func Power(of int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return "10" + strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return raised[r-'0']
	}, strconv.Itoa(of))
}

// exponent returns the power of ten of the first digit.
func exponent(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)) + 1e-12)) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// special writes an infinite value, or a dash for NaN.
func special(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0:
		return "−∞"
	}
	return "∞"
}

// Group puts commas between the thousands of a decimal number with at least five digits, and replaces the hyphen by a
// minus sign.
func Group(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	whole, decimals, point := strings.Cut(s, ".")
	var b strings.Builder
	if negative {
		b.WriteString("−")
	}
	for i, d := range whole {
		if i > 0 && len(whole) >= 5 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if point {
		b.WriteString("." + decimals)
	}
	return b.String()
}

// whole is a type of counts.
type whole interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64
}

// Count writes a number of things, with the plural unless the number is 1: "1 flow", "0 flows", "2 entries", "3
// switches".
func Count[N whole](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	end := "s"
	switch stem, y := strings.CutSuffix(thing, "y"); {
	case y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeou"):
		thing, end = stem, "ies"
	case strings.HasSuffix(thing, "epoch"): // ch is spoken as k
	case strings.HasSuffix(thing, "ch"), strings.HasSuffix(thing, "sh"), strings.HasSuffix(thing, "x"):
		end = "es"
	}
	return fmt.Sprintf("%d %s%s", n, thing, end)
}

// Plural returns one if n is 1, and many otherwise.
func Plural[N whole](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
