package study

import "pintlab/experiments/results/stats"

// Point is one number of one scheme in one panel of a figure.
type Point struct {
	Panel  string  `col:"panel"`  // its letter in the paper
	Scheme string  `col:"scheme"` // as in the legend of the paper
	X      float64 `col:"x"`      // in the unit of the panel's axis
	Value  float64 `col:"value"`
	Lo     float64 `col:"lo"` // 95 % interval over the seeds; NaN for one seed
	Hi     float64 `col:"hi"`
	Seeds  int     `col:"seeds"`
}

// PointOf returns a point with a number over the seeds.
func PointOf(panel, scheme string, x float64, m stats.Number) Point {
	return Point{Panel: panel, Scheme: scheme, X: x, Value: m.Value, Lo: m.Lo, Hi: m.Hi, Seeds: m.Seeds}
}
