package plots

import (
	"image/color"
	"math"
)

const (
	markerRadius = 2.1
	weakAlpha    = 0.35
	bandAlpha    = 0.16
	maxMarkers   = 24  // on one line; more would hide it
	crowded      = 150 // more lone points than this become dots
)

func (l look) stroke() stroke { return stroke{color: l.color, width: l.width, dash: l.dash} }

// series draws the series of a panel in layers: bands, muted lines, bars and
// boxes, lines, and on top the marks.
func (p *pen) series(a *panel, looks looks) {
	each := func(f func(s *Series, l look)) {
		for i := range a.Series {
			f(&a.Series[i], looks.of(&a.Series[i]))
		}
	}
	each(func(s *Series, l look) {
		if s.Lo != nil && s.Interval == Band {
			p.band(a, s, l)
		}
	})
	each(func(s *Series, l look) {
		if s.Muted {
			p.curve(a, s, l)
		}
	})
	each(func(s *Series, l look) {
		switch s.Style {
		case Bar:
			p.bars(a, s, l)
		case Box:
			p.boxes(a, s, l)
		}
	})
	each(func(s *Series, l look) {
		if !s.Muted && (s.Style == Line || s.Style == Step || s.Style == Trace) {
			p.curve(a, s, l)
		}
	})
	for i := range a.Series {
		s := &a.Series[i]
		p.points(a, s, looks.of(s), i)
	}
	each(func(s *Series, l look) { p.beyond(a, s, l) })
}

// runs are the stretches of a series without missing values.
func runs(s *Series) [][2]int {
	var out [][2]int
	from := -1
	for i := range s.Y {
		switch missing := math.IsNaN(s.Y[i]); {
		case !missing && from < 0:
			from = i
		case missing && from >= 0:
			out, from = append(out, [2]int{from, i}), -1
		}
	}
	if from >= 0 {
		out = append(out, [2]int{from, len(s.Y)})
	}
	return out
}

// curve draws the line through the points, broken at missing ones.
func (p *pen) curve(a *panel, s *Series, l look) {
	for _, r := range runs(s) {
		var path []point
		for i := r[0]; i < r[1]; i++ {
			q := a.spot(s.X[i], s.Y[i])
			if s.Style == Step && len(path) > 0 {
				path = append(path, point{q.x, path[len(path)-1].y})
			}
			path = append(path, q)
		}
		for _, piece := range clip(thin(path), a.data) {
			p.line(l.stroke(), piece...)
		}
	}
}

// thin drops the points of a dense line that fall in one quarter point of width,
// but for the first, the lowest, the highest and the last of them.
func thin(path []point) []point {
	const bin = 0.25
	if len(path) < 3 {
		return path
	}
	out := path[:0:0]
	for i := 0; i < len(path); {
		cell := math.Floor(path[i].x / bin)
		j, lo, hi := i, i, i
		for j < len(path) && math.Floor(path[j].x/bin) == cell {
			if path[j].y < path[lo].y {
				lo = j
			}
			if path[j].y > path[hi].y {
				hi = j
			}
			j++
		}
		last := -1
		for _, k := range []int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > last {
				out, last = append(out, path[k]), k
			}
		}
		i = j
	}
	return out
}

// band fills between lo and hi.
func (p *pen) band(a *panel, s *Series, l look) {
	fill := func(top, bottom []point) {
		for i := len(bottom) - 1; i >= 0; i-- {
			top = append(top, bottom[i])
		}
		p.fill(fade(l.color, bandAlpha), clipPolygon(top, a.data)...)
	}
	var top, bottom []point
	for i := range s.X {
		if math.IsNaN(s.Lo[i]) || math.IsNaN(s.Hi[i]) {
			fill(top, bottom)
			top, bottom = nil, nil
			continue
		}
		hi, lo := a.spot(s.X[i], s.Hi[i]), a.spot(s.X[i], s.Lo[i])
		if s.Style == Step && len(top) > 0 {
			top = append(top, point{hi.x, top[len(top)-1].y})
			bottom = append(bottom, point{lo.x, bottom[len(bottom)-1].y})
		}
		top, bottom = append(top, hi), append(bottom, lo)
	}
	fill(top, bottom)
}

// points draws the error bars and the markers of a series.
func (p *pen) points(a *panel, s *Series, l look, index int) {
	if s.Muted && s.Style != Points {
		return
	}
	switch s.Style {
	case Step:
		p.sparseMarks(a, s, l, index)
		return
	case Line, Points:
	default:
		return
	}
	shift, every, crowd := 0.0, 1, s.Style == Points && len(s.X) > crowded
	if s.Style == Points && a.X.Scale == Categorical {
		shift = slotOf(a.Panel, s).centre
	}
	if s.Style == Line {
		every = (len(s.X) + maxMarkers - 1) / maxMarkers
	}
	taken := map[[2]int]bool{}
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			continue
		}
		x, c := s.X[i]+shift, l.color
		if s.Weak != nil && s.Weak[i] {
			c = fade(c, weakAlpha)
		}
		if s.Lo != nil && s.Interval != Band {
			p.errorBar(a, x, s.Lo[i], s.Hi[i], stroke{color: c, width: 0.8})
		}
		at := a.spot(x, s.Y[i])
		switch {
		case a.x.side(x) != 0 || a.y.side(s.Y[i]) != 0:
		case crowd:
			// Points on one spot of paper look like one.
			spot := [2]int{int(at.x * 2), int(at.y * 2)}
			if !taken[spot] {
				taken[spot] = true
				p.dot(l.shape, at, c)
			}
		case i%every == 0 || c.A != 0xff:
			p.mark(l, at, c)
		}
	}
}

// sparseMarks marks a few places along a line without marks of its own, at other
// places for each series of the panel.
func (p *pen) sparseMarks(a *panel, s *Series, l look, index int) {
	const apart, stagger = 46.0, 11.0
	next := a.data.x0 + 14 + math.Mod(float64(index)*stagger, apart)
	for i := 1; i < len(s.X) && next < a.data.x1-2; i++ {
		if math.IsNaN(s.Y[i]) || math.IsNaN(s.Y[i-1]) {
			continue
		}
		from, to := a.spot(s.X[i-1], s.Y[i-1]), a.spot(s.X[i], s.Y[i])
		for next < from.x {
			next += apart
		}
		for ; next <= to.x && next < a.data.x1-2; next += apart {
			if at := (point{next, from.y}); a.data.holds(at) {
				p.mark(l, at, l.color)
			}
		}
	}
}

// mark draws a marker; a faded one covers the line beneath it first.
func (p *pen) mark(l look, at point, c color.NRGBA) {
	if c.A != 0xff {
		p.marker(l.shape, at, markerRadius, paper, false)
	}
	p.marker(l.shape, at, markerRadius, c, l.hollow)
}

// errorBar draws the interval lo to hi at x, with caps where its ends are on the
// axis.
func (p *pen) errorBar(a *panel, x, lo, hi float64, s stroke) {
	if math.IsNaN(lo) || math.IsNaN(hi) || a.x.side(x) != 0 || a.y.side(lo) == 1 || a.y.side(hi) == -1 || lo == hi {
		return
	}
	from, to := a.spot(x, a.y.clamp(lo)), a.spot(x, a.y.clamp(hi))
	p.line(s, from, to)
	const half = 1.8
	if a.y.side(lo) == 0 {
		p.line(s, point{from.x - half, from.y}, point{from.x + half, from.y})
	}
	if a.y.side(hi) == 0 {
		p.line(s, point{to.x - half, to.y}, point{to.x + half, to.y})
	}
}
