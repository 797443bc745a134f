package plots

import (
	"math"
	"strconv"
	"strings"
)

// prefix is a power of a thousand and its name with the unit.
type prefix struct {
	scale float64
	name  string
}

var prefixes = map[string][]prefix{
	InBytes:         {{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}},
	InSeconds:       {{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}},
	InBitsPerSecond: {{1, "b/s"}, {1e3, "Kb/s"}, {1e6, "Mb/s"}, {1e9, "Gb/s"}, {1e12, "Tb/s"}},
}

// prefixFor returns the prefix under which v has one to three digits before the point.
// A unit without prefixes has the scale 1.
func prefixFor(v float64, unit string) prefix {
	list := prefixes[unit]
	if len(list) == 0 {
		return prefix{1, unit}
	}
	best := list[0]
	if v == 0 && unit == InSeconds {
		return list[len(list)-1]
	}
	for _, p := range list {
		if math.Abs(v) >= p.scale*(1-1e-9) {
			best = p
		}
	}
	return best
}

// axisPrefix returns the prefix under which the ticks of a linear axis up to v stay
// short. Beyond a million and below a thousandth, which prefixed units reach only
// at their ends, it is a power of a thousand.
func axisPrefix(v float64, unit string) prefix {
	p := prefixFor(v, unit)
	r := v / p.scale
	if r == 0 || r >= 1e-3 && r < 1e6 {
		return p
	}
	e := 3 * int(math.Floor(math.Log10(r)/3+1e-12))
	name := "1e" + strconv.Itoa(e)
	if p.name != "" {
		name += " " + p.name
	}
	return prefix{p.scale * math.Pow(10, float64(e)), name}
}

// FormatValue prints a value with its unit and this many significant digits, as on
// the axes: 1.5e6 B is "1.5 MB", 2e-5 s is "20 us". Units without prefixes follow
// the number.
func FormatValue(v float64, unit string, digits int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return special(v, "")
	}
	s := formatUnit(v, unit, digits)
	if len(prefixes[unit]) == 0 && unit != "" {
		s += " " + unit
	}
	return s
}

// formatUnit prints the value with a prefixed unit, and without any other unit.
func formatUnit(v float64, unit string, digits int) string {
	list, p := prefixes[unit], prefixFor(v, unit)
	s := formatSignificant(v/p.scale, digits)
	if len(list) == 0 {
		return s
	}
	if s == "1000" && p != list[len(list)-1] { // rounding reached the next prefix
		s, p = "1", prefixFor(p.scale*1000, unit)
	}
	return s + " " + p.name
}

// formatSignificant prints v in plain notation, rounded to this many significant
// digits after the point, never within the whole part, without trailing zeros.
func formatSignificant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(math.Abs(v))+1e-12))
	s := strconv.FormatFloat(math.Abs(v), 'f', max(decimals, 0), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if v < 0 && !allZero(s) {
		s = "−" + s
	}
	return s
}
