package figure

import (
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/plots"
)

// CurvePoint is a bucket of flows on a curve.
type CurvePoint struct {
	Panel  string `col:"panel"`
	Scheme string `col:"scheme"`
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

// Slowdowns draws curves of the p95 slowdown by flow size. Points with too few flows
// are faded.
func Slowdowns(points []CurvePoint) (plots.Figure, error) {
	return curves(points, "95th-percentile slowdown")
}

// Changes draws curves of ratios of slowdowns as changes in percent.
func Changes(points []CurvePoint) (plots.Figure, error) {
	changed := make([]CurvePoint, len(points))
	for i, p := range points {
		p.Value, p.Lo, p.Hi = stats.Percent(p.Value), stats.Percent(p.Lo), stats.Percent(p.Hi)
		changed[i] = p
	}
	f, err := curves(changed, "Change of the p95 slowdown")
	for i := range f.Panels {
		f.Panels[i].Y = plots.Axis{Label: f.Panels[i].Y.Label, Unit: "%", Scale: plots.Linear, Lines: []plots.RefLine{{At: 0, Label: "equal"}}}
	}
	return f, err
}

func curves(points []CurvePoint, label string) (plots.Figure, error) {
	return Plot(plots.SlowdownBySize, points, plots.Mapping{Y: "value", Panel: "panel", MinCount: Enough(0.95), YLabel: label})
}
