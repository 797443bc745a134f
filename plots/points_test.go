package plots

import (
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Points in any order are sorted by x. Names and panels remain in the order of appearance, and published values are
// separate series.
func TestPanels(t *testing.T) {
	axis := Axis{Label: "Size", Unit: "B", Scale: Linear}
	list := Panels([]Point{
		{Panel: "core", Series: "b", X: 3, Y: 30, Lo: 20, Hi: 40, Weak: true},
		{Panel: "core", Series: "a", X: 1, Y: 10},
		{Panel: "core", Series: "b", X: 2, Y: 20, Lo: 10, Hi: 30},
		{Panel: "edge", Series: "b", X: 1, Y: 1, Lo: math.NaN(), Hi: math.NaN()},
		{Panel: "edge", Series: "a", X: 1, Y: 2}, {Panel: "edge", Series: "a", X: 1, Y: 3, Published: true},
	}, Line, axis, Axis{})
	if len(list) != 2 || list[0].Title != "core" || list[1].Title != "edge" || list[1].X.Label != "Size" {
		t.Fatalf("panels: %+v", list)
	}
	same(t, "series", list[0].Series, []Series{
		{Name: "b", Style: Line, X: Values{2, 3}, Y: Values{20, 30}, Lo: Values{10, 20}, Hi: Values{30, 40},
			Weak: []bool{false, true}},
		{Name: "a", Style: Line, X: Values{1}, Y: Values{10}, Weak: []bool{false}},
	})
	if s := list[1].Series; len(s) != 3 || !s[2].Published || s[2].Name != "a" {
		t.Errorf("published series: %+v", s)
	}
	same(t, "colours", (&Figure{Panels: list}).hueOrder(), []string{"b", "a"})
}

func TestBySize(t *testing.T) {
	var points []Point
	for i, size := range []float64{1000, 2000, 4000, 8000} {
		points = append(points, Point{Series: "INT", Size: size, Y: 1 + float64(i), X: 25 * float64(i+1)})
	}
	points = append(points, Point{Series: "INT", Published: true, Size: 4500, Y: 2, X: 75})
	list, err := BySize(points, Axis{Scale: Log})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sizes", list[0].X.Sizes, []float64{0, 1000, 2000, 4000, 8000})
	same(t, "x", list[0].Series[0].X, Values{25, 50, 75, 100})
	same(t, "published x", list[0].Series[1].X, Values{75})
	for _, c := range []struct {
		points []Point
		want   string
	}{
		{[]Point{{Series: "INT", Size: 100, X: 100}, {Series: "PINT", Size: 200, X: 100}},
			"… the same flows everywhere"},
		{[]Point{{Size: 100, X: 25}, {Size: 200, X: 100}}, `plots: no point at 50 % of the flows in panel ""`},
		{nil, "plots: no slowdown to draw"},
	} {
		if _, err := BySize(c.points, Axis{}); !errtest.Says(err, c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// The empirical distribution agrees with counts of the samples, for few and for many samples.
func TestECDF(t *testing.T) {
	x, y := ECDF([]float64{3, 1, 2, 2, math.NaN()})
	same(t, "x", x, Values{1, 1, 2, 3})
	same(t, "y", y, Values{0, 0.25, 0.75, 1})
	if x, y := ECDF(nil); x != nil || y != nil {
		t.Errorf("of nothing: %v, %v", x, y)
	}
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(0, 50), 1, 2500).Draw(t, "samples")
		if rapid.Bool().Draw(t, "ties") {
			for i := range samples {
				samples[i] = math.Floor(samples[i])
			}
		}
		x, y := ECDF(samples)
		if len(x) > 1003 || y[0] != 0 || y[len(y)-1] != 1 || !slices.IsSorted(x) || !slices.IsSorted(y) {
			t.Fatalf("%d points from %v to %v", len(x), y[0], y[len(y)-1])
		}
		for _, at := range []float64{0, 10, 25, 49.5, x[len(x)-1]} {
			below := 0
			for _, s := range samples {
				if s <= at {
					below++
				}
			}
			// At each x, the step function has the value of the last point that is not beyond x.
			got := 0.0
			for i := range x {
				if x[i] <= at {
					got = y[i]
				}
			}
			if want := float64(below) / float64(len(samples)); math.Abs(got-want) > 0.001+1.0/float64(len(samples)) {
				t.Fatalf("at %v: %v, want %v", at, got, want)
			}
		}
	})
}

func TestCDFOfPoints(t *testing.T) {
	p := CDF([]Point{{X: 2e-3, Y: 1}, {X: 1e-3, Y: 0.5}}, Axis{Unit: InSeconds})[0]
	same(t, "x", p.Series[0].X, Values{1e-3, 1e-3, 2e-3})
	same(t, "y", p.Series[0].Y, Values{0, 0.5, 1})
	if p.X.Scale != Log || p.X.Unit != InSeconds || p.Series[0].Style != Step {
		t.Errorf("%+v", p)
	}
}

func TestScatterAxes(t *testing.T) {
	p := Scatter([]Point{{X: 12e-6, Y: 0.4e-3}, {X: 900e-6, Y: 0.9e-3}}, Axis{Unit: InSeconds},
		Axis{Unit: InSeconds})[0]
	if p.X.Scale != Log || *p.X.Min != *p.Y.Min || *p.X.Max != *p.Y.Max || !p.Identity {
		t.Errorf("panel %+v", p)
	}
	if math.Abs(*p.X.Min-10e-6) > 1e-12 || math.Abs(*p.X.Max-1e-3) > 1e-12 {
		t.Errorf("from %v to %v, want 10 us to 1 ms", *p.X.Min, *p.X.Max)
	}
}

func TestHeatMapCells(t *testing.T) {
	cells := []Cell{{"", "4 KB", "b", 1}, {"", "8 KB", "a", 2}, {"", "4 KB", "a", 3}, {"other", "8 KB", "b", 4}}
	list, err := HeatMaps(cells, Axis{}, Axis{}, Heat{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "x", list[0].X.Categories, []string{"4 KB", "8 KB"})
	same(t, "y", list[0].Y.Categories, []string{"b", "a"})
	nan := math.NaN()
	same(t, "cells", list[0].Heat.Z, []Values{{1, nan}, {3, 2}})
	same(t, "cells of the other panel", list[1].Heat.Z, []Values{{nan, 4}, {nan, nan}})
	if _, err := HeatMaps(append(cells, cells[1]), Axis{}, Axis{}, Heat{}); !errtest.Says(err,
		"plots: two values for the cell 8 KB, a") {
		t.Errorf("two values for a cell: %v", err)
	}
}

func ExampleBySize() {
	var points []Point
	for i, size := range []float64{2e3, 30e3, 120e3, 900e3, 30e6} {
		x := 20 * float64(i+1)
		points = append(points, Point{Series: "INT", X: x, Size: size, Y: 1.2 + float64(i)},
			Point{Series: "PINT", X: x, Size: size, Y: 1.1 + float64(i)})
	}
	panels, err := BySize(points, Axis{Label: "p95 slowdown", Scale: Log})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := Figure{Title: "Web search, 50 % load", Panels: panels}
	if err := Write(&f, "svg", io.Discard); err != nil { // or Save(&f, "slowdown.svg")
		fmt.Println(err)
	}
	fmt.Println(f.AltText())
	// Output: p95 slowdown against Flow size (each tick: 20 % of the flows) for INT, 1.2 to 5.2; PINT, 1.1 to 5.1.
}
