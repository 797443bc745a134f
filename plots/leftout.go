package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/internal/number"
)

// smallPrint returns the lines below the drawing: the footnote, and how much of the data the panels do not show.
func (f *Figure) smallPrint() string {
	left := f.leftOut()
	if left == "" || f.Footnote == "" {
		return cmp.Or(left, f.Footnote)
	}
	return strings.TrimSuffix(f.Footnote, ".") + ". " + left
}

// leftOut counts the points without a value, and the points beyond a fixed end of an axis, which have a chevron. It
// names the panels if there are only a few.
func (f *Figure) leftOut() string {
	const few = 3
	var all omitted
	var names []string
	for i := range f.Panels {
		o := f.Panels[i].omitted()
		if o.missing+o.beyond > 0 && f.Panels[i].Title != "" {
			names = append(names, f.Panels[i].Title)
		}
		all.points, all.missing, all.beyond = all.points+o.points, all.missing+o.missing, all.beyond+o.beyond
	}
	var list []string
	if all.missing > 0 {
		list = append(list, fmt.Sprintf("%d without a value", all.missing))
	}
	if all.beyond > 0 {
		list = append(list, fmt.Sprintf("%d beyond an axis", all.beyond))
	}
	if len(list) == 0 {
		return ""
	}
	where := ""
	if len(f.Panels) > 1 && len(names) > 0 && len(names) <= few {
		where = " (" + strings.Join(names, "; ") + ")"
	}
	return fmt.Sprintf("Not shown, of %s: %s%s.", number.Count(all.points, "point"), strings.Join(list, ", "), where)
}

// omitted counts the points of a panel, and how many of these points have no position in the panel.
type omitted struct{ points, missing, beyond int }

// Ranged reports whether some interval is drawn.
func (f *Figure) Ranged() bool {
	bars, bands := f.Intervals()
	return bars || bands
}

// Intervals reports whether some interval is drawn as a bar, and whether some interval is drawn as a band, along a
// trace or a distribution.
func (f *Figure) Intervals() (bars, bands bool) {
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			band := s.Style == Trace || s.Style == Step
			for k := range s.Lo {
				if !math.IsNaN(s.Y[k]) && s.Hi[k] > s.Lo[k] {
					bars, bands = bars || !band, bands || band
				}
			}
		}
	}
	return bars, bands
}

// Empty returns the reason why the drawing would show nothing; "" if it shows something.
func (f *Figure) Empty() (why string) {
	why = "it has no values"
	for i := range f.Panels {
		if why = f.Panels[i].empty(); why == "" {
			return ""
		}
	}
	return why
}

// empty returns the reason why a panel would show nothing.
func (p *Panel) empty() string {
	if p.Heat != nil {
		return p.Heat.empty()
	}
	x, zero := newExtent(), true
	for i := range p.Series {
		s := &p.Series[i]
		for k, y := range s.Y {
			if math.IsNaN(y) {
				continue
			}
			x.add(s.X[k])
			zero = zero && y == 0
		}
	}
	switch {
	case x.lo > x.hi:
		return "it has no values"
	case zero:
		return "all values are zero"
	case x.lo == x.hi && p.X.Scale != Categorical && !p.barred():
		return "all values are at one place of the x axis"
	}
	return ""
}

// empty returns the reason why a heat map would show nothing. Zeros around a Center are deviations, so that a map of
// them is not empty.
func (h *Heat) empty() string {
	switch e := h.extent(); {
	case e.lo > e.hi:
		return "it has no values"
	case e.lo == 0 && e.hi == 0 && h.Center == nil:
		return "all values are zero"
	}
	return ""
}

// barred reports whether the panel has bars.
func (p *Panel) barred() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Style == Bar || s.Style == Span })
}

// offAxis reports whether the panel has chevrons for zeros on a logarithmic axis, and whether it has chevrons for
// values beyond an end.
func (p *Panel) offAxis() (zero, out bool) {
	for i := range p.Series {
		s := &p.Series[i]
		for k, y := range s.Y {
			is := y == 0 && p.Y.Scale == Log
			zero = zero || is
			out = out || !is && s.Style != Span && !math.IsNaN(y) && (p.X.outside(s.X[k]) || p.Y.outside(y))
		}
	}
	return zero, out
}

// cutsIntervals reports whether an interval leaves the frame.
func (p *panel) cutsIntervals() bool {
	for i := range p.Series {
		s := &p.Series[i]
		for k := range s.Lo {
			if math.IsNaN(s.Y[k]) || s.Style == Trace || s.Style == Step {
				continue
			}
			if p.y.leaves(s.Lo[k]) || p.y.leaves(s.Hi[k]) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether the end of an interval is outside the axis and also outside the strip before the axis.
func (a *axis) leaves(end float64) bool { return a.side(end) > 0 || a.side(end) < 0 && a.strip == 0 }

// outside reports whether a value is beyond a fixed end of the axis.
func (a *Axis) outside(v float64) bool {
	slack := 1e-9 * math.Abs(v)
	return a.Min != nil && v < *a.Min-slack || a.Max != nil && v > *a.Max+slack
}

// omitted counts the points of lines, clouds of points and bars. It ignores the other styles, in which a missing
// value only ends a stretch.
func (p *Panel) omitted() (o omitted) {
	for i := range p.Series {
		s := &p.Series[i]
		if s.Style != Line && s.Style != Points && s.Style != Bar {
			continue
		}
		for k, y := range s.Y {
			o.points++
			switch {
			case math.IsNaN(y):
				o.missing++
			case y == 0 && p.Y.Scale == Log: // in the strip
			case p.X.outside(s.X[k]) || p.Y.outside(y):
				o.beyond++
			}
		}
	}
	return o
}
