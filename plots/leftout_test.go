package plots

import (
	"math"
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
