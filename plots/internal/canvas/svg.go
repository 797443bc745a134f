package canvas

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
)

// SVG writes Scalable Vector Graphics 1.1. All looks are plain attributes, so that
// the style sheet of a page around it can recolour them.
type SVG struct {
	width, height float64
	title, desc   string
	label         string // instead of title and desc, in a page
	inline        bool
	body          bytes.Buffer
}

// NewSVG makes an empty page. The title names the drawing and the description
// says in words what it shows; either may be empty.
func NewSVG(width, height float64, title, desc string) *SVG {
	return &SVG{width: width, height: height, title: title, desc: desc}
}

// NewInlineSVG makes an empty drawing to stand in an HTML page. It has a natural
// shape but no size, and a label instead of a title.
func NewInlineSVG(width, height float64, label string) *SVG {
	return &SVG{width: width, height: height, label: label, inline: true}
}

// Stroke draws a line through the points.
func (s *SVG) Stroke(points []Point, closed bool, look Stroke) {
	fmt.Fprintf(&s.body, `<path d="%s" fill="none" stroke="%s"`, pathData(points, closed), hex(look.Color))
	s.opacity("stroke-opacity", look.Color)
	fmt.Fprintf(&s.body, ` stroke-width="%s"`, num(look.Width))
	if len(look.Dash) > 0 {
		list := make([]string, len(look.Dash))
		for i, d := range look.Dash {
			list[i] = num(d)
		}
		fmt.Fprintf(&s.body, ` stroke-dasharray="%s"`, strings.Join(list, " "))
	}
	s.body.WriteString("/>\n")
}

// Fill fills the polygon through the points.
func (s *SVG) Fill(points []Point, c color.NRGBA) {
	fmt.Fprintf(&s.body, `<path d="%s" fill="%s"`, pathData(points, true), hex(c))
	s.opacity("fill-opacity", c)
	s.body.WriteString("/>\n")
}

func (s *SVG) opacity(name string, c color.NRGBA) {
	if c.A != 0xff {
		fmt.Fprintf(&s.body, ` %s="%s"`, name, num(float64(c.A)/0xff))
	}
}

// Text writes a line of text.
func (s *SVG) Text(t Text) {
	fmt.Fprintf(&s.body, `<text x="%s" y="%s"`, num(t.At.X), num(t.At.Y))
	if t.Turn != 0 {
		fmt.Fprintf(&s.body, ` transform="rotate(%s %s %s)"`, num(-t.Turn), num(t.At.X), num(t.At.Y))
	}
	fmt.Fprintf(&s.body, ` font-size="%s"`, num(t.Size))
	if t.Bold {
		s.body.WriteString(` font-weight="bold"`)
	}
	fmt.Fprintf(&s.body, ` fill="%s"`, hex(t.Color))
	s.opacity("fill-opacity", t.Color)
	fmt.Fprintf(&s.body, ">%s</text>\n", escape(t.S))
}

// WriteTo writes the document.
func (s *SVG) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img"`, num(s.width), num(s.height))
	if s.inline {
		fmt.Fprintf(&b, ` aria-label="%s"`, escape(s.label))
	} else {
		fmt.Fprintf(&b, ` width="%spt" height="%spt"`, num(s.width), num(s.height))
	}
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

func pathData(points []Point, closed bool) string {
	var b strings.Builder
	for i, p := range points {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		b.WriteByte(op)
		b.WriteString(num(p.X))
		b.WriteByte(' ')
		b.WriteString(num(p.Y))
	}
	if closed {
		b.WriteByte('Z')
	}
	return b.String()
}

// num prints a coordinate: hundredths of a point are finer than any printer, and
// coarse enough to be the same on every machine.
func num(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 {
		return "0" // and not "-0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// escape makes text safe between tags and in attributes.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}
