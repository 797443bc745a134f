package figure

import (
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/plots"
)

// CurvePoint is a bucket of flows on a curve.
type CurvePoint struct {
	Panel, Scheme string
	stats.Sized
}

// Curves returns the rows of a comparison as points of curves: a panel for each case, a curve for each
// scheme. A function may name them otherwise.
func Curves(rows []study.Row, name ...func(*study.Row) (panel, scheme string)) []CurvePoint {
	var points []CurvePoint
	for i := range rows {
		r := &rows[i]
		p := CurvePoint{Panel: r.Case, Scheme: r.Scheme, Sized: r.Sized}
		for _, of := range name {
			p.Panel, p.Scheme = of(r)
		}
		points = append(points, p)
	}
	return points
}

// Slowdowns draws curves of the p95 slowdown by flow size. Points with too few flows are faded.
func Slowdowns(points []CurvePoint) (plots.Figure, error) {
	return curves(points, plots.Axis{Label: "95th-percentile slowdown", Scale: plots.Log})
}

// Changes draws curves of ratios of slowdowns as changes in percent.
func Changes(points []CurvePoint) (plots.Figure, error) {
	changed := make([]CurvePoint, len(points))
	for i, p := range points {
		p.Number = p.Percent()
		changed[i] = p
	}
	return curves(changed, plots.Axis{
		Label: "Change of the p95 slowdown", Unit: "%", Scale: plots.Linear,
		Lines: []plots.RefLine{{At: 0, Label: "equal"}},
	})
}

func curves(points []CurvePoint, y plots.Axis) (plots.Figure, error) {
	list := make([]plots.Point, len(points))
	for i, p := range points {
		list[i] = plots.Point{
			Panel: p.Panel, Series: p.Scheme, X: p.Share, Size: p.Size, Weak: p.Flows < Enough(0.95),
			Y: columns.Round(p.Value), Lo: columns.Round(p.Lo), Hi: columns.Round(p.Hi),
		}
	}
	panels, err := plots.BySize(list, y)
	return plots.Figure{Panels: panels}, err
}
