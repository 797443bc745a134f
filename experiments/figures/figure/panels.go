package figure

import (
	"slices"

	"pintlab/experiments/measure/comparison"
	"pintlab/plots"
)

// Panels draws a panel for each case, of a quantity against X, with a curve for each scheme. It leaves
// out numbers that a logarithmic axis has no place for.
func Panels(rows []comparison.Row, quantity string, x, y plots.Axis) []plots.Panel {
	var list []plots.Panel
	for _, c := range comparison.Cases(rows) {
		p := plots.Panel{Title: c, X: x, Y: y}
		of := Pick(rows, func(r *comparison.Row) bool {
			return r.Case == c && r.Against == "" && r.Quantity == quantity && !(y.Scale == plots.Log && r.Value <= 0)
		})
		for _, scheme := range comparison.Schemes(of) {
			s := plots.Series{Name: scheme, Style: plots.Line}
			for _, r := range of {
				if r.Scheme == scheme {
					s.X, s.Y, s.Lo, s.Hi = append(s.X, r.X), append(s.Y, r.Value), append(s.Lo, r.Lo), append(s.Hi, r.Hi)
				}
			}
			p.Series = append(p.Series, s)
		}
		if len(p.Series) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// Bars draws a panel of a quantity with a group of bars for each case, a bar for each scheme.
func Bars(rows []comparison.Row, quantity string, y plots.Axis) plots.Panel {
	of := Pick(rows, func(r *comparison.Row) bool { return r.Against == "" && r.Quantity == quantity })
	cases := comparison.Cases(of)
	p := plots.Panel{X: plots.Axis{Scale: plots.Categorical, Categories: cases}, Y: y}
	for _, scheme := range comparison.Schemes(of) {
		s := plots.Series{Name: scheme, Style: plots.Bar}
		for _, r := range of {
			if r.Scheme == scheme {
				s.X, s.Y = append(s.X, float64(slices.Index(cases, r.Case))), append(s.Y, r.Value)
				s.Lo, s.Hi = append(s.Lo, r.Lo), append(s.Hi, r.Hi)
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}
