package figure

import (
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// Named returns rows with new names of panels and curves, in Case and Scheme. Drawings by flow size read the names
// there.
func Named(rows []study.Row, name func(*study.Row) (panel, scheme string)) []study.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Case, rows[i].Scheme = name(&rows[i])
	}
	return rows
}

// Slowdowns draws curves of the p95 slowdown by flow size. Points of too few flows are faded.
func Slowdowns(rows []study.Row) (plots.Figure, error) {
	rows = slices.Clone(rows)
	for i := range rows { // rows of older versions may have a Lo below 1, the least possible slowdown
		rows[i].Lo = max(rows[i].Lo, min(rows[i].Value, 1))
	}
	return BySize(rows, 0.95, Log("95th-percentile slowdown", ""))
}

// Changes draws ratios of slowdowns as curves.
func Changes(rows []study.Row) (plots.Figure, error) {
	return BySize(rows, 0.95, Ratio("Ratio of p95 slowdowns"))
}

// BySize draws a percentile, or ratios of percentiles, by flow size.
func BySize(rows []study.Row, percentile float64, y plots.Axis) (plots.Figure, error) {
	list := lists.Map(rows, func(r study.Row) plots.Point {
		return plots.Point{
			Panel: r.Case, Series: r.Scheme, X: r.Share, Size: r.Size, Weak: r.Flows < Enough(percentile),
			Y: columns.Round(r.Value), Lo: columns.Round(r.Lo), Hi: columns.Round(r.Hi),
		}
	})
	panels, err := plots.BySize(list, y)
	return plots.Figure{Panels: panels}, err
}
