package plots

import (
	"math"
	"slices"

	"pintlab/internal/number"
)

// Figure is the plain description of a drawing: everything that is on the page, but not how it is drawn.
type Figure struct {
	Title    string
	Subtitle string
	// Alt describes the drawing in words to a reader who cannot see it. If Alt is empty, AltText derives a
	// description from the axes and the series.
	Alt string
	// Footnote is the small print below the drawing: load, seeds, run length, MTU, buffer.
	Footnote string
	// Width is the width of the drawing in points (1/72 inch). Zero means ColumnWidth for one panel, and PageWidth for
	// several panels side by side.
	Width float64
	// PanelHeight is the height of the data area of each panel in points. Zero means a height in proportion to the
	// width of the panel.
	PanelHeight float64
	// Columns is how many panels stand side by side. Zero means up to three.
	Columns int
	Panels  []Panel
}

// The two usual widths of a drawing, in points: one column of a printed page and
// the full page.
const (
	ColumnWidth = 252
	PageWidth   = 516
)

// Panel is one data area with its axes. All panels of a figure share a legend, so series with the same name have the
// same colour in all panels.
type Panel struct {
	Title  string
	X      Axis
	Y      Axis
	Series []Series
	// Heat is drawn instead of series. A panel has either Heat or series.
	Heat *Heat
	// Identity draws the line y = x. If our values equalled the reference, all points of a scatter plot would lie on
	// this line.
	Identity bool
	Notes    []Note
}

// Scale maps values to places along an axis.
type Scale string

// The scales.
const (
	Linear Scale = "linear"
	Log    Scale = "log"
	// Categorical places Axis.Categories side by side. The value 0 stands for the first category.
	Categorical Scale = "categorical"
	// SizeBuckets is linear in the percentage of flows (0 to 100) and labelled
	// with flow sizes, Axis.Sizes.
	SizeBuckets Scale = "size-buckets"
)

// Units that axes write with a prefix. Any other unit is written after the label unchanged.
const (
	InBytes         = number.Bytes         // 10 KB, 1 MB (powers of ten)
	InSeconds       = number.Seconds       // 5 µs, 1 ms
	InBitsPerSecond = number.BitsPerSecond // 100 Gb/s
)

// Axis is one axis of a panel.
type Axis struct {
	Label string
	// Unit is the unit of the values. InBytes, InSeconds and InBitsPerSecond get a prefix that suits the range. Other
	// units ("%", "packets") are printed unchanged.
	Unit  string
	Scale Scale
	// Min and Max fix the ends of the axis. Without them the axis covers the data. Data beyond a fixed end is shown
	// as a chevron on the frame. Below a logarithmic y axis, such data and zero are in a strip.
	Min *float64
	Max *float64
	// Whole restricts the ticks of a linear axis to whole numbers, for counts or hops.
	Whole bool
	// Ticks replaces the ticks that would be chosen otherwise.
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

// RefLine is a reference value, such as a bound or a base RTT.
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

// Values is a list of numbers. NaN stands for a missing number.
type Values []float64

// Style is how a series is drawn.
type Style string

// The styles.
const (
	// Line joins the points and marks them.
	Line Style = "line"
	// Points only marks the points.
	Points Style = "points"
	// Step is horizontal up to the next point and then jumps, as an empirical distribution does. A few positions on
	// the line are marked, so that lines can be distinguished.
	Step Style = "step"
	// Trace joins the points, and marks a few positions if there are several traces. It is for time series. If a
	// trace has more points than the paper can show, the extremes of each pixel are drawn.
	Trace Style = "trace"
	// Bar draws a bar from zero. Bars of several series stand side by side.
	Bar Style = "bar"
	// Span draws a bar for each stretch between missing values. The first and the last point of the stretch are
	// opposite corners of the bar.
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

// Series is one line, one cloud of points or one row of bars.
type Series struct {
	// Name is the text in the legend. It also decides the colour unless Hue is set.
	Name string
	// Hue groups series: all series with the same Hue have the same colour and marker.
	Hue string
	// Look names a colour and a form of it: "blue", "blue 2" (other dashes and marker, hatched bars), "blue 3". A
	// series without a Look gets the first free look.
	Look  string
	Style Style
	X     Values
	Y     Values
	// Lo and Hi, if given, are the bounds of Y. It is an error to give only one of them. On a logarithmic axis Lo
	// may be zero or less; the interval then reaches the end of the axis.
	Lo Values
	Hi Values
	// UnseenLo and UnseenHi, if given, are bounds of Y that are in the rows of the drawing (see SaveRows) but not in
	// the drawing. A series has either these bounds or Lo and Hi.
	UnseenLo Values
	UnseenHi Values
	Pattern  Pattern
	// Published marks values that come from a document, not from us. They have the colour of our values, hollow
	// markers and dashes.
	Published bool
	// Weak, if given, marks the points that are based on too few samples. Weak points are drawn faded, and the
	// legend explains this.
	Weak []bool
	// Muted draws thin grey lines behind the other series, for context.
	Muted bool
}

// Heat is a grid of coloured cells. The axes of its panel are categorical, with one category for each column and
// row.
type Heat struct {
	// Label and Unit are for the colour bar.
	Label string
	Unit  string
	// Min and Max fix the ends of the colour bar. Cells beyond an end have the colour of this end, and the end of
	// the bar is then pointed. Without fixed ends and without a Center, the bar covers the values, and at least a
	// tenth of the largest absolute value, so that strong colours do not exaggerate small differences.
	Min *float64
	Max *float64
	// Center, if given, is the value of the neutral colour of a diverging scale, such as 0 for a deviation.
	Center *float64
	// Z has a row for each category of the y axis, from the bottom. The row has a value for each category of the x
	// axis. A missing value (NaN) is crossed out.
	Z []Values
	// Values prints the value in each cell, if all fit. The range of the values decides the decimals.
	Values bool
}

// Some reports whether the series has a value.
func (s Series) Some() bool {
	return slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
}

// bounds returns the bounds of Y, drawn or not; nil if there are none.
func (s *Series) bounds() (lo, hi Values) {
	if s.Lo == nil {
		return s.UnseenLo, s.UnseenHi
	}
	return s.Lo, s.Hi
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

// At returns a pointer to v, for the optional ends of axes.
func At(v float64) *float64 { return &v }
