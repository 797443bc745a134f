package plots

import (
	"math"
	"slices"
)

// barShare is how much of the distance between two categories the bars take.
const barShare = 0.78

// slot is the place of a series within its category, in units of the x axis
// relative to the category's middle.
type slot struct{ centre, width float64 }

// slotKey tells which series share a slot: points stand on the bars of their
// colour.
type slotKey struct {
	hue       string
	published bool
}

// slotsOf lists the slots of a panel from left to right. Published bars stand to
// the right of ours.
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
		if s := &p.Series[i]; s.Style == Bar || s.Style == Box {
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

// slotOf is the slot of a series.
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

// barPitch is the least distance between two places with bars.
func barPitch(p *Panel) float64 {
	if p.X.Scale == Categorical {
		return 1
	}
	var xs []float64
	for i := range p.Series {
		if s := &p.Series[i]; s.Style == Bar || s.Style == Box {
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
func (p *pen) bars(a *panel, s *Series, l look) {
	slot := slotOf(a.Panel, s)
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			continue
		}
		x := s.X[i] + slot.centre
		zero, y, side := a.y.clamp(0), a.y.clamp(s.Y[i]), a.y.side(s.Y[i])
		from, to := a.spot(x-0.46*slot.width, zero), a.spot(x+0.46*slot.width, y)
		r := rect{from.x, min(from.y, to.y), to.x, max(from.y, to.y)}
		p.bar(l, r, s.Weak != nil && s.Weak[i])
		if side != 0 {
			p.arrowhead(point{(r.x0 + r.x1) / 2, to.y}, point{0, -side}, ink)
		}
		if s.Lo != nil {
			p.errorBar(a, x, s.Lo[i], s.Hi[i], stroke{color: ink, width: 0.8})
		}
	}
	if a.y.lo < 0 && a.y.hi > 0 {
		from, to := a.spot(a.x.lo, 0), a.spot(a.x.hi, 0)
		p.line(stroke{color: axisGrey, width: 0.7}, from, to)
	}
}

// bar draws one bar: full for ours, a dashed outline on a tint for published.
func (p *pen) bar(l look, r rect, weak bool) {
	switch {
	case l.hollow:
		p.fill(paper, r.corners()...)
		p.fill(fade(l.color, 0.14), r.corners()...)
		p.outline(stroke{color: l.color, width: 0.9, dash: publishedDash}, r.corners()...)
	case weak:
		p.fill(fade(l.color, weakAlpha), r.corners()...)
	default:
		p.fill(l.color, r.corners()...)
	}
}

// boxes draws the boxes of a series with their whiskers.
func (p *pen) boxes(a *panel, s *Series, l look) {
	slot := slotOf(a.Panel, s)
	whisker := stroke{color: l.color, width: 0.8}
	for i := range s.X {
		if math.IsNaN(s.Y[i] + s.Q1[i] + s.Q3[i]) {
			continue
		}
		x := s.X[i] + slot.centre
		p.errorBar(a, x, s.Lo[i], s.Q1[i], whisker)
		p.errorBar(a, x, s.Q3[i], s.Hi[i], whisker)
		lower := a.spot(x-0.38*slot.width, a.y.clamp(s.Q1[i]))
		upper := a.spot(x+0.38*slot.width, a.y.clamp(s.Q3[i]))
		box := rect{lower.x, upper.y, upper.x, lower.y}
		tint := 0.28
		if l.hollow || s.Weak != nil && s.Weak[i] {
			tint = 0.08
		}
		p.fill(paper, box.corners()...)
		p.fill(fade(l.color, tint), box.corners()...)
		p.outline(stroke{color: l.color, width: 0.9, dash: l.dash}, box.corners()...)
		if a.y.side(s.Y[i]) == 0 {
			y := a.spot(x, s.Y[i]).y
			p.line(stroke{color: l.color, width: 1.8}, point{box.x0, y}, point{box.x1, y})
		}
	}
}
