package plots

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/plots/internal/canvas"
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
	return replaceFile(path, func(w io.Writer) error { return Write(f, format, w) })
}
