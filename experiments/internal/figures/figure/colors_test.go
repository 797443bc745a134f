package figure

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/plots"
)

// A scheme has the same look in any drawing, even if several series share the colour of the scheme, or if a series
// compares the scheme with another scheme.
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

// A panel has at most five curves with intervals. The numbers in notes get separators and units that people can read.
func TestCrowded(t *testing.T) {
	for curves, want := range map[int]bool{5: false, 6: true} {
		var p plots.Panel
		for i := range curves {
			style := []plots.Style{plots.Line, plots.Step}[i%2]
			p.Series = append(p.Series, plots.Series{Style: style, X: []float64{1}, Y: []float64{2},
				Lo: []float64{1}, Hi: []float64{3}})
		}
		f := plots.Figure{Panels: []plots.Panel{p}}
		foot := uncrowded(&f, "1 seed; bars: 95 % intervals. Use more seeds.")
		if strings.Contains(foot, "Use more seeds; intervals of more than five") != want || f.Ranged() == want {
			t.Errorf("%d curves: intervals %t, footnote %q", curves, f.Ranged(), foot)
		}
		name := filepath.Join(t.TempDir(), "f")
		file, err := plots.SaveRows(&f, name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := plots.LoadCSV(file)
		if err != nil {
			t.Fatal(err)
		}
		if lo, err := rows.Reals("lo"); err != nil || file != name+"-rows.csv" ||
			!slices.Equal(lo, slices.Repeat([]float64{1}, curves)) {
			t.Errorf("%d curves: lower ends in the rows %v, %v", curves, lo, err)
		}
	}
	for _, name := range []string{"clos.yaml, 3 seeds", "staircase, 3 seeds", "mine.yaml; 4 seeds"} {
		if got := written(name); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if got := written("a mean of 6000000 packets for 100us or 4ms, 1MB at 25Gb/s"); got !=
		"A mean of 6,000,000 packets for 100 µs or 4 ms, 1 MB at 25 Gb/s" {
		t.Error(got)
	}
}

// A footnote calls intervals what they are in the drawing.
func TestBarsNoted(t *testing.T) {
	of := func(styles ...plots.Style) *plots.Figure {
		var p plots.Panel
		for _, s := range styles {
			p.Series = append(p.Series, plots.Series{Style: s, X: []float64{1}, Y: []float64{2}, Lo: []float64{1},
				Hi: []float64{3}})
		}
		return &plots.Figure{Panels: []plots.Panel{p}}
	}
	for _, tt := range []struct {
		p          *plots.Figure
		foot, want string
	}{
		{of(plots.Step), "Means; bars: 95 % intervals over the seeds; 3 flows",
			"Means; bands: 95 % intervals over the seeds; 3 flows"},
		{of(plots.Line), "Means; bars: 95 % intervals", "Means; bars: 95 % intervals"},
		{of(plots.Line, plots.Trace), "", "Bars and bands: 95 % intervals"},
		{of(plots.Trace), "2 seeds.", "2 seeds; bands: 95 % intervals"},
		{of(), "Means, bars: 95 % intervals", "Means"},
		{of(plots.Line), "Bars: smallest and largest value", "Bars: smallest and largest value"},
		{of(plots.Trace), "Means; bars: smallest and largest value. 2 seeds",
			"Means; bands: smallest and largest value. 2 seeds"},
	} {
		if got := barsNoted(tt.p, tt.foot); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.foot, got, tt.want)
		}
	}
}
