package plots

import (
	"math"
	"slices"
)

// Space between the parts of a drawing, in points.
const (
	pageMargin = 5
	panelGap   = 10
	tickLength = 2.5
	tickGap    = 2.5 // from a tick to its text
	labelGap   = 3   // from the tick texts to the axis label
	barWidth   = 8   // of the colour bar of a heat map
	barGap     = 6

	maxOverhang = 30 // of the x label to the left of the data area
)

// layout is a figure with every part in its place.
type layout struct {
	fig           *Figure
	width, height float64
	title         []string
	subtitle      []string
	footnote      []string
	legend        legend
	panels        []panel
	looks         looks
}

// panel is a Panel with its axes settled and its data area on the page.
type panel struct {
	*Panel
	x, y      *axis
	data      rect
	titleAt   float64 // top of the title
	title     []string
	xLabel    []string
	yLabel    []string // as drawn
	fullLabel []string // what it would be if the panel stood alone
	turn      float64  // of the x ticks, in degrees
	xSkip     int      // label every so many x ticks
	tickH     float64  // height of the x ticks' text
	bar       *colorBar
	left      float64 // room that the y axis needs
	labelAt   float64 // how far from the data area the y label ends
	right     float64 // room to the right of the data area
}

func arrange(f *Figure) *layout {
	l := &layout{fig: f, looks: looks{f.hueOrder()}}
	columns := f.columns()
	l.width = f.width()
	inner := l.width - 2*pageMargin
	l.title = wrapText(f.Title, inner, titleSize, true)
	l.subtitle = wrapText(f.Subtitle, inner, subtitleSize, false)
	l.footnote = wrapText(f.Footnote, inner, footSize, false)
	l.legend = newLegend(f, l.looks, inner)

	rough := (inner - float64(columns-1)*panelGap) / float64(columns)
	height := f.PanelHeight
	if height == 0 {
		height = min(max(0.62*(rough-30), 80), 240)
	}
	l.panels = make([]panel, len(f.Panels))
	for i := range f.Panels {
		l.panels[i] = newPanel(&f.Panels[i], height)
		if p := &l.panels[i]; f.PanelHeight == 0 && p.Identity {
			// The diagonal of a square: as high as wide.
			height = rough - p.left - p.right
			*p = newPanel(&f.Panels[i], height)
		}
	}
	for i := range l.panels {
		// One label is enough for panels side by side with the same y axis.
		if p := &l.panels[i]; i%columns > 0 && slices.Equal(p.yLabel, l.panels[i-1].fullLabel) {
			p.left -= labelGap + linesHeight(len(p.yLabel), labelSize)
			p.yLabel = nil
		}
	}
	l.place(columns, inner, height)
	return l
}

// columns is how many panels stand side by side.
func (f *Figure) columns() int {
	n := len(f.Panels)
	switch {
	case f.Columns > 0:
		return min(f.Columns, n)
	case n == 4:
		return 2
	}
	return min(n, 3)
}

// width is the width of the drawing in points.
func (f *Figure) width() float64 {
	switch {
	case f.Width > 0:
		return f.Width
	case f.columns() > 1:
		return PageWidth
	}
	return ColumnWidth
}

// Wide reports whether the drawing is wider than a column and a half.
func (f *Figure) Wide() bool { return f.width() > 1.5*ColumnWidth }

// newPanel settles the y axis, whose length is known.
func newPanel(desc *Panel, height float64) panel {
	p := panel{Panel: desc}
	_, ye := extents(desc)
	p.y = settle(&desc.Y, ye, height, 20)
	p.fullLabel = wrapText(p.y.label, height+16, labelSize, false)
	p.yLabel = p.fullLabel
	p.left = p.ticksWidth()
	if len(p.yLabel) > 0 {
		p.left += labelGap + linesHeight(len(p.yLabel), labelSize)
	}
	p.right = 4
	if desc.Heat != nil {
		p.bar = newColorBar(desc.Heat, height)
		p.right += p.bar.room
	}
	return p
}

// ticksWidth is the room of the y ticks and their texts.
func (p *panel) ticksWidth() float64 {
	widest := 0.0
	for _, m := range p.y.marks {
		widest = max(widest, m.width(tickSize))
	}
	return tickLength + tickGap + widest
}

// place puts the panels on a grid with data areas of one size.
func (l *layout) place(columns int, inner, height float64) {
	rows := (len(l.panels) + columns - 1) / columns
	left, right := make([]float64, columns), make([]float64, columns)
	width := 0.0
	// The x ticks stand out at the sides by an amount that depends on the width,
	// which depends on that amount: twice is enough.
	for range 2 {
		for i := range l.panels {
			p := &l.panels[i]
			c := i % columns
			left[c], right[c] = max(left[c], p.left), max(right[c], p.right)
		}
		used := float64(columns-1) * panelGap
		for c := range columns {
			used += left[c] + right[c]
		}
		width = max((inner-used)/float64(columns), 30)
		for i := range l.panels {
			l.panels[i].settleX(width)
		}
	}

	y := float64(pageMargin)
	y += linesHeight(len(l.title), titleSize)
	if len(l.title) > 0 && len(l.subtitle) > 0 {
		y += 1
	}
	y += linesHeight(len(l.subtitle), subtitleSize)
	if len(l.title)+len(l.subtitle) > 0 {
		y += 4
	}
	l.legend.top = y
	y += l.legend.height
	if l.legend.height > 0 {
		y += 4
	}
	for r := range rows {
		row := l.panels[r*columns : min((r+1)*columns, len(l.panels))]
		titles, below := 0, 0.0
		for i := range row {
			titles = max(titles, len(row[i].title))
			below = max(below, row[i].below())
		}
		top := y + linesHeight(titles, panelSize) + 4
		if titles > 0 {
			top += 1
		}
		x := float64(pageMargin)
		for i := range row {
			x += left[i]
			p := &row[i]
			p.data = rect{x, top, x + width, top + height}
			p.titleAt = top - 4 - linesHeight(len(p.title), panelSize)
			x += width + right[i] + panelGap
		}
		for i := range row {
			for j := i; j < len(l.panels); j += columns {
				row[i].labelAt = max(row[i].labelAt, l.panels[j].ticksWidth()+labelGap)
			}
		}
		y = top + height + below
		if r < rows-1 {
			y += panelGap
		}
	}
	if len(l.footnote) > 0 {
		y += 5 + linesHeight(len(l.footnote), footSize)
	}
	l.height = math.Ceil(y + pageMargin)
}

// below is the room that the x axis needs under the data area.
func (p *panel) below() float64 {
	h := tickLength + tickGap + p.tickH
	if len(p.xLabel) > 0 {
		h += labelGap + linesHeight(len(p.xLabel), labelSize)
	}
	return h
}

// settleX settles the x axis for a width of the data area: its ticks stand level
// if they fit, else turned, else turned and thinned.
func (p *panel) settleX(width float64) {
	xe, _ := extents(p.Panel)
	p.x = settle(&p.Panel.X, xe, width, 42)
	p.title = wrapText(p.Panel.Title, width+p.right, panelSize, true)
	p.xLabel = wrapText(p.x.label, width+min(p.left, maxOverhang)+p.right, labelSize, false)
	p.turn, p.xSkip, p.tickH = 0, 1, tickSize*0.85
	labelled := slices.DeleteFunc(slices.Clone(p.x.marks), func(m mark) bool { return m.minor || m.text == "" })
	if len(labelled) == 0 {
		p.tickH = 0
		return
	}
	widest := 0.0
	fits := true
	for i, m := range labelled {
		widest = max(widest, m.width(tickSize))
		if i > 0 {
			gap := (p.x.at(m.at) - p.x.at(labelled[i-1].at)) * width
			fits = fits && gap >= (m.width(tickSize)+labelled[i-1].width(tickSize))/2+4
		}
	}
	if !fits {
		p.turn = 45
		p.tickH = widest*math.Sqrt2/2 + tickSize*0.5
		step := width / float64(len(labelled))
		p.xSkip = max(int(math.Ceil((tickSize+1.5)*math.Sqrt2/step)), 1)
	}
	for _, m := range labelled {
		w := m.width(tickSize)
		before, after := w/2, w/2
		if p.turn != 0 {
			before, after = w*math.Sqrt2/2, 2
		}
		x := p.x.at(m.at) * width
		p.left = max(p.left, before-x)
		if p.bar == nil {
			p.right = max(p.right, x+after-width)
		}
	}
}

// extents are the ranges of the panel's data.
func extents(p *Panel) (x, y extent) {
	x, y = newExtent(), newExtent()
	traces := len(p.Series) > 0
	for i := range p.Series {
		s := &p.Series[i]
		x.add(s.X...)
		y.add(s.Y...)
		for _, lo := range s.Lo {
			if p.Y.Scale != Log || lo > 0 {
				y.add(lo)
			}
		}
		y.add(s.Hi...)
		y.zero = y.zero || s.Style == Bar
		traces = traces && (s.Style == Trace || s.Style == Step)
		if s.Style == Bar || s.Style == Box {
			half := barPitch(p) / 2
			x.add(slices.Min(s.X)-half, slices.Max(s.X)+half)
		}
	}
	x.tight, x.across = traces, true
	for _, n := range p.Notes {
		x.add(n.X)
		y.add(n.Y)
	}
	return x, y
}
