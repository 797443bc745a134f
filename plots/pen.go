package plots

import (
	"image/color"
	"math"

	"pintlab/plots/internal/canvas"
)

// pen draws on a canvas.
type pen struct{ c canvas.Canvas }

// point is a place on the page: points from the top left corner, y downward.
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

func path(points []point) []canvas.Point {
	out := make([]canvas.Point, len(points))
	for i, q := range points {
		out[i] = canvas.Point{X: q.x, Y: q.y}
	}
	return out
}

// line strokes an open line through the points.
func (p *pen) line(s stroke, points ...point) { p.stroke(s, points, false) }

// outline strokes a closed line through the points.
func (p *pen) outline(s stroke, points ...point) { p.stroke(s, points, true) }

func (p *pen) stroke(s stroke, points []point, closed bool) {
	if len(points) < 2 {
		return
	}
	p.c.Stroke(path(points), closed, canvas.Stroke{Color: s.color, Width: s.width, Dash: s.dash})
}

// fill fills the polygon through the points.
func (p *pen) fill(c color.NRGBA, points ...point) {
	if len(points) < 3 {
		return
	}
	p.c.Fill(path(points), c)
}

func (r rect) corners() []point {
	return []point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x1, r.y1}, {r.x0, r.y1}}
}

// lettering is how text looks. ax moves it along its direction: 0 starts at the point,
// 0.5 is centred on it, 1 ends there. ay: 0 stands on it, 0.5 has its capitals
// centred on it, 1 hangs from it. turn is in degrees, counterclockwise.
type lettering struct {
	size   float64
	bold   bool
	color  color.NRGBA
	ax, ay float64
	turn   float64
}

const capHeight = canvas.CapHeight

func (p *pen) text(l lettering, x, y float64, s string) { p.powerText(l, x, y, s, "") }

// powerText draws text with an exponent after it.
func (p *pen) powerText(l lettering, x, y float64, s, power string) {
	if s == "" {
		return
	}
	w := textWidth(s, l.size, l.bold)
	total := w + textWidth(power, powerScale*l.size, l.bold)
	// Along the text and upward from it, turned.
	sin, cos := math.Sincos(l.turn * math.Pi / 180)
	moved := func(along, up float64) canvas.Point {
		return canvas.Point{X: x + along*cos - up*sin, Y: y - along*sin - up*cos}
	}
	along, up := -l.ax*total, -l.ay*capHeight*l.size
	t := canvas.Text{S: s, At: moved(along, up), Size: l.size, Bold: l.bold, Color: l.color, Turn: l.turn}
	p.c.Text(t)
	if power != "" {
		t.S, t.At, t.Size = power, moved(along+w, up+0.42*l.size), powerScale*l.size
		p.c.Text(t)
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
