package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shapes are the outlines of the markers, within a circle of radius 1. There is one outline for each hue. All
// outlines have about the same area. They are closed, so that every marker can be hollow.
var shapes = [len(hues)][]vg.Point{
	circle(0.86),
	{{X: -0.76, Y: -0.76}, {X: 0.76, Y: -0.76}, {X: 0.76, Y: 0.76}, {X: -0.76, Y: 0.76}},
	{{X: 0, Y: 1.02}, {X: 0.98, Y: -0.72}, {X: -0.98, Y: -0.72}},
	{{X: 0, Y: -1.1}, {X: 1.1, Y: 0}, {X: 0, Y: 1.1}, {X: -1.1, Y: 0}},
	{{X: 0, Y: -1.02}, {X: 0.98, Y: 0.72}, {X: -0.98, Y: 0.72}},
	cross(0.36, 1.02, 0),
	cross(0.36, 1.08, math.Pi/4),
	star(5, 1.15, 0.5),
}

func circle(r vg.Length) []vg.Point {
	const n = 20
	out := make([]vg.Point, n)
	for i := range out {
		out[i] = turned(r, 2*math.Pi*float64(i)/n)
	}
	return out
}

// cross returns a plus sign. Its arms have the length l, and w is half of their width.
func cross(w, l vg.Length, turn float64) []vg.Point {
	out := []vg.Point{
		{X: -w, Y: -l}, {X: w, Y: -l}, {X: w, Y: -w}, {X: l, Y: -w}, {X: l, Y: w}, {X: w, Y: w},
		{X: w, Y: l}, {X: -w, Y: l}, {X: -w, Y: w}, {X: -l, Y: w}, {X: -l, Y: -w}, {X: -w, Y: -w},
	}
	for i, p := range out {
		out[i] = turned(vg.Length(math.Hypot(float64(p.X), float64(p.Y))), math.Atan2(float64(p.Y), float64(p.X))+turn)
	}
	return out
}

// turned returns the point at the given distance and angle from the origin.
func turned(r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: r * vg.Length(cos), Y: r * vg.Length(sin)}
}

func star(n int, outer, inner vg.Length) []vg.Point {
	out := make([]vg.Point, 2*n)
	for i := range out {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		out[i] = turned(r, math.Pi/2+math.Pi*float64(i)/float64(n))
	}
	return out
}

// glyph is the marker with a given shape. The inside of a hollow marker has the colour of the paper. A filled marker
// has an edge in the colour of the paper.
type glyph struct {
	shape  int
	hollow bool
}

func (g glyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	outline := g.outline(sty, at)
	edge := draw.LineStyle{Color: paper, Width: 0.35}
	if g.hollow {
		edge = draw.LineStyle{Color: sty.Color, Width: 0.9}
		sty.Color = paper
	}
	c.FillPolygon(sty.Color, outline)
	c.SetLineStyle(edge)
	c.Stroke(closed(outline))
}

func (g glyph) outline(sty draw.GlyphStyle, at vg.Point) []vg.Point {
	out := make([]vg.Point, len(shapes[g.shape]))
	for i, q := range shapes[g.shape] {
		out[i] = at.Add(q.Scale(sty.Radius))
	}
	return out
}

// dot is a small marker without an edge, for clouds of points.
type dot struct{ shape int }

func (d dot) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	outline := glyph{shape: d.shape}.outline(sty, at)
	if d.shape == 0 { // more corners are not visible on so small a circle
		for i := range len(outline) / 3 {
			outline[i] = outline[3*i]
		}
		outline = outline[:len(outline)/3]
	}
	c.FillPolygon(sty.Color, outline)
}

// closed returns the path around a shape.
func closed(points []vg.Point) vg.Path {
	var p vg.Path
	p.Move(points[0])
	for _, q := range points[1:] {
		p.Line(q)
	}
	p.Close()
	return p
}
