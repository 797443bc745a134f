package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barShare is the share of the distance between two categories that the bars take.
const barShare = 0.78

// slot is the position of a series within its category, relative to the category's middle and in units of the x axis.
type slot struct{ centre, width float64 }

// slotKey identifies a slot. Series with equal keys share the slot: points stand on the bars that have the same
// colour.
type slotKey struct {
	hue       string
	published bool
}

// slotsOf lists the slots of a panel from left to right. Published bars stand to the right of our
// bars.
func slotsOf(p *Panel) []slotKey {
	var keys []slotKey
	add := func(s *Series, key slotKey) {
		if slices.Contains(keys, key) {
			return
		}
		i := slices.IndexFunc(keys, func(k slotKey) bool { return k.hue == s.hue() })
		switch {
		case i < 0:
			keys = append(keys, key)
		case key.published:
			keys = slices.Insert(keys, i+1, key)
		default:
			keys = slices.Insert(keys, i, key)
		}
	}
	for i := range p.Series {
		if s := &p.Series[i]; s.Style == Bar {
			add(s, slotKey{s.hue(), s.Published})
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		if s.Style != Points || slices.Contains(keys, slotKey{s.hue(), false}) {
			continue
		}
		if p.X.Scale == Categorical {
			add(s, slotKey{s.hue(), s.Published})
		}
	}
	return keys
}

func slotOf(p *Panel, s *Series) slot {
	keys := slotsOf(p)
	i := slices.Index(keys, slotKey{s.hue(), s.Published})
	if i < 0 {
		i = slices.Index(keys, slotKey{s.hue(), false})
	}
	if i < 0 {
		return slot{}
	}
	w := barShare * barPitch(p) / float64(len(keys))
	return slot{centre: (float64(i) - float64(len(keys)-1)/2) * w, width: w}
}

// barPitch returns the smallest distance between two positions with bars.
func barPitch(p *Panel) float64 {
	if p.X.Scale == Categorical {
		return 1
	}
	var xs []float64
	for i := range p.Series {
		if s := &p.Series[i]; s.Style == Bar {
			xs = append(xs, s.X...)
		}
	}
	slices.Sort(xs)
	pitch := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		if d := xs[i] - xs[i-1]; d > 0 {
			pitch = min(pitch, d)
		}
	}
	if math.IsInf(pitch, 1) {
		return 1
	}
	return pitch
}

// bars draws the bars of a series and their intervals.
func (p *pen) bars(s *Series, l look) {
	slot := slotOf(p.Panel, s)
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			continue
		}
		x, side := s.X[i]+slot.centre, p.y.side(s.Y[i])
		foot := p.spot(x-0.46*slot.width, p.y.clamp(0))
		head := p.spot(x+0.46*slot.width, p.y.clamp(s.Y[i]))
		l.bar(p.Canvas, vg.Rectangle{Min: foot, Max: head}, s.Weak != nil && s.Weak[i])
		if s.Y[i] == 0 { // a bar without height would look like a missing one
			p.StrokeLines(draw.LineStyle{Color: l.color, Width: 2}, []vg.Point{foot, {X: head.X, Y: foot.Y}})
		}
		if side != 0 {
			p.chevron(vg.Point{X: (foot.X + head.X) / 2, Y: head.Y}, vg.Point{Y: vg.Length(side)}, ink)
		}
		if s.Lo != nil {
			// Paper around the interval makes it visible on a dark bar.
			p.errorBar(x, s.Lo[i], s.Hi[i], vg.Point{}, draw.LineStyle{Color: paper, Width: 2.2})
			p.errorBar(x, s.Lo[i], s.Hi[i], vg.Point{}, draw.LineStyle{Color: ink, Width: 0.8})
		}
	}
	if p.y.lo < 0 && p.y.hi > 0 {
		p.StrokeLines(draw.LineStyle{Color: axisGrey, Width: 0.7}, []vg.Point{p.spot(p.x.lo, 0), p.spot(p.x.hi, 0)})
	}
}

// bar draws one bar. Bars of our values are filled in the first form of a colour. In the other forms they are
// hatched and have an outline. Published bars have a dashed outline.
func (l look) bar(c draw.Canvas, r vg.Rectangle, weak bool) {
	fill := l.color
	r = vg.Rectangle{Min: vg.Point{X: r.Min.X, Y: min(r.Min.Y, r.Max.Y)},
		Max: vg.Point{X: r.Max.X, Y: max(r.Min.Y, r.Max.Y)}}
	switch {
	case weak:
		fill = fade(fill, weakAlpha)
	case l.hollow || l.form > 0:
		fill = fade(fill, 0.14)
		c.FillPolygon(paper, corners(r))
	}
	c.FillPolygon(fill, corners(r))
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	if l.form > 0 {
		hatch(inside, hatches[l.form%len(hatches)], cmp.Or(spacing[l.hue], usualSpacing), l.color)
	} else if !l.hollow {
		hatch(inside, textures[l.hue], usualSpacing, fade(paper, 0.8))
	}
	if l.hollow || l.form > 0 {
		edge := draw.LineStyle{Color: l.color, Width: 0.9}
		if l.hollow {
			edge.Dashes = publishedDash
		}
		c.SetLineStyle(edge)
		c.Stroke(r.Path())
	}
}

// hatches are the directions of the lines across bars: none, rising, falling, both, horizontal, vertical. They
// distinguish the forms of a colour.
var hatches = [...][]vg.Point{{}, {{X: 1, Y: 1}}, {{X: 1, Y: -1}}, {{X: 1, Y: 1}, {X: 1, Y: -1}}, {{X: 1}}, {{Y: 1}}}

// textures are lines in the colour of the paper across filled bars. The index is the hue. Colours of one lightness
// have different textures, because the colours look the same in a grey print. For the same reason their hatches
// differ in spacing, the distance between the lines in points.
var (
	textures = [len(hues)][]vg.Point{2: hatches[2], 3: hatches[1], 4: hatches[3], 5: hatches[4], 7: hatches[5]}
	spacing  = [len(hues)]vg.Length{2: 2, 3: 2, 4: 2, 5: 2, 7: 4.6}
)

const usualSpacing = 3.2

// hatch draws lines in these directions across a bar.
func hatch(c draw.Canvas, directions []vg.Point, apart vg.Length, of color.Color) {
	for _, along := range directions {
		size := c.Size()
		reach := size.X + size.Y
		across := vg.Point{X: -along.Y, Y: along.X}
		for at := -apart * vg.Length(math.Floor(float64(reach/apart))); at < reach; at += apart {
			mid := c.Center().Add(across.Scale(at + apart/2))
			c.StrokeLines(draw.LineStyle{Color: of, Width: 0.6},
				c.ClipLinesXY([]vg.Point{mid.Sub(along.Scale(reach)), mid.Add(along.Scale(reach))})...)
		}
	}
}

// spans draws the spans of a series. A span that is too short to be seen is drawn as wide as a thin line.
func (p *pen) spans(s *Series, l look) {
	const hair = 0.3
	for _, r := range runs(s.Y) {
		low, high := p.spot(p.x.clamp(s.X[r[0]]), s.Y[r[0]]), p.spot(p.x.clamp(s.X[r[1]-1]), s.Y[r[1]-1])
		high.X = max(high.X, low.X+hair)
		l.bar(p.Canvas, vg.Rectangle{Min: low, Max: high}, false)
	}
}
