package plots

import (
	"image/color"
	"math"
	"strconv"
)

// colorBar is the key of a heat map: an axis of values and the colours along it.
type colorBar struct {
	heat  *Heat
	scale *axis
	room  float64 // to the right of the data area
	label []string
}

func newColorBar(h *Heat, height float64) *colorBar {
	e := newExtent()
	for _, row := range h.Z {
		e.add(row...)
	}
	desc := &Axis{Label: h.Label, Unit: h.Unit, Scale: Linear, Min: h.Min, Max: h.Max}
	if h.Log {
		desc.Scale = Log
	}
	if h.Center != nil {
		desc.Min, desc.Max = mirror(h, e)
	}
	e.tight, e.across = true, h.Center != nil
	b := &colorBar{heat: h, scale: settle(desc, e, height, 26)}
	b.label = wrapText(b.scale.label, height, labelSize, false)
	b.room = barGap + barWidth + tickLength + tickGap
	widest := 0.0
	for _, m := range b.scale.marks {
		widest = max(widest, m.width(tickSize))
	}
	b.room += widest
	if len(b.label) > 0 {
		b.room += labelGap + linesHeight(len(b.label), labelSize)
	}
	return b
}

// mirror gives the ends of a scale with two sides equal distances from its
// centre, so that equal colours mean equal deviations. Fixed ends stay.
func mirror(h *Heat, e extent) (lo, hi *float64) {
	c := *h.Center
	switch {
	case h.Min != nil && h.Max != nil:
		return h.Min, h.Max
	case h.Min != nil:
		return h.Min, At(2*c - *h.Min)
	case h.Max != nil:
		return At(2*c - *h.Max), h.Max
	}
	d := max(math.Abs(e.lo-c), math.Abs(e.hi-c))
	if d == 0 {
		d = 1
	}
	return At(c - d), At(c + d)
}

// color is the colour of a value.
func (b *colorBar) color(v float64) color.NRGBA {
	if b.heat.Center == nil {
		return shade(sequential, b.scale.at(v))
	}
	c := *b.heat.Center
	if v < c {
		return shade(diverging, 0.5*(1-(c-v)/(c-b.scale.lo)))
	}
	return shade(diverging, 0.5+0.5*(v-c)/(b.scale.hi-c))
}

// heat draws the cells and the colour bar.
func (p *pen) heat(a *panel) {
	b := a.bar
	show := a.cellTexts()
	gap := stroke{color: paper, width: 0.5}
	for i, row := range a.Heat.Z {
		for j, z := range row {
			x0, x1 := float64(j)-0.5, float64(j)+0.5
			y0, y1 := float64(i)-0.5, float64(i)+0.5
			lower, upper := a.spot(x0, y0), a.spot(x1, y1)
			cell := rect{lower.x, upper.y, upper.x, lower.y}
			if math.IsNaN(z) {
				p.line(stroke{color: axisGrey, width: 0.5}, point{cell.x0, cell.y0}, point{cell.x1, cell.y1})
				p.line(stroke{color: axisGrey, width: 0.5}, point{cell.x0, cell.y1}, point{cell.x1, cell.y0})
				continue
			}
			c := b.color(z)
			p.fill(c, cell.corners()...)
			p.outline(gap, cell.corners()...)
			if show != nil {
				p.text(lettering{size: noteSize, color: inkOn(c), ax: 0.5, ay: 0.5},
					(cell.x0+cell.x1)/2, (cell.y0+cell.y1)/2, show(z))
			}
		}
	}
	p.colorBar(b, a.data)
}

// cellTexts is how to print the values in the cells, nil if that is not asked for
// or one does not fit. All have the same unit and decimals, those of the largest.
func (p *panel) cellTexts() func(float64) string {
	if !p.Heat.Values {
		return nil
	}
	e := newExtent()
	for _, row := range p.Heat.Z {
		e.add(row...)
	}
	largest := max(math.Abs(e.lo), math.Abs(e.hi))
	scale := prefixFor(max(math.Abs(p.bar.scale.lo), math.Abs(p.bar.scale.hi)), p.Heat.Unit).scale
	decimals := 2
	if largest > 0 {
		decimals = min(max(1-int(math.Floor(math.Log10(largest/scale))), 0), 6)
	}
	show := func(z float64) string { return strconv.FormatFloat(z/scale, 'f', decimals, 64) }
	w := p.data.width()/float64(len(p.X.Categories)) - 2
	h := p.data.height()/float64(len(p.Y.Categories)) - 2
	for _, row := range p.Heat.Z {
		for _, z := range row {
			if !math.IsNaN(z) && (textWidth(show(z), noteSize, false) > w || noteSize > h) {
				return nil
			}
		}
	}
	return show
}

func (p *pen) colorBar(b *colorBar, data rect) {
	bar := rect{data.x1 + barGap, data.y0, data.x1 + barGap + barWidth, data.y1}
	const steps = 96
	for i := range steps {
		lo, hi := float64(i)/steps, float64(i+1)/steps
		v := b.scale.lo + (lo+hi)/2*(b.scale.hi-b.scale.lo)
		if b.heat.Log {
			v = math.Exp(math.Log(b.scale.lo) + (lo+hi)/2*(math.Log(b.scale.hi)-math.Log(b.scale.lo)))
		}
		// Each strip reaches under the next, so that no seam shows.
		y0, y1 := bar.y1-hi*bar.height(), bar.y1-lo*bar.height()
		p.fill(b.color(v), rect{bar.x0, max(y0-0.5, bar.y0), bar.x1, y1}.corners()...)
	}
	line := stroke{color: axisGrey, width: 0.6}
	p.outline(line, bar.corners()...)
	below, above := b.beyond()
	middle := (bar.x0 + bar.x1) / 2
	if above {
		p.fill(b.color(b.scale.hi), point{bar.x0, bar.y0}, point{middle, bar.y0 - 6}, point{bar.x1, bar.y0})
	}
	if below {
		p.fill(b.color(b.scale.lo), point{bar.x0, bar.y1}, point{middle, bar.y1 + 6}, point{bar.x1, bar.y1})
	}
	style := lettering{size: tickSize, color: softInk, ay: 0.5}
	widest := 0.0
	for _, m := range b.scale.marks {
		y := bar.y1 - b.scale.at(m.at)*bar.height()
		if m.minor {
			continue
		}
		p.line(line, point{bar.x1, y}, point{bar.x1 + tickLength, y})
		p.powerText(style, bar.x1+tickLength+tickGap, y, m.text, m.power)
		widest = max(widest, m.width(tickSize))
	}
	label := lettering{size: labelSize, color: ink, ax: 0.5, turn: 90}
	x := bar.x1 + tickLength + tickGap + widest + labelGap + labelSize*0.9
	for i, s := range b.label {
		p.text(label, x+float64(i)*labelSize*lineHeight, (bar.y0+bar.y1)/2, s)
	}
}

// beyond reports whether cells lie below and above the ends of the bar.
func (b *colorBar) beyond() (below, above bool) {
	for _, row := range b.heat.Z {
		for _, z := range row {
			side := b.scale.side(z)
			below, above = below || side < 0, above || side > 0
		}
	}
	return below, above
}
