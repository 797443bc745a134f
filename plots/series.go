package plots

import (
	"image/color"
	"math"
)

const (
	markerRadius = 2.1
	weakAlpha    = 0.35
	bandAlpha    = 0.16
	maxMarkers   = 24 // on one line; more would hide it
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
	each(func(s *Series, l look) { p.points(a, s, l) })
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

// clipPolygon cuts a polygon to a rectangle, one border after another (Sutherland
// and Hodgman).
func clipPolygon(poly []point, r rect) []point {
	borders := []struct {
		depth func(point) float64 // how far inside the border a point is
	}{
		{func(q point) float64 { return q.x - r.x0 }},
		{func(q point) float64 { return r.x1 - q.x }},
		{func(q point) float64 { return q.y - r.y0 }},
		{func(q point) float64 { return r.y1 - q.y }},
	}
	for _, b := range borders {
		var out []point
		for i, q := range poly {
			prev := poly[(i+len(poly)-1)%len(poly)]
			dq, dp := b.depth(q), b.depth(prev)
			if (dq < 0) != (dp < 0) {
				t := dp / (dp - dq)
				out = append(out, point{prev.x + t*(q.x-prev.x), prev.y + t*(q.y-prev.y)})
			}
			if dq >= 0 {
				out = append(out, q)
			}
		}
		poly = out
	}
	return poly
}

// points draws the error bars and the markers of a series.
func (p *pen) points(a *panel, s *Series, l look) {
	if s.Muted && s.Style != Points {
		return
	}
	marked := s.Style == Line || s.Style == Points
	every := 1
	if s.Style == Line {
		every = (len(s.X) + maxMarkers - 1) / maxMarkers
	}
	shift := 0.0
	if s.Style == Points && a.X.Scale == Categorical {
		shift = slotOf(a.Panel, s).centre
	}
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			continue
		}
		c := l.color
		if s.Weak != nil && s.Weak[i] {
			c = fade(c, weakAlpha)
		}
		if s.Lo != nil && s.Interval != Band && marked && !math.IsNaN(s.Lo[i]) && !math.IsNaN(s.Hi[i]) {
			p.errorBar(a, s.X[i]+shift, s.Lo[i], s.Hi[i], stroke{color: c, width: 0.8})
		}
		x, outX := a.x.clamp(s.X[i] + shift)
		y, outY := a.y.clamp(s.Y[i])
		at := a.spot(x, y)
		switch {
		case outX && !outY:
			p.outside(at, point{sign(s.X[i] - x), 0}, c)
		case outY && !outX:
			p.outside(at, point{0, sign(y - s.Y[i])}, c)
		case !outX && !outY && marked && i%every == 0:
			p.mark(l, at, c)
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
	if cx, out := a.x.clamp(x); out || cx != x {
		return
	}
	lo, cutLo := a.y.clamp(lo)
	hi, cutHi := a.y.clamp(hi)
	from, to := a.spot(x, lo), a.spot(x, hi)
	if from == to {
		return
	}
	p.line(s, from, to)
	const cap = 1.8
	if !cutLo {
		p.line(s, point{from.x - cap, from.y}, point{from.x + cap, from.y})
	}
	if !cutHi {
		p.line(s, point{to.x - cap, to.y}, point{to.x + cap, to.y})
	}
}

// outside draws an arrowhead on the frame that points to data beyond it.
func (p *pen) outside(at, dir point, c color.NRGBA) {
	const l, w = 4.5, 2.2
	base := point{at.x - l*dir.x, at.y - l*dir.y}
	p.fill(c, at, point{base.x + w*dir.y, base.y + w*dir.x}, point{base.x - w*dir.y, base.y - w*dir.x})
}

func sign(v float64) float64 { return math.Copysign(1, v) }
