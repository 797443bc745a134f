package plots

import "slices"

// legend is the key above the panels, shared by all of them.
type legend struct {
	entries []entry
	top     float64
	height  float64
}

// entry is one item of the key with its place, relative to the legend's corner.
type entry struct {
	series *Series // nil for the explanation of faded points
	look   look
	sample float64 // width of the sample
	lines  []string
	x, y   float64
}

const (
	lineSample = 17 // width of a sample of a line
	markSample = 7  // and of a lone marker
	barSample  = 13
	sampleGap  = 4
	entryGap   = 13
	weakText   = "faded: too few samples"
)

func newLegend(f *Figure, looks looks, width float64) legend {
	var l legend
	weak := false
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			weak = weak || slices.Contains(s.Weak, true)
			l.add(s, looks.of(s))
		}
	}
	if weak {
		l.entries = append(l.entries, entry{sample: markSample})
	}
	for i := range l.entries {
		e := &l.entries[i]
		text := weakText
		if e.series != nil {
			text = e.series.legendName()
		}
		e.lines = wrapText(text, width-e.sample-sampleGap, legendSize, false)
	}
	l.flow(width)
	return l
}

// add puts a series into the key if it is new there, after the last one of its
// colour.
func (l *legend) add(s *Series, look look) {
	e := entry{series: s, look: look, sample: lineSample}
	switch s.Style {
	case Points:
		e.sample = markSample
	case Bar, Box:
		e.sample = barSample
	}
	at := len(l.entries)
	for i, o := range l.entries {
		if o.series.legendName() == s.legendName() && o.series.Muted == s.Muted {
			return
		}
		if !s.Muted && !o.series.Muted && o.series.hue() == s.hue() {
			at = i + 1
		}
	}
	l.entries = slices.Insert(l.entries, at, e)
}

func (e *entry) width() float64 {
	w := 0.0
	for _, s := range e.lines {
		w = max(w, textWidth(s, legendSize, false))
	}
	return e.sample + sampleGap + w
}

// flow puts the entries in one row, or in columns of one width if they need more.
func (l *legend) flow(width float64) {
	total, widest := -float64(entryGap), 0.0
	for i := range l.entries {
		w := l.entries[i].width()
		total, widest = total+w+entryGap, max(widest, w)
	}
	columns := len(l.entries)
	if total > width {
		columns = max(int((width+entryGap)/(widest+entryGap)), 1)
	}
	x, y, row := 0.0, 0.0, 0.0
	for i := range l.entries {
		e := &l.entries[i]
		if i > 0 && i%columns == 0 {
			x, y, row = 0, y+row, 0
		}
		e.x, e.y = x, y
		if total > width {
			x += widest + entryGap
		} else {
			x += e.width() + entryGap
		}
		row = max(row, linesHeight(len(e.lines), legendSize))
	}
	l.height = y + row
}

func (p *pen) legend(l *legend) {
	for i := range l.entries {
		e := &l.entries[i]
		x, y := pageMargin+e.x, l.top+e.y
		p.sample(e, x, y+legendSize*(capHeight/2+0.1))
		p.lines(lettering{size: legendSize, color: ink}, x+e.sample+sampleGap, y, e.lines)
	}
}

// sample draws a piece of the series, centred on y.
func (p *pen) sample(e *entry, x, y float64) {
	mid := point{x + e.sample/2, y}
	if e.series == nil {
		p.marker(0, mid, markerRadius, fade(softInk, weakAlpha), false)
		return
	}
	s, look := e.series, e.look
	switch s.Style {
	case Bar, Box:
		p.bar(look, rect{x, y - 3, x + e.sample, y + 3}, false)
		return
	case Points:
	default:
		p.line(look.stroke(), point{x, y}, point{x + e.sample, y})
	}
	if s.Style == Points || !s.Muted && (s.Style == Line || s.Style == Step) {
		p.marker(look.shape, mid, markerRadius, look.color, look.hollow)
	}
}
