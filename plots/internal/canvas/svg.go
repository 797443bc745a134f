package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// SVG is a canvas that writes Scalable Vector Graphics 1.1. All looks are plain
// attributes, so that a style sheet of the page around it can recolour them.
type SVG struct {
	width, height float64
	title, desc   string
	body          bytes.Buffer
	state         svgState
	stack         []svgState
	err           error
}

type svgState struct {
	at    matrix // from the canvas to the page, whose y axis points down
	color color.NRGBA
	width float64
	dash  []vg.Length
	shift vg.Length
}

// NewSVG makes an empty page. Sizes are in points. The title names the drawing
// and the description says in words what it shows.
func NewSVG(width, height vg.Length, title, desc string) *SVG {
	s := &SVG{width: width.Points(), height: height.Points(), title: title, desc: desc}
	s.state.at = matrix{a: 1, d: -1, f: s.height}
	vg.Initialize(s)
	return s
}

// Size is the size of the page.
func (s *SVG) Size() (w, h vg.Length) { return vg.Points(s.width), vg.Points(s.height) }

// SetLineWidth sets the width of strokes.
func (s *SVG) SetLineWidth(w vg.Length) { s.state.width = w.Points() }

// SetLineDash sets the dashes of strokes.
func (s *SVG) SetLineDash(dash []vg.Length, shift vg.Length) {
	s.state.dash, s.state.shift = dash, shift
}

// SetColor sets the colour of strokes, fills and text.
func (s *SVG) SetColor(c color.Color) { s.state.color = plain(c) }

func plain(c color.Color) color.NRGBA {
	if c == nil {
		return color.NRGBA{A: 0xff}
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// Rotate turns what follows, counterclockwise.
func (s *SVG) Rotate(rad float64) { s.state.at = s.state.at.then(rotation(rad)) }

// Translate moves what follows.
func (s *SVG) Translate(p vg.Point) {
	s.state.at = s.state.at.then(matrix{a: 1, d: 1, e: p.X.Points(), f: p.Y.Points()})
}

// Scale stretches what follows.
func (s *SVG) Scale(x, y float64) { s.state.at = s.state.at.then(matrix{a: x, d: y}) }

// Push saves the state.
func (s *SVG) Push() { s.stack = append(s.stack, s.state) }

// Pop goes back to the state saved last.
func (s *SVG) Pop() {
	s.state = s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
}

// Stroke draws the outline of the path.
func (s *SVG) Stroke(path vg.Path) {
	if s.state.width <= 0 {
		return
	}
	fmt.Fprintf(&s.body, `<path d="%s" fill="none" stroke="%s"`, s.data(path), hex(s.state.color))
	s.opacity("stroke-opacity")
	fmt.Fprintf(&s.body, ` stroke-width="%s"`, num(s.state.width))
	if len(s.state.dash) > 0 {
		var list []string
		for _, d := range s.state.dash {
			list = append(list, num(d.Points()))
		}
		fmt.Fprintf(&s.body, ` stroke-dasharray="%s"`, strings.Join(list, " "))
		if s.state.shift != 0 {
			fmt.Fprintf(&s.body, ` stroke-dashoffset="%s"`, num(s.state.shift.Points()))
		}
	}
	s.body.WriteString("/>\n")
}

// Fill fills the path.
func (s *SVG) Fill(path vg.Path) {
	fmt.Fprintf(&s.body, `<path d="%s" fill="%s"`, s.data(path), hex(s.state.color))
	s.opacity("fill-opacity")
	s.body.WriteString("/>\n")
}

func (s *SVG) opacity(name string) {
	if a := s.state.color.A; a != 0xff {
		fmt.Fprintf(&s.body, ` %s="%s"`, name, num(float64(a)/0xff))
	}
}

// FillString writes text from the point to the right.
func (s *SVG) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	m := s.state.at
	x, y := m.apply(at)
	// The page's y axis points down and the canvas' up: without a turn the text
	// needs no transform at all.
	m = matrix{a: m.a, b: m.b, c: -m.c, d: -m.d, e: x, f: y}
	if m.a == 1 && m.b == 0 && m.c == 0 && m.d == 1 {
		fmt.Fprintf(&s.body, `<text x="%s" y="%s"`, num(x), num(y))
	} else {
		fmt.Fprintf(&s.body, `<text transform="matrix(%s %s %s %s %s %s)"`,
			num(m.a), num(m.b), num(m.c), num(m.d), num(m.e), num(m.f))
	}
	fmt.Fprintf(&s.body, ` font-size="%s"`, num(f.Font.Size.Points()))
	if f.Font.Weight >= 2 { // semi-bold and up
		s.body.WriteString(` font-weight="bold"`)
	}
	fmt.Fprintf(&s.body, ` fill="%s"`, hex(s.state.color))
	s.opacity("fill-opacity")
	fmt.Fprintf(&s.body, ">%s</text>\n", escape(text))
}

// DrawImage places an image in the rectangle.
func (s *SVG) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		s.err = fmt.Errorf("image in an SVG: %w", err)
		return
	}
	x, y := s.state.at.apply(vg.Point{X: r.Min.X, Y: r.Max.Y})
	size := r.Size()
	fmt.Fprintf(&s.body, `<image x="%s" y="%s" width="%s" height="%s" href="data:image/png;base64,%s"/>`+"\n",
		num(x), num(y), num(size.X.Points()), num(size.Y.Points()), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// data is the path in the notation of the d attribute.
func (s *SVG) data(path vg.Path) string {
	var b strings.Builder
	put := func(op byte, points ...vg.Point) {
		b.WriteByte(op)
		for i, p := range points {
			x, y := s.state.at.apply(p)
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(num(x) + " " + num(y))
		}
	}
	for _, c := range withoutArcs(path) {
		switch c.Type {
		case vg.MoveComp:
			put('M', c.Pos)
		case vg.LineComp:
			put('L', c.Pos)
		case vg.CurveComp:
			if len(c.Control) == 1 {
				put('Q', c.Control[0], c.Pos)
			} else {
				put('C', c.Control[0], c.Control[1], c.Pos)
			}
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

// WriteTo writes the document.
func (s *SVG) WriteTo(w io.Writer) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" role="img"`,
		num(s.width), num(s.height), num(s.width), num(s.height))
	// Faces with the same widths come first, so that the layout holds.
	b.WriteString(` font-family="'Liberation Sans', Arial, Helvetica, sans-serif">` + "\n")
	if s.title != "" {
		fmt.Fprintf(&b, "<title>%s</title>\n", escape(s.title))
	}
	if s.desc != "" {
		fmt.Fprintf(&b, "<desc>%s</desc>\n", escape(s.desc))
	}
	b.Write(s.body.Bytes())
	b.WriteString("</svg>\n")
	return b.WriteTo(w)
}

// num prints a coordinate: hundredths of a point are finer than any printer, and
// coarse enough to be the same on every machine.
func num(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// escape makes text safe between tags and in attributes.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}
