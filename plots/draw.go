package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// draw puts the arranged figure on a canvas.
func (l *layout) draw(c vg.Canvas) {
	p := &pen{c: c, height: l.height}
	p.fill(paper, rect{0, 0, l.width, l.height}.corners()...)
	y := p.lines(lettering{size: titleSize, bold: true, color: ink}, pageMargin, pageMargin, l.title)
	if len(l.title) > 0 && len(l.subtitle) > 0 {
		y += 1
	}
	p.lines(lettering{size: subtitleSize, color: softInk}, pageMargin, y, l.subtitle)
	p.legend(&l.legend)
	for i := range l.panels {
		p.panel(&l.panels[i], l.looks)
	}
	foot := l.height - pageMargin - linesHeight(len(l.footnote), footSize)
	p.lines(lettering{size: footSize, color: softInk}, pageMargin, foot, l.footnote)
}

// spot is the place of the data point (x, y) on the page.
func (p *panel) spot(x, y float64) point {
	return point{
		p.data.x0 + p.x.at(x)*p.data.width(),
		p.data.y1 - p.y.at(y)*p.data.height(),
	}
}

func (p *pen) panel(a *panel, looks looks) {
	p.lines(lettering{size: panelSize, bold: true, color: ink}, a.data.x0, a.titleAt, a.title)
	if a.Heat != nil {
		p.heat(a)
		p.axes(a)
		return
	}
	p.grid(a)
	p.refLines(a)
	p.series(a, looks)
	p.axes(a)
	p.notes(a)
}

func (p *pen) grid(a *panel) {
	d := a.data
	for _, m := range a.x.marks {
		if a.X.Scale == Categorical {
			break
		}
		x := a.spot(m.at, a.y.lo).x
		p.line(gridStroke(m.minor), point{x, d.y0}, point{x, d.y1})
	}
	for _, m := range a.y.marks {
		y := a.spot(a.x.lo, m.at).y
		p.line(gridStroke(m.minor), point{d.x0, y}, point{d.x1, y})
	}
}

func gridStroke(minor bool) stroke {
	if minor {
		return stroke{color: fineGrey, width: 0.35}
	}
	return stroke{color: gridGrey, width: 0.45}
}

// axes draws the axis lines, the ticks with their texts and the labels.
func (p *pen) axes(a *panel) {
	d := a.data
	line := stroke{color: axisGrey, width: 0.7}
	p.line(line, point{d.x0, d.y0}, point{d.x0, d.y1}, point{d.x1, d.y1})
	style := lettering{size: tickSize, color: softInk, ax: 1, ay: 0.5}
	for _, m := range a.y.marks {
		y := a.spot(a.x.lo, m.at).y
		if m.minor {
			p.line(line, point{d.x0 - tickLength/2, y}, point{d.x0, y})
			continue
		}
		if a.Y.Scale != Categorical {
			p.line(line, point{d.x0 - tickLength, y}, point{d.x0, y})
		}
		p.powerText(style, d.x0-tickLength-tickGap, y, m.text, m.power)
	}
	p.xTicks(a, line)
	label := lettering{size: labelSize, color: ink, ax: 0.5, turn: 90}
	left := d.x0 - a.leftOf()
	for i, s := range a.yLabel {
		p.text(label, left-(float64(len(a.yLabel)-1-i)*lineHeight+0.2)*labelSize, (d.y0+d.y1)/2, s)
	}
	label.turn = 0
	y := d.y1 + tickLength + tickGap + a.tickH + labelGap
	p.lines(label, (d.x0+d.x1)/2, y, a.xLabel)
}

// leftOf is how far from the data area the y label stands.
func (p *panel) leftOf() float64 {
	widest := 0.0
	for _, m := range p.y.marks {
		widest = max(widest, m.width(tickSize))
	}
	return tickLength + tickGap + widest + labelGap
}

func (p *pen) xTicks(a *panel, line stroke) {
	d := a.data
	style := lettering{size: tickSize, color: softInk, ax: 0.5, ay: 1}
	if a.turn != 0 {
		style.ax, style.ay, style.turn = 1, 0.7, a.turn
	}
	n := 0
	for _, m := range a.x.marks {
		x := a.spot(m.at, a.y.lo).x
		if m.minor {
			p.line(line, point{x, d.y1}, point{x, d.y1 + tickLength/2})
			continue
		}
		if a.X.Scale != Categorical {
			p.line(line, point{x, d.y1}, point{x, d.y1 + tickLength})
		}
		if m.text == "" {
			continue
		}
		// The last label of a thinned axis matters most: count from there.
		if (len(a.labelled())-1-n)%a.xSkip == 0 {
			p.powerText(style, x, d.y1+tickLength+tickGap, m.text, m.power)
		}
		n++
	}
}

// labelled are the x ticks with text.
func (p *panel) labelled() []mark {
	var out []mark
	for _, m := range p.x.marks {
		if !m.minor && m.text != "" {
			out = append(out, m)
		}
	}
	return out
}

// refLines draws the reference values and the identity, with their labels inside
// the data area.
func (p *pen) refLines(a *panel) {
	d := a.data
	line := stroke{color: axisGrey, width: 0.8, dash: []float64{1.2, 1.6}}
	style := lettering{size: noteSize, color: softInk}
	for _, r := range a.Y.Lines {
		y := a.spot(a.x.lo, r.At).y
		if y < d.y0-0.01 || y > d.y1+0.01 {
			continue
		}
		p.line(line, point{d.x0, y}, point{d.x1, y})
		style.ax, style.ay = 1, 0
		below := 0.0
		if y-d.y0 < noteSize+3 {
			below, style.ay = 4, 1
		}
		p.halo(style, d.x1-2, y-2+below, r.Label, d)
	}
	for _, r := range a.X.Lines {
		x := a.spot(r.At, a.y.lo).x
		if x < d.x0-0.01 || x > d.x1+0.01 {
			continue
		}
		p.line(line, point{x, d.y0}, point{x, d.y1})
		style.ax, style.ay = 0, 1
		p.halo(style, x+2, d.y0+2, r.Label, d)
	}
	if a.Identity {
		lo, hi := max(a.x.lo, a.y.lo), min(a.x.hi, a.y.hi)
		if lo < hi {
			p.line(line, a.spot(lo, lo), a.spot(hi, hi))
		}
	}
}

// notes draws the annotations, above and to the right of their points, moved
// where that would leave the data area.
func (p *pen) notes(a *panel) {
	style := lettering{size: noteSize, color: ink}
	for _, n := range a.Notes {
		at := a.spot(n.X, n.Y)
		if !a.data.holds(at) {
			continue
		}
		p.halo(style, at.x+4, at.y-4, n.Text, a.data)
	}
}

// halo writes text on a patch of paper, moved so that it stays within a frame.
func (p *pen) halo(l lettering, x, y float64, s string, frame rect) {
	if s == "" {
		return
	}
	w, h := textWidth(s, l.size, l.bold), capHeight*l.size
	x0 := x - l.ax*w
	y1 := y + l.ay*h
	x0 = max(min(x0, frame.x1-w-1), frame.x0+1)
	y1 = max(min(y1, frame.y1-2), frame.y0+h+1)
	p.fill(fade(paper, 0.8), rect{x0 - 1, y1 - h - 1.5, x0 + w + 1, y1 + 1.5 + 0.1*l.size}.corners()...)
	l.ax, l.ay = 0, 0
	p.text(l, x0, y1, s)
}

// clip cuts a line to a rectangle. The pieces inside come back in order.
func clip(points []point, r rect) [][]point {
	var out [][]point
	var piece []point
	for i := 1; i < len(points); i++ {
		a, b, ok := clipSegment(points[i-1], points[i], r)
		if !ok {
			if piece != nil {
				out, piece = append(out, piece), nil
			}
			continue
		}
		if piece == nil || piece[len(piece)-1] != a {
			if piece != nil {
				out = append(out, piece)
			}
			piece = []point{a}
		}
		piece = append(piece, b)
	}
	if piece != nil {
		out = append(out, piece)
	}
	return out
}

// clipSegment is the part of the segment from a to b within r, after Liang and
// Barsky: the range of the parameter t in which all four borders are respected.
func clipSegment(a, b point, r rect) (point, point, bool) {
	dx, dy := b.x-a.x, b.y-a.y
	t0, t1 := 0.0, 1.0
	for _, e := range [4][2]float64{{-dx, a.x - r.x0}, {dx, r.x1 - a.x}, {-dy, a.y - r.y0}, {dy, r.y1 - a.y}} {
		switch d, q := e[0], e[1]; {
		case d == 0 && q < 0:
			return a, b, false
		case d < 0:
			t0 = max(t0, q/d)
		case d > 0:
			t1 = min(t1, q/d)
		}
	}
	if t0 > t1 {
		return a, b, false
	}
	from, to := a, b
	if t0 > 0 {
		from = point{a.x + t0*dx, a.y + t0*dy}
	}
	if t1 < 1 {
		to = point{a.x + t1*dx, a.y + t1*dy}
	}
	return from, to, true
}

// clamp moves a value of an axis to its nearer end and reports whether it had to.
func (a *axis) clamp(v float64) (float64, bool) {
	slack := 1e-9 * (math.Abs(a.lo) + math.Abs(a.hi))
	switch {
	case v < a.lo-slack:
		return a.lo, true
	case v > a.hi+slack:
		return a.hi, true
	}
	return v, false
}
