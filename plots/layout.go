package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Space between the parts of a drawing, in points.
const (
	pageMargin = 5
	panelGap   = 10
	blockGap   = 4 // below the heading
	legendGap  = 7
	leastWidth = 40 // least width of a data area
)

// layout is a figure whose parts have their positions.
type layout struct {
	width, height vg.Length
	blocks        []block // texts above the panels
	legend        legend
	foot          block
	panels        []*panel
	grid          [][]*plot.Plot // the panels in rows; nil for an empty position
	tiles         draw.Tiles
}

// block holds lines of text that start at the left margin.
type block struct {
	text  string
	style text.Style
	top   vg.Length // distance from the top of the page
}

// A page has room for drawings of this height. If a drawing would be higher, its panels stand in more columns and
// become lower.
const (
	pageHeight  = 648
	mostColumns = 4
	leastHigh   = 48 // least height of a data area
)

func arrange(f *Figure) *layout {
	columns, high := f.columns(), vg.Length(f.PanelHeight)
	for {
		l, used := f.inColumns(columns, high)
		wider := columns > 1 && columns < mostColumns
		if l.height <= pageHeight || used <= leastHigh && !wider {
			return l
		}
		if wider {
			columns, high = columns+1, vg.Length(f.PanelHeight)
		} else {
			high = max(0.9*used, leastHigh)
		}
	}
}

// inColumns arranges a figure. high is the height of the data areas; 0 means a height in proportion to the width.
// inColumns also returns the height that it used.
func (f *Figure) inColumns(columns int, high vg.Length) (*layout, vg.Length) {
	l := &layout{width: vg.Length(f.width())}
	inner := l.width - 2*pageMargin
	looks := newLooks(f)
	gaps := vg.Length(columns-1) * panelGap
	rough := (inner - gaps) / vg.Length(columns)
	fixed := high > 0
	if !fixed {
		high = min(max(0.62*(rough-30), 80), 240)
	}
	for i := range f.Panels {
		p := newPanel(&f.Panels[i], looks, rough, high)
		if !fixed && p.Identity {
			// With the identity line the data area is a square.
			p.fit(rough - 30)
			m := p.margins(rough-40, high-40)
			high = rough - m.left - m.right
			p = newPanel(&f.Panels[i], looks, rough, high)
		}
		l.panels = append(l.panels, p)
	}
	l.shareLabels(columns)
	below := l.place(columns, inner, high)
	l.legend = newLegend(l.panels, inner)

	y := vg.Length(pageMargin)
	for _, b := range []block{
		{text: f.Title, style: lettering(titleSize, ink)},
		{text: f.Subtitle, style: lettering(subtitleSize, softInk)},
	} {
		if b.text == "" {
			continue
		}
		if b.text == f.Title {
			b.style.Font.Weight = bold
		}
		b.text, b.top = wrapText(b.text, inner, b.style), y
		l.blocks = append(l.blocks, b)
		y += height(b.text, b.style)
	}
	if len(l.blocks) > 0 {
		y += blockGap
	}
	l.legend.top = y
	if y += l.legend.height; l.legend.height > 0 {
		y += legendGap
	}
	l.tiles.PadTop = y
	y += below
	l.foot = block{style: lettering(footSize, softInk)}
	l.foot.text, l.foot.top = wrapText(f.smallPrint(), inner, l.foot.style), y+5
	if l.foot.text != "" {
		y = l.foot.top + height(l.foot.text, l.foot.style)
	}
	l.height = vg.Length(math.Ceil(float64(y + pageMargin)))
	l.tiles.PadBottom = l.height - l.tiles.PadTop - below
	return l, high
}

// columns returns how many panels stand side by side.
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

// width returns the width of the drawing in points.
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

// shareLabels omits the y label of a panel that has the same y axis as its left neighbour, and aligns the labels of a
// column.
func (l *layout) shareLabels(columns int) {
	labels := make([]string, len(l.panels))
	for i, p := range l.panels {
		labels[i] = p.plot.Y.Label.Text
		if i%columns > 0 && labels[i] == labels[i-1] && p.y.lo == l.panels[i-1].y.lo &&
			p.y.hi == l.panels[i-1].y.hi && slices.Equal(p.y.ticks, l.panels[i-1].y.ticks) {
			p.plot.Y.Label.Text = ""
		}
	}
	for i, p := range l.panels {
		widest := vg.Length(0)
		for j := i % columns; j < len(l.panels); j += columns {
			widest = max(widest, l.panels[j].yTicksWidth())
		}
		p.plot.Y.Label.Padding = labelGap + widest - p.yTicksWidth()
	}
}

// place sets the tiles of the panels so that all data areas have one size. It returns the height of all rows.
func (l *layout) place(columns int, inner, high vg.Length) vg.Length {
	rows := (len(l.panels) + columns - 1) / columns
	l.tiles = draw.Tiles{Cols: columns, Rows: rows, PadLeft: pageMargin, PadRight: pageMargin, PadX: panelGap,
		PadY: panelGap}
	width := inner/vg.Length(columns) - 30
	total := vg.Length(0)
	// The width depends on the room at the sides of the data areas, and this room depends on the width. Three
	// iterations suffice.
	for range 3 {
		left, right := make([]vg.Length, columns), make([]vg.Length, columns)
		top, bottom := make([]vg.Length, rows), make([]vg.Length, rows)
		over := vg.Length(0)
		for i, p := range l.panels {
			p.fit(width)
			m := p.margins(width, high)
			r, c := i/columns, i%columns
			left[c], right[c] = max(left[c], m.left), max(right[c], m.right)
			top[r], bottom[r] = max(top[r], m.top), max(bottom[r], m.bottom)
		}
		for i, p := range l.panels {
			// The first x label may reach into the margin of the page or into the gap.
			if out := p.overhang - left[i%columns]; i%columns == 0 {
				l.tiles.PadLeft = max(l.tiles.PadLeft, pageMargin+out)
			} else {
				over = max(over, out)
			}
		}
		l.tiles.PadX = max(l.tiles.PadX, panelGap+over)
		pads, sides, widest := l.tiles.PadLeft+pageMargin+vg.Length(columns-1)*l.tiles.PadX, vg.Length(0), vg.Length(0)
		for c := range columns {
			sides, widest = sides+left[c]+right[c], max(widest, left[c]+right[c])
		}
		// Long labels make the page wider. gonum aligns tiles of equal widths, so each tile needs the same room at
		// its sides as the widest tile.
		n := vg.Length(columns)
		need := pads + max(sides+n*leastWidth, n*(widest+leastWidth/4))
		l.width = max(inner+2*pageMargin, vg.Length(math.Ceil(float64(need))))
		width = (l.width - pads - sides) / n
		total = vg.Length(rows-1)*panelGap + vg.Length(rows)*high
		for r := range rows {
			total += top[r] + bottom[r]
		}
	}
	for _, p := range l.panels {
		p.fit(width)
		p.rim = p.rims(width, high)
	}
	l.grid = make([][]*plot.Plot, rows)
	for r := range rows {
		l.grid[r] = make([]*plot.Plot, columns)
		for c := range columns {
			if i := r*columns + c; i < len(l.panels) {
				l.grid[r][c] = l.panels[i].plot
			}
		}
	}
	return total
}

// draw draws the figure on a canvas.
func (l *layout) draw(on vg.Canvas) {
	c := draw.NewCanvas(steady{on}, l.width, l.height)
	c.FillPolygon(paper, corners(c.Rectangle))
	for _, b := range slices.Concat(l.blocks, []block{l.foot}) {
		b.style.YAlign = draw.YTop
		c.FillText(b.style, vg.Point{X: pageMargin, Y: l.height - b.top + descent*b.style.Font.Size}, b.text)
	}
	l.legend.draw(draw.Crop(c, pageMargin, -pageMargin, 0, -l.legend.top))
	for r, row := range plot.Align(l.grid, l.tiles, c) {
		for i, tile := range row {
			if p := l.grid[r][i]; p != nil {
				p.Draw(tile)
			}
		}
	}
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
