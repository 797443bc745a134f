package figure

import (
	"slices"
	"testing"

	"pintlab/plots"
)

// A scheme has its look whatever else is drawn, also as the hue of several series and in a comparison with
// another one.
func TestColour(t *testing.T) {
	p := plots.Figure{Panels: []plots.Panel{{Series: []plots.Series{
		{Name: "Reno"}, {Name: "mine"}, {Name: "HPCC, PINT against HPCC, INT"}, {Name: "PINT, p99", Hue: "PINT"},
		{Name: "INT"},
	}}}}
	of, err := looks()
	if err != nil {
		t.Fatal(err)
	}
	colour(&p, of)
	var got []string
	for _, s := range p.Panels[0].Series {
		got = append(got, s.Look)
	}
	if want := []string{"green", "", "orange", "orange", "blue"}; !slices.Equal(got, want) {
		t.Errorf("looks %q, want %v", got, want)
	}
}
