package figure

import (
	"slices"
	"testing"

	"pintlab/plots"
)

// A scheme has its place whatever is drawn beside it, also as the hue of several series and in a comparison with
// another one; no name has two places.
func TestColour(t *testing.T) {
	p := plots.Figure{Panels: []plots.Panel{{Series: []plots.Series{
		{Name: "Reno"}, {Name: "mine"}, {Name: "HPCC, PINT against HPCC, INT"}, {Name: "PINT, p99", Hue: "PINT"}, {Name: "INT"},
	}}}}
	colour(&p)
	var got []int
	for _, s := range p.Panels[0].Series {
		got = append(got, s.Place)
	}
	if want := []int{3, 0, 2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
	seen := map[string]bool{}
	for _, names := range colours {
		for _, n := range names {
			if seen[n] {
				t.Errorf("%s has two places", n)
			}
			seen[n] = true
		}
	}
}
