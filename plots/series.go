package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	markerRadius = 2.1
	dotRadius    = 1.1
	weakAlpha    = 0.35
	dotAlpha     = 0.6
	capWidth     = 3.6
	maxMarkers   = 24  // number of marks on one line; more marks would hide the line
	crowded      = 150 // above this number, lone points become dots
)

// series draws the series of the panel in layers: muted lines, bars, lines, and on top the marks.
func (p *pen) series() {
	each := func(f func(s *Series, l look)) {
		for i := range p.Series {
			f(&p.Series[i], p.looks.of(&p.Series[i]))
		}
	}
	each(func(s *Series, l look) {
		if s.Muted {
			p.curve(s, l)
		}
	})
	each(func(s *Series, l look) {
		switch s.Style {
		case Bar:
			p.bars(s, l)
		case Span:
			p.spans(s, l)
		}
	})
	each(p.band)
	each(func(s *Series, l look) {
		if !s.Muted && (s.Style == Line || s.Style == Step || s.Style == Trace) {
			p.curve(s, l)
		}
	})
	for i := range p.Series {
		s := &p.Series[i]
		switch {
		case s.Style == Points || s.Style == Line && !s.Muted:
			p.points(s, p.looks.of(s))
		case p.looks.marked(s) && !s.Muted:
			p.sparseMarks(s, p.looks.of(s), i)
		}
	}
	each(p.beyond)
}

// runs returns the stretches of a series without missing values.
func runs(y []float64) [][2]int {
	var out [][2]int
	from := -1
	for i := range y {
		switch missing := math.IsNaN(y[i]); {
		case !missing && from < 0:
			from = i
		case missing && from >= 0:
			out, from = append(out, [2]int{from, i}), -1
		}
	}
	if from >= 0 {
		out = append(out, [2]int{from, len(y)})
	}
	return out
}

// curve draws the line through the points. The line is interrupted at missing points. A trace has no marks that could
// be faded at each point, so its line is faded next to weak points.
func (p *pen) curve(s *Series, l look) {
	if s.Style != Trace || !slices.Contains(s.Weak, true) {
		p.lines(s, l, runs(s.Y))
		return
	}
	sound, pale := slices.Clone(s.Y), l
	for i, weak := range s.Weak {
		if weak {
			sound[i] = math.NaN()
		}
	}
	pale.color = fade(l.color, weakAlpha)
	p.lines(s, pale, runs(s.Y))
	p.lines(s, l, runs(sound))
}

// lines draws stretches of a series.
func (p *pen) lines(s *Series, l look, stretches [][2]int) {
	styles := []draw.LineStyle{l.line()}
	if rim := p.rim[s]; rim > 0 {
		styles = l.rimmed(rim)
	}
	for _, r := range stretches {
		for _, style := range styles {
			p.StrokeLines(style, p.ClipLinesXY(thin(p.path(s, r)))...)
		}
	}
}

// band shades the interval along a trace or a distribution.
func (p *pen) band(s *Series, l look) {
	if s.Lo == nil || s.Style != Trace && s.Style != Step {
		return
	}
	for _, r := range runs(s.Y) {
		low, high := *s, *s
		low.Y, high.Y = s.Lo, s.Hi
		upper := p.path(&high, r)
		slices.Reverse(upper)
		p.FillPolygon(fade(l.color, 0.14), p.ClipPolygonXY(append(p.path(&low, r), upper...)))
	}
}

// path returns the positions of a stretch of the series.
func (p *pen) path(s *Series, r [2]int) []vg.Point {
	var path []vg.Point
	for i := r[0]; i < r[1]; i++ {
		q := p.place(s, s.X[i], s.Y[i])
		if s.Style == Step && len(path) > 0 {
			path = append(path, vg.Point{X: q.X, Y: path[len(path)-1].Y})
		}
		path = append(path, q)
	}
	return path
}

// place returns the position at which a point of a series is drawn. If other lines have points at this position, the
// point is shifted aside, but stays on the panel.
func (p *pen) place(s *Series, x, y float64) vg.Point {
	at := p.spot(x, y)
	if aside := p.dodge[s]; p.x.side(x) == 0 {
		at.X = min(max(at.X+aside.X, p.Min.X), p.Max.X)
	}
	return at
}

// thin removes points of a dense line. In each quarter of a point of width, it keeps the first, the lowest, the
// highest and the last point of the line.
func thin(path []vg.Point) []vg.Point {
	const bin = 0.25
	if len(path) < 3 {
		return path
	}
	out := path[:0:0]
	for i := 0; i < len(path); {
		cell := math.Floor(float64(path[i].X / bin))
		j, lo, hi := i, i, i
		for j < len(path) && math.Floor(float64(path[j].X/bin)) == cell {
			if path[j].Y < path[lo].Y {
				lo = j
			}
			if path[j].Y > path[hi].Y {
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

// points draws the error bars and the markers of a series.
func (p *pen) points(s *Series, l look) {
	shift, every, crowd := 0.0, 1, s.Style == Points && len(s.X) > crowded
	if s.Style == Points && p.Panel.X.Scale == Categorical {
		shift = slotOf(p.Panel, s).centre
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
		if s.Lo != nil {
			aside := p.place(s, x, s.Y[i]).Sub(p.spot(x, s.Y[i]))
			p.errorBar(x, s.Lo[i], s.Hi[i], aside, draw.LineStyle{Color: c, Width: 0.8})
		}
		at := p.place(s, x, s.Y[i])
		switch {
		case crowd:
			// Points at the same spot on the paper look like one point.
			spot := [2]int{int(at.X * 2), int(at.Y * 2)}
			if !taken[spot] {
				taken[spot] = true
				p.DrawGlyph(draw.GlyphStyle{Color: fade(c, dotAlpha), Radius: dotRadius, Shape: dot{l.shape}}, at)
			}
		case p.y.strip > 0 && p.y.side(s.Y[i]) < 0: // the function beyond marks it
		case i%every == 0 || c.A != 0xff:
			p.mark(l, at, c)
		}
	}
}

// sparseMarks marks a few positions along a line that has no other marks. The positions differ between the series of
// a panel.
func (p *pen) sparseMarks(s *Series, l look, index int) {
	const apart, stagger = 46.0, 11.0
	next := p.Min.X + 14 + vg.Length(math.Mod(float64(index)*stagger, apart))
	for i := 1; i < len(s.X) && next < p.Max.X-2; i++ {
		if math.IsNaN(s.Y[i]) || math.IsNaN(s.Y[i-1]) {
			continue
		}
		from, to := p.spot(s.X[i-1], s.Y[i-1]), p.spot(s.X[i], s.Y[i])
		for next < from.X {
			next += apart
		}
		for ; next <= to.X && next < p.Max.X-2; next += apart {
			at := vg.Point{X: next, Y: from.Y}
			if s.Style == Trace {
				at.Y += (next - from.X) / (to.X - from.X) * (to.Y - from.Y)
			}
			c := l.color
			if s.Weak != nil && s.Weak[i] {
				c = fade(c, weakAlpha)
			}
			p.mark(l, at, c)
		}
	}
}

// mark draws a marker if its position is on the panel. If the marker is faded, the line beneath it is covered first.
func (p *pen) mark(l look, at vg.Point, c color.NRGBA) {
	style := draw.GlyphStyle{Color: c, Radius: markerRadius, Shape: glyph{l.shape, l.hollow}}
	if c.A != 0xff {
		p.DrawGlyph(draw.GlyphStyle{Color: paper, Radius: markerRadius, Shape: glyph{shape: l.shape}}, at)
	}
	p.DrawGlyph(style, at)
}

// dodges returns how far lines with intervals are shifted from their positions, so that no line hides another.
func (p *panel) dodges() map[*Series]vg.Point {
	const beside, most = 1.6, 5
	list := map[*Series]vg.Point{}
	var ranged []*Series
	for i := range p.Series {
		s := &p.Series[i]
		if s.Style == Line && !s.Muted && !s.Published && s.Lo != nil && len(s.X) > 1 {
			ranged = append(ranged, s)
		}
	}
	apart := min(beside, most/vg.Length(max(len(ranged)-1, 1)))
	for k, s := range ranged {
		list[s] = vg.Point{X: apart * (vg.Length(k) - vg.Length(len(ranged)-1)/2)}
	}
	return list
}

// errorBar draws the interval from lo to hi at x. The interval is shifted like its point. An end of the interval has
// a cap if it is on the axis, and a chevron if it leaves the frame.
func (p *pen) errorBar(x, lo, hi float64, aside vg.Point, style draw.LineStyle) {
	if math.IsNaN(lo) || math.IsNaN(hi) || p.x.side(x) != 0 || lo == hi {
		return
	}
	size := p.Size()
	from, to := p.y.at(lo)+float64(aside.Y/size.Y), p.y.at(hi)+float64(aside.Y/size.Y)
	(&plotter.YErrorBars{
		XYs:       plotter.XYs{{X: p.x.at(x) + float64(aside.X/size.X), Y: from}},
		YErrors:   plotter.YErrors{{High: to - from}},
		LineStyle: style,
		CapWidth:  capWidth,
	}).Plot(p.Canvas, p.plot)
	for _, end := range []float64{lo, hi} {
		if p.y.leaves(end) {
			at := p.spot(x, p.y.clamp(end)).Add(aside)
			p.chevron(at, vg.Point{Y: vg.Length(p.y.side(end))}, style.Color.(color.NRGBA))
		}
	}
}

// beyond draws chevrons on the frame where the series leaves the frame. Each lone point has a chevron. A stretch of
// a line has one chevron, at its farthest position. In a strip each point of a line has a chevron, next to the
// chevrons of other series.
func (p *pen) beyond(s *Series, l look) {
	if s.Style == Bar || s.Style == Span {
		return // drawn together with the bar
	}
	far, side := -1, vg.Point{}
	stripped := func(y float64) bool { return p.y.strip > 0 && p.y.side(y) < 0 }
	flush := func() {
		switch {
		case far >= 0 && stripped(s.Y[far]):
			at := p.spot(p.x.clamp(s.X[far]), s.Y[far])
			p.chevron(at.Add(vg.Point{X: p.aside(s, at), Y: -chevronLong / 2}), side, l.color)
		case far >= 0:
			p.chevron(p.spot(p.x.clamp(s.X[far]), p.y.clamp(s.Y[far])), side, l.color)
		}
		far = -1
	}
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			flush()
			continue
		}
		now := vg.Point{X: vg.Length(p.x.side(s.X[i])), Y: vg.Length(p.y.side(s.Y[i]))}
		if now != side || s.Style == Points || s.Style == Line && stripped(s.Y[i]) {
			flush()
			side = now
		}
		if now != (vg.Point{}) && (far < 0 || math.Abs(s.Y[i]) > math.Abs(s.Y[far])) {
			far = i
		}
	}
	flush()
}

// aside returns how far the chevron of a series is shifted from its position in the strip. Other series may have
// chevrons at the same position.
func (p *pen) aside(s *Series, place vg.Point) vg.Length {
	const apart = 4
	n, at := 0, 0
	for i := range p.Series {
		o := &p.Series[i]
		if o == s {
			at = n
		}
		for k, y := range o.Y {
			if p.y.side(y) < 0 && math.Abs(float64(p.spot(o.X[k], y).X-place.X)) < apart {
				n++
				break
			}
		}
	}
	return apart * (vg.Length(at) - vg.Length(n-1)/2)
}

// chevronLong is the length of a chevron in its direction.
const chevronLong = 3

// chevron draws an open arrow. Its tip is at the given position, and it points in the direction dir (an axis or a
// diagonal).
func (p *pen) chevron(at, dir vg.Point, c color.NRGBA) {
	const half = 2.2
	dir = dir.Scale(1 / vg.Length(math.Hypot(float64(dir.X), float64(dir.Y))))
	base, across := at.Sub(dir.Scale(chevronLong)), vg.Point{X: -half * dir.Y, Y: half * dir.X}
	p.StrokeLines(draw.LineStyle{Color: c, Width: 1.1}, []vg.Point{base.Add(across), at, base.Sub(across)})
}
