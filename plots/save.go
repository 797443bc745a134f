package plots

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"pintlab/plots/internal/canvas"
)

// formats are the formats that Write knows and the endings of file names that
// Save knows.
var formats = []string{"svg", "png"}

// pngDPI is the resolution of PNG files, that of print.
const pngDPI = 300

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
	width, height := vg.Points(l.width), vg.Points(l.height)
	var c interface {
		vg.Canvas
		io.WriterTo
	}
	switch format {
	case "svg":
		c = canvas.NewSVG(width, height, f.Title, f.AltText())
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
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
