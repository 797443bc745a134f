package figure

import (
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/plots"
)

// Curve fills a series with a point for each of the rows.
func Curve[R any](s plots.Series, rows []R, at func(*R) (x, y float64)) plots.Series {
	for i := range rows {
		x, y := at(&rows[i])
		s.X, s.Y = append(s.X, x), append(s.Y, y)
	}
	return s
}

// Ranges fills a series with a point and its interval for each of the rows.
func Ranges[R any](s plots.Series, rows []R, at func(*R) (x, y, lo, hi float64)) plots.Series {
	for i := range rows {
		x, y, lo, hi := at(&rows[i])
		s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, y), append(s.Lo, lo), append(s.Hi, hi)
	}
	return s
}

// Numbers fills a series with the values of rows against X. A logarithmic axis cannot show negative numbers. The
// series has a gap in place of each such number, and the drawing counts these gaps.
func Numbers(s plots.Series, rows []study.Row, axis plots.Axis) plots.Series {
	return Ranges(s, rows, func(r *study.Row) (x, y, lo, hi float64) {
		if axis.Scale == plots.Log && r.Value < 0 {
			return r.X, math.NaN(), math.NaN(), math.NaN()
		}
		return r.X, r.Value, r.Lo, r.Hi
	})
}

// Drawn returns the series that have points.
func Drawn(list ...plots.Series) []plots.Series {
	return Pick(list, func(s *plots.Series) bool { return len(s.X) > 0 })
}

// Linear returns a linear axis with a label and a unit. The unit may be "".
func Linear(label, unit string) plots.Axis {
	return plots.Axis{Label: label, Unit: unit, Scale: plots.Linear}
}

// Log returns a logarithmic axis.
func Log(label, unit string) plots.Axis {
	return plots.Axis{Label: label, Unit: unit, Scale: plots.Log}
}

// Ratio returns a logarithmic axis for ratios.
func Ratio(label string) plots.Axis {
	return plots.Axis{Label: label, Scale: plots.Log, Lines: []plots.RefLine{{At: 1, Label: "equal"}}}
}
