package plots

import "pintlab/plots/internal/canvas"

// draw puts the arranged figure on a canvas.
func (l *layout) draw(c canvas.Canvas) {
	p := &pen{c}
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
	p.writing(a)
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
	if a.Heat == nil {
		p.line(line, point{d.x0, d.y0}, point{d.x0, d.y1}, point{d.x1, d.y1})
	}
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
	left := d.x0 - a.labelAt
	for i, s := range a.yLabel {
		p.text(label, left-(float64(len(a.yLabel)-1-i)*lineHeight+0.2)*labelSize, (d.y0+d.y1)/2, s)
	}
	label.turn = 0
	y := d.y1 + tickLength + tickGap + a.tickH + labelGap
	for i, s := range a.xLabel {
		// Centred, but for a label so long that it would stand out on the right.
		half := textWidth(s, labelSize, false) / 2
		x := min((d.x0+d.x1)/2, d.x1+a.right-half)
		p.lines(label, x, y+linesHeight(i, labelSize), []string{s})
	}
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
