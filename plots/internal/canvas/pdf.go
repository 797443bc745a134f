package canvas

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// PDF writes a document of one page in PDF 1.4 (ISO 32000-1). It has no dates:
// equal drawings are equal files.
type PDF struct {
	width, height float64
	title         string
	page          bytes.Buffer
	alphas        []uint8     // transparencies in use, in order of first use
	fonts         [2]*pdfFont // regular and bold, nil while unused
}

// NewPDF makes an empty page.
func NewPDF(width, height float64, title string) *PDF {
	return &PDF{width: width, height: height, title: title}
}

// at prints a point; PDF's y axis points up.
func (p *PDF) at(q Point) string { return num(q.X) + " " + num(p.height-q.Y) }

func (p *PDF) path(points []Point) {
	for i, q := range points {
		op := "l"
		if i == 0 {
			op = "m"
		}
		fmt.Fprintf(&p.page, "%s %s\n", p.at(q), op)
	}
}

// paint sets the colour and the transparency with the operator of strokes (RG) or
// of fills (rg).
func (p *PDF) paint(c color.NRGBA, op string) {
	i := slices.Index(p.alphas, c.A)
	if i < 0 {
		i = len(p.alphas)
		p.alphas = append(p.alphas, c.A)
	}
	part := func(v uint8) string { return strconv.FormatFloat(float64(v)/255, 'f', 4, 64) }
	fmt.Fprintf(&p.page, "/A%d gs %s %s %s %s\n", i, part(c.R), part(c.G), part(c.B), op)
}

// Stroke draws a line through the points.
func (p *PDF) Stroke(points []Point, closed bool, s Stroke) {
	p.paint(s.Color, "RG")
	dash := make([]string, len(s.Dash))
	for i, d := range s.Dash {
		dash[i] = num(d)
	}
	fmt.Fprintf(&p.page, "%s w [%s] 0 d\n", num(s.Width), strings.Join(dash, " "))
	p.path(points)
	if closed {
		p.page.WriteString("s\n")
	} else {
		p.page.WriteString("S\n")
	}
}

// Fill fills the polygon through the points.
func (p *PDF) Fill(points []Point, c color.NRGBA) {
	p.paint(c, "rg")
	p.path(points)
	p.page.WriteString("f\n")
}

// Text writes a line of text. Its characters can be searched and copied.
func (p *PDF) Text(t Text) {
	i := 0
	if t.Bold {
		i = 1
	}
	if p.fonts[i] == nil {
		p.fonts[i] = newPDFFont(t.Bold)
	}
	p.paint(t.Color, "rg")
	sin, cos := math.Sincos(t.Turn * math.Pi / 180)
	part := func(v float64) string { return strconv.FormatFloat(v, 'f', 5, 64) }
	fmt.Fprintf(&p.page, "BT /F%d %s Tf %s %s %s %s %s Tm %s TJ ET\n", i, num(t.Size),
		part(cos), part(sin), part(-sin), part(cos), p.at(t.At), p.fonts[i].show(t.S))
}

// WriteTo writes the document.
func (p *PDF) WriteTo(w io.Writer) (int64, error) {
	d := pdfFile{}
	d.buf.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	catalog, pages, page := d.reserve(), d.reserve(), d.reserve()

	var fonts strings.Builder
	for i, f := range p.fonts {
		if f == nil {
			continue
		}
		ref, err := f.write(&d)
		if err != nil {
			return 0, fmt.Errorf("font of a PDF: %w", err)
		}
		fmt.Fprintf(&fonts, "/F%d %d 0 R ", i, ref)
	}
	var states strings.Builder
	for i, a := range p.alphas {
		v := strconv.FormatFloat(float64(a)/255, 'f', 4, 64)
		fmt.Fprintf(&states, "/A%d <</ca %s /CA %s>> ", i, v, v)
	}
	contents := d.stream("", p.page.Bytes())
	info := d.object(fmt.Sprintf("<</Title %s /Producer %s>>", textString(p.title), textString("pintlab")))

	d.fill(catalog, fmt.Sprintf("<</Type /Catalog /Pages %d 0 R /ViewerPreferences <</DisplayDocTitle true>>>>", pages))
	d.fill(pages, fmt.Sprintf("<</Type /Pages /Kids [%d 0 R] /Count 1>>", page))
	d.fill(page, fmt.Sprintf("<</Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources <</Font <<%s>> /ExtGState <<%s>>>>>>",
		pages, num(p.width), num(p.height), contents, fonts.String(), states.String()))
	d.finish(catalog, info)
	return d.buf.WriteTo(w)
}

// textString is text for people in a document: UTF-16 with a byte order mark.
func textString(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String() + ">"
}

// pdfFile writes the objects of a document and remembers where they are.
type pdfFile struct {
	buf   bytes.Buffer
	start []int // of each object; objects count from 1
}

// reserve takes a number for an object that fill writes later.
func (d *pdfFile) reserve() int {
	d.start = append(d.start, 0)
	return len(d.start)
}

func (d *pdfFile) fill(n int, body string) {
	d.start[n-1] = d.buf.Len()
	fmt.Fprintf(&d.buf, "%d 0 obj\n%s\nendobj\n", n, body)
}

func (d *pdfFile) object(body string) int {
	n := d.reserve()
	d.fill(n, body)
	return n
}

// stream writes compressed data with more entries for its dictionary.
func (d *pdfFile) stream(entries string, data []byte) int {
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	c.Write(data) // a bytes.Buffer takes everything
	c.Close()
	return d.object(fmt.Sprintf("<</Length %d /Filter /FlateDecode%s>>\nstream\n%s\nendstream", z.Len(), entries, z.Bytes()))
}

// finish writes the table of the objects' places.
func (d *pdfFile) finish(catalog, info int) {
	at := d.buf.Len()
	fmt.Fprintf(&d.buf, "xref\n0 %d\n0000000000 65535 f \n", len(d.start)+1)
	for _, s := range d.start {
		fmt.Fprintf(&d.buf, "%010d 00000 n \n", s)
	}
	fmt.Fprintf(&d.buf, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(d.start)+1, catalog, info, at)
}
