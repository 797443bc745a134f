package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how a series appears, the same in all panels and in the legend.
type look struct {
	color  color.NRGBA
	shape  int
	dash   []vg.Length
	width  vg.Length
	hollow bool
	second bool // the colour is there a second time
}

var (
	publishedDash = []vg.Length{3.2, 1.8}
	dashes        = map[Pattern][]vg.Length{
		Solid:   nil,
		Dotted:  {0.9, 1.5},
		DashDot: {5, 1.4, 1, 1.4},
	}
)

// looks gives each colour key of the figure its place among the hues.
type looks map[string]int

// newLooks gives out the places: first those that series ask for, then the first ones that are free.
func newLooks(f *Figure) looks {
	l, taken := looks{}, map[int]bool{}
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			if _, placed := l[s.hue()]; !placed && s.Place > 0 && !taken[s.Place-1] && !s.Muted {
				l[s.hue()], taken[s.Place-1] = s.Place-1, true
			}
		}
	}
	free := 0
	for _, hue := range f.hueOrder() {
		if _, placed := l[hue]; placed {
			continue
		}
		for taken[free] {
			free++
		}
		l[hue], taken[free] = free, true
	}
	return l
}

func (l looks) of(s *Series) look {
	if s.Muted {
		return look{color: axisGrey, dash: dashes[s.Pattern], width: 0.5}
	}
	i := l[s.hue()]
	out := look{
		color:  hues[i%len(hues)],
		shape:  (i + 3*(i/len(hues))) % len(hues), // another one when a colour comes again
		dash:   dashes[s.Pattern],
		width:  1.25,
		hollow: s.Published,
		second: i >= len(hues),
	}
	if out.second && s.Pattern == Solid {
		out.dash = dashes[DashDot]
	}
	if s.Style == Trace || s.Style == Step {
		out.width = 1.1
	}
	if s.Published {
		out.width = 0.9
		if s.Pattern == Solid {
			out.dash = publishedDash
		}
	}
	return out
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dash}
}
