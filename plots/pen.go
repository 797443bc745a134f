package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// pen draws on a canvas in page coordinates: points, from the top left corner,
// y downward.
type pen struct {
	c      vg.Canvas
	height float64 // of the page
}

// point is a place on the page.
type point struct{ x, y float64 }

// rect is a rectangle on the page; y0 is its top.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }

func (r rect) holds(p point) bool {
	const slack = 1e-6
	return p.x >= r.x0-slack && p.x <= r.x1+slack && p.y >= r.y0-slack && p.y <= r.y1+slack
}

// stroke is how a line looks.
type stroke struct {
	color color.NRGBA
	width float64
	dash  []float64
}

func (p *pen) at(q point) vg.Point {
	return vg.Point{X: vg.Points(q.x), Y: vg.Points(p.height - q.y)}
}

func (p *pen) path(points []point, closed bool) vg.Path {
	path := make(vg.Path, 0, len(points)+1)
	for i, q := range points {
		if i == 0 {
			path.Move(p.at(q))
		} else {
			path.Line(p.at(q))
		}
	}
	if closed {
		path.Close()
	}
	return path
}

// line strokes an open line through the points.
func (p *pen) line(s stroke, points ...point) { p.stroke(s, points, false) }

// outline strokes a closed line through the points.
func (p *pen) outline(s stroke, points ...point) { p.stroke(s, points, true) }

func (p *pen) stroke(s stroke, points []point, closed bool) {
	if len(points) < 2 {
		return
	}
	p.c.SetColor(s.color)
	p.c.SetLineWidth(vg.Points(s.width))
	dash := make([]vg.Length, len(s.dash))
	for i, d := range s.dash {
		dash[i] = vg.Points(d)
	}
	p.c.SetLineDash(dash, 0)
	p.c.Stroke(p.path(points, closed))
}

// fill fills the polygon through the points.
func (p *pen) fill(c color.NRGBA, points ...point) {
	if len(points) < 3 {
		return
	}
	p.c.SetColor(c)
	p.c.Fill(p.path(points, true))
}

func (r rect) corners() []point {
	return []point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x1, r.y1}, {r.x0, r.y1}}
}

// font is how text looks. ax moves it along its direction: 0 starts at the point,
// 0.5 is centred on it, 1 ends there. ay: 0 stands on it, 0.5 has its capitals
// centred on it, 1 hangs from it. turn is in degrees, counterclockwise.
type lettering struct {
	size   float64
	bold   bool
	color  color.NRGBA
	ax, ay float64
	turn   float64
}

// capHeight is the height of capitals over the size of the text.
const capHeight = 0.716

func (p *pen) text(l lettering, x, y float64, s string) { p.powerText(l, x, y, s, "") }

// powerText draws text with an exponent after it.
func (p *pen) powerText(l lettering, x, y float64, s, power string) {
	if s == "" {
		return
	}
	w := textWidth(s, l.size, l.bold)
	total := w + textWidth(power, powerScale*l.size, l.bold)
	dx, dy := -l.ax*total, -l.ay*capHeight*l.size
	p.c.SetColor(l.color)
	at := p.at(point{x, y})
	if l.turn != 0 {
		p.c.Push()
		defer p.c.Pop()
		p.c.Translate(at)
		p.c.Rotate(l.turn * math.Pi / 180)
		at = vg.Point{}
	}
	at = at.Add(vg.Point{X: vg.Points(dx), Y: vg.Points(dy)})
	p.c.FillString(face(l.size, l.bold), at, s)
	if power != "" {
		p.c.FillString(face(powerScale*l.size, l.bold), at.Add(vg.Point{X: vg.Points(w), Y: vg.Points(0.42 * l.size)}), power)
	}
}

const powerScale = 0.72

// width is how wide the mark's text is.
func (m mark) width(size float64) float64 {
	return textWidth(m.text, size, false) + textWidth(m.power, powerScale*size, false)
}

// lines draws lines of text downward from y, the top of the first, and returns
// the bottom of the last.
func (p *pen) lines(l lettering, x, y float64, lines []string) float64 {
	for i, s := range lines {
		p.text(l, x, y+l.size*(capHeight+0.1)+float64(i)*l.size*lineHeight, s)
	}
	return y + linesHeight(len(lines), l.size)
}

// linesHeight is the height of so many lines of text.
func linesHeight(n int, size float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * size * lineHeight
}
