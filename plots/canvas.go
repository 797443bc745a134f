package plots

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"pintlab/internal/outfile"
)

// formats are the formats that Write accepts, and the file extensions that Save accepts.
var formats = []string{"svg", "png", "pdf", "vl.json"}

// dpi is the resolution of PNG files, high enough for print.
const dpi = 300

// Write checks the figure and draws it in the format svg, png or pdf. The format vl.json is a specification for
// Vega-Lite. Equal figures give equal bytes.
func Write(f *Figure, format string, w io.Writer) error {
	if !slices.Contains(formats, format) {
		return fmt.Errorf("plots: format %q, want %s", format, strings.Join(formats, ", "))
	}
	if err := f.Validate(); err != nil {
		return err
	}
	if format == "vl.json" {
		return f.vega(w)
	}
	l := arrange(f)
	var out io.WriterTo
	switch format {
	case "svg":
		out = strings.NewReader(l.svg(fmt.Sprintf(` width="%gpt" height="%gpt"`, l.width, l.height),
			"<title>"+html.EscapeString(f.Title)+"</title>\n<desc>"+html.EscapeString(f.AltText())+"</desc>\n"))
	case "pdf":
		c := newPDF(l.width, l.height, f.Title, f.AltText())
		l.draw(c)
		out = c
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(dpi))
		l.draw(pngCanvas{c})
		out = vgimg.PngCanvas{Canvas: c}
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("plots: writing %s: %w", format, err)
	}
	return nil
}

// Save writes the drawing to a file in the format of the file's extension. Afterwards the file is complete or
// unchanged.
func Save(f *Figure, path string) error {
	for _, format := range formats {
		if strings.HasSuffix(strings.ToLower(path), "."+format) {
			return outfile.Write(path, func(w io.Writer) error { return Write(f, format, w) })
		}
	}
	return fmt.Errorf("plots: %s: ending %q, want .%s", path, filepath.Ext(path), strings.Join(formats, ", ."))
}

// SaveAll writes the drawing to a file for each format, with the format as the extension, and returns the file
// names. The format py consists of two files: a script for matplotlib, and NAME-rows.csv with the points that the
// script reads.
func SaveAll(f *Figure, name string, formats ...string) (files []string, err error) {
	for _, format := range formats {
		file := name + "." + format
		if format == "py" {
			rows := rowsOf(name)
			if err := f.savePython(file, rows); err != nil {
				return files, fmt.Errorf("%s: %w", file, err)
			}
			files = append(files, file, rows)
			continue
		}
		if err := Save(f, file); err != nil {
			return files, fmt.Errorf("%s: %w", file, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// SaveRows writes the points of the drawing to NAME-rows.csv, with their intervals, and returns the file name.
func SaveRows(f *Figure, name string) (file string, err error) {
	file = rowsOf(name)
	if err := f.saveRows(file); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return file, nil
}

func rowsOf(name string) string { return name + "-rows.csv" }

// Inline returns the drawing as an SVG element for an HTML page. The page sets the size of the drawing. The
// description of the drawing is a label and not a title, because browsers show a title over the whole drawing.
// DarkStyle recolours the drawing for a dark page.
func Inline(f *Figure) (string, error) {
	if err := f.Validate(); err != nil {
		return "", err
	}
	label := f.AltText()
	if f.Title != "" {
		label = f.Title + ". " + label
	}
	return arrange(f).svg(` aria-label="`+html.EscapeString(label)+`"`, ""), nil
}

// svgFonts matches gonum's description of the font of each text. The description is removed, because the whole
// drawing has one description, which names alternative fonts. svgText sets the width of each text to its width in
// our font. Escaped texts contain no quotes. The pattern contains quotes, so it cannot match inside a text.
var (
	svgFonts = regexp.MustCompile(`style="font-family:Liberation Sans;font-variant:([0-9.]+);` +
		`(?:font-weight:normal;|(font-weight:bold;))font-style:normal;`)
	svgText = `textLength="$1" lengthAdjust="spacingAndGlyphs" style="$2`
)

// svg returns the drawing as an SVG element with an opening tag that this package writes. gonum's opening tag has a
// fixed size, and no description for readers who cannot see the drawing.
func (l *layout) svg(attributes, description string) string {
	c := vgsvg.New(l.width, l.height)
	l.draw(svgCanvas{c})
	var b strings.Builder
	c.WriteTo(&b) // writing to a strings.Builder cannot fail
	_, body, _ := strings.Cut(b.String(), "xlink\">\n")
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img"%s `+
			`font-family="'Liberation Sans', Arial, Helvetica, sans-serif">`+"\n",
		l.width, l.height, attributes) + description + svgFonts.ReplaceAllString(body, svgText)
}

// svgCanvas writes the colours of faded parts itself, because gonum rounds these colours down and DarkStyle would
// then not find them. Viewers that lack our font still show the texts as wide as they are in our font.
type svgCanvas struct{ *vgsvg.Canvas }

// SetColor sets the colour of everything that is drawn afterwards.
func (c svgCanvas) SetColor(col color.Color) {
	c.Canvas.SetColor(roundedUp{color.NRGBAModel.Convert(col).(color.NRGBA)})
}

// FillString writes a line of text. The variant of the font is not needed, so it carries the width of the text for
// svgFonts.
func (c svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	face.Font.Variant = font.Variant(fmt.Sprintf("%.2f", face.Width(s)))
	c.Canvas.FillString(face, at, s)
}

type roundedUp struct{ color.NRGBA }

// RGBA returns the components of the colour, multiplied by its opacity and rounded up.
func (u roundedUp) RGBA() (r, g, b, a uint32) {
	a = uint32(u.A) * 0x101
	times := func(v uint8) uint32 { return (uint32(v)*a + 254) / 255 }
	return times(u.R), times(u.G), times(u.B), a
}

// steady rounds coordinates to hundredths of a point. No printer resolves a hundredth of a point. Because of the
// rounding, drawings are the same on processors that differ in the last bits of a sum of products.
type steady struct{ vg.Canvas }

// snap rounds a coordinate. Values that occur often in drawings, such as halves and thirds, are far from the values
// at which the rounded result changes.
func snap(q vg.Point) vg.Point {
	s := func(v vg.Length) vg.Length { return vg.Length(math.Floor(float64(v*100)+0.6371) / 100) }
	return vg.Point{X: s(q.X), Y: s(q.Y)}
}

func snapPath(p vg.Path) vg.Path {
	out := slices.Clone(p)
	for i := range out {
		out[i].Pos = snap(out[i].Pos)
	}
	return out
}

// Stroke draws along straight lines.
func (s steady) Stroke(p vg.Path) { s.Canvas.Stroke(snapPath(p)) }

func (s steady) Fill(p vg.Path) { s.Canvas.Fill(snapPath(p)) }

// FillString writes a line of text.
func (s steady) FillString(f font.Face, at vg.Point, text string) {
	s.Canvas.FillString(f, snap(at), text)
}

// pngCanvas draws letters as shapes, because the pixels of shapes are the same on every processor. If gonum draws
// letters with the font, their pixels differ between processors.
type pngCanvas struct{ *vgimg.Canvas }

// FillString writes a line of text.
func (c pngCanvas) FillString(face font.Face, at vg.Point, s string) {
	for place, r := range letterPlaces(face, at, s) {
		steady{c}.Fill(outline(face, place, r))
	}
}

// outline returns the shape of a character at a point of its baseline.
func outline(face font.Face, at vg.Point, r rune) vg.Path {
	var buf sfnt.Buffer
	var path vg.Path
	units := face.Face.UnitsPerEm()
	glyph, err := face.Face.GlyphIndex(&buf, r)
	if err != nil {
		return nil
	}
	segments, err := face.Face.LoadGlyph(&buf, glyph, fixed.I(int(units)), nil)
	if err != nil {
		return nil
	}
	scale := face.Font.Size / vg.Length(units) / 64
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(s.Args[0]), place(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	return path
}
