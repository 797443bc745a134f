package plots

import (
	"math"
	"strings"
	"testing"
)

// One of six results has no value. Two results are beyond the ends, and one of these is a bar. The gap of a trace
// does not count as omitted.
func TestLeftOut(t *testing.T) {
	f := Figure{Footnote: "1 seed", Panels: []Panel{
		{Title: "a", Y: Axis{Max: At(2)}, Series: []Series{
			{Style: Line, X: Values{1, 2, 3}, Y: Values{1, math.NaN(), 3}},
			{Style: Trace, X: Values{1, 2}, Y: Values{math.NaN(), 9}},
		}},
		{Title: "b", X: Axis{Min: At(1)}, Series: []Series{{Style: Bar, X: Values{0, 1}, Y: Values{1, 1}}}},
		{Title: "c", Series: []Series{{Style: Points, X: Values{0}, Y: Values{1}}}},
	}}
	want := "1 seed. Not shown, of 6 points: 1 without a value, 2 beyond an axis (a; b)."
	if got := f.smallPrint(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Footnote, f.Panels = "", f.Panels[:1]
	want = "Not shown, of 3 points: 1 without a value, 1 beyond an axis."
	if got := f.smallPrint(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Panels[0].Series = f.Panels[0].Series[1:]
	if got := f.smallPrint(); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}

// A heat map without values or with zeros only shows nothing. Zero deviations from a centre are values.
func TestEmptyHeat(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		h    Heat
		want string
	}{
		{Heat{Z: []Values{{nan, nan}}}, "it has no values"},
		{Heat{Z: []Values{{0, nan}, {0, 0}}}, "all values are zero"},
		{Heat{Z: []Values{{0, 0}}, Center: At(0)}, ""},
		{Heat{Z: []Values{{0, 1}}}, ""},
	} {
		f := Figure{Panels: []Panel{{Heat: &tt.h}}}
		if got := f.Empty(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.h.Z, got, tt.want)
		}
	}
}

// The range of the values decides the decimals of the texts in cells. Counts have no decimals.
func TestHeatDecimals(t *testing.T) {
	for _, tt := range []struct {
		values      Values
		least, most int
	}{
		{Values{18, 18.16, 18.02}, 0, 2},
		{Values{18.00001, 18.00002}, 0, 2}, // no more than four digits
		{Values{0, 12, 7}, 0, 0},
		{Values{0, 0}, 0, 0},
		{Values{0.07, 0.5}, 2, 2},
		{Values{0, 0.047, 0.15, 2.9}, 1, 2}, // otherwise 0.047 would read as 0.0
		{Values{0.0004, 2.9}, 1, 3},
		{Values{0.5, 0.5}, 2, 2},
		{Values{-3.4, 5.1, math.NaN()}, 1, 1},
	} {
		h := Heat{Z: []Values{tt.values}}
		if least, most := h.decimals(1); least != tt.least || most != tt.most {
			t.Errorf("%v: %d to %d decimals, want %d to %d", tt.values, least, most, tt.least, tt.most)
		}
	}
}

// A positive value that is too small for the decimals of its heat map does not read as zero.
func TestSmallHeat(t *testing.T) {
	panels, err := HeatMaps([]Cell{{X: "a", Y: "c", Value: 422}, {X: "b", Y: "c", Value: 0.002}, {X: "d", Y: "c"}},
		Axis{}, Axis{}, Heat{Values: true})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := Inline(&Figure{Panels: panels})
	if err != nil || !strings.Contains(svg, ">422.0<") || !strings.Contains(svg, ">&lt;0.1<") ||
		!strings.Contains(svg, ">0.0<") {
		t.Errorf("%v in\n%s\nwant the texts 422.0, <0.1 and 0.0", err, svg)
	}
}

// The colours of a heat map cover at least a tenth of the largest value.
func TestHeatSpan(t *testing.T) {
	for _, tt := range []struct {
		h      Heat
		lo, hi float64
	}{
		{Heat{Z: []Values{{18, 18.2}}}, 17.19, 19.01},
		{Heat{Z: []Values{{18, 18}}}, 17.1, 18.9},
		{Heat{Z: []Values{{15, 20}}}, 15, 20},
		{Heat{Z: []Values{{0, 0}}}, 0, 1},
		{Heat{Z: []Values{{18, 18.2}}, Min: At(0), Max: At(100)}, 0, 100},
	} {
		tt.h.Values = true
		b := newColorBar(&tt.h, 100)
		if math.Abs(b.scale.lo-tt.lo) > 1e-9 || math.Abs(b.scale.hi-tt.hi) > 1e-9 {
			t.Errorf("%v: colours from %v to %v, want %v to %v", tt.h.Z, b.scale.lo, b.scale.hi, tt.lo, tt.hi)
		}
	}
}
