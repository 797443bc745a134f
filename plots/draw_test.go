package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/plots/internal/canvas"
)

// recorder is a canvas that remembers what was drawn.
type recorder struct {
	strokes []recorded
	fills   []recorded
	texts   []canvas.Text
}

type recorded struct {
	points []canvas.Point
	look   canvas.Stroke
}

func (r *recorder) Stroke(points []canvas.Point, _ bool, s canvas.Stroke) {
	r.strokes = append(r.strokes, recorded{points, s})
}

func (r *recorder) Fill(points []canvas.Point, c color.NRGBA) {
	r.fills = append(r.fills, recorded{points, canvas.Stroke{Color: c}})
}

func (r *recorder) Text(t canvas.Text) { r.texts = append(r.texts, t) }

func (r *recorder) WriteTo(io.Writer) (int64, error) { return 0, nil }

func record(t testing.TB, f *Figure) (*layout, *recorder) {
	t.Helper()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	l, r := arrange(f), &recorder{}
	l.draw(r)
	return l, r
}

// corners are the corners of the box around a text: from its start to its end,
// from a little below the baseline to the height of capitals.
func corners(t canvas.Text) []point {
	w := canvas.Width(t.S, t.Size, t.Bold)
	sin, cos := math.Sincos(t.Turn * math.Pi / 180)
	var out []point
	for _, c := range [][2]float64{{0, -0.16}, {w, -0.16}, {w, canvas.CapHeight}, {0, canvas.CapHeight}} {
		along, up := c[0], c[1]
		if c[0] == 0 || c[0] == w {
			up *= t.Size
		}
		out = append(out, point{t.At.X + along*cos - up*sin, t.At.Y - along*sin - up*cos})
	}
	return out
}

// apart reports whether a line separates two convex shapes (it is then parallel
// to one of their sides).
func apart(a, b []point) bool {
	for _, shape := range [][]point{a, b} {
		for i := range shape {
			j := (i + 1) % len(shape)
			nx, ny := shape[j].y-shape[i].y, shape[i].x-shape[j].x
			reach := func(s []point) (lo, hi float64) {
				lo, hi = math.Inf(1), math.Inf(-1)
				for _, p := range s {
					d := nx*p.x + ny*p.y
					lo, hi = min(lo, d), max(hi, d)
				}
				return lo, hi
			}
			alo, ahi := reach(a)
			blo, bhi := reach(b)
			if ahi <= blo || bhi <= alo {
				return true
			}
		}
	}
	return false
}

// figures for the layout: the gallery and what strains it.
func layoutCases(t testing.TB) map[string]Figure {
	all := gallery(t)
	for _, name := range []string{"slowdown", "bars", "heat", "decode"} {
		for _, width := range []float64{170, 252, 700} {
			f := all[name]
			f.Width = width
			if width < 200 {
				f.Columns = 1
			}
			all[fmt.Sprintf("%s at %v", name, width)] = f
		}
	}
	long := all["bars"]
	long.Title = strings.Repeat("A title that runs over several lines of the page. ", 4)
	long.Footnote = strings.Repeat("Supercalifragilistic", 20)
	long.Panels = slices.Clone(long.Panels)
	long.Panels[0].Y.Label = strings.Repeat("a long label ", 6)
	long.Panels[0].X.Label = strings.Repeat("another long label ", 6)
	long.Panels[0].X.Categories = []string{"a category with a long name", "another one", "x"}
	all["long texts"] = long
	for i, n := range []int{1, 2, 4, 5} {
		f := all["fctcdf"]
		f.Panels = slices.Repeat(f.Panels, n)
		f.Title = ""
		f.Width = []float64{0, 0, 516, 600}[i]
		all[fmt.Sprintf("%d panels", n)] = f
	}
	return all
}

// No text leaves the page, and no text covers another.
func TestTextsFit(t *testing.T) {
	cases := layoutCases(t)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		f := cases[name]
		l, r := record(t, &f)
		for i, a := range r.texts {
			for _, p := range corners(a) {
				if p.x < 0 || p.y < 0 || p.x > l.width || p.y > l.height {
					t.Errorf("%s: %q leaves the page at %.1f, %.1f", name, a.S, p.x, p.y)
					break
				}
			}
			for _, b := range r.texts[:i] {
				if !apart(corners(a), corners(b)) {
					t.Errorf("%s: %q covers %q", name, a.S, b.S)
				}
			}
		}
	}
}

// The legend stands above every data area, and data areas do not overlap.
func TestLegendIsClearOfData(t *testing.T) {
	for name, f := range layoutCases(t) {
		l := arrange(&f)
		for i, a := range l.panels {
			if l.legend.top+l.legend.height > a.data.y0 {
				t.Errorf("%s: the legend ends at %v, panel %d starts at %v", name, l.legend.top+l.legend.height, i, a.data.y0)
			}
			if a.data.width() < 40 {
				t.Errorf("%s: panel %d is %v wide", name, i, a.data.width())
			}
			for j, b := range l.panels[:i] {
				if a.data.x0 < b.data.x1 && b.data.x0 < a.data.x1 && a.data.y0 < b.data.y1 && b.data.y0 < a.data.y1 {
					t.Errorf("%s: panels %d and %d overlap", name, i, j)
				}
			}
		}
	}
}

// Nothing of the data is drawn beyond the frame but the halves of marks on it.
func TestDataStaysInFrame(t *testing.T) {
	f := demoIncast(t)
	for i := range f.Panels[0].Series {
		s := &f.Panels[0].Series[i]
		s.Interval = Band
		s.Lo, s.Hi = slices.Clone(s.Y), slices.Clone(s.Y)
		for j := range s.Hi {
			s.Hi[j] += 60e9
		}
	}
	f.Panels[0].Y.Min = At(20e9)
	l, r := record(t, &f)
	d := l.panels[0].data
	for _, part := range append(r.strokes, r.fills...) {
		if c := part.look.Color; c != hues[0] && c != fade(hues[0], bandAlpha) || part.points[0].Y < d.y0-6 {
			continue // not data, or the sample in the legend
		}
		frame := d
		if len(part.points) == 3 {
			frame = d.grown(2.3) // an arrowhead
		}
		for _, p := range part.points {
			if !frame.holds(point{p.X, p.Y}) {
				t.Fatalf("drawn at %v, outside %v", p, d)
			}
		}
	}
}

// Equal figures give equal bytes.
func TestSameBytesTwice(t *testing.T) {
	all := gallery(t)
	for _, name := range []string{"slowdown", "bars", "heat", "decode", "box", "palette"} {
		for _, format := range formats {
			var a, b bytes.Buffer
			for _, w := range []*bytes.Buffer{&a, &b} {
				f := all[name]
				if err := Write(&f, format, w); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s.%s differs from itself", name, format)
			}
		}
	}
}

// A published series has the colour of its counterpart, dashes and hollow marks.
func TestPublishedLook(t *testing.T) {
	x, y := Values{1, 2, 3}, Values{1, 2, 3}
	f := Figure{Panels: []Panel{{
		X: Axis{Scale: Linear}, Y: Axis{Scale: Linear},
		Series: []Series{
			{Name: "PINT", Style: Line, X: x, Y: y},
			{Name: "INT", Style: Line, X: x, Y: y},
			{Name: "PINT", Style: Line, X: x, Y: y, Published: true},
		},
	}}}
	l, r := record(t, &f)
	ours, theirs := l.looks.of(&f.Panels[0].Series[0]), l.looks.of(&f.Panels[0].Series[2])
	if ours.color != theirs.color || ours.shape != theirs.shape {
		t.Errorf("ours is %v, published %v", ours, theirs)
	}
	if ours.hollow || ours.dash != nil || !theirs.hollow || theirs.dash == nil {
		t.Errorf("ours is %v, published %v", ours, theirs)
	}
	var legend []string
	for _, s := range r.texts[:3] {
		legend = append(legend, s.S)
	}
	if want := []string{"PINT", "PINT, published", "INT"}; !slices.Equal(legend, want) {
		t.Errorf("legend %q, want %q", legend, want)
	}
}

// What lies beyond a fixed end is not dropped in silence: an arrowhead on the
// frame shows each stretch.
func TestArrowheads(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X:      Axis{Scale: Linear},
		Y:      Axis{Scale: Linear, Min: At(0), Max: At(10)},
		Series: []Series{{Name: "a", Style: Line, X: Values{0, 1, 2, 3, 4, 5, 6}, Y: Values{5, 20, 30, 5, 5, -9, 5}}},
	}}}
	l, r := record(t, &f)
	d := l.panels[0].data
	var tips []point
	for _, fill := range r.fills {
		if fill.look.Color == hues[0] && len(fill.points) == 3 {
			tips = append(tips, point{fill.points[0].X, fill.points[0].Y})
		}
	}
	p := &l.panels[0]
	want := []point{{p.spot(2, 0).x, d.y0}, {p.spot(5, 0).x, d.y1}}
	if len(tips) != 2 || math.Hypot(tips[0].x-want[0].x, tips[0].y-want[0].y) > 1e-9 || math.Hypot(tips[1].x-want[1].x, tips[1].y-want[1].y) > 1e-9 {
		t.Errorf("arrowheads at %v, want %v", tips, want)
	}
}

// An interval that reaches below zero ends, without a cap, at the end of a
// logarithmic axis.
func TestIntervalBelowLogAxis(t *testing.T) {
	for _, interval := range []Interval{ErrorBars, Band} {
		f := simple()
		f.Panels[0].Y.Scale = Log
		s := &f.Panels[0].Series[0]
		s.Lo, s.Hi, s.Interval = Values{-1, 0}, Values{30, 40}, interval
		l, r := record(t, &f)
		d := l.panels[0].data
		if y := l.panels[0].y; y.lo != 2 || y.hi != 50 {
			t.Errorf("axis from %v to %v, want 2 to 50", y.lo, y.hi)
		}
		touches := 0
		for _, part := range append(r.strokes, r.fills...) {
			data := part.look.Color == hues[0] || part.look.Color == fade(hues[0], bandAlpha)
			for _, p := range part.points {
				if data && p.Y > d.y0-5 && !d.grown(2.3).holds(point{p.X, p.Y}) {
					t.Errorf("%s: drawn at %v, outside %v", interval, p, d)
				}
				if data && math.Abs(p.Y-d.y1) < 1e-9 {
					touches++
				}
			}
		}
		if touches != 2 {
			t.Errorf("%s: reaches the end of the axis in %d points, want 2", interval, touches)
		}
	}
}

// A note moves away from the data.
func TestNotesAvoidData(t *testing.T) {
	var x, y Values
	for i := range 200 {
		x, y = append(x, float64(i)), append(y, float64(i))
	}
	f := Figure{Panels: []Panel{{
		X: Axis{Scale: Linear}, Y: Axis{Scale: Linear},
		Series: []Series{{Name: "a", Style: Trace, X: x, Y: y}},
		Notes:  []Note{{X: 100, Y: 100, Text: "the middle"}, {X: 100, Y: 100, Text: "again"}},
	}}}
	l, r := record(t, &f)
	p := &l.panels[0]
	found := 0
	for _, text := range r.texts {
		if text.S != "the middle" && text.S != "again" {
			continue
		}
		found++
		box := corners(text)
		for _, s := range p.segments() {
			if !apart(box, s[:]) {
				t.Fatalf("%q covers the line at %v", text.S, s)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d notes drawn, want 2", found)
	}
}

func BenchmarkWrite(b *testing.B) {
	f := demoSlowdown(b)
	for _, format := range formats {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Write(&f, format, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
