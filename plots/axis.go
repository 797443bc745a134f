package plots

import (
	"math"

	"gonum.org/v1/plot"

	"pintlab/internal/number"
	"pintlab/internal/numeric"
)

// axis is an Axis with its final range and ticks. A tick without a label is a minor tick.
type axis struct {
	*Axis
	lo, hi float64
	strip  float64 // share of the axis, at the start, that is reserved for values below the range
	ticks  []plot.Tick
	label  string
}

// narrow is a ratio of the upper to the lower end. A logarithmic axis with a smaller ratio has the ticks of a linear
// axis.
const narrow = 2

// stripHeight is the length of a strip for values below an axis.
const stripHeight = 12

// extent is the range of the data along an axis.
type extent struct {
	lo, hi float64
	zero   bool   // the axis must contain zero (bars)
	tight  bool   // the data may touch the ends of the axis (traces)
	across bool   // true for an x axis, which need not contain zero and leaves room next to the data
	below  string // describes values that a logarithmic axis shows in a strip before its start; "" if there are none
}

func newExtent() extent { return extent{lo: math.Inf(1), hi: math.Inf(-1)} }

func (e *extent) add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) {
			e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		}
	}
}

// settle chooses the range and the ticks of an axis. room is the length of the axis in points. perTick is how many
// points a labelled tick should have.
func settle(a *Axis, e extent, room, perTick float64) *axis {
	out := &axis{Axis: a, label: a.Label}
	for _, l := range a.Lines {
		e.add(l.At)
	}
	for _, t := range a.Ticks {
		e.add(t.At)
	}
	n := max(int(room/perTick), 2)
	unit := a.Unit
	switch a.Scale {
	case Categorical:
		out.lo, out.hi = -0.5, float64(len(a.Categories))-0.5
		for i, s := range a.Categories {
			out.ticks = append(out.ticks, plot.Tick{Value: float64(i), Label: s})
		}
	case SizeBuckets:
		out.lo, out.hi = 0, 102
		out.ticks = sizeTicks(a.Sizes)
		unit = ""
	case Log:
		out.lo, out.hi = logRange(a, e)
		if e.below != "" {
			out.strip = stripHeight / room
			n -= int(math.Ceil(stripHeight / perTick))
		}
		if out.hi < narrow*out.lo {
			p, step := axisScale(out.hi, unit), linearStep(out.hi-out.lo, n)
			out.ticks = append(linearTicks(out.lo, out.hi, step, p.By), linearMinor(out.lo, out.hi, step)...)
			unit = p.Name
			break
		}
		if out.ticks = logTicks(out.lo, out.hi, n, unit); number.Prefixed(unit) {
			unit = "" // the ticks already contain the scale
		}
	default:
		step := 0.0
		out.lo, out.hi, step = linearRange(a, e, n)
		if a.Whole {
			step = max(math.Ceil(step), 1)
		}
		p := axisScale(max(math.Abs(out.lo), math.Abs(out.hi)), unit)
		unit = p.Name
		out.ticks = linearTicks(out.lo, out.hi, step, p.By)
		if minor := linearMinor(out.lo, out.hi, step); !a.Whole || step >= 5 {
			out.ticks = append(out.ticks, minor...)
		}
	}
	if len(a.Ticks) > 0 {
		out.ticks = nil
		for _, t := range a.Ticks {
			out.ticks = append(out.ticks, plot.Tick{Value: t.At, Label: t.Label})
		}
		if number.Prefixed(a.Unit) {
			unit = ""
		}
	}
	if out.strip > 0 {
		out.ticks = append(out.ticks, plot.Tick{Label: e.below})
	}
	switch {
	case unit == "":
	case a.Label == "":
		out.label = number.Unit(unit)
	default:
		out.label += " (" + number.Unit(unit) + ")"
	}
	return out
}

// sizeTicks labels every tenth of the flows with the flow size at this share. If the tenths are not among the
// buckets, it labels every bucket.
func sizeTicks(sizes []float64) []plot.Tick {
	buckets := len(sizes) - 1
	step := 1
	if buckets%10 == 0 {
		step = buckets / 10
	}
	var out []plot.Tick
	for i := step; i <= buckets; i += step {
		out = append(out,
			plot.Tick{Value: 100 * float64(i) / float64(buckets), Label: number.Short(sizes[i], InBytes, 2)})
	}
	return out
}

func logRange(a *Axis, e extent) (lo, hi float64) {
	lo, hi = e.lo, e.hi
	if a.Min != nil {
		lo = *a.Min
	}
	if a.Max != nil {
		hi = *a.Max
	}
	if !(lo <= hi) || math.IsInf(lo, 0) { // there is no data, or all data is beyond a fixed end
		switch {
		case a.Min != nil:
			hi = lo * 10
		case a.Max != nil:
			lo = hi / 10
		default:
			lo, hi = 1, 10
		}
	}
	down, up := roundOut125(lo, hi)
	if hi < narrow*lo && hi > lo*(1+1e-9) {
		margin := max(math.Pow(hi/lo, 0.06), 1.002) // equal numbers look equal
		down, up = lo/margin, hi*margin
	}
	if down == up {
		down, up = down/2, up*2
	}
	if a.Min == nil {
		lo = down
	}
	if a.Max == nil {
		hi = up
	}
	if hi <= lo*(1+1e-9) {
		hi = lo * 10
	}
	return lo, hi
}

func linearRange(a *Axis, e extent, n int) (lo, hi, step float64) {
	lo, hi = e.lo, e.hi
	if !(lo <= hi) {
		lo, hi = 0, 1
	}
	if near(lo, hi) {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo == hi {
		hi = 1
	}
	zero := e.zero || !e.across && (lo >= 0 && lo <= 0.4*hi || hi <= 0 && hi >= 0.4*lo)
	if zero {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if a.Min != nil {
		lo = *a.Min
	}
	if a.Max != nil {
		hi = *a.Max
	}
	if lo >= hi || near(lo, hi) { // the data is at the fixed end or beyond it
		if a.Min != nil {
			hi = lo + max(math.Abs(lo), 1)
		} else {
			lo = hi - max(math.Abs(hi), 1)
		}
	}
	step = linearStep(hi-lo, n)
	if e.tight {
		return lo, hi, step
	}
	margin := 0.04 * (hi - lo)
	if a.Min == nil && !(lo == 0 && zero) {
		lo = widen(lo, step, margin, -1)
	}
	if a.Max == nil && !(hi == 0 && zero) {
		hi = widen(hi, step, margin, 1)
	}
	return lo, hi, step
}

// widen moves an end outward. It moves the end to the next tick if that tick is near, and otherwise by a margin.
func widen(v, step, margin, sign float64) float64 {
	next := math.Ceil(sign*v/step-1e-9) * step * sign
	if d := sign * (next - v); d <= 0.5*step && d > margin/4 {
		return next
	}
	return v + sign*margin
}

// at returns the position of v along the axis: 0 at its start, 1 at its end.
func (a *axis) at(v float64) float64 {
	switch {
	case a.Scale != Log:
		return plot.LinearScale{}.Normalize(a.lo, a.hi, v)
	case a.strip > 0 && a.side(v) < 0:
		return a.strip / 2
	case v <= 0:
		return -1 // the lower end of an interval, which is below everything that the axis shows
	}
	// plot.LogScale is not used, because the last bits of math.Log differ between processors.
	return a.strip + (1-a.strip)*numeric.Ln(v/a.lo)/numeric.Ln(a.hi/a.lo)
}

// side returns -1 for a value before the axis, 1 for a value behind it, and 0 for a value on it.
func (a *axis) side(v float64) float64 {
	slack := 1e-9 * (math.Abs(a.lo) + math.Abs(a.hi))
	switch {
	case v < a.lo-slack:
		return -1
	case v > a.hi+slack:
		return 1
	}
	return 0
}

// clamp returns the value, or the nearer end of the axis if the value is not on the axis.
func (a *axis) clamp(v float64) float64 { return min(max(v, a.lo), a.hi) }
