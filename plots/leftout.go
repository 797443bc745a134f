package plots

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// smallPrint returns the lines below the drawing: the footnote, and how much of the data the panels do not show.
func (f *Figure) smallPrint() string {
	left := f.leftOut()
	if left == "" || f.Footnote == "" {
		return cmp.Or(left, f.Footnote)
	}
	return strings.TrimSuffix(f.Footnote, ".") + ". " + left
}

// leftOut counts the points without a value, and those beyond a fixed end of an axis, where an arrowhead stands. It
// names the panels if they are few.
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
	return fmt.Sprintf("Not shown, of %d points: %s%s.", all.points, strings.Join(list, ", "), where)
}

// omitted is how many points a panel has, and how many of them have no place in it.
type omitted struct{ points, missing, beyond int }

// omitted counts the points of lines, clouds of points and bars. In the other styles a missing value ends a stretch.
func (p *Panel) omitted() (o omitted) {
	outside := func(a *Axis, v float64) bool { return a.Min != nil && v < *a.Min || a.Max != nil && v > *a.Max }
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
			case outside(&p.X, s.X[k]) || outside(&p.Y, y):
				o.beyond++
			}
		}
	}
	return o
}
