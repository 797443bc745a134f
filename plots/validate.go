package plots

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pintlab/internal/number"
	"pintlab/internal/rules"
)

// maxHues is how many colours, including their forms, readers can distinguish. A figure with more series needs Muted
// series or another layout.
const maxHues = 2 * len(hues)

// Validate reports everything in the data and texts of the figure that cannot be drawn. It does not check mistakes that
// only a programmer can make, such as fewer x values than y values.
func (f *Figure) Validate() error {
	c := checker{CheckTexts(f, "")}
	c.If(len(f.Panels) == 0, "no panels")
	for i := range f.Panels {
		c.panel(fmt.Sprintf("panel %d", i), &f.Panels[i])
	}
	n := len(f.hueOrder())
	c.If(n > maxHues, "%d series have their own colour, want at most %d (mute some, or let some share a "+
		"hue)", n, maxHues)
	return c.Err("plots: bad figure")
}

// checker collects the problems.
type checker struct{ rules.Broken }

func (c *checker) addf(format string, args ...any) { c.If(true, format, args...) }

// CheckText refuses text that neither a table nor a drawing can show.
func CheckText(s string) error { return checkText(s, "") }

// checkText refuses control characters other than the allowed characters.
func checkText(s, allowed string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%q is not valid UTF-8", s)
	}
	bad := func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune(allowed, r) || r == '\ufffe' || r == '\uffff'
	}
	if strings.ContainsFunc(s, bad) {
		return fmt.Errorf("%q has a control character", s)
	}
	return nil
}

// CheckTexts checks the texts in the exported fields of a description, at any depth. It refuses texts that cannot be
// drawn or written as XML. Each error names the field. allowed lists control characters that are accepted.
func CheckTexts(description any, allowed string) (errs []error) {
	var walk func(at string, v reflect.Value)
	walk = func(at string, v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if err := checkText(v.String(), allowed); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", strings.TrimPrefix(at, "."), err))
			}
		case reflect.Pointer:
			if !v.IsNil() {
				walk(at, v.Elem())
			}
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Float64 {
				return
			}
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", at, i), v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(at+"."+f.Name, v.Field(i))
				}
			}
		}
	}
	walk("", reflect.ValueOf(description))
	return errs
}

func (c *checker) panel(where string, p *Panel) {
	c.axis(where+": x axis", &p.X)
	c.axis(where+": y axis", &p.Y)
	if p.Heat != nil {
		c.heat(where+": heat", p)
	} else {
		c.If(len(p.Series) == 0, "%s: no series", where)
	}
	for i := range p.Series {
		c.series(fmt.Sprintf("%s: series %d (%q)", where, i, p.Series[i].Name), p, &p.Series[i])
	}
	for i, n := range p.Notes {
		at := fmt.Sprintf("%s: note %d", where, i)
		c.place(at+": x", n.X, &p.X)
		c.place(at+": y", n.Y, &p.Y)
	}
}

func (c *checker) axis(where string, a *Axis) {
	switch a.Scale {
	case Linear, Log:
		c.ends(where, a.Min, a.Max, a.Scale == Log)
	case Categorical:
		c.If(len(a.Categories) == 0, "%s: the axis is categorical but has no categories", where)
	case SizeBuckets:
		n := len(a.Sizes)
		c.If(n < 2, "%s: %s, want at least 2 (at 0 %% and at 100 %% of the flows)", where, number.Count(n, "size"))
		for i, s := range a.Sizes {
			if !(s >= 0) || math.IsInf(s, 0) || i > 0 && s < a.Sizes[i-1] {
				c.addf("%s: size %d is %v, want sizes in ascending order", where, i, s)
				break
			}
		}
	}
	for i, t := range a.Ticks {
		c.place(fmt.Sprintf("%s: tick %d", where, i), t.At, a)
	}
	for i, l := range a.Lines {
		c.place(fmt.Sprintf("%s: line %d", where, i), l.At, a)
	}
}

func (c *checker) ends(where string, lo, hi *float64, log bool) {
	for _, e := range []struct {
		name string
		v    *float64
	}{{"min", lo}, {"max", hi}} {
		switch {
		case e.v == nil:
		case !finite(*e.v) || math.Abs(*e.v) > largest:
			c.addf("%s: %s = %v, want a number up to %v", where, e.name, *e.v, largest)
		case log && *e.v < 1/largest:
			c.addf("%s: %s = %v on a log scale, want > 0", where, e.name, *e.v)
		}
	}
	if lo != nil && hi != nil && !(*lo < *hi) {
		c.addf("%s: min %v is not below max %v", where, *lo, *hi)
	} else if lo != nil && hi != nil && near(*lo, *hi) {
		c.addf("%s: min %v and max %v are too close for ticks between them", where, *lo, *hi)
	}
}

// place refuses a value that has no position on the axis.
func (c *checker) place(where string, v float64, a *Axis) {
	switch {
	case !finite(v):
		c.addf("%s: %v is not a finite number", where, v)
	case math.Abs(v) > largest:
		c.addf("%s: %v is too large to draw, want %v at most", where, v, largest)
	case a.Scale == Log && v <= 0:
		c.addf("%s: %v on a log axis, want > 0", where, v)
	case a.Scale == Log && v < 1/largest:
		c.addf("%s: %v is too small for a log axis, want %v at least", where, v, 1/largest)
	case a.Scale == SizeBuckets && (v < 0 || v > 100):
		c.addf("%s: %v %% of the flows, want 0 to 100", where, v)
	case a.Scale == Categorical && (v < -0.5 || v > float64(len(a.Categories))-0.5):
		c.addf("%s: category %v, want 0 to %d", where, v, len(a.Categories)-1)
	}
}

func (c *checker) heat(where string, p *Panel) {
	h := p.Heat
	c.ends(where, h.Min, h.Max, false)
	some := false
	for i, row := range h.Z {
		for j, z := range row {
			c.If(math.Abs(z) > largest, "%s: row %d, column %d is %v", where, i, j, z)
			some = some || !math.IsNaN(z)
		}
	}
	c.If(!some, "%s: no value at all", where)
}

// series checks one series against the axes of its panel.
func (c *checker) series(where string, p *Panel, s *Series) {
	c.If(len(s.X) == 0, "%s: no points", where)
	if _, err := placeOf(s.Look); err != nil {
		c.addf("%s: %w", where, err)
	}
	styles := []Style{Line, Points, Step, Trace, Bar, Span} // a series in another style would not be drawn
	c.If(!slices.Contains(styles, s.Style), "%s: style %q, want one of %q", where, s.Style, styles)
	for i := range s.Lo {
		if s.Lo[i] > s.Hi[i] {
			c.addf("%s: lo %v is above hi %v at point %d", where, s.Lo[i], s.Hi[i], i)
			break
		}
	}
	for _, l := range []struct {
		name string
		v    Values
		a    *Axis
	}{{"x", s.X, &p.X}, {"y", s.Y, &p.Y}, {"lo", s.Lo, &p.Y}, {"hi", s.Hi, &p.Y}} {
		for i, v := range l.v {
			if l.name != "x" && math.IsNaN(v) || l.name == "lo" && l.a.Scale == Log && v <= 0 && v >= -largest ||
				l.name != "x" && l.a.Scale == Log && v == 0 {
				continue
			}
			n := len(c.Broken)
			c.place(fmt.Sprintf("%s: %s %d", where, l.name, i), v, l.a)
			if len(c.Broken) > n {
				break // one message per series is enough
			}
		}
	}
	along := s.Style == Line || s.Style == Step || s.Style == Trace
	c.If(along && !slices.IsSorted(s.X), "%s: x must not fall along a %s", where, s.Style)
}

// largest is the largest number that is drawn. With larger numbers the arithmetic of ticks would overflow.
const largest = 1e100

// near reports whether two numbers are too close for the ticks of an axis to distinguish.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// hueOrder lists the colours of the figure in the order of their first use.
func (f *Figure) hueOrder() []string {
	var order []string
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			if !s.Muted && !slices.Contains(order, s.hue()) {
				order = append(order, s.hue())
			}
		}
	}
	return order
}
