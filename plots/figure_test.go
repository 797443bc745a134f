package plots

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/internal/errtest"
)

func simple() Figure {
	return Figure{Panels: []Panel{{
		X:      Axis{Scale: Linear},
		Y:      Axis{Scale: Linear},
		Series: []Series{{Name: "a", Style: Line, X: Values{1, 2}, Y: Values{3, 4}}},
	}}}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(f *Figure, p *Panel, s *Series)
		want string
	}{
		{"title", func(f *Figure, p *Panel, s *Series) { f.Title = "a\nb" }, `Title: "a\nb" has a control character`},
		{"utf", func(f *Figure, p *Panel, s *Series) { p.X.Label = "\xc3" },
			`Panels[0].X.Label: "\xc3" is not valid UTF-8`},
		{"no categories", func(f *Figure, p *Panel, s *Series) { p.X.Scale = Categorical; s.X = Values{0, 0} },
			"panel 0: x axis: the axis is categorical but has no categories\n" +
				"panel 0: series 0 (\"a\"): x 0: category 0, want 0 to -1"},
		{"sizes", func(f *Figure, p *Panel, s *Series) { p.X = Axis{Scale: SizeBuckets, Sizes: []float64{0, 5, 4}} },
			"panel 0: x axis: size 2 … 4, … sizes … ascending order"},
		{"few sizes", func(f *Figure, p *Panel, s *Series) { p.X = Axis{Scale: SizeBuckets, Sizes: []float64{0}} },
			"panel 0: x axis: 1 size, want at least 2 (at 0 % and at 100 % of the flows)"},
		{"share", func(f *Figure, p *Panel, s *Series) {
			p.X = Axis{Scale: SizeBuckets, Sizes: []float64{0, 5}}
			s.X = Values{50, 101}
		}, `panel 0: series 0 ("a"): x 1: 101 % of the flows, want 0 to 100`},
		{"ends", func(f *Figure, p *Panel, s *Series) { p.Y.Min, p.Y.Max = At(2), At(1) },
			"panel 0: y axis: min 2 … max 1"},
		{"infinite end", func(f *Figure, p *Panel, s *Series) { p.Y.Max = At(math.Inf(1)) }, "panel 0: y axis: max = " +
			"+Inf, want a number up to 1e+100"},
		{"close ends", func(f *Figure, p *Panel, s *Series) { p.Y.Min, p.Y.Max = At(1e17), At(1e17+16) },
			"panel 0: y axis: min 1e+17 … max 1.0000000000000002e+17 … close … ticks … them"},
		{"huge", func(f *Figure, p *Panel, s *Series) { s.Y = Values{1, 1e300} },
			`panel 0: series 0 ("a"): y 1: 1e+300 … large to draw, … 1e+100`},
		{"tiny", func(f *Figure, p *Panel, s *Series) { p.Y.Scale, s.Y = Log, Values{1, 1e-300} },
			`panel 0: series 0 ("a"): y 1: 1e-300 … small … log axis, … 1e-100`},
		{"log end", func(f *Figure, p *Panel, s *Series) { p.Y.Scale, p.Y.Min = Log, At(0) }, "panel 0: y axis: min " +
			"= 0 on a log scale, want > 0"},
		{"log negative", func(f *Figure, p *Panel, s *Series) { p.Y.Scale, s.Y = Log, Values{1, -1} },
			`panel 0: series 0 ("a"): y 1: -1 on a log axis, want > 0`},
		{"infinite", func(f *Figure, p *Panel, s *Series) { s.Y = Values{1, math.Inf(1)} },
			`panel 0: series 0 ("a"): y 1: +Inf … finite number`},
		{"x missing", func(f *Figure, p *Panel, s *Series) { s.X, s.Style = Values{1, math.NaN()}, Points },
			`panel 0: series 0 ("a"): x 1: NaN … finite number`},
		{"style", func(f *Figure, p *Panel, s *Series) { s.Style = "" },
			`panel 0: series 0 ("a"): style "", want … "line" … "span"`},
		{"empty", func(f *Figure, p *Panel, s *Series) { s.X, s.Y = nil, nil }, `panel 0: series 0 ("a"): no points`},
		{"falling", func(f *Figure, p *Panel, s *Series) { s.X = Values{2, 1} },
			`panel 0: series 0 ("a"): x must not fall along a line`},
		{"lo above hi", func(f *Figure, p *Panel, s *Series) { s.Lo, s.Hi = Values{1, 2}, Values{2, 1} },
			`panel 0: series 0 ("a"): lo 2 is above hi 1 at point 1`},
		{"note", func(f *Figure, p *Panel, s *Series) { p.Notes = []Note{{X: math.Inf(1), Text: "x"}} },
			"panel 0: note 0: x: +Inf … finite number"},
		{"line", func(f *Figure, p *Panel, s *Series) { p.Y.Scale = Log; p.Y.Lines = []RefLine{{At: -1}} },
			"panel 0: y axis: line 0: -1 on a log axis, want > 0"},
		{"no series", func(f *Figure, p *Panel, s *Series) { p.Series = nil }, "panel 0: no series"},
		{"two", func(f *Figure, p *Panel, s *Series) { f.Title, s.X, s.Y = "\xc3", nil, nil }, "Title: \"\\xc3\" is " +
			"not valid UTF-8\npanel 0: series 0 (\"a\"): no points"},
		{"heat", func(f *Figure, p *Panel, s *Series) {
			*p = Panel{X: Axis{Scale: Categorical, Categories: []string{"a"}},
				Y: Axis{Scale: Categorical, Categories: []string{"c"}}, Heat: &Heat{Z: []Values{{math.Inf(1)}}}}
		}, "panel 0: heat: row 0, column 0 is +Inf"},
		{"hues", func(f *Figure, p *Panel, s *Series) {
			p.Series = nil
			for i := range 17 {
				p.Series = append(p.Series,
					Series{Name: string(rune('a' + i)), Style: Line, X: Values{1}, Y: Values{1}})
			}
		}, "17 series … own colour, … 16 (mute … share … hue)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := simple()
			tt.edit(&f, &f.Panels[0], &f.Panels[0].Series[0])
			err := f.Validate()
			if want := "plots: bad figure: " + tt.want; !errtest.Says(err, want) {
				t.Errorf("error\n%v\nwant\n%s", err, want)
			}
		})
	}
	f := simple()
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	f := simple()
	path := filepath.Join(dir, "f.gif")
	if err := Save(&f, path); !errtest.Says(err, "plots: "+path+`: ending ".gif", want .svg, .png, .pdf, .vl.json`) {
		t.Errorf("Save as gif: %v", err)
	}
	want := `plots: format "eps", want svg, png, pdf, vl.json`
	if err := Write(&f, "eps", &bytes.Buffer{}); !errtest.Says(err, want) {
		t.Errorf("Write as eps: %v", err)
	}
	if err := Save(&f, filepath.Join(dir, "none", "f.svg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Save into no folder: %v", err)
	}
	if err := Save(&Figure{}, filepath.Join(dir, "f.svg")); err == nil {
		t.Error("an empty figure was saved")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("failed saves left %v", files)
	}
}

func TestAltText(t *testing.T) {
	f := demoBars()
	want := "Goodput gain over INT against Load for PINT, 4 % to 64 %; PINT, p = 1/16, 4 % to 52 %; PINT, " +
		"published, 5 % to 71 %."
	if got := f.AltText(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Alt = "mine"
	if got := f.AltText(); got != "mine" {
		t.Errorf("%q, want mine", got)
	}
	f = demoHeat(t)
	if got, want := f.AltText(),
		"heat map of Median relative error over Memory and Packets, from 7.3 % to 50 %."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Figures can be drawn even if floating point can hardly distinguish the data or the ends of an axis. They can also
// be drawn if the data spans most of the range of floating point.
func TestExtremeRanges(t *testing.T) {
	for _, y := range []Values{{1e17, 1e17 + 16}, {-1e100, 1e100}, {1e-100, 1e100}, {0, 1e-100}, {5, 5}, {-3, -3},
		{1, 1 + 1e-15}} {
		for _, scale := range []Scale{Linear, Log} {
			for _, end := range []*float64{nil, At(1e17), At(5), At(1e-50)} {
				if scale == Log && y[0] <= 0 {
					continue
				}
				for _, atMin := range []bool{false, true} {
					f := simple()
					a := &f.Panels[0].Y
					f.Panels[0].Series[0].Y, a.Scale = y, scale
					if atMin {
						a.Min = end
					} else {
						a.Max = end
					}
					var b bytes.Buffer
					if err := Write(&f, "svg", &b); err != nil {
						t.Fatalf("%v, %s, %v: %v", y, scale, end, err)
					}
					if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
						t.Errorf("%v, %s, %v: a coordinate is not a number", y, scale, end)
					}
				}
			}
		}
	}
}

// Series that request a look get it, and the others get the first free look. Series with the same colour key may
// request the same look.
func TestLooks(t *testing.T) {
	f := Figure{Panels: []Panel{{Series: []Series{{Name: "first"}, {Name: "third", Look: "green"}, {Name: "second"},
		{Name: "same", Hue: "third"}, {Name: "taken", Look: "green"}, {Name: "far", Look: "blue 2"},
		{Name: "near", Hue: "far", Look: "blue 2"}}}}}
	l := newLooks(&f)
	for i, want := range []int{0, 2, 1, 2, 3, 8, 8} {
		if got := l.place(&f.Panels[0].Series[i]); got != want {
			t.Errorf("%s has place %d, want %d", f.Panels[0].Series[i].Name, got, want)
		}
	}
	if far := l.of(&f.Panels[0].Series[5]); far.color != hues[0] || far.form != 1 || far.dash == nil ||
		far.shape == l.of(&f.Panels[0].Series[0]).shape {
		t.Errorf("the second form of a colour: %+v", far)
	}
}
