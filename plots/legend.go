package plots

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	entryGap = 13
	weakText = "faded: too few samples"
	zeroText = "zero"
	outText  = "off the axis"
	bothText = "zero or off the axis"
	rimText  = "wide: beneath another curve"
)

// legend is the legend above the panels. All panels share it. Each of its columns is a gonum legend.
type legend struct {
	columns []plot.Legend
	top     vg.Length // distance from the top of the page
	height  vg.Length
}

// entry is one item of the legend.
type entry struct {
	series *Series // nil for an explanation
	text   string  // text of an explanation
	look   look
	marked bool // a line with marks
}

func (e entry) name() string {
	if e.series == nil {
		return e.text
	}
	return e.series.legendName()
}

func (e entry) width() vg.Length {
	switch {
	case e.text == rimText:
	case e.series == nil || e.series.Style == Points:
		return 9
	case e.series.Style == Bar || e.series.Style == Span:
		return 15
	}
	var period vg.Length
	for _, length := range e.look.dash {
		period += length
	}
	return max(19, 3*period+2) // of three periods, the mark hides one
}

// newLegend returns a legend in as few rows as the width allows.
func newLegend(panels []*panel, width vg.Length) legend {
	entries := entriesOf(panels)
	for n := len(entries); n > 0; n-- {
		l := legend{columns: make([]plot.Legend, n)}
		for i := range l.columns {
			c := plot.NewLegend()
			c.Top, c.Left, c.ThumbnailWidth = true, true, 0
			c.TextStyle = lettering(legendSize, ink)
			c.Padding = (lineHeight - capHeight) / 2 * legendSize
			l.columns[i] = c
		}
		for i, e := range entries {
			c := &l.columns[i%n]
			c.ThumbnailWidth = max(c.ThumbnailWidth, e.width())
			c.Add(wrapText(e.name(), width-e.width()-4, c.TextStyle), e)
		}
		total := vg.Length(n-1) * entryGap
		for i := range l.columns {
			size := l.columns[i].Rectangle(draw.Canvas{}).Size()
			total += size.X
			l.height = max(l.height, size.Y)
		}
		if total <= width || n == 1 {
			return l
		}
	}
	return legend{}
}

// entriesOf lists each series once. A series comes after the other series of the same colour.
func entriesOf(panels []*panel) []entry {
	var entries []entry
	weak, zero, out, rim := false, false, false, false
	for _, p := range panels {
		z, o := p.offAxis()
		zero, out, rim = zero || z, out || o || p.cutsIntervals(), rim || len(p.rim) > 0
		for j := range p.Series {
			s := &p.Series[j]
			weak = weak || slices.Contains(s.Weak, true)
			e := entry{series: s, look: p.looks.of(s), marked: s.Style == Line || p.looks.marked(s)}
			if slices.ContainsFunc(entries,
				func(o entry) bool { return o.name() == e.name() && o.series.Muted == s.Muted }) {
				continue
			}
			at := len(entries)
			for k, o := range entries {
				if !s.Muted && !o.series.Muted && o.series.hue() == s.hue() {
					at = k + 1
				}
			}
			entries = slices.Insert(entries, at, e)
		}
	}
	if len(entries) == 1 && entries[0].name() == panels[0].Panel.Y.Label { // the axis already has the name
		entries = nil
	}
	if weak {
		entries = append(entries, entry{text: weakText})
	}
	if rim {
		entries = append(entries, entry{text: rimText})
	}
	switch {
	case zero && out:
		entries = append(entries, entry{text: bothText})
	case zero:
		entries = append(entries, entry{text: zeroText})
	case out:
		entries = append(entries, entry{text: outText})
	}
	return entries
}

// draw puts the legend at the top left of the area.
func (l *legend) draw(c draw.Canvas) {
	for i := range l.columns {
		l.columns[i].Draw(c)
		c.Min.X += l.columns[i].Rectangle(c).Size().X + entryGap
	}
}

// Thumbnail draws a piece of the series.
func (e entry) Thumbnail(c *draw.Canvas) {
	box := *c
	c = &box
	c.Max.X -= 2 // gonum sets the text too close
	mid := c.Center()
	mark := draw.GlyphStyle{Color: e.look.color, Radius: markerRadius, Shape: glyph{e.look.shape, e.look.hollow}}
	s := e.series
	switch {
	case e.text == weakText:
		mark.Color, mark.Shape = fade(softInk, weakAlpha), glyph{}
		c.DrawGlyph(mark, mid)
		return
	case e.text == rimText:
		for _, style := range []draw.LineStyle{{Color: fade(softInk, rimAlpha), Width: 1.25 + rimWidth},
			{Color: softInk, Width: 1.25}} {
			c.StrokeLine2(style, c.Min.X, mid.Y, c.Max.X, mid.Y)
		}
		return
	case s == nil:
		(&pen{Canvas: *c}).chevron(mid.Sub(vg.Point{Y: chevronLong / 2}), vg.Point{Y: -1}, softInk)
		return
	case s.Style == Bar || s.Style == Span:
		e.look.bar(*c, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: mid.Y - 3}, Max: vg.Point{X: c.Max.X, Y: mid.Y + 3}},
			false)
		return
	case s.Style != Points:
		c.StrokeLine2(e.look.line(), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if s.Style == Points || !s.Muted && e.marked {
		c.DrawGlyph(mark, mid)
	}
}
