package plots

import (
	"math"
	"pintlab/internal/number"
	"slices"
)

// Figure is the plain description of a drawing: everything that is on the page
// and nothing about how it is drawn.
type Figure struct {
	Title    string
	Subtitle string
	// Alt describes the drawing in words to a reader who cannot see it. If it is
	// empty, AltText puts one together from the axes and the series.
	Alt string
	// Footnote is the line of small print below the drawing: load, seeds, run
	// length, MTU, buffer.
	Footnote string
	// Width is the width of the drawing in points (1/72 inch). Zero takes
	// ColumnWidth for one panel and PageWidth for several side by side.
	Width float64
	// PanelHeight is the height of the data area of each panel in points. Zero
	// takes one in proportion to its width.
	PanelHeight float64
	// Columns is how many panels stand side by side. Zero takes up to three.
	Columns int
	Panels  []Panel
}

// The two usual widths of a drawing, in points: one column of a printed page and
// the full page.
const (
	ColumnWidth = 252
	PageWidth   = 516
)

// Panel is one data area with its axes. All panels of a figure share a legend:
// series of one name have one colour in all of them.
type Panel struct {
	Title  string
	X      Axis
	Y      Axis
	Series []Series
	// Heat is drawn instead of series: a panel has one or the other.
	Heat *Heat
	// Identity draws the line y = x, on which a scatter of ours against a
	// reference would lie.
	Identity bool
	Notes    []Note
}

// Scale maps values to places along an axis.
type Scale string

// The scales.
const (
	Linear Scale = "linear"
	Log    Scale = "log"
	// Categorical puts Axis.Categories side by side; the value 0 is the first.
	Categorical Scale = "categorical"
	// SizeBuckets is linear in the percentage of flows (0 to 100) and labelled
	// with flow sizes, Axis.Sizes.
	SizeBuckets Scale = "size-buckets"
)

// Units that axes know how to write with a prefix. Any other unit is written
// after the label as it is.
const (
	InBytes         = number.Bytes         // 10 KB, 1 MB (powers of ten)
	InSeconds       = number.Seconds       // 5 µs, 1 ms
	InBitsPerSecond = number.BitsPerSecond // 100 Gb/s
)

// Axis is one axis of a panel.
type Axis struct {
	Label string
	// Unit is the unit of the values. InBytes, InSeconds and InBitsPerSecond get
	// a prefix that suits the range; others ("%", "packets") are printed plainly.
	Unit  string
	Scale Scale
	// Min and Max fix the ends of the axis. Without them the axis covers the data.
	// What lies outside is shown as a chevron on the frame, or, with zero, in a strip below a logarithmic y axis.
	Min *float64
	Max *float64
	// Whole keeps the ticks of a linear axis on whole numbers: counts, hops.
	Whole bool
	// Ticks replaces the chosen ticks.
	Ticks []Tick
	// Categories are the names along a categorical axis.
	Categories []string
	// Sizes, for SizeBuckets, are flow sizes in bytes at equal steps of the share
	// of flows: the first at 0 %, the last at 100 %.
	Sizes []float64
	// Lines are reference values drawn across the panel.
	Lines []RefLine
}

// Tick is a labelled place on an axis.
type Tick struct {
	At    float64
	Label string
}

// RefLine is a value worth comparing with, such as a bound or a base RTT.
type RefLine struct {
	At    float64
	Label string
}

// Note is text in the panel, next to the point (X, Y).
type Note struct {
	X    float64
	Y    float64
	Text string
}

// Values is a list of numbers in which NaN stands for a missing one.
type Values []float64

// Style is how a series is drawn.
type Style string

// The styles.
const (
	// Line joins the points and marks them.
	Line Style = "line"
	// Points marks the points only.
	Points Style = "points"
	// Step goes level to the next point and then jumps, as an empirical
	// distribution does. A few places on it are marked, to tell lines apart.
	Step Style = "step"
	// Trace joins the points and marks a few places if there are several: time series. A trace with
	// more points than the paper shows keeps the extremes of each pixel.
	Trace Style = "trace"
	// Bar draws a bar from zero. Bars of several series stand side by side.
	Bar Style = "bar"
	// Span draws a bar of each stretch between missing values: its first point is one corner, its last point the one
	// across.
	Span Style = "span"
)

// Pattern distinguishes lines of one colour. Dashes are reserved for published values.
type Pattern string

// The patterns.
const (
	Solid   Pattern = ""
	Dotted  Pattern = "dotted"
	DashDot Pattern = "dashdot"
)

// Series is one line, cloud of points or row of bars.
type Series struct {
	// Name is the text in the legend, and decides the colour unless Hue does.
	Name string
	// Hue makes series of one Hue share a colour and a marker.
	Hue string
	// Look is the colour with its form, such as "blue", "blue 2" (other dashes and marker, hatched bars), "blue 3".
	// Series without one take the first that is free.
	Look  string
	Style Style
	X     Values
	Y     Values
	// Lo and Hi, if given, bound Y. One without the other is an error. On a
	// logarithmic axis Lo may be zero or less, which reaches down to its end.
	Lo      Values
	Hi      Values
	Pattern Pattern
	// Published marks values of a document rather than ours. They take the colour
	// of ours with hollow markers and dashes.
	Published bool
	// Weak, if given, marks the points that rest on too few samples. They are
	// drawn faded, and the legend notes it.
	Weak []bool
	// Muted draws thin grey lines, for context behind the others.
	Muted bool
}

// Heat is a grid of coloured cells. Its panel's axes are categorical, with one
// category for each column and row.
type Heat struct {
	// Label and Unit belong to the colour bar.
	Label string
	Unit  string
	// Min and Max fix the ends of the colour bar. Cells outside take the colour
	// of the end, and the bar shows that with a pointed end.
	Min *float64
	Max *float64
	// Center, if given, is the value of the neutral colour of a scale with two
	// sides, such as 0 for a deviation.
	Center *float64
	// Z has a row for each category of the y axis, from the bottom, and in it a
	// value for each of the x axis. A missing value (NaN) is crossed out.
	Z []Values
	// Values prints the value in each cell, if all fit.
	Values bool
}

// Some reports whether the series has a value.
func (s Series) Some() bool {
	return slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
}

// hue returns the key of the series' colour.
func (s *Series) hue() string {
	if s.Hue != "" {
		return s.Hue
	}
	return s.Name
}

func (s *Series) legendName() string {
	if s.Published {
		return s.Name + ", published"
	}
	return s.Name
}

// At returns a pointer to v, for the optional ends of an axis.
func At(v float64) *float64 { return &v }
