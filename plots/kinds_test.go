package plots

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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

// Rows in any order become points in order of x; names, panels and colours come in
// order of appearance; units are brought to the base unit.
func TestMapping(t *testing.T) {
	tab := table(t, Text("who"), Text("where"), Text("source"), Real("delay", "us"), Real("size", "KB"), Real("from", "us"), Real("to", "us"), Whole("n", ""))
	add(t, tab, "b", "core", "ours", 30, 3, 20, 40, 5)
	add(t, tab, "a", "core", "ours", 10, 1, 5, 15, 50)
	add(t, tab, "b", "core", "ours", 20, 2, 10, 30, 50)
	add(t, tab, "b", "edge", "", 1, 1, math.NaN(), math.NaN(), 50)
	add(t, tab, "a", "edge", "published", 2, 1, 1, 3, 0)
	f, err := ByOverhead(tab, Mapping{Series: "who", Panel: "where", X: "size", Y: "delay", Lo: "from", Hi: "to", Count: "n", MinCount: 10, XLabel: "Size"})
	f = must(t, f, err)
	if len(f.Panels) != 2 || f.Panels[0].Title != "core" || f.Panels[1].Title != "edge" {
		t.Fatalf("panels: %+v", f.Panels)
	}
	same(t, "x axis", f.Panels[0].X, Axis{Label: "Size", Unit: "B", Scale: Linear})
	same(t, "series", f.Panels[0].Series, []Series{
		{Name: "b", Style: Line, X: Values{2000, 3000}, Y: Values{20e-6, 30e-6}, Lo: Values{10e-6, 20e-6}, Hi: Values{30e-6, 40e-6}, Weak: []bool{false, true}},
		{Name: "a", Style: Line, X: Values{1000}, Y: Values{10e-6}, Lo: Values{5e-6}, Hi: Values{15e-6}, Weak: []bool{false}},
	})
	if s := f.Panels[1].Series[1]; !s.Published || s.Name != "a" || s.Weak[0] {
		t.Errorf("published series: %+v", s)
	}
	same(t, "colours", f.hueOrder(), []string{"b", "a"})
}

func TestMappingErrors(t *testing.T) {
	base := func() *Table {
		tab := table(t, Text("scheme"), Text("source"), Real("overhead", "B"), Real("normalised", ""), Real("low", "s"), Text("v"))
		for _, v := range []string{"p", "q", "r", "s"} {
			add(t, tab, "a", "ours", 1, 2, 3, v)
		}
		return tab
	}
	empty := base().Where(func(int) bool { return false })
	odd := table(t, Text("source"), Real("overhead", ""), Real("normalised", ""))
	add(t, odd, "theirs", 1, 2)
	tests := []struct {
		tab  *Table
		m    Mapping
		want string
	}{
		{base(), Mapping{X: "size"}, `plots: no column "size" (there are: scheme, source, overhead, normalised, low, v)`},
		{base(), Mapping{Y: "scheme"}, `plots: column "scheme" is string, want float`},
		{base(), Mapping{Series: "overhead"}, `plots: column "overhead" is float, want string`},
		{base(), Mapping{Lo: "low"}, `plots: lo "low" … hi "", … reverse`},
		{base(), Mapping{Lo: "low", Hi: "low"}, `plots: column "low" is in "s" and "normalised" in ""`},
		{base(), Mapping{Variant: "v"}, `plots: column "v" … 4 values, … 3 patterns … lines`},
		{empty, Mapping{}, "plots: the table has no rows"},
		{odd, Mapping{}, `plots: row 1, column "source": "theirs", want ours or published`},
	}
	for _, tt := range tests {
		if _, err := ByOverhead(tt.tab, tt.m); !errtest.Says(err, tt.want) {
			t.Errorf("%+v: %v, want %s", tt.m, err, tt.want)
		}
	}
}

func TestBaseUnit(t *testing.T) {
	for unit, want := range map[string]struct {
		factor float64
		base   string
	}{
		"us": {1e-6, "s"}, "s": {1, "s"}, "Gbps": {1e9, "b/s"}, "Gb/s": {1e9, "b/s"}, "bps": {1, "b/s"},
		"KB": {1e3, "B"}, "%": {1, "%"}, "": {1, ""}, "furlong": {1, "furlong"},
	} {
		if factor, base := baseUnit(unit); factor != want.factor || base != want.base {
			t.Errorf("baseUnit(%q) = %v, %q, want %v", unit, factor, base, want)
		}
	}
}

func TestSlowdownShares(t *testing.T) {
	tab := table(t, Text("scheme"), Text("source"), Real("size", "KB"), Real("slowdown", ""), Real("share", "%"))
	for i, size := range []float64{1, 2, 4, 8} {
		add(t, tab, "INT", "ours", size, 1+float64(i), 25*float64(i+1))
	}
	add(t, tab, "INT", "published", 4.5, 2, 75)
	f, err := SlowdownBySize(tab, Mapping{})
	f = must(t, f, err)
	same(t, "sizes", f.Panels[0].X.Sizes, []float64{0, 1000, 2000, 4000, 8000})
	same(t, "x", f.Panels[0].Series[0].X, Values{25, 50, 75, 100})
	same(t, "published x", f.Panels[0].Series[1].X, Values{75})

	// Without shares, the order of the sizes decides, whatever the order of rows.
	tab = table(t, Text("scheme"), Real("size", "B"), Real("slowdown", ""))
	for _, size := range []float64{400, 100, 300, 200} {
		add(t, tab, "INT", size, size/100)
		add(t, tab, "PINT", size, size/50)
	}
	f, err = SlowdownBySize(tab, Mapping{})
	f = must(t, f, err)
	same(t, "sizes", f.Panels[0].X.Sizes, []float64{0, 100, 200, 300, 400})
	same(t, "y", f.Panels[0].Series[1].Y, Values{2, 4, 6, 8})

	add(t, tab, "PINT", 500.0, 1)
	if _, err := SlowdownBySize(tab, Mapping{}); !errtest.Says(err, `plots: 4 buckets … "INT" … 5 … "PINT": … share … flows`) {
		t.Errorf("unequal buckets: %v", err)
	}
	tab = table(t, Text("scheme"), Real("size", "B"), Real("slowdown", ""))
	add(t, tab, "INT", 100.0, 1)
	add(t, tab, "PINT", 200.0, 1)
	if _, err := SlowdownBySize(tab, Mapping{}); err == nil || !strings.Contains(err.Error(), "are these the same flows?") {
		t.Errorf("other flows: %v", err)
	}
	tab = table(t, Real("size", "B"), Real("slowdown", ""), Real("share", "%"))
	add(t, tab, 100.0, 1, 25)
	add(t, tab, 200.0, 1, 100)
	if _, err := SlowdownBySize(tab, Mapping{}); !errtest.Says(err, `plots: no row at 50 % of the flows in panel ""`) {
		t.Errorf("missing bucket: %v", err)
	}
}

// The empirical distribution is that of counting, for few and for many samples.
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
			// The step function through the points: the last point at or before.
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
	tab := table(t, Real("fct", "ms"), Real("fraction", ""))
	add(t, tab, 2, 1)
	add(t, tab, 1, 0.5)
	f, err := FCTCDF(tab, Mapping{})
	f = must(t, f, err)
	s := f.Panels[0].Series[0]
	same(t, "x", s.X, Values{1e-3, 1e-3, 2e-3})
	same(t, "y", s.Y, Values{0, 0.5, 1})
	if s.Name != "Fraction at or below" || f.Panels[0].X.Unit != InSeconds {
		t.Errorf("%q on an axis in %q", s.Name, f.Panels[0].X.Unit)
	}
}

func TestBarCategories(t *testing.T) {
	tab := table(t, Text("scheme"), Whole("load", "%"), Real("goodput", "Gbps"))
	add(t, tab, "INT", 70, 1)
	add(t, tab, "INT", 30, 3)
	add(t, tab, "PINT", 50, 2)
	f, err := BarsByLoad(tab, Mapping{})
	f = must(t, f, err)
	same(t, "categories", f.Panels[0].X.Categories, []string{"30 %", "50 %", "70 %"})
	same(t, "x", f.Panels[0].Series[0].X, Values{0, 2})
	same(t, "y", f.Panels[0].Series[0].Y, Values{3e9, 1e9})
	if f.Panels[0].X.Label != "Load" || len(tab.Columns()) != 3 {
		t.Errorf("label %q; the table has %d columns", f.Panels[0].X.Label, len(tab.Columns()))
	}

	tab = table(t, Text("scheme"), Text("load"), Real("goodput", ""))
	add(t, tab, "INT", "web search", 1)
	add(t, tab, "INT", "Hadoop", 3)
	f, err = BarsByLoad(tab, Mapping{XLabel: "Workload"})
	f = must(t, f, err)
	same(t, "text categories", f.Panels[0].X.Categories, []string{"web search", "Hadoop"})

	tab = table(t, Real("load", ""), Real("goodput", ""))
	add(t, tab, math.NaN(), 3)
	if _, err = BarsByLoad(tab, Mapping{}); !errtest.Says(err, `plots: column "load" … value NaN, … category`) {
		t.Errorf("NaN load: %v", err)
	}
}

func TestScatterAxes(t *testing.T) {
	tab := table(t, Real("reference", "us"), Real("ours", "ms"))
	add(t, tab, 12, 0.4)
	add(t, tab, 900, 0.9)
	f, err := Scatter(tab, Mapping{})
	f = must(t, f, err)
	p := f.Panels[0]
	if p.X.Scale != Log || *p.X.Min != *p.Y.Min || *p.X.Max != *p.Y.Max || !p.Identity {
		t.Errorf("panel %+v", p)
	}
	if math.Abs(*p.X.Min-10e-6) > 1e-12 || math.Abs(*p.X.Max-1e-3) > 1e-12 {
		t.Errorf("from %v to %v, want 10 us to 1 ms", *p.X.Min, *p.X.Max)
	}
	tab = table(t, Real("reference", "us"), Real("ours", "B"))
	add(t, tab, 12, 0.4)
	if _, err := Scatter(tab, Mapping{}); !errtest.Says(err, `plots: "reference" … "s" … "ours" … "B": … line … agreement`) {
		t.Errorf("other units: %v", err)
	}
}

func TestHeatMapCells(t *testing.T) {
	tab := table(t, Whole("x", "KB"), Text("y"), Real("value", ""))
	add(t, tab, 8, "b", 1)
	add(t, tab, 4, "a", 2)
	add(t, tab, 8, "a", 3)
	f, err := HeatMap(tab, Mapping{})
	f = must(t, f, err)
	p := f.Panels[0]
	same(t, "x", p.X.Categories, []string{"4 KB", "8 KB"})
	same(t, "y", p.Y.Categories, []string{"b", "a"})
	same(t, "cells", p.Heat.Z, []Values{{math.NaN(), 1}, {2, 3}})
	add(t, tab, 8, "a", 4)
	if _, err := HeatMap(tab, Mapping{}); !errtest.Says(err, "plots: rows 3 … 4 … cell 8 KB,") {
		t.Errorf("two rows for a cell: %v", err)
	}
}

func TestVariants(t *testing.T) {
	f := demoDecode(t)
	s := f.Panels[0].Series
	if s[0].Name != "PINT 2×(b = 8), mean" || s[1].Name != "PINT 2×(b = 8), p99" || s[0].hue() != s[1].hue() || s[0].Pattern == s[1].Pattern {
		t.Errorf("%q %q, %q %q", s[0].Name, s[1].Name, s[0].Pattern, s[1].Pattern)
	}
	if !f.Panels[0].X.Whole {
		t.Error("hops are not whole")
	}
}

func ExampleSlowdownBySize() {
	rows, err := NewTable(Text("scheme"), Whole("size", "KB"), Real("slowdown", ""))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, size := range []int{2, 30, 120, 900, 30000} {
		for _, row := range [][]any{{"INT", size, 1.2 + float64(i)}, {"PINT", size, 1.1 + float64(i)}} {
			if err := rows.Append(row...); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	f, err := SlowdownBySize(rows, Mapping{YLabel: "95th-percentile slowdown"})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Title = "Web search, 50 % load"
	if err := Write(&f, "svg", io.Discard); err != nil { // or Save(&f, "slowdown.svg")
		fmt.Println(err)
	}
	fmt.Println(f.AltText())
	// Output: 95th-percentile slowdown against Flow size (each tick: 20 % of the flows) for INT, 1.2 to 5.2; PINT, 1.1 to 5.1.
}
