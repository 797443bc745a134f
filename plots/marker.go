package plots

import (
	"image/color"
	"math"
)

// shapes are the outlines of the markers within a circle of radius 1, one for
// each hue. They have about the same area. All are closed, so that each can be
// hollow.
var shapes = [len(hues)][]point{
	circle(0.86),
	{{-0.76, -0.76}, {0.76, -0.76}, {0.76, 0.76}, {-0.76, 0.76}},
	{{0, -1.02}, {0.98, 0.72}, {-0.98, 0.72}},
	{{0, -1.1}, {1.1, 0}, {0, 1.1}, {-1.1, 0}},
	{{0, 1.02}, {0.98, -0.72}, {-0.98, -0.72}},
	cross(0.36, 1.02, 0),
	cross(0.36, 1.08, math.Pi/4),
	star(5, 1.15, 0.5),
}

func circle(r float64) []point {
	const n = 20
	out := make([]point, n)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		out[i] = point{r * cos, r * sin}
	}
	return out
}

// cross is a plus sign with arms of half width w and length l.
func cross(w, l, turn float64) []point {
	out := []point{
		{-w, -l}, {w, -l}, {w, -w}, {l, -w}, {l, w}, {w, w},
		{w, l}, {-w, l}, {-w, w}, {-l, w}, {-l, -w}, {-w, -w},
	}
	sin, cos := math.Sincos(turn)
	for i, p := range out {
		out[i] = point{p.x*cos - p.y*sin, p.x*sin + p.y*cos}
	}
	return out
}

func star(n int, outer, inner float64) []point {
	out := make([]point, 2*n)
	for i := range out {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		sin, cos := math.Sincos(math.Pi * float64(i) / float64(n))
		out[i] = point{r * sin, -r * cos}
	}
	return out
}

// marker draws a marker of radius r. A hollow one shows the paper inside.
func (p *pen) marker(shape int, at point, r float64, c color.NRGBA, hollow bool) {
	outline := make([]point, len(shapes[shape]))
	for i, q := range shapes[shape] {
		outline[i] = point{at.x + r*q.x, at.y + r*q.y}
	}
	if hollow {
		p.fill(paper, outline...)
		p.outline(stroke{color: c, width: 0.9}, outline...)
		return
	}
	p.fill(c, outline...)
	p.outline(stroke{color: paper, width: 0.35}, outline...)
}

// dot draws a small marker without an edge, for clouds of points.
func (p *pen) dot(shape int, at point, c color.NRGBA) {
	const r = 1.1
	var outline []point
	for i, q := range shapes[shape] {
		if shape > 0 || i%3 == 0 { // nobody sees more corners on so small a circle
			outline = append(outline, point{at.x + r*q.x, at.y + r*q.y})
		}
	}
	p.fill(fade(c, 0.6), outline...)
}
