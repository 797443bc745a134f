package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// In each quarter of a point, thinning keeps the order, the ends and the extremes.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		var path []vg.Point
		x := vg.Length(0)
		for range n {
			x += vg.Length(rapid.Float64Range(0, 0.2).Draw(t, "dx"))
			path = append(path, vg.Point{X: x, Y: vg.Length(rapid.Float64Range(0, 9).Draw(t, "y"))})
		}
		got := thin(path)
		at := 0
		for _, p := range got {
			i := slices.Index(path[at:], p)
			if i < 0 {
				t.Fatalf("%v is not of the path, or out of order", p)
			}
			at += i + 1
		}
		low := func(s []vg.Point) map[float64][2]vg.Length {
			out := map[float64][2]vg.Length{}
			for _, p := range s {
				c := math.Floor(float64(p.X / 0.25))
				v, ok := out[c]
				if !ok {
					v = [2]vg.Length{p.Y, p.Y}
				}
				out[c] = [2]vg.Length{min(v[0], p.Y), max(v[1], p.Y)}
			}
			return out
		}
		want := low(path)
		for c, v := range low(got) {
			if v != want[c] {
				t.Fatalf("cell %v spans %v, want %v", c, v, want[c])
			}
		}
		if len(low(got)) != len(want) || n > 0 && (got[0] != path[0] || got[len(got)-1] != path[n-1]) {
			t.Fatal("a cell or an end is missing")
		}
		if len(got) > 4*len(want)+2 {
			t.Fatalf("%d points for %d cells", len(got), len(want))
		}
	})
}

// Bars of one category are side by side. Published bars are to the right of our bars. Points are on the bars of the
// same colour.
func TestSlots(t *testing.T) {
	bar := func(name string, published bool) Series {
		return Series{Name: name, Style: Bar, X: Values{0, 1}, Y: Values{1, 2}, Published: published}
	}
	points := bar("b", true)
	points.Style = Points
	alone := bar("c", false)
	alone.Style = Points
	p := Panel{
		X:      Axis{Scale: Categorical, Categories: []string{"x", "y"}},
		Series: []Series{bar("a", true), bar("b", false), bar("a", false), points, alone},
	}
	w := barShare / 4
	want := []float64{-0.5 * w, 0.5 * w, -1.5 * w, 0.5 * w, 1.5 * w}
	for i := range p.Series {
		if got := slotOf(&p, &p.Series[i]); math.Abs(got.centre-want[i]) > 1e-12 || math.Abs(got.width-w) > 1e-12 {
			t.Errorf("series %d is at %v, want %v of width %v", i, got, want[i], w)
		}
	}
	p.X = Axis{Scale: Linear}
	p.Series = []Series{bar("a", false), bar("b", false)}
	p.Series[0].X = Values{30, 50, 70}
	p.Series[1].X = Values{30, 55}
	if got := barPitch(&p); got != 5 {
		t.Errorf("pitch %v, want 5", got)
	}
}

// The line of a trace is faded next to weak points, as the legend says.
func TestWeakTrace(t *testing.T) {
	const blue = "stroke:#0F5CA8"
	for _, c := range []struct {
		weak         []bool
		faded, whole bool
	}{{[]bool{true, true, true, true}, true, false}, {[]bool{true, true, false, false}, true, true},
		{[]bool{false, false, false, false}, false, true}} {
		f := Figure{Panels: []Panel{{Series: []Series{{Name: "a", Style: Trace, X: Values{1, 2, 3, 4},
			Y: Values{1, 2, 3, 4}, Weak: c.weak}}}}}
		svg, err := Inline(&f)
		faded := strings.Count(svg, blue+";stroke-opacity:0.3")
		whole := strings.Count(svg, blue) > faded+1 // the legend also has a line
		if err != nil || (faded > 0) != c.faded || whole != c.whole {
			t.Errorf("weak points %v: faded %d times, whole lines %v, %v", c.weak, faded, whole, err)
		}
	}
}
