package plots

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/internal/lists"
)

// Point is a point of a series in one of the panels of a figure.
type Point struct {
	Panel, Series string
	X, Y          float64
	Lo, Hi        float64 // bounds of Y; 0 for none
	Published     bool    // the value is from a document
	Weak          bool    // the value is based on too few samples
	Size          float64 // for BySize: size in B of the largest of the X % smallest flows
}

// Panels makes a panel for each panel name, and in each panel a series for each series name. Published values are
// separate series. Panels and series are in the order of their first points. The points of a series are in the order
// of X.
func Panels(points []Point, style Style, x, y Axis) []Panel {
	names := lists.Distinct(points, func(p Point) string { return p.Panel })
	return lists.Map(names, func(name string) Panel {
		return Panel{Title: name, X: x, Y: y, Series: seriesOf(points, name, style)}
	})
}

// seriesOf returns the series of a panel.
func seriesOf(points []Point, panel string, style Style) (list []Series) {
	ordered := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Panel != panel })
	for _, p := range ordered { // in the order of first points
		if !slices.ContainsFunc(list, func(s Series) bool { return s.Name == p.Series && s.Published == p.Published }) {
			list = append(list, Series{Name: p.Series, Style: style, Published: p.Published})
		}
	}
	slices.SortStableFunc(ordered, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	for i := range list {
		s, bounded := &list[i], false
		for _, p := range ordered {
			if p.Series != s.Name || p.Published != s.Published {
				continue
			}
			s.X, s.Y, s.Weak = append(s.X, p.X), append(s.Y, p.Y), append(s.Weak, p.Weak)
			s.Lo, s.Hi = append(s.Lo, p.Lo), append(s.Hi, p.Hi)
			bounded = bounded || p.Lo != 0 || p.Hi != 0
		}
		if !bounded {
			s.Lo, s.Hi = nil, nil
		}
	}
	return list
}

// BySize makes panels of lines against flow size. Each tenth of the flows has the same room on the axis, and the
// labels are the flow sizes. X of a point is the percentage of the flows whose size is at most Size.
func BySize(points []Point, y Axis) ([]Panel, error) {
	if len(points) == 0 {
		return nil, errors.New("plots: no slowdown to draw")
	}
	list := Panels(points, Line, Axis{Scale: SizeBuckets}, y)
	for i := range list {
		p := &list[i]
		var err error
		if p.X.Sizes, err = sizesOf(points, p.Title); err != nil {
			return nil, err
		}
		p.X.Label = fmt.Sprintf("Flow size (each tick: %.3g %% of the flows)", 100/float64(len(sizeTicks(p.X.Sizes))))
	}
	return list, nil
}

// sizesOf returns the flow sizes at equal steps of the share of flows. The sizes are from our points of a panel. At
// shares for which we have no point, they are from the published points.
func sizesOf(points []Point, panel string) ([]float64, error) {
	at := map[int]float64{} // flow size by share, in thousandths of a percent
	for _, published := range []bool{false, true} {
		for _, p := range points {
			if p.Panel != panel || p.Published != published {
				continue
			}
			key := int(math.Round(1000 * p.X))
			old, ok := at[key]
			switch {
			case !ok:
				at[key] = p.Size
			case !published && math.Abs(old-p.Size) > 0.05*old:
				return nil, fmt.Errorf("plots: %q: %v %% of the flows have up to %v B, but up to %v B elsewhere: "+
					"want the same flows everywhere",
					p.Series, p.X, p.Size, old)
			}
		}
	}
	keys := slices.Sorted(maps.Keys(at))
	step := keys[0]
	for i := 1; i < len(keys); i++ {
		step = min(step, keys[i]-keys[i-1])
	}
	n := int(math.Round(100000 / float64(step)))
	out := []float64{0}
	for i := 1; i <= n; i++ {
		v, ok := at[int(math.Round(100000*float64(i)/float64(n)))]
		if !ok {
			return nil, fmt.Errorf("plots: no point at %v %% of the flows in panel %q", 100*float64(i)/float64(n),
				panel)
		}
		out = append(out, v)
	}
	return out, nil
}

// Scatter makes panels of points. Each panel has the line on which X and Y are equal. Both axes have the same unit
// and the same range. They are logarithmic if all values are positive and span more than a factor of 30.
func Scatter(points []Point, x, y Axis) []Panel {
	e := newExtent()
	for _, p := range points {
		e.add(p.X, p.Y)
	}
	x.Scale = Linear
	if e.lo > 0 && e.hi/e.lo > 30 {
		x.Scale = Log
		e.lo, e.hi = roundOut125(e.lo, e.hi)
	} else {
		e.lo, e.hi, _ = linearRange(&x, e, 5)
	}
	x.Min, x.Max = At(e.lo), At(e.hi)
	y.Scale, y.Min, y.Max = x.Scale, x.Min, x.Max
	list := Panels(points, Points, x, y)
	for i := range list {
		list[i].Identity = true
	}
	return list
}
