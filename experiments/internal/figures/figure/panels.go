package figure

import (
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/plots"
)

// Panels returns a panel for each case. A panel shows a quantity against X, with a curve for each scheme.
func Panels(rows []study.Row, quantity string, x, y plots.Axis) []plots.Panel {
	var list []plots.Panel
	for _, c := range study.Cases(rows) {
		p := plots.Panel{Title: c, X: x, Y: y}
		of := Pick(rows, func(r *study.Row) bool {
			return r.Case == c && r.Against == "" && r.Quantity == quantity
		})
		for _, scheme := range study.Schemes(of) {
			line := Pick(of, func(r *study.Row) bool { return r.Scheme == scheme })
			p.Series = append(p.Series, Numbers(plots.Series{Name: scheme, Style: plots.Line}, line, y))
		}
		if len(p.Series) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// Bars returns a panel of a quantity. Each case has a group of bars, with a bar for each scheme.
func Bars(rows []study.Row, quantity string, y plots.Axis) plots.Panel {
	of := Pick(rows, func(r *study.Row) bool { return r.Against == "" && r.Quantity == quantity })
	cases := study.Cases(of)
	p := plots.Panel{X: plots.Axis{Scale: plots.Categorical, Categories: cases}, Y: y}
	for _, scheme := range study.Schemes(of) {
		bars := Pick(of, func(r *study.Row) bool { return r.Scheme == scheme })
		p.Series = append(p.Series, Ranges(plots.Series{Name: scheme, Style: plots.Bar}, bars,
			func(r *study.Row) (x, y, lo, hi float64) {
				return float64(slices.Index(cases, r.Case)), r.Value, r.Lo, r.Hi
			}))
	}
	return p
}
