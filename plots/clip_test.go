package plots

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var unitSquare = rect{0, 0, 1, 1}

func anyPoint(t *rapid.T, name string) point {
	r := rapid.Float64Range(-2, 3)
	return point{r.Draw(t, name+".x"), r.Draw(t, name+".y")}
}

// length of the part of a segment in the unit square, by sampling.
func sampledLength(a, b point) float64 {
	const n = 4000
	in := 0
	for i := range n {
		f := (float64(i) + 0.5) / n
		x, y := a.x+f*(b.x-a.x), a.y+f*(b.y-a.y)
		if x >= 0 && x <= 1 && y >= 0 && y <= 1 {
			in++
		}
	}
	return float64(in) / n * math.Hypot(b.x-a.x, b.y-a.y)
}

// The clipped line is inside, and as long as the part of the line that is.
func TestClipAgainstSampling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := []point{anyPoint(t, "a"), anyPoint(t, "b"), anyPoint(t, "c"), anyPoint(t, "d")}
		want, got := 0.0, 0.0
		for i := 1; i < len(line); i++ {
			want += sampledLength(line[i-1], line[i])
		}
		for _, piece := range clip(line, unitSquare) {
			for i, p := range piece {
				if !unitSquare.holds(p) {
					t.Fatalf("%v is outside", p)
				}
				if i > 0 {
					got += math.Hypot(p.x-piece[i-1].x, p.y-piece[i-1].y)
				}
			}
		}
		if math.Abs(got-want) > 3*7.1/4000*2 { // two ends of each of three segments, at most 7.1 long
			t.Fatalf("length %v, want %v", got, want)
		}
	})
}

func TestClip(t *testing.T) {
	got := clip([]point{{-1, 0.5}, {0.5, 0.5}, {0.5, 2}, {0.7, 2}, {0.7, 0.2}}, unitSquare)
	want := [][]point{{{0, 0.5}, {0.5, 0.5}, {0.5, 1}}, {{0.7, 1}, {0.7, 0.2}}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := clip([]point{{2, 2}, {3, 3}}, unitSquare); got != nil {
		t.Errorf("%v, want nothing", got)
	}
}

// area of a polygon, by the shoelace formula.
func area(p []point) float64 {
	sum := 0.0
	for i := range p {
		j := (i + 1) % len(p)
		sum += p[i].x*p[j].y - p[j].x*p[i].y
	}
	return math.Abs(sum) / 2
}

// A clipped triangle has the area that sampling finds.
func TestClipPolygonAgainstSampling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tri := []point{anyPoint(t, "a"), anyPoint(t, "b"), anyPoint(t, "c")}
		side := func(a, b, p point) float64 { return (b.x-a.x)*(p.y-a.y) - (b.y-a.y)*(p.x-a.x) }
		const n = 120
		in := 0
		for i := range n {
			for j := range n {
				p := point{(float64(i) + 0.5) / n, (float64(j) + 0.5) / n}
				s0, s1, s2 := side(tri[0], tri[1], p), side(tri[1], tri[2], p), side(tri[2], tri[0], p)
				if s0 >= 0 && s1 >= 0 && s2 >= 0 || s0 <= 0 && s1 <= 0 && s2 <= 0 {
					in++
				}
			}
		}
		// The border crosses at most 4·n of the cells, and errs by half of each.
		if got, want := area(clipPolygon(tri, unitSquare)), float64(in)/(n*n); math.Abs(got-want) > 2.0/n {
			t.Fatalf("area %v, want %v", got, want)
		}
	})
}

// Thinning keeps order, the ends and, in each quarter point, the extremes.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		var path []point
		x := 0.0
		for range n {
			x += rapid.Float64Range(0, 0.2).Draw(t, "dx")
			path = append(path, point{x, rapid.Float64Range(0, 9).Draw(t, "y")})
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
		low := func(s []point) map[float64][2]float64 {
			out := map[float64][2]float64{}
			for _, p := range s {
				c := math.Floor(p.x / 0.25)
				v, ok := out[c]
				if !ok {
					v = [2]float64{p.y, p.y}
				}
				out[c] = [2]float64{min(v[0], p.y), max(v[1], p.y)}
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

// Bars of one category stand side by side, published ones right of ours, and
// points on the bar of their colour.
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
