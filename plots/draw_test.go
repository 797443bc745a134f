package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// recorder is a canvas that records what is drawn.
type recorder struct {
	turn    float64 // rotation of the page in radians, counterclockwise
	color   color.Color
	strokes []recorded
	fills   []recorded
	texts   []recordedText
}

type recorded struct {
	points []vg.Point
	color  color.Color
}

type recordedText struct {
	text    string
	corners []vg.Point
}

func (r *recorder) SetLineWidth(vg.Length)              {}
func (r *recorder) SetLineDash([]vg.Length, vg.Length)  {}
func (r *recorder) SetColor(c color.Color)              { r.color = c }
func (r *recorder) Rotate(rad float64)                  { r.turn += rad }
func (r *recorder) Translate(vg.Point)                  { panic("not used") }
func (r *recorder) Scale(x, y float64)                  { panic("not used") }
func (r *recorder) DrawImage(vg.Rectangle, image.Image) { panic("not used") }
func (r *recorder) Push()                               {}
func (r *recorder) Pop()                                { r.turn = 0 }
func (r *recorder) Stroke(p vg.Path)                    { r.strokes = append(r.strokes, r.part(p)) }
func (r *recorder) Fill(p vg.Path)                      { r.fills = append(r.fills, r.part(p)) }

func (r *recorder) part(p vg.Path) recorded {
	out := recorded{color: r.color}
	for _, c := range p {
		if c.Type != vg.CloseComp {
			out.points = append(out.points, c.Pos)
		}
	}
	return out
}

// FillString records the box around the text: from its start to its end, and from slightly below the baseline to the
// height of capitals.
func (r *recorder) FillString(f font.Face, at vg.Point, s string) {
	sin, cos := math.Sincos(r.turn)
	t := recordedText{text: s}
	for _, c := range corners(vg.Rectangle{
		Min: at.Add(vg.Point{Y: -0.16 * f.Font.Size}),
		Max: at.Add(vg.Point{X: f.Width(s) - 0.02, Y: capHeight * f.Font.Size}),
	}) {
		t.corners = append(t.corners,
			vg.Point{X: c.X*vg.Length(cos) - c.Y*vg.Length(sin), Y: c.X*vg.Length(sin) + c.Y*vg.Length(cos)})
	}
	r.texts = append(r.texts, t)
}

// record draws the figure. It returns the layout, the panels with their data areas, and the recorder.
func record(t testing.TB, f *Figure) (*layout, []*pen, *recorder) {
	t.Helper()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	l, r := arrange(f), &recorder{}
	l.draw(r)
	return l, pens(l), r
}

// pens are the panels with their data areas.
func pens(l *layout) []*pen {
	var out []*pen
	page := draw.NewCanvas(&recorder{}, l.width, l.height)
	for i, row := range plot.Align(l.grid, l.tiles, page) {
		for j, tile := range row {
			if p := l.grid[i][j]; p != nil {
				out = append(out, &pen{Canvas: p.DataCanvas(tile), panel: l.panels[i*l.tiles.Cols+j]})
			}
		}
	}
	return out
}

// holds reports whether the point is in the rectangle, up to rounding.
func holds(r vg.Rectangle, p vg.Point) bool {
	c := draw.Canvas{Rectangle: grown(r, 0.011)}
	return c.Contains(p)
}

// apart reports whether a line separates two convex shapes. If such a line exists, a line parallel to one of their
// sides also separates them.
func apart(a, b []vg.Point) bool {
	for _, shape := range [][]vg.Point{a, b} {
		for i := range shape {
			j := (i + 1) % len(shape)
			nx, ny := shape[j].Y-shape[i].Y, shape[i].X-shape[j].X
			reach := func(s []vg.Point) (lo, hi vg.Length) {
				lo, hi = vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
				for _, p := range s {
					d := nx*p.X + ny*p.Y
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

// layoutCases returns figures for tests of the layout: the gallery and difficult cases.
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

// longWords returns figures in which every text is one long word.
func longWords() map[string]Figure {
	all := map[string]Figure{}
	for _, n := range []int{1, 41, 57, 1000} {
		word := func(i int) string { return fmt.Sprintf("%s-%d.txt", strings.Repeat("W", n), i) }
		for columns := 1; columns <= 4; columns++ {
			for places := 1; places <= 9; places += 4 {
				bars := Panel{Title: word(0), X: Axis{Label: word(1), Unit: word(2), Scale: Categorical},
					Y: Axis{Label: word(3), Scale: Linear, Ticks: []Tick{{0, word(4)}, {1, word(5)}}}}
				heat := Panel{X: bars.X, Y: Axis{Label: word(6), Scale: Categorical},
					Heat: &Heat{Label: word(7), Z: []Values{{}}}}
				s := Series{Name: word(8), Style: Bar}
				for i := range places {
					bars.X.Categories = append(bars.X.Categories, word(i))
					s.X, s.Y = append(s.X, float64(i)), append(s.Y, 1)
					heat.Heat.Z[0] = append(heat.Heat.Z[0], float64(i))
				}
				bars.Series, heat.X, heat.Y.Categories = []Series{s}, bars.X, []string{word(9)}
				for kind, p := range map[string]Panel{"bars": bars, "heat": heat} {
					f := Figure{Title: word(10), Footnote: word(11), Columns: columns,
						Panels: slices.Repeat([]Panel{p}, 2*columns)}
					all[fmt.Sprintf("%s with words of %d letters at %d places in %d columns", kind, n, places,
						columns)] = f
				}
			}
		}
	}
	return all
}

// Labels are shortened in such a way that they still differ.
func TestShorten(t *testing.T) {
	style := lettering(tickSize, ink)
	width := style.Width("abcdefghij")
	for _, x := range []struct{ texts, want []string }{
		{[]string{"short", "abcdefghij"}, []string{"short", "abcdefghij"}},
		{[]string{"aaaaaaaaaaaaaa8.txt", "aaaaaaaaaaaaaa9.txt"}, []string{"aa…aa8.txt", "aa…aa9.txt"}},
		{[]string{"x1aaaaaaaaaaaaaaaaaaaa", "x2aaaaaaaaaaaaaaaaaaaa"}, []string{"x1…aaaaa", "x2…aaaaa"}},
	} {
		got := shorten(x.texts, width, style)
		for i, s := range got {
			if style.Width(s) > width || strings.Contains(s, "…") != (s != x.texts[i]) {
				t.Errorf("%q", s)
			}
		}
		if distinct := len(slices.Compact(slices.Clone(got))); distinct != len(x.texts) {
			t.Errorf("%q of %q", got, x.texts)
		}
	}
}

// No text leaves the page, and no text covers another.
func TestTextsFit(t *testing.T) {
	cases := layoutCases(t)
	maps.Copy(cases, longWords())
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		f := cases[name]
		l, _, r := record(t, &f)
		for i, a := range r.texts {
			for _, p := range a.corners {
				if p.X < 0 || p.Y < 0 || p.X > l.width || p.Y > l.height {
					t.Errorf("%s: %q leaves the page at %.1f, %.1f", name, a.text, p.X, p.Y)
					break
				}
			}
			for _, b := range r.texts[:i] {
				if !apart(a.corners, b.corners) {
					t.Errorf("%s: %q covers %q", name, a.text, b.text)
				}
			}
		}
	}
}

// A dashed line in the legend shows three periods of its dashes.
func TestDashesInLegend(t *testing.T) {
	for _, c := range []struct {
		dash []vg.Length
		want vg.Length
	}{{nil, 19}, {publishedDash, 19}, {forms[3], 29}} { // 3·(7+2)+2
		if got := (entry{series: &Series{}, look: look{dash: c.dash}}).width(); got != c.want {
			t.Errorf("dashes %v: width %v, want %v", c.dash, got, c.want)
		}
	}
}

// The legend is above all data areas, which have the requested height and do not overlap.
func TestLegendIsClearOfData(t *testing.T) {
	for name, f := range layoutCases(t) {
		l := arrange(&f)
		list := pens(l)
		for i, a := range list {
			if top := l.height - a.Max.Y; l.legend.top+l.legend.height > top {
				t.Errorf("%s: the legend ends at %v, panel %d starts at %v", name, l.legend.top+l.legend.height, i, top)
			}
			size, first := a.Rectangle.Size(), list[0].Rectangle.Size()
			if size.X < 40 {
				t.Errorf("%s: panel %d is %v wide", name, i, size.X)
			}
			if d := size.Sub(first); d.Dot(d) > 1e-9 || f.PanelHeight > 0 &&
				math.Abs(float64(size.Y)-f.PanelHeight) > 1e-6 {
				t.Errorf("%s: panel %d is %v large, the first %v", name, i, size, first)
			}
			for j, b := range list[:i] {
				if overlap(a.Rectangle, b.Rectangle) {
					t.Errorf("%s: panels %d and %d overlap", name, i, j)
				}
			}
		}
	}
}

// Data is drawn within the frame, except the outer halves of marks on the frame.
func TestDataStaysInFrame(t *testing.T) {
	f := demoIncast()
	for i := range f.Panels[0].Series {
		s := &f.Panels[0].Series[i]
		s.Lo, s.Hi = slices.Clone(s.Y), slices.Clone(s.Y)
		for j := range s.Hi {
			s.Hi[j] += 60e9
		}
	}
	f.Panels[0].Y.Min = At(20e9)
	_, list, r := record(t, &f)
	d := list[0].Rectangle
	for _, part := range append(r.strokes, r.fills...) {
		if part.color != hues[0] || part.points[0].Y > d.Max.Y+6 {
			continue // the mark is not data, or it is the sample in the legend
		}
		frame := d
		if len(part.points) == 3 {
			frame = grown(d, 2.3) // an arrowhead
		}
		for _, p := range part.points {
			if !holds(frame, p) {
				t.Fatalf("drawn at %v, outside %v", p, d)
			}
		}
	}
}

// Equal figures have equal bytes, except for the date of a PDF.
func TestSameBytesTwice(t *testing.T) {
	all := gallery(t)
	for _, name := range []string{"slowdown", "bars", "heat", "decode", "palette"} {
		for _, format := range []string{"svg", "png"} {
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

// A published series has dashes, hollow marks, and the colour of our series.
func TestPublishedLook(t *testing.T) {
	x, y := Values{1, 2, 3}, Values{1, 2, 3}
	f := Figure{Panels: []Panel{{
		X: Axis{Scale: Linear}, Y: Axis{Scale: Linear},
		Series: []Series{
			{Name: "PINT", Style: Line, X: x, Y: y},
			{Name: "INT", Style: Line, X: x, Y: Values{3, 2, 1}},
			{Name: "PINT", Style: Line, X: x, Y: y, Published: true},
		},
	}}}
	_, list, r := record(t, &f)
	ours, theirs := list[0].looks.of(&f.Panels[0].Series[0]), list[0].looks.of(&f.Panels[0].Series[2])
	if ours.color != theirs.color || ours.shape != theirs.shape {
		t.Errorf("ours is %v, published %v", ours, theirs)
	}
	if ours.hollow || ours.dash != nil || !theirs.hollow || theirs.dash == nil {
		t.Errorf("ours is %v, published %v", ours, theirs)
	}
	var legend []string
	for _, s := range r.texts[:3] {
		legend = append(legend, s.text)
	}
	if want := []string{"PINT", "PINT, published", "INT"}; !slices.Equal(legend, want) {
		t.Errorf("legend %q, want %q", legend, want)
	}
}

// A curve that lies beneath later curves is wider than these, whether one curve covers it or several do. Visible
// curves have no rim. Curves beneath published values have no rim either, because they are visible between the
// dashes.
func TestRims(t *testing.T) {
	flat, half := Values{1, 1, 1, 1, 1}, Values{1, 1, 1, 5, 9}
	nan := math.NaN()
	for name, tt := range map[string]struct {
		y         []Values
		published int // number of the published series, from 1; 0 for none
		want      []vg.Length
	}{
		"apart":               {[]Values{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}}, 0, []vg.Length{0, 0}},
		"one place":           {[]Values{flat, flat, flat}, 0, []vg.Length{3.6, 1.8, 0}},
		"six":                 {[]Values{flat, flat, flat, flat, flat, flat}, 0, []vg.Length{6, 4.8, 3.6, 2.4, 1.2, 0}},
		"apart in the end":    {[]Values{half, flat}, 0, []vg.Length{0, 0}},
		"beneath two":         {[]Values{flat, {1, 1, 1, nan, nan}, {nan, nan, 1, 1, 1}}, 0, []vg.Length{1.8, 0, 0}},
		"covers half":         {[]Values{flat, half}, 0, []vg.Length{0, 0}},
		"beneath a published": {[]Values{flat, flat}, 2, []vg.Length{0, 0}},
	} {
		f := Figure{Panels: []Panel{{X: Axis{Scale: Linear}, Y: Axis{Scale: Linear}}}}
		for i, y := range tt.y {
			f.Panels[0].Series = append(f.Panels[0].Series, Series{Name: string(rune('a' + i)), Style: Line,
				X: Values{0, 1, 2, 3, 4}, Y: y, Published: tt.published == i+1})
		}
		_, list, r := record(t, &f)
		for i := range f.Panels[0].Series {
			if got := list[0].rim[&f.Panels[0].Series[i]]; math.Abs(float64(got-tt.want[i])) > 1e-9 {
				t.Errorf("%s: rim %v of curve %d, want %v", name, got, i+1, tt.want[i])
			}
		}
		explained := slices.ContainsFunc(r.texts, func(s recordedText) bool { return s.text == rimText })
		if some := slices.Max(tt.want) > 0; explained != some {
			t.Errorf("%s: the legend explains wide curves: %t, want %t", name, explained, some)
		}
	}
}

// An interval that extends far beyond the data does not compress the data: the axis ends before the interval does.
func TestFarInterval(t *testing.T) {
	for scale, most := range map[Scale]float64{Linear: 6.5, Log: 20} {
		f := Figure{Panels: []Panel{{
			X: Axis{Scale: Linear}, Y: Axis{Scale: scale},
			Series: []Series{{Name: "a", Style: Line, X: Values{1, 2}, Y: Values{1, 2}, Lo: Values{0.5, 1e-9},
				Hi: Values{1.5, 1e9}}},
		}}}
		_, list, _ := record(t, &f)
		if y := list[0].y; y.hi > most || scale == Log && y.lo < 0.1 || y.hi < 6 {
			t.Errorf("%s axis from %v to %v", scale, y.lo, y.hi)
		}
	}
}

// A bar of zero is a thick line on the axis, so that it does not look like a missing bar.
func TestBarOfZero(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X:      Axis{Scale: Categorical, Categories: []string{"a", "b", "c"}},
		Y:      Axis{Scale: Linear},
		Series: []Series{{Name: "s", Style: Bar, X: Values{0, 1, 2}, Y: Values{0, 3, math.NaN()}}},
	}}}
	_, list, r := record(t, &f)
	foot, seen := list[0].spot(0, 0), 0
	for _, s := range r.strokes {
		if of := s.points; s.color == hues[0] && len(of) == 2 {
			if seen++; math.Abs(float64(of[0].Y-foot.Y)) > 0.01 || of[0].X >= foot.X || of[1].X <= foot.X {
				t.Errorf("the bar of zero is at %v, want it around %v", of, foot)
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d bars of zero, want 1", seen)
	}
}

// chevrons returns the tips of chevrons of a colour.
func (r *recorder) chevrons(c color.NRGBA) (tips []vg.Point) {
	for _, s := range r.strokes {
		p := s.points
		if s.color == c && len(p) == 3 && math.Hypot(float64(p[0].X-p[2].X), float64(p[0].Y-p[2].Y)) < 5 {
			tips = append(tips, p[1])
		}
	}
	return tips
}

// Data beyond a fixed end of an axis is not dropped silently: each part of a series that is beyond the end has a
// chevron on the frame.
func TestChevrons(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X:      Axis{Scale: Linear},
		Y:      Axis{Scale: Linear, Min: At(0), Max: At(10)},
		Series: []Series{{Name: "a", Style: Line, X: Values{0, 1, 2, 3, 4, 5, 6}, Y: Values{5, 20, 30, 5, 5, -9, 5}}},
	}}}
	_, list, r := record(t, &f)
	p := list[0]
	tips := r.chevrons(hues[0])
	want := []vg.Point{{X: p.spot(2, 0).X, Y: p.Max.Y}, {X: p.spot(5, 0).X, Y: p.Min.Y}}
	near := func(a, b vg.Point) bool { d := a.Sub(b); return d.Dot(d) < 1e-3 }
	if len(tips) != 2 || !near(tips[0], want[0]) || !near(tips[1], want[1]) {
		t.Errorf("chevrons at %v, want %v", tips, want)
	}
}

// Zeros and values below a fixed end are in a strip below a logarithmic axis. In the strip, the chevrons of two
// series are side by side. The ticks and the legend explain the strip.
func TestStripBelowLogAxis(t *testing.T) {
	for _, tt := range []struct {
		min          *float64
		tick, legend string
	}{{nil, "0", "zero"}, {At(0.5), "<0.5", "zero or off the axis"}} {
		f := Figure{Panels: []Panel{{X: Axis{Scale: Linear}, Y: Axis{Scale: Log, Min: tt.min}, Series: []Series{
			{Name: "a", Style: Line, X: Values{0, 1, 2}, Y: Values{0.1, 10, 0}},
			{Name: "b", Style: Line, X: Values{0, 1, 2}, Y: Values{1, 20, 0}}}}}}
		_, list, r := record(t, &f)
		p := list[0]
		if got := p.y.ticks[len(p.y.ticks)-1].Label; got != tt.tick {
			t.Errorf("the strip is labelled %q, want %q", got, tt.tick)
		}
		a, b := r.chevrons(hues[0]), r.chevrons(hues[1])
		if want := map[bool]int{true: 1, false: 2}[tt.min == nil]; len(a) != want || len(b) != 1 {
			t.Fatalf("%d and %d chevrons, want %d and 1", len(a), len(b), want)
		}
		last := a[len(a)-1]
		if last.Y != b[0].Y || last.X >= b[0].X || last.Y <= p.Min.Y || last.Y >= p.Canvas.Y(p.y.at(p.y.lo)) {
			t.Errorf("chevrons at %v and %v", last, b[0])
		}
		if svg := string(written(t, &f, "svg")); !strings.Contains(svg, ">"+tt.legend+"<") {
			t.Errorf("no %q in the legend", tt.legend)
		}
	}
}

// An interval that reaches below zero ends at the end of a logarithmic axis and has no cap there.
func TestIntervalBelowLogAxis(t *testing.T) {
	f := simple()
	f.Panels[0].Y.Scale = Log
	s := &f.Panels[0].Series[0]
	s.Lo, s.Hi = Values{-1, 0}, Values{30, 40}
	_, list, r := record(t, &f)
	d := list[0].Rectangle
	if y := list[0].y; y.lo != 2 || y.hi != 50 {
		t.Errorf("axis from %v to %v, want 2 to 50", y.lo, y.hi)
	}
	touches := 0
	for _, part := range append(r.strokes, r.fills...) {
		for _, p := range part.points {
			if part.color == hues[0] && p.Y < d.Max.Y+5 && !holds(grown(d, 2.3), p) {
				t.Errorf("drawn at %v, outside %v", p, d)
			}
			if part.color == hues[0] && math.Abs(float64(p.Y-d.Min.Y)) < 0.011 {
				touches++
			}
		}
	}
	if touches != 4 { // two intervals and two chevrons
		t.Errorf("reaches the end of the axis in %d points, want 4", touches)
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
	_, list, r := record(t, &f)
	found := 0
	for _, text := range r.texts {
		if text.text != "the middle" && text.text != "again" {
			continue
		}
		found++
		for _, s := range list[0].segments() {
			if !apart(text.corners, s) {
				t.Fatalf("%q covers the line at %v", text.text, s)
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
