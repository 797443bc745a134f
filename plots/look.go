package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is the appearance of a series. It is the same in all panels and in the legend.
type look struct {
	color  color.NRGBA
	hue    int // the number of the colour
	form   int // number of the form of the colour, from 0; each form has its own marker, dashes and hatch
	shape  int
	dash   []vg.Length
	width  vg.Length
	hollow bool
}

var (
	publishedDash = []vg.Length{3.2, 1.8}
	dashes        = map[Pattern][]vg.Length{
		Solid:   nil,
		Dotted:  {0.9, 1.5},
		DashDot: {5, 1.4, 1, 1.4},
	}
	// forms are the line styles of the forms of a colour. After the last form, the first form is used again.
	forms = [...][]vg.Length{nil, dashes[DashDot], dashes[Dotted], {7, 2}, {5, 1.2, 1, 1.2, 1, 1.2}}
)

// placeOf returns the index of a Look. The hues in their first form come first, then the hues in the second form,
// and so on. The index of the empty Look is -1. An unknown Look is an error.
func placeOf(look string) (int, error) {
	if look == "" {
		return -1, nil
	}
	hue, form, numbered := strings.Cut(look, " ")
	i, n := slices.Index(hueNames[:], hue), 1
	if numbered {
		n, _ = strconv.Atoi(form)
	}
	if i < 0 || n < 1 || n > len(shapes) {
		return -1, fmt.Errorf("look %q, want one of %q, or one with a form, such as "+
			"%q", look, hueNames, hueNames[0]+" 2")
	}
	return i + len(hues)*(n-1), nil
}

// looks maps the name of each series, or its colour key, to the index of its look.
type looks map[string]int

// newLooks assigns looks. The looks that series request come first. The other series then get the first free looks.
func newLooks(f *Figure) looks {
	l, taken := looks{}, map[int]string{} // names of the series that have taken each look
	give := func(s *Series, key string, place int) {
		if by, is := taken[place]; l.place(s) < 0 && !s.Muted && (!is || by == s.hue()) {
			l[key], taken[place] = place, s.hue()
		}
	}
	all := func(do func(*Series)) {
		for i := range f.Panels {
			for j := range f.Panels[i].Series {
				do(&f.Panels[i].Series[j])
			}
		}
	}
	all(func(s *Series) {
		if place, _ := placeOf(s.Look); place >= 0 { // Validate has reported errors
			give(s, s.Name, place)
		}
	})
	all(func(s *Series) {
		for free := 0; l.place(s) < 0 && !s.Muted; free++ {
			give(s, s.hue(), free)
		}
	})
	return l
}

// place returns the index of the look of a series. It is -1 if the series has no look yet.
func (l looks) place(s *Series) int {
	for _, key := range []string{s.Name, s.hue()} {
		if i, placed := l[key]; placed {
			return i
		}
	}
	return -1
}

// marked reports whether the line of a series has a few marks. A trace has marks if the figure has other series,
// because the traces must be distinguished.
func (l looks) marked(s *Series) bool { return s.Style == Step || s.Style == Trace && len(l) > 1 }

func (l looks) of(s *Series) look {
	if s.Muted {
		return look{color: axisGrey, dash: dashes[s.Pattern], width: 0.5}
	}
	i := l.place(s)
	form := i / len(hues)
	out := look{
		color:  hues[i%len(hues)],
		hue:    i % len(hues),
		form:   form,
		shape:  (i + 3*form) % len(shapes), // each form of a colour has another shape
		dash:   forms[form%len(forms)],
		width:  1.25,
		hollow: s.Published,
	}
	if s.Pattern != Solid {
		out.dash = dashes[s.Pattern]
	}
	if s.Style == Trace || s.Style == Step {
		out.width = 1.1
	}
	if s.Published {
		out.width = 0.9
		if out.dash == nil {
			out.dash = publishedDash
		}
	}
	return out
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dash}
}

// rimmed returns two lines for a curve that lies beneath other curves. The first is in the colour of the paper,
// because the curve may itself lie on other curves. The second is in the colour of the curve.
func (l look) rimmed(rim vg.Length) []draw.LineStyle {
	l.width += rim
	under := l
	under.color, l.color = paper, fade(l.color, rimAlpha)
	return []draw.LineStyle{under.line(), l.line()}
}
