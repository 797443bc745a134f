package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	rimWidth  = 1.8 // the most by which a curve is drawn wider than the curve above it
	widestRim = 6   // the most by which the lowest of many coinciding curves is drawn wider than usual
	rimAlpha  = 0.4 // opacity of the colour of a curve with a rim
)

// rims returns how much wider than usual curves are drawn. If a curve lies beneath later curves nearly everywhere,
// it is light and wider than the later curves, so that it is visible on both sides of them. width and height
// describe the data area.
func (p *panel) rims(width, height vg.Length) map[*Series]vg.Length {
	const hidden = 0.75 // a curve needs a rim if this share of its length is beneath other curves
	area := vg.Rectangle{Max: vg.Point{X: width, Y: height}}
	d := &pen{Canvas: draw.Canvas{Rectangle: area}, panel: p}
	var curves []*Series
	var paths [][]vg.Point
	for i := range p.Series {
		if s := &p.Series[i]; !s.Muted && (s.Style == Line || s.Style == Step || s.Style == Trace) {
			curves, paths = append(curves, s), append(paths, nil)
			for _, r := range runs(s.Y) {
				paths[len(paths)-1] = append(paths[len(paths)-1], thin(d.path(s, r))...)
			}
		}
	}
	depth, deepest := make([]int, len(curves)), 1
	for i := len(curves) - 1; i >= 0; i-- {
		places, beneath := 0, 0
		below := make([]bool, len(curves)) // the later curves that lie on this one
		for _, at := range spaced(paths[i]) {
			covered := false
			for j := i + 1; j < len(curves); j++ {
				if !curves[j].Published && passes(paths[j], at, 0.8+0.6*vg.Length(depth[j])) {
					covered, below[j] = true, true
				}
			}
			if places++; covered {
				beneath++
			}
		}
		if places < 2 || float64(beneath) < hidden*float64(places) {
			continue
		}
		for j := range below {
			if below[j] {
				depth[i] = max(depth[i], depth[j]+1)
			}
		}
		deepest = max(deepest, depth[i])
	}
	list := map[*Series]vg.Length{}
	for i, s := range curves {
		if depth[i] > 0 {
			list[s] = vg.Length(depth[i]) * min(rimWidth, widestRim/vg.Length(deepest))
		}
	}
	return list
}

// spaced returns positions along a path, about two points apart.
func spaced(path []vg.Point) (list []vg.Point) {
	for i := 1; i < len(path); i++ {
		step := path[i].Sub(path[i-1])
		n := math.Ceil(math.Hypot(float64(step.X), float64(step.Y)) / 2)
		for k := range int(n) {
			list = append(list, path[i-1].Add(step.Scale(vg.Length((float64(k)+0.5)/n))))
		}
	}
	return list
}

// passes reports whether a path comes within the distance touch of a position. The points of the path are in the
// order of X.
func passes(path []vg.Point, at vg.Point, touch vg.Length) bool {
	i, _ := slices.BinarySearchFunc(path, at.X-touch, func(q vg.Point, x vg.Length) int {
		if q.X < x {
			return -1
		}
		return 1
	})
	for i = max(i, 1); i < len(path) && path[i-1].X <= at.X+touch; i++ {
		a, d := path[i-1], path[i].Sub(path[i-1])
		t := vg.Length(0)
		if d.Dot(d) > 0 {
			t = min(max(at.Sub(a).Dot(d)/d.Dot(d), 0), 1)
		}
		if off := at.Sub(a.Add(d.Scale(t))); off.Dot(off) < touch*touch {
			return true
		}
	}
	return false
}
