package plots

import (
	"bytes"
	"image/color"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"pintlab/internal/lists"
)

// pdfCanvas writes a PDF with fpdf, the library below gonum's canvas. gonum requests whole fonts from fpdf, in the
// encoding Windows-1252. pdfCanvas requests Unicode fonts, of which fpdf embeds only the letters of the drawing. The
// embedded canvas is nil, because drawings do not use its other methods.
type pdfCanvas struct {
	vg.Canvas
	doc   *fpdf.Fpdf
	high  vg.Length
	turn  []float64 // rotation of the text in degrees, one for each Push
	line  vg.Length // width of the line
	fonts []string
}

// newPDF returns an empty page. Its time is constant, so that equal drawings make equal files.
func newPDF(width, high vg.Length, title, about string) *pdfCanvas {
	page := fpdf.SizeType{Wd: float64(width), Ht: float64(high)}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: page})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetTitle(title, true)
	doc.SetSubject(about, true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	c := &pdfCanvas{doc: doc, high: high, turn: []float64{0}}
	vg.Initialize(c)
	return c
}

// WriteTo writes the file.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.line = w
	c.doc.SetLineWidth(float64(w))
}

func (c *pdfCanvas) SetLineDash(dashes []vg.Length, start vg.Length) {
	c.doc.SetDashPattern(lists.Map(dashes, func(d vg.Length) float64 { return float64(d) }), float64(start))
}

func (c *pdfCanvas) SetColor(of color.Color) {
	n := color.NRGBAModel.Convert(of).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/math.MaxUint8, "Normal")
}

func (c *pdfCanvas) Push() { c.turn = append(c.turn, c.turn[len(c.turn)-1]) }

func (c *pdfCanvas) Pop() { c.turn = c.turn[:len(c.turn)-1] }

func (c *pdfCanvas) Rotate(rad float64) { c.turn[len(c.turn)-1] += rad * 180 / math.Pi }

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.line > 0 {
		c.path(p, "D")
	}
}

func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

// path draws the straight lines of a path.
func (c *pdfCanvas) path(p vg.Path, how string) {
	for _, part := range p {
		x, y := float64(part.Pos.X), float64(c.high-part.Pos.Y)
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(how)
}

// FillString writes a line of text, in pieces. Kerning moves the pieces closer together.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	style := ""
	if face.Font.Weight == bold {
		style = "B"
	}
	if !slices.Contains(c.fonts, style) {
		var file bytes.Buffer
		_, err := face.Face.WriteSourceTo(nil, &file)
		c.doc.SetError(err)
		c.doc.AddUTF8FontFromBytes("Liberation Sans", style, file.Bytes())
		c.fonts = append(c.fonts, style)
	}
	c.doc.SetFont("Liberation Sans", style, float64(face.Font.Size))
	if turn := c.turn[len(c.turn)-1]; turn != 0 {
		c.doc.TransformBegin()
		defer c.doc.TransformEnd()
		c.doc.TransformRotate(turn, 0, float64(c.high))
	}
	piece, start, end := "", at, at.X
	write := func() {
		if piece != "" {
			c.doc.Text(float64(start.X), float64(c.high-start.Y), piece)
		}
		piece = ""
	}
	for p, r := range letterPlaces(face, at, s) {
		if math.Abs(float64(p.X-end)) > 1e-6 || piece == "" {
			write()
			start = p
		}
		piece, end = piece+string(r), p.X+face.Width(string(r))
	}
	write()
}

// letterPlaces returns the letters of a line of text with their positions. at is the start of the baseline. The
// letters of a pair such as Te are closer to each other than their widths require.
func letterPlaces(face font.Face, at vg.Point, s string) iter.Seq2[vg.Point, rune] {
	return func(yield func(vg.Point, rune) bool) {
		for i, r := range s {
			letter := string(r)
			x := at.X + face.Width(s[:i+len(letter)]) - face.Width(letter)
			if !yield(vg.Point{X: x, Y: at.Y}, r) {
				return
			}
		}
	}
}
