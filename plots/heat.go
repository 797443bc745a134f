package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"pintlab/internal/number"
)

const (
	barWidth = 8 // width of the colour bar
	barGap   = 6
)

// colorBar is the key of a heat map: an axis of values and the colours along it.
type colorBar struct {
	heat  *Heat
	scale *axis
	room  vg.Length // room that the bar takes to the right of the data area
	ticks vg.Length // width of the ticks' texts
	label string
}

func newColorBar(h *Heat, high vg.Length) *colorBar {
	e := h.extent()
	desc := &Axis{Label: h.Label, Unit: h.Unit, Scale: Linear}
	desc.Min, desc.Max = h.ends(e)
	e.tight, e.across = true, h.Center != nil
	b := &colorBar{heat: h, scale: settle(desc, e, float64(high), 26)}
	for _, t := range b.scale.ticks {
		b.ticks = max(b.ticks, lettering(tickSize, softInk).Width(t.Label))
	}
	label := lettering(labelSize, ink)
	b.label = axisLabel(b.scale.label, high, label)
	b.room = barGap + barWidth + 2*tickLength + b.ticks
	if b.label != "" {
		b.room += labelGap + height(b.label, label)
	}
	return b
}

// extent returns the range of the cells' values.
func (h *Heat) extent() extent {
	e := newExtent()
	for _, row := range h.Z {
		e.add(row...)
	}
	return e
}

// leastSpan is the smallest range that the colours of a heat map cover, as a share of the largest absolute value. With
// a smaller range, strong colours would show differences that are of no importance.
const leastSpan = 0.1

// ends returns the fixed ends of the colour bar. They are nil where the data decides.
func (h *Heat) ends(e extent) (lo, hi *float64) {
	if h.Center != nil {
		return mirror(h, e)
	}
	missing := leastSpan*max(math.Abs(e.lo), math.Abs(e.hi)) - (e.hi - e.lo)
	if h.Min != nil || h.Max != nil || !(missing > 0) {
		return h.Min, h.Max
	}
	return At(e.lo - missing/2), At(e.hi + missing/2)
}

// mirror puts the ends of a diverging scale at equal distances from its centre, so that equally strong colours mean
// equal deviations. It does not move fixed ends.
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
	d = cmp.Or(d, 1)
	return At(c - d), At(c + d)
}

// color returns the colour of a value.
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
func (p *pen) heat() {
	show := p.cellTexts()
	line := draw.LineStyle{Color: axisGrey, Width: 0.5}
	for i, row := range p.Heat.Z {
		for j, z := range row {
			cell := vg.Rectangle{Min: p.spot(float64(j)-0.5, float64(i)-0.5),
				Max: p.spot(float64(j)+0.5, float64(i)+0.5)}
			if math.IsNaN(z) {
				p.StrokeLine2(line, cell.Min.X, cell.Min.Y, cell.Max.X, cell.Max.Y)
				p.StrokeLine2(line, cell.Min.X, cell.Max.Y, cell.Max.X, cell.Min.Y)
				continue
			}
			c := p.bar.color(z)
			p.FillPolygon(c, corners(cell))
			p.SetLineStyle(draw.LineStyle{Color: paper, Width: 0.5})
			p.Stroke(cell.Path())
			if show != nil {
				style := lettering(noteSize, inkOn(c))
				style.XAlign = draw.XCenter
				p.FillText(style,
					vg.Point{X: (cell.Min.X + cell.Max.X) / 2, Y: (cell.Min.Y+cell.Max.Y)/2 - capHeight/2*noteSize},
					show(z))
			}
		}
	}
	p.colorBar()
}

// cellTexts returns a function that makes the text of a cell. It returns nil if no texts were requested or if a text
// does not fit. All texts have the unit that suits the ends of the colour bar. They have two digits of the largest
// value and, if this fits, two digits of the range of the values and one digit of the smallest value, with at most
// four digits of the largest value. Whole numbers have no decimals. A smaller positive number is "<0.1".
func (p *pen) cellTexts() func(float64) string {
	if !p.Heat.Values {
		return nil
	}
	scale := number.ScaleOf(max(math.Abs(p.bar.scale.lo), math.Abs(p.bar.scale.hi)), p.Heat.Unit).By
	cell := p.spot(1, 1).Sub(p.spot(0, 0)).Sub(vg.Point{X: 2, Y: 2})
	style := lettering(noteSize, ink)
	least, most := p.Heat.decimals(scale)
	for decimals := most; decimals >= least; decimals-- {
		show := func(z float64) string {
			text := strconv.FormatFloat(z/scale, 'f', decimals, 64)
			if z > 0 && strings.Trim(text, "0.") == "" {
				return "<" + strconv.FormatFloat(math.Pow10(-decimals), 'f', decimals, 64)
			}
			return text
		}
		fits := func(z float64) bool {
			return math.IsNaN(z) || style.Width(show(z)) <= cell.X && noteSize <= cell.Y
		}
		if !slices.ContainsFunc(slices.Concat(p.Heat.Z...), func(z float64) bool { return !fits(z) }) {
			return show
		}
	}
	return nil
}

// decimals returns how many decimals the texts of the cells need in a unit, and how many they should have.
func (h *Heat) decimals(unit float64) (least, most int) {
	values := slices.Concat(h.Z...)
	if !slices.ContainsFunc(values, func(z float64) bool { return z/unit != math.Trunc(z/unit) && !math.IsNaN(z) }) {
		return 0, 0
	}
	e := h.extent()
	digits := func(n int, of float64) int {
		return min(max(n-1-int(math.Floor(math.Log10(of/unit))), 0), 6)
	}
	largest := max(math.Abs(e.lo), math.Abs(e.hi))
	if least = digits(2, largest); e.lo == e.hi {
		return least, least
	}
	smallest := largest
	for _, z := range values {
		if z = math.Abs(z); z > 0 {
			smallest = min(smallest, z)
		}
	}
	return least, max(least, min(max(digits(2, e.hi-e.lo), digits(1, smallest)), digits(4, largest)))
}

func (p *pen) colorBar() {
	b := p.bar
	bar := p.Canvas
	bar.Min.X, bar.Max.X = p.Max.X+barGap, p.Max.X+barGap+barWidth
	const steps = 96
	for i := range steps {
		lo, hi := float64(i)/steps, float64(i+1)/steps
		v := b.scale.lo + (lo+hi)/2*(b.scale.hi-b.scale.lo)
		// Each strip overlaps the next strip, so that no gap is visible.
		strip := vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: bar.Y(lo)},
			Max: vg.Point{X: bar.Max.X, Y: min(bar.Y(hi)+0.5, bar.Max.Y)}}
		p.FillPolygon(b.color(v), corners(strip))
	}
	line := draw.LineStyle{Color: axisGrey, Width: 0.6}
	p.SetLineStyle(line)
	p.Stroke(bar.Rectangle.Path())
	below, above := b.beyond()
	middle := bar.Center().X
	if above {
		p.FillPolygon(b.color(b.scale.hi),
			[]vg.Point{{X: bar.Min.X, Y: bar.Max.Y}, {X: middle, Y: bar.Max.Y + 6}, bar.Max})
	}
	if below {
		p.FillPolygon(b.color(b.scale.lo),
			[]vg.Point{bar.Min, {X: middle, Y: bar.Min.Y - 6}, {X: bar.Max.X, Y: bar.Min.Y}})
	}
	style := lettering(tickSize, softInk)
	for _, t := range b.scale.ticks {
		if t.IsMinor() {
			continue
		}
		y := bar.Y(b.scale.at(t.Value))
		p.StrokeLine2(line, bar.Max.X, y, bar.Max.X+tickLength, y)
		p.FillText(style, vg.Point{X: bar.Max.X + 2*tickLength, Y: y - capHeight/2*tickSize}, t.Label)
	}
	label := lettering(labelSize, ink)
	label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XCenter, draw.YTop
	p.FillText(label, vg.Point{X: bar.Max.X + 2*tickLength + b.ticks + labelGap - descent*labelSize, Y: bar.Center().Y},
		b.label)
}

// beyond reports whether some cells are below the lower end of the bar, and whether some cells are above the upper
// end.
func (b *colorBar) beyond() (below, above bool) {
	for _, row := range b.heat.Z {
		for _, z := range row {
			side := b.scale.side(z)
			below, above = below || side < 0, above || side > 0
		}
	}
	return below, above
}
