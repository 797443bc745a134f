package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"pintlab/internal/lists"
	"pintlab/internal/number"
)

const (
	tickLength = 2.5
	labelGap   = 3 // distance from the tick texts to the axis label
	titleGap   = 4 // distance from the data area to the title of the panel

	longestLabel = 140 // greatest length of a category's label
	labelLines   = 3   // largest number of lines of an axis label
)

// panel is a Panel as a gonum plot. It is the only plotter of this plot. The axes of the plot run from 0 to 1 for
// every scale, because gonum puts the label of a logarithmic axis at the mean of its ends.
type panel struct {
	*Panel
	plot     *plot.Plot
	x, y     *axis
	looks    looks
	title    string
	bar      *colorBar
	room     vg.Length // for the label of a category
	overhang vg.Length // how far the x labels extend to the left of the data area

	dodge map[*Series]vg.Point  // how far series are shifted from their positions
	rim   map[*Series]vg.Length // how much wider than usual series are drawn
}

// newPanel returns a panel whose data area has height high, in a column of the given width.
func newPanel(desc *Panel, looks looks, wide, high vg.Length) *panel {
	p := &panel{Panel: desc, plot: plot.New(), looks: looks, room: min(longestLabel, wide/2)}
	p.plot.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.plot.X, &p.plot.Y} {
		a.Min, a.Max = 0, 1
		a.LineStyle.Width = 0 // the panel draws this line itself, over the data
		a.Label.TextStyle = lettering(labelSize, ink)
		a.Label.TextStyle.XAlign = draw.XCenter
		a.Tick.Label = lettering(tickSize, softInk)
		a.Tick.LineStyle = draw.LineStyle{Color: axisGrey, Width: 0.7}
	}
	p.plot.X.Label.Padding = 1
	p.plot.Y.Tick.Label.XAlign, p.plot.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	_, ye := extents(desc)
	p.y = settle(&desc.Y, ye, float64(high), 20)
	p.y.shorten(p.room)
	p.y.apply(&p.plot.Y, high+16)
	if desc.Heat != nil {
		p.bar = newColorBar(desc.Heat, high)
	}
	p.dodge = p.dodges()
	p.plot.Add(p)
	return p
}

// shorten shortens the labels of the ticks to the given width.
func (a *axis) shorten(width vg.Length) {
	labels := lists.Map(a.ticks, func(t plot.Tick) string { return t.Label })
	for i, s := range shorten(labels, width, lettering(tickSize, softInk)) {
		a.ticks[i].Label = s
	}
}

// axisLabel breaks the label of an axis into lines of at most the given width. It shortens the label if the label
// needs too many lines.
func axisLabel(label string, wide vg.Length, sty text.Style) string {
	return wrapText(shortened(label, 0.5, labelLines*wide, sty), wide, sty)
}

// apply sets the ticks and the label of a plot's axis. The parameter wide is the largest width of the label.
func (a *axis) apply(to *plot.Axis, wide vg.Length) {
	to.Label.Text = axisLabel(a.label, wide, to.Label.TextStyle)
	to.Tick.Length, to.Padding = tickLength, 0
	if a.Scale == Categorical {
		to.Tick.Length, to.Padding = 0, tickLength
	}
	ticks := slices.Clone(a.ticks)
	for i := range ticks {
		ticks[i].Value = a.at(ticks[i].Value)
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
}

func (p *panel) yTicksWidth() vg.Length {
	widest := vg.Length(0)
	for _, t := range p.y.ticks {
		widest = max(widest, p.plot.Y.Tick.Label.Width(t.Label))
	}
	return widest
}

// fit settles the x axis for a width of the data area. The labels are horizontal if they fit. Otherwise they are
// turned and shortened. If they still do not fit, some labels are also omitted.
func (p *panel) fit(width vg.Length) {
	xe, _ := extents(p.Panel)
	p.x = settle(&p.Panel.X, xe, float64(width), 40)
	a := &p.plot.X
	style := lettering(tickSize, softInk)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	labelled := func(i int) bool { return p.x.ticks[i].Label != "" }
	place := func(i int) vg.Length { return vg.Length(p.x.at(p.x.ticks[i].Value)) * width }
	fits, n, last := true, 0, -1
	for i := range p.x.ticks {
		if !labelled(i) {
			continue
		}
		fits = fits && style.Width(p.x.ticks[i].Label) <= width
		if last >= 0 {
			room := (style.Width(p.x.ticks[i].Label) + style.Width(p.x.ticks[last].Label)) / 2
			fits = fits && place(i)-place(last) >= room+4
		}
		n, last = n+1, i
	}
	if !fits {
		p.x.shorten(p.room)
		style.Rotation, style.XAlign, style.YAlign = math.Pi/4, draw.XRight, -0.62
		skip := max(int(math.Ceil(float64((tickSize+1.5)*math.Sqrt2/(width/vg.Length(n))))), 1)
		// The last label of a thinned axis matters most, so counting starts there.
		for i := range p.x.ticks {
			if !labelled(i) {
				continue
			}
			if n--; n%skip != 0 {
				p.x.ticks[i].Label = ""
			} else {
				p.x.ticks[i].Label += "  " // the spaces separate the end of the label from the tick
			}
		}
	}
	a.Tick.Label = style
	p.x.apply(a, width)
	p.overhang = 0
	for i := range p.x.ticks {
		if labelled(i) {
			p.overhang = max(p.overhang, -style.Rectangle(p.x.ticks[i].Label).Min.X-place(i))
		}
	}
	title := lettering(panelSize, ink)
	title.Font.Weight = bold
	p.title = axisLabel(p.Panel.Title, width, title)
}

// margins are the widths of everything around the data area.
type margins struct{ left, right, bottom, top vg.Length }

// margins measures a plot whose data area has about this size.
func (p *panel) margins(width, height vg.Length) margins {
	on := func(width, height vg.Length) margins {
		d := p.plot.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: height}}})
		return margins{d.Min.X, width - d.Max.X, d.Min.Y, height - d.Max.Y}
	}
	const usual, ample = 40, 10_000
	m := on(ample, ample)
	return on(width+max(usual, m.left+m.right), height+max(usual, m.bottom+m.top))
}

// GlyphBoxes requests room above the data area for the title, and room to the right of it for the colour bar.
func (p *panel) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	up := vg.Length(2)
	if p.title != "" {
		up = titleGap + height(p.title, lettering(panelSize, ink))
	}
	right := vg.Length(4)
	if p.bar != nil {
		right = p.bar.room
	}
	return []plot.GlyphBox{
		{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: up}}},
		{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: right}}},
	}
}

// pen draws the inside of a panel.
type pen struct {
	draw.Canvas // the data area
	*panel
}

// spot returns the position of the data point (x, y) on the page.
func (p *pen) spot(x, y float64) vg.Point {
	return vg.Point{X: p.Canvas.X(p.x.at(x)), Y: p.Canvas.Y(p.y.at(y))}
}

// Plot draws the panel in its data area.
func (p *panel) Plot(c draw.Canvas, _ *plot.Plot) {
	style := lettering(panelSize, ink)
	style.Font.Weight = bold
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + titleGap + descent*panelSize}, p.title)
	d := &pen{Canvas: c, panel: p}
	if p.Heat != nil {
		d.heat()
		return
	}
	d.gridLines()
	d.axisBreak()
	d.refLines()
	d.series()
	c.StrokeLines(draw.LineStyle{Color: axisGrey, Width: 0.7},
		[]vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
	d.writing()
}

func (p *pen) gridLines() {
	style := func(t plot.Tick) draw.LineStyle {
		if t.IsMinor() {
			return draw.LineStyle{Color: fineGrey, Width: 0.35}
		}
		return draw.LineStyle{Color: gridGrey, Width: 0.45}
	}
	for _, t := range p.x.ticks {
		if p.Panel.X.Scale == Categorical {
			break
		}
		x := p.Canvas.X(p.x.at(t.Value))
		p.StrokeLine2(style(t), x, p.Min.Y, x, p.Max.Y)
	}
	for _, t := range p.y.ticks {
		y := p.Canvas.Y(p.y.at(t.Value))
		p.StrokeLine2(style(t), p.Min.X, y, p.Max.X, y)
	}
}

// axisBreak draws two strokes across the y axis. They separate the strip of values below the axis from the axis
// itself.
func (p *pen) axisBreak() {
	if p.y.strip == 0 {
		return
	}
	y, grey := p.Canvas.Y(p.y.strip), draw.LineStyle{Color: axisGrey, Width: 0.7}
	p.StrokeLine2(draw.LineStyle{Color: axisGrey, Width: 0.35}, p.Min.X, y, p.Max.X, y)
	for _, up := range []vg.Length{-1, 1} {
		p.StrokeLine2(grey, p.Min.X-3, y+up-1.2, p.Min.X+3, y+up+1.2)
	}
}

// belowAxis reports whether a panel with a logarithmic y axis has zeros, and whether it has positive values below a
// fixed end.
func (p *Panel) belowAxis() (zero, less bool) {
	for i := range p.Series {
		for _, y := range p.Series[i].Y {
			zero = zero || y == 0
			less = less || y > 0 && p.Y.Min != nil && y < *p.Y.Min
		}
	}
	return zero, less
}

// These factors bound how far an interval may exceed the positive data. A longer interval leaves the frame, so that
// it does not compress the data.
const (
	logReach    = 10
	linearReach = 3
)

// extents returns the ranges of the panel's data.
func extents(p *Panel) (x, y extent) {
	x, y = newExtent(), newExtent()
	ends := newExtent()
	traces := len(p.Series) > 0
	for i := range p.Series {
		s := &p.Series[i]
		x.add(s.X...)
		for _, v := range s.Y {
			if p.Y.Scale != Log || v > 0 {
				y.add(v)
			}
		}
		for _, lo := range s.Lo {
			if p.Y.Scale != Log || lo > 0 {
				ends.add(lo)
			}
		}
		ends.add(s.Hi...)
		y.zero = y.zero || s.Style == Bar
		traces = traces && (s.Style == Trace || s.Style == Step)
		if s.Style == Bar {
			half := barPitch(p) / 2
			x.add(slices.Min(s.X)-half, slices.Max(s.X)+half)
		}
	}
	switch {
	case ends.lo > ends.hi: // none
	case p.Y.Scale == Log:
		y.add(max(ends.lo, y.lo/logReach), min(ends.hi, y.hi*logReach))
	case y.lo >= 0 && y.hi > 0:
		y.add(ends.lo, min(ends.hi, y.hi*linearReach))
	default:
		y.add(ends.lo, ends.hi)
	}
	x.tight, x.across = traces, true
	if p.Y.Scale == Log {
		zero, less := p.belowAxis()
		switch {
		case less:
			y.below = "<" + number.Short(*p.Y.Min, p.Y.Unit, 3)
		case zero:
			y.below = "0"
		}
	}
	for _, n := range p.Notes {
		x.add(n.X)
		y.add(n.Y)
	}
	return x, y
}
