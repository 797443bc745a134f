package plots

import (
	"math"
	"slices"
)

// CDF makes panels of distributions on a logarithmic axis. Y of a point is the share of the values that are at most
// X. Each curve begins at its smallest value with a step from zero.
func CDF(points []Point, x Axis) []Panel {
	x.Scale = Log
	list := Panels(points, Step, x, Axis{Label: "Fraction at or below", Scale: Linear, Min: At(0), Max: At(1)})
	for i := range list {
		for j := range list[i].Series {
			if s := &list[i].Series[j]; s.Y[0] > 0 { // the step of the smallest value
				s.X, s.Y, s.Weak = slices.Insert(s.X, 0, s.X[0]), slices.Insert(s.Y, 0, 0),
					slices.Insert(s.Weak, 0, false)
				if s.Lo != nil {
					s.Lo, s.Hi = slices.Insert(s.Lo, 0, 0), slices.Insert(s.Hi, 0, 0)
				}
			}
		}
	}
	return list
}

// ECDF returns the empirical distribution of the samples: a share y[i] of the samples is at most x[i]. The
// distribution starts at zero. With more than a thousand samples, ECDF returns about a thousand points, so that the
// error of y is at most 0.1 %.
func ECDF(samples []float64) (x, y Values) {
	sorted := slices.Clone(samples)
	sorted = slices.DeleteFunc(sorted, math.IsNaN)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return nil, nil
	}
	const points = 1000
	x, y = append(x, sorted[0]), append(y, 0)
	for i, v := range sorted {
		last := i == n-1
		if !last && sorted[i+1] == v {
			continue // the step is as high as all equal samples together
		}
		if n > points && !last && (i+1)*points/n == i*points/n {
			continue
		}
		x, y = append(x, v), append(y, float64(i+1)/float64(n))
	}
	return x, y
}
