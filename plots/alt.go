package plots

import (
	"cmp"
	"fmt"
	"strings"

	"pintlab/internal/number"
)

// AltText describes the figure in words. It returns Alt if Alt is set. Otherwise it names the axes of each panel
// and, for each series or heat map, the name and the range of the values.
func (f *Figure) AltText() string {
	if f.Alt != "" {
		return f.Alt
	}
	var b strings.Builder
	for i := range f.Panels {
		p := &f.Panels[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		if p.Title != "" {
			b.WriteString(p.Title + ": ")
		}
		if p.Heat != nil {
			e := newExtent()
			for _, row := range p.Heat.Z {
				e.add(row...)
			}
			fmt.Fprintf(&b, "heat map of %s over %s and %s, from %s to %s.",
				cmp.Or(p.Heat.Label, "values"), cmp.Or(p.X.Label, "columns"), cmp.Or(p.Y.Label, "rows"),
				number.Format(e.lo, p.Heat.Unit, 3), number.Format(e.hi, p.Heat.Unit, 3))
			continue
		}
		fmt.Fprintf(&b, "%s against %s for ", cmp.Or(p.Y.Label, "y"), cmp.Or(p.X.Label, "x"))
		for j := range p.Series {
			s := &p.Series[j]
			if j > 0 {
				b.WriteString("; ")
			}
			e := newExtent()
			e.add(s.Y...)
			fmt.Fprintf(&b, "%s, %s to %s", s.legendName(),
				number.Format(e.lo, p.Y.Unit, 3), number.Format(e.hi, p.Y.Unit, 3))
		}
		b.WriteByte('.')
	}
	return b.String()
}
