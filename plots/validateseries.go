package plots

import (
	"fmt"
	"math"
	"slices"
)

// series checks one series against the axes of its panel.
func (c *checker) series(where string, p *Panel, s *Series) {
	c.text(where+": name", s.Name)
	c.text(where+": hue", s.Hue)
	if s.Name == "" {
		c.addf("%s: has no name", where)
	}
	switch s.Style {
	case Line, Points, Step, Trace:
	case Bar, Box:
		if p.X.Scale == Log || p.X.Scale == SizeBuckets {
			c.addf("%s: style %s on a %s x axis, want categorical or linear", where, s.Style, p.X.Scale)
		}
		if p.Y.Scale == Categorical {
			c.addf("%s: style %s on a categorical y axis", where, s.Style)
		}
		if s.Style == Bar && p.Y.Scale == Log {
			c.addf("%s: bars start at zero, which a log axis does not have (use points)", where)
		}
	default:
		c.addf("%s: style %q, want line, points, step, trace, bar or box", where, s.Style)
	}
	switch s.Interval {
	case "", ErrorBars, Band:
	default:
		c.addf("%s: interval %q, want bars or band", where, s.Interval)
	}
	switch s.Pattern {
	case Solid, Dotted, DashDot:
	default:
		c.addf("%s: pattern %q, want dotted, dashdot or none", where, s.Pattern)
	}
	c.lengths(where, s)
	for _, l := range []struct {
		name string
		v    Values
		a    *Axis
	}{{"x", s.X, &p.X}, {"y", s.Y, &p.Y}, {"lo", s.Lo, &p.Y}, {"hi", s.Hi, &p.Y}, {"q1", s.Q1, &p.Y}, {"q3", s.Q3, &p.Y}} {
		for i, v := range l.v {
			if l.name != "x" && math.IsNaN(v) || l.name == "lo" && l.a.Scale == Log && v <= 0 && v >= -largest {
				continue
			}
			n := len(c.errs)
			c.place(fmt.Sprintf("%s: %s %d", where, l.name, i), v, l.a)
			if len(c.errs) > n {
				break // one line for a series is enough
			}
		}
	}
	if (s.Style == Line || s.Style == Step || s.Style == Trace) && !slices.IsSorted(s.X) {
		c.addf("%s: x must not fall along a %s", where, s.Style)
	}
}

// lengths checks that the values of a series go together.
func (c *checker) lengths(where string, s *Series) {
	n := len(s.X)
	if n == 0 {
		c.addf("%s: no points", where)
	}
	if len(s.Y) != n {
		c.addf("%s: %d values of y for %d of x", where, len(s.Y), n)
	}
	if (s.Lo == nil) != (s.Hi == nil) || len(s.Lo) != len(s.Hi) || s.Lo != nil && len(s.Lo) != n {
		c.addf("%s: %d values of lo and %d of hi for %d of x", where, len(s.Lo), len(s.Hi), n)
	}
	for i := range min(len(s.Lo), len(s.Hi)) {
		if s.Lo[i] > s.Hi[i] {
			c.addf("%s: lo %v is above hi %v at point %d", where, s.Lo[i], s.Hi[i], i)
			break
		}
	}
	if s.Weak != nil && len(s.Weak) != n {
		c.addf("%s: %d weak marks for %d points", where, len(s.Weak), n)
	}
	box := s.Style == Box
	if box != (s.Q1 != nil) || box != (s.Q3 != nil) || box && (len(s.Q1) != n || len(s.Q3) != n || len(s.Lo) != n) {
		c.addf("%s: a box, and nothing else, has as many q1, q3, lo and hi as points", where)
		return
	}
	for i := range s.Q1 {
		if s.Q1[i] > s.Q3[i] {
			c.addf("%s: q1 %v is above q3 %v at point %d", where, s.Q1[i], s.Q3[i], i)
			break
		}
	}
}
