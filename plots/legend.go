package plots

// legend is the key above the panels, shared by all of them.
type legend struct {
	entries []entry
	top     float64
	height  float64
}

// entry is one line of the key with its place, relative to the legend's corner.
type entry struct {
	series *Series // nil for the explanation of faded points
	look   look
	lines  []string
	x, y   float64
}

const (
	sampleWidth = 17 // of the sample of line and marker
	sampleGap   = 4
	entryGap    = 12
	weakText    = "faded: too few samples"
)

func newLegend(f *Figure, looks looks, width float64) legend {
	var l legend
	seen := map[string]bool{}
	weak := false
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			for _, w := range s.Weak {
				weak = weak || w
			}
			key := s.legendName()
			if seen[key] {
				continue
			}
			seen[key] = true
			l.entries = append(l.entries, entry{
				series: s, look: looks.of(s),
				lines: wrapText(key, width-sampleWidth-sampleGap, legendSize, false),
			})
		}
	}
	if weak {
		l.entries = append(l.entries, entry{lines: wrapText(weakText, width-sampleWidth-sampleGap, legendSize, false)})
	}
	l.flow(width)
	return l
}

// flow puts the entries in rows.
func (l *legend) flow(width float64) {
	x, y, row := 0.0, 0.0, 0.0
	for i := range l.entries {
		e := &l.entries[i]
		w := float64(sampleWidth + sampleGap)
		for _, s := range e.lines {
			w = max(w, sampleWidth+sampleGap+textWidth(s, legendSize, false))
		}
		if x > 0 && x+w > width {
			x, y, row = 0, y+row, 0
		}
		e.x, e.y = x, y
		x += w + entryGap
		row = max(row, linesHeight(len(e.lines), legendSize))
	}
	l.height = y + row
}

func (p *pen) legend(l *legend) {
	for i := range l.entries {
		e := &l.entries[i]
		x, y := pageMargin+e.x, l.top+e.y
		p.sample(e, x, y+legendSize*(capHeight/2+0.1))
		p.lines(lettering{size: legendSize, color: ink}, x+sampleWidth+sampleGap, y, e.lines)
	}
}

// sample draws a piece of the series, centred on y.
func (p *pen) sample(e *entry, x, y float64) {
	mid := point{x + sampleWidth/2, y}
	if e.series == nil {
		p.marker(0, mid, markerRadius, fade(softInk, weakAlpha), false)
		return
	}
	s, look := e.series, e.look
	switch s.Style {
	case Bar, Box:
		p.bar(look, rect{x + 2, y - 3, x + sampleWidth - 2, y + 3}, false)
		return
	case Points:
	default:
		p.line(look.stroke(), point{x, y}, point{x + sampleWidth, y})
	}
	if !s.Muted && (s.Style == Line || s.Style == Points) {
		p.marker(look.shape, mid, markerRadius, look.color, look.hollow)
	}
}
