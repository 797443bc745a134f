package canvas

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// DPI is the resolution of PNG files, that of print.
const DPI = 300

// PNG draws on gonum's image canvas, whose y axis points up.
type PNG struct {
	height float64
	c      *vgimg.Canvas
}

// NewPNG makes an empty page.
func NewPNG(width, height float64) *PNG {
	size := vgimg.UseWH(vg.Points(width), vg.Points(height))
	return &PNG{height: height, c: vgimg.NewWith(size, vgimg.UseDPI(DPI))}
}

func (p *PNG) at(q Point) vg.Point {
	return vg.Point{X: vg.Points(q.X), Y: vg.Points(p.height - q.Y)}
}

func (p *PNG) path(points []Point, closed bool) vg.Path {
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

// Stroke draws a line through the points.
func (p *PNG) Stroke(points []Point, closed bool, s Stroke) {
	p.c.SetColor(s.Color)
	p.c.SetLineWidth(vg.Points(s.Width))
	dash := make([]vg.Length, len(s.Dash))
	for i, d := range s.Dash {
		dash[i] = vg.Points(d)
	}
	p.c.SetLineDash(dash, 0)
	p.c.Stroke(p.path(points, closed))
}

// Fill fills the polygon through the points.
func (p *PNG) Fill(points []Point, c color.NRGBA) {
	p.c.SetColor(c)
	p.c.Fill(p.path(points, true))
}

// Text writes a line of text.
func (p *PNG) Text(t Text) {
	p.c.SetColor(t.Color)
	at := p.at(t.At)
	if t.Turn != 0 {
		p.c.Push()
		defer p.c.Pop()
		p.c.Translate(at)
		p.c.Rotate(t.Turn * math.Pi / 180)
		at = vg.Point{}
	}
	p.c.FillString(face(t.Size, t.Bold), at, t.S)
}

// WriteTo writes the image.
func (p *PNG) WriteTo(w io.Writer) (int64, error) {
	return vgimg.PngCanvas{Canvas: p.c}.WriteTo(w)
}
