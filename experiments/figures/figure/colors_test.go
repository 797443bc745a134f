package figure

import (
	"slices"
	"testing"

	"pintlab/experiments/protocols"
	"pintlab/plots"
)

// A scheme has its place whatever else is drawn, also as the hue of several series and in a comparison with
// another one.
func TestColour(t *testing.T) {
	p := plots.Figure{Panels: []plots.Panel{{Series: []plots.Series{
		{Name: "Reno"}, {Name: "mine"}, {Name: "HPCC, PINT against HPCC, INT"}, {Name: "PINT, p99", Hue: "PINT"},
		{Name: "INT"},
	}}}}
	colour(&p, protocols.Colours())
	var got []int
	for _, s := range p.Panels[0].Series {
		got = append(got, s.Place)
	}
	if want := []int{3, 0, 2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
}
