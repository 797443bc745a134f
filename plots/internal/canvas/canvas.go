package canvas

import (
	"image/color"
	"io"
)

// Point is a place on the page in points (1/72 inch) from its top left corner, y
// downward.
type Point struct{ X, Y float64 }

// Stroke is how a line looks. Dash lists the lengths of strokes and gaps in turn.
type Stroke struct {
	Color color.NRGBA
	Width float64
	Dash  []float64
}

// Text is one line of text, from its start on the baseline.
type Text struct {
	S     string
	At    Point
	Size  float64
	Bold  bool
	Color color.NRGBA
	Turn  float64 // in degrees, counterclockwise about At
}

// Canvas takes the parts of a drawing in order, later ones over earlier ones.
// WriteTo writes the finished document, once.
type Canvas interface {
	Stroke(points []Point, closed bool, s Stroke)
	Fill(points []Point, c color.NRGBA)
	Text(t Text)
	io.WriterTo
}
