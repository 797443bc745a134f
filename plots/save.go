package plots

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/plots/internal/canvas"
	"pintlab/plots/internal/file"
)

// formats are the formats that Write knows and the endings of file names that
// Save knows.
var formats = []string{"svg", "png", "pdf"}

// Write checks the figure and writes a drawing of it in the format svg, png or
// pdf. Equal figures give equal bytes.
func Write(f *Figure, format string, w io.Writer) error {
	if !slices.Contains(formats, format) {
		return fmt.Errorf("plots: format %q, want %s", format, strings.Join(formats, ", "))
	}
	if err := f.Validate(); err != nil {
		return err
	}
	l := arrange(f)
	var c canvas.Canvas
	switch format {
	case "svg":
		c = canvas.NewSVG(l.width, l.height, f.Title, f.AltText())
	case "pdf":
		c = canvas.NewPDF(l.width, l.height, f.Title)
	case "png":
		c = canvas.NewPNG(l.width, l.height)
	}
	l.draw(c)
	if _, err := c.WriteTo(w); err != nil {
		return fmt.Errorf("plots: writing %s: %w", format, err)
	}
	return nil
}

// Save writes the drawing to a file, in the format that the ending of its name
// says. The file is whole or untouched.
func Save(f *Figure, path string) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if !slices.Contains(formats, format) {
		return fmt.Errorf("plots: %s: ending %q, want .%s", path, filepath.Ext(path), strings.Join(formats, ", ."))
	}
	return file.Replace(path, func(w io.Writer) error { return Write(f, format, w) })
}

// Inline is the drawing as an SVG element for an HTML page, which says how large
// it is. It has its description as a label and no title, which browsers would
// show over the whole drawing. DarkStyle recolours it for a dark page.
func Inline(f *Figure) (string, error) {
	if err := f.Validate(); err != nil {
		return "", err
	}
	l := arrange(f)
	label := f.AltText()
	if f.Title != "" {
		label = f.Title + ". " + label
	}
	c := canvas.NewInlineSVG(l.width, l.height, label)
	l.draw(c)
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("plots: writing svg: %w", err)
	}
	return b.String(), nil
}
