package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// refLines draws the reference values and the identity, beneath the data.
func (p *pen) refLines() {
	line := draw.LineStyle{Color: axisGrey, Width: 0.8, Dashes: []vg.Length{1.2, 1.6}}
	for _, r := range p.Panel.Y.Lines {
		p.StrokeLines(line, p.ClipLinesXY([]vg.Point{p.spot(p.x.lo, r.At), p.spot(p.x.hi, r.At)})...)
	}
	for _, r := range p.Panel.X.Lines {
		p.StrokeLines(line, p.ClipLinesXY([]vg.Point{p.spot(r.At, p.y.lo), p.spot(r.At, p.y.hi)})...)
	}
	if p.Identity {
		if lo, hi := max(p.x.lo, p.y.lo), min(p.x.hi, p.y.hi); lo < hi {
			p.StrokeLines(line, []vg.Point{p.spot(lo, lo), p.spot(hi, hi)})
		}
	}
}

// writing writes the notes and the labels of reference values. It chooses the positions where these texts hide least
// of the data and of each other.
func (p *pen) writing() {
	w := writer{pen: p, busy: p.segments(), bars: p.intervals()}
	for _, n := range p.Notes {
		if p.x.side(n.X) != 0 || p.y.side(n.Y) != 0 {
			continue
		}
		at := p.spot(n.X, n.Y)
		var places []anchor
		for _, far := range []vg.Length{4, 9, 16, 26} {
			for _, dir := range []vg.Point{{X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}, {Y: 1}, {Y: -1},
				{X: 1}, {X: -1}} {
				places = append(places, anchor{at.Add(dir.Scale(far)), (1 - dir.X) / 2, (1 - dir.Y) / 2})
			}
		}
		box := w.write(n.Text, ink, places, nil)
		near := vg.Point{X: min(max(at.X, box.Min.X), box.Max.X), Y: min(max(at.Y, box.Min.Y), box.Max.Y)}
		if d := near.Sub(at); d.Dot(d) > 36 {
			p.StrokeLines(draw.LineStyle{Color: softInk, Width: 0.5}, []vg.Point{at, near})
		}
	}
	for _, r := range p.Panel.Y.Lines {
		if r.Label == "" || p.y.side(r.At) != 0 {
			continue
		}
		y := p.spot(p.x.lo, r.At).Y
		var places []anchor
		for _, t := range along {
			x := p.Min.X + 3 + t*(p.Max.X-p.Min.X-6)
			places = append(places, anchor{vg.Point{X: x, Y: y + 2.5}, t, 0}, anchor{vg.Point{X: x, Y: y - 2.5}, t, 1})
		}
		w.write(r.Label, softInk, places, w.bars)
	}
	for _, r := range p.Panel.X.Lines {
		if r.Label == "" || p.x.side(r.At) != 0 {
			continue
		}
		x := p.spot(r.At, p.y.lo).X
		var places []anchor
		for _, t := range along {
			y := p.Min.Y + 3 + t*(p.Max.Y-p.Min.Y-6)
			places = append(places, anchor{vg.Point{X: x + 2.5, Y: y}, 0, t}, anchor{vg.Point{X: x - 2.5, Y: y}, 1, t})
		}
		w.write(r.Label, softInk, places, w.bars)
	}
}

// along lists the positions on a reference line at which its label may be, as shares of the line's length. The best
// position comes first.
var along = []vg.Length{1, 0, 0.75, 0.5, 0.25, 0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4}

// anchor is a position for a text. It is a point, and the part of the text that is at this point. ax is 0 for the
// left end of the text and 1 for the right end. ay is 0 for the bottom and 1 for the top.
type anchor struct {
	vg.Point
	ax, ay vg.Length
}

// writer writes small texts in a panel.
type writer struct {
	pen   *pen
	busy  [][]vg.Point   // line segments of the data
	bars  [][]vg.Point   // intervals
	taken []vg.Rectangle // texts that were written before
}

// write writes the text at the position at which it hides least, and returns the area of the text. Of several such
// positions it takes the first. If the text would cover one of the segments in never at every position, write writes
// nothing.
func (w *writer) write(s string, c color.NRGBA, places []anchor, never [][]vg.Point) vg.Rectangle {
	style := lettering(noteSize, c)
	size := vg.Point{X: style.Width(s), Y: capHeight * noteSize}
	frame := w.pen.Rectangle
	best, bestCost := vg.Rectangle{}, math.Inf(1)
	for _, a := range places {
		want := a.Sub(vg.Point{X: a.ax * size.X, Y: a.ay * size.Y})
		// A position beyond the frame is moved inside the frame. The distance counts as a cost.
		in := vg.Point{
			X: max(min(want.X, frame.Max.X-size.X-2), frame.Min.X+2),
			Y: max(min(want.Y, frame.Max.Y-size.Y-2), frame.Min.Y+3),
		}
		box := vg.Rectangle{Min: in, Max: in.Add(size)}
		cost := 0.3 * (math.Abs(float64(in.X-want.X)) + math.Abs(float64(in.Y-want.Y)))
		if cost += w.cost(grown(box, 1.5)); cost < bestCost && crossing(grown(box, 1), never) == 0 {
			best, bestCost = box, cost
		}
	}
	if math.IsInf(bestCost, 1) {
		return best
	}
	w.pen.FillPolygon(fade(paper, 0.75), corners(grown(best, 1)))
	w.pen.FillText(style, best.Min, s)
	w.taken = append(w.taken, best)
	return best
}

// cost measures how much an area would hide: segments of the data, and, with much more weight, other texts.
func (w *writer) cost(box vg.Rectangle) float64 {
	n := crossing(box, w.busy)
	for _, t := range w.taken {
		if overlap(box, t) {
			n += 1000
		}
	}
	return n
}

// crossing returns how much of the segments is in an area.
func crossing(box vg.Rectangle, segments [][]vg.Point) (n float64) {
	area := draw.Canvas{Rectangle: box}
	for _, s := range segments {
		if !overlap(box, vg.Rectangle{
			Min: vg.Point{X: min(s[0].X, s[1].X), Y: min(s[0].Y, s[1].Y)},
			Max: vg.Point{X: max(s[0].X, s[1].X), Y: max(s[0].Y, s[1].Y)},
		}) {
			continue
		}
		for _, in := range area.ClipLinesXY(s) {
			d := in[1].Sub(in[0])
			n += 1 + math.Sqrt(float64(d.Dot(d)))
		}
	}
	return n
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

// grown returns the rectangle with additional room on each side.
func grown(r vg.Rectangle, by vg.Length) vg.Rectangle {
	d := vg.Point{X: by, Y: by}
	return vg.Rectangle{Min: r.Min.Sub(d), Max: r.Max.Add(d)}
}

// intervals returns the error bars of the data on the page.
func (p *pen) intervals() (list [][]vg.Point) {
	for i := range p.Series {
		s := &p.Series[i]
		for k := range s.Lo {
			if lo, hi := p.y.clamp(s.Lo[k]), p.y.clamp(s.Hi[k]); lo < hi {
				list = append(list, []vg.Point{p.spot(s.X[k], lo).Add(p.dodge[s]), p.spot(s.X[k], hi).Add(p.dodge[s])})
			}
		}
	}
	return list
}

// segments returns the lines of the data on the page. A lone point is a line of length zero. Dense lines are thinned as
// in the drawing.
func (p *pen) segments() [][]vg.Point {
	out := p.intervals()
	for i := range p.Series {
		s := &p.Series[i]
		for _, r := range runs(s.Y) {
			path := p.path(s, r)
			switch s.Style {
			case Points:
				for _, q := range path {
					out = append(out, []vg.Point{q, q})
				}
			case Bar:
				foot := p.spot(p.x.lo, p.y.clamp(0)).Y
				for _, q := range path {
					out = append(out, []vg.Point{q, {X: q.X, Y: foot}})
				}
			default:
				path = thin(path)
				for j := 1; j < len(path); j++ {
					out = append(out, path[j-1:j+1])
				}
			}
		}
	}
	return out
}
