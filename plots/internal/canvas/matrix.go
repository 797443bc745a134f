package canvas

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// matrix is an affine map of the page: x' = a·x + c·y + e, y' = b·x + d·y + f,
// the order of PDF and SVG.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then is the map that applies n first and m after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.c*n.b, b: m.b*n.a + m.d*n.b,
		c: m.a*n.c + m.c*n.d, d: m.b*n.c + m.d*n.d,
		e: m.a*n.e + m.c*n.f + m.e, f: m.b*n.e + m.d*n.f + m.f,
	}
}

func (m matrix) apply(p vg.Point) (x, y float64) {
	px, py := p.X.Points(), p.Y.Points()
	return m.a*px + m.c*py + m.e, m.b*px + m.d*py + m.f
}

func rotation(rad float64) matrix {
	sin, cos := math.Sincos(rad)
	return matrix{a: cos, b: sin, c: -sin, d: cos}
}

// withoutArcs replaces the arcs of a path by cubic curves, at most a quarter
// circle each. The control points are 4/3·tan(φ/4) along the tangents for an arc
// of angle φ; the error is below 0.03 % of the radius.
func withoutArcs(path vg.Path) vg.Path {
	var out vg.Path
	for _, c := range path {
		if c.Type != vg.ArcComp {
			out = append(out, c)
			continue
		}
		n := max(int(math.Ceil(math.Abs(c.Angle)/(math.Pi/2)-1e-9)), 1)
		step := c.Angle / float64(n)
		k := 4.0 / 3 * math.Tan(step/4)
		on := func(t float64) vg.Point {
			sin, cos := math.Sincos(t)
			return vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos), Y: c.Pos.Y + c.Radius*vg.Length(sin)}
		}
		tangent := func(t float64) vg.Point {
			sin, cos := math.Sincos(t)
			return vg.Point{X: -c.Radius * vg.Length(k*sin), Y: c.Radius * vg.Length(k*cos)}
		}
		if len(out) == 0 {
			out.Move(on(c.Start))
		} else {
			out.Line(on(c.Start))
		}
		for i := range n {
			t0 := c.Start + float64(i)*step
			t1 := t0 + step
			out.CubeTo(on(t0).Add(tangent(t0)), on(t1).Sub(tangent(t1)), on(t1))
		}
	}
	return out
}
