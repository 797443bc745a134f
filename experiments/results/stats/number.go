package stats

import (
	"fmt"
	"math"

	"pintlab/internal/number"
)

// Number is a value with its interval, over the seeds or over the sections of one long run. It also contains the data
// on which the value is based.
type Number struct {
	Value float64 `col:"value"`
	Lo    float64 `col:"lo"` // lower end, usually of the 95 % interval; NaN without an interval
	Hi    float64 `col:"hi"`
	Flows int     `col:"flows"` // number of flows, in the seed with the fewest flows
	Seeds int     `col:"seeds"`

	per PerSeed // the number of each seed
}

// Sized is the number of a bucket of flow sizes.
type Sized struct {
	Size  float64 `col:"size" unit:"B"`  // largest flow of the bucket in any seed; NaN if there are no buckets
	Share float64 `col:"share" unit:"%"` // share of the flows up to the end of the bucket; NaN if there are no buckets
	Number
}

// None returns a number that is missing: its value and its interval are NaN.
func None() Number { return Number{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()} }

// Alone returns a number without an interval.
func Alone(value float64) Number { return Number{Value: value, Lo: math.NaN(), Hi: math.NaN()} }

// Exactly returns a number without uncertainty: both ends of its interval are the value.
func Exactly(value float64) Number { return Number{Value: value, Lo: value, Hi: value} }

// Around returns a number with an interval of the given half width.
func Around(value, half float64) Number {
	return Number{Value: value, Lo: value - half, Hi: value + half}
}

// Whole returns a number of all flows, not of a bucket.
func Whole(m Number) Sized { return Sized{Size: math.NaN(), Share: math.NaN(), Number: m} }

// Measured returns m. So rows that embed Number implement Row.
func (m Number) Measured() Number { return m }

// Row is a row of rows.csv that embeds a Number.
type Row interface{ Measured() Number }

// Missing reports whether there is no value.
func (m Number) Missing() bool { return math.IsNaN(m.Value) }

// Bounded reports whether the number has an interval.
func (m Number) Bounded() bool { return !math.IsNaN(m.Lo) && !math.IsNaN(m.Hi) }

// Below reports whether the whole interval is below x.
func (m Number) Below(x float64) bool { return m.Hi < x }

// Above reports whether the whole interval is above x.
func (m Number) Above(x float64) bool { return m.Lo > x }

// Differs reports whether the interval does not contain x: the number is significantly above or below it.
func (m Number) Differs(x float64) bool { return m.Above(x) || m.Below(x) }

// Inside reports whether the whole interval is between two values, which are included.
func (m Number) Inside(lo, hi float64) bool { return m.Lo >= lo && m.Hi <= hi }

// Under reports whether a multiple of the number is below another number, and their intervals do not overlap.
func (m Number) Under(factor float64, o Number) bool { return factor*m.Hi < o.Lo }

// Times returns the number multiplied by a factor, which must not be negative.
func (m Number) Times(factor float64) Number {
	return m.each(func(x float64) float64 { return factor * x })
}

// Exp returns the exponential of a number that is a logarithm.
func (m Number) Exp() Number { return m.each(math.Exp) }

// Percent returns a ratio as a change in percent.
func (m Number) Percent() Number { return m.each(Percent) }

// each applies an increasing function to the value and to the ends of the interval.
func (m Number) each(of func(float64) float64) Number {
	m.Value, m.Lo, m.Hi, m.per = of(m.Value), of(m.Lo), of(m.Hi), PerSeed{}
	return m
}

// Ratio returns the ratio of two positive numbers, with the smallest and the largest ratio that their intervals allow.
// If both numbers come from the same seeds, they vary together. Then Over, which computes the ratio seed by seed, has a
// narrower interval.
func (m Number) Ratio(o Number) Number {
	r := Number{Value: m.Value / o.Value, Lo: m.Lo / o.Hi, Hi: m.Hi / o.Lo, Flows: m.Flows, Seeds: o.Seeds}
	if o.Lo <= 0 {
		r.Hi = math.Inf(1)
	}
	return r
}

// Within returns the number with the interval of a mean of numbers that cannot be below lo or above hi.
//
// If hi is +Inf, as for times, counts and slowdowns, a few values reveal little about the largest possible ones. The
// upper end of the mean m with a half width h then follows from the interval of log(m-lo), by the delta method. It is
// lo + (m-lo)·exp(h/(m-lo)), which is about m + h if h is small. The method is intended for small h. If h is more than
// 2·(m-lo), for example with two very different seeds, the end continues along the tangent. The lower end is the larger
// of m - h and lo. If it also came from the logarithm, one extreme value among few would show that the mean is large.
//
// If both limits are finite, as for shares, the interval is cut off at the limits.
func (m Number) Within(lo, hi float64) Number {
	if len(m.per.values) > 0 { // the interval already has bounds
		if raw, err := m.per.interval(); err == nil {
			m.Lo, m.Hi = raw.Lo, raw.Hi
		}
	}
	if over := m.Value - lo; math.IsInf(hi, 1) && over > 0 {
		const straight = 2
		h := (m.Hi - m.Lo) / 2 / over
		bent := min(h, straight)
		m.Hi = lo + float64(over*math.Exp(bent)*(1+h-bent))
	}
	return m.Cut(lo, hi)
}

// Cut limits the interval to the range from lo to hi.
func (m Number) Cut(lo, hi float64) Number {
	m.Lo, m.Hi = max(m.Lo, lo), min(m.Hi, hi) // NaN stays NaN
	return m
}

// Percent converts a ratio to a change in percent.
func Percent(ratio float64) float64 { return 100 * (ratio - 1) }

// Change formats a ratio as a change in percent, with its interval if it has one: "−12.9 % (−14.6 % to −11.1 %)".
func (m Number) Change() string {
	signed := func(ratio float64) string { return signed(ratio, math.Inf(1)) + " %" }
	if !m.Bounded() {
		return signed(m.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", signed(m.Value), signed(m.Lo), signed(m.Hi))
}

// Brief formats a ratio like Change, with two digits: "−13 % (−15 to −11)".
func (m Number) Brief() string {
	if !m.Bounded() {
		return Signed(m.Value) + " %"
	}
	return fmt.Sprintf("%s %% (%s to %s)", Signed(m.Value), Signed(m.Lo), Signed(m.Hi))
}

// Signed formats a ratio as a change in percent, with two digits or with tenths.
func Signed(ratio float64) string { return signed(ratio, 9.95) }

// signed formats a change in percent. Changes below a limit have tenths. With a few seeds, the lower end of an interval
// may be a fall to almost nothing, and the upper end a rise to more than a thousand times the value. For such ends,
// signed prints a bound, because their digits mean nothing.
func signed(ratio, limit float64) string {
	switch p := Percent(ratio); {
	case p < -99.95:
		return "<−99.9"
	case p > 99999.5:
		return ">+99999"
	case math.Abs(p) < limit || p < -99.5:
		return number.Change(p, 1)
	default:
		return number.Change(p, 0)
	}
}

// Format formats the value with the given number of digits, and the interval if there is one.
func (m Number) Format(digits int) string {
	of := func(v float64) string { return number.Format(v, "", digits) }
	if !m.Bounded() {
		return of(m.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", of(m.Value), of(m.Lo), of(m.Hi))
}

// Distance returns the mean absolute logarithm of ratios, and the number of ratios that differ significantly from 1.
func Distance[R Row](ratios []R) (mean float64, differ int) {
	for _, row := range ratios {
		r := row.Measured()
		mean += math.Abs(math.Log(r.Value)) / float64(len(ratios))
		if r.Differs(1) {
			differ++
		}
	}
	return mean, differ
}
