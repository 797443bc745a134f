package plots

import (
	"image/color"
	"math"
)

// refLines draws the reference values and the identity, beneath the data.
func (p *pen) refLines(a *panel) {
	d := a.data
	line := stroke{color: axisGrey, width: 0.8, dash: []float64{1.2, 1.6}}
	for _, r := range a.Y.Lines {
		if a.y.side(r.At) == 0 {
			y := a.spot(a.x.lo, r.At).y
			p.line(line, point{d.x0, y}, point{d.x1, y})
		}
	}
	for _, r := range a.X.Lines {
		if a.x.side(r.At) == 0 {
			x := a.spot(r.At, a.y.lo).x
			p.line(line, point{x, d.y0}, point{x, d.y1})
		}
	}
	if a.Identity {
		if lo, hi := max(a.x.lo, a.y.lo), min(a.x.hi, a.y.hi); lo < hi {
			p.line(line, a.spot(lo, lo), a.spot(hi, hi))
		}
	}
}

// writing puts the notes and the labels of reference values where they hide the
// least of the data and of each other.
func (p *pen) writing(a *panel) {
	w := writer{pen: p, frame: a.data, busy: a.segments()}
	d := a.data
	for _, n := range a.Notes {
		if a.x.side(n.X) != 0 || a.y.side(n.Y) != 0 {
			continue
		}
		at := a.spot(n.X, n.Y)
		var places []anchor
		for _, far := range []float64{4, 9, 16, 26} {
			for _, dir := range [][2]float64{{1, -1}, {-1, -1}, {1, 1}, {-1, 1}, {0, -1}, {0, 1}, {1, 0}, {-1, 0}} {
				places = append(places, anchor{
					x: at.x + far*dir[0], y: at.y + far*dir[1],
					ax: (1 - dir[0]) / 2, ay: (1 + dir[1]) / 2,
				})
			}
		}
		box := w.write(n.Text, ink, places)
		if gap := box.distance(at); gap > 6 {
			p.line(stroke{color: softInk, width: 0.5}, at, box.nearest(at))
		}
	}
	for _, r := range a.Y.Lines {
		if r.Label == "" || a.y.side(r.At) != 0 {
			continue
		}
		y := a.spot(a.x.lo, r.At).y
		var places []anchor
		for _, t := range []float64{1, 0, 0.75, 0.5, 0.25} {
			x := d.x0 + 3 + t*(d.width()-6)
			places = append(places, anchor{x, y - 2.5, t, 0}, anchor{x, y + 2.5, t, 1})
		}
		w.write(r.Label, softInk, places)
	}
	for _, r := range a.X.Lines {
		if r.Label == "" || a.x.side(r.At) != 0 {
			continue
		}
		x := a.spot(r.At, a.y.lo).x
		var places []anchor
		for _, t := range []float64{0, 1, 0.25, 0.5, 0.75} {
			y := d.y0 + 3 + t*(d.height()-6)
			places = append(places, anchor{x + 2.5, y, 0, 1 - t}, anchor{x - 2.5, y, 1, 1 - t})
		}
		w.write(r.Label, softInk, places)
	}
}

// anchor is a place for a text: a point, and which part of the text is there (see
// lettering).
type anchor struct{ x, y, ax, ay float64 }

// writer writes small texts in a frame.
type writer struct {
	pen   *pen
	frame rect
	busy  [][2]point // segments of the data
	taken []rect     // texts written before
}

// write puts the text at the first of the places that hides least, and returns
// the area it took.
func (w *writer) write(s string, c color.NRGBA, places []anchor) rect {
	const size = noteSize
	width, height := textWidth(s, size, false), capHeight*size
	best, bestCost := rect{}, math.Inf(1)
	for _, a := range places {
		x0, y1 := a.x-a.ax*width, a.y+a.ay*height
		// A place beyond the frame is moved inside, at a price.
		inX := max(min(x0, w.frame.x1-width-2), w.frame.x0+2)
		inY := max(min(y1, w.frame.y1-3), w.frame.y0+height+2)
		cost := 0.3 * (math.Abs(inX-x0) + math.Abs(inY-y1))
		box := rect{inX, inY - height, inX + width, inY}
		if cost += w.cost(box.grown(1.5)); cost < bestCost {
			best, bestCost = box, cost
		}
	}
	w.pen.fill(fade(paper, 0.75), best.grown(1).corners()...)
	w.pen.text(lettering{size: size, color: c}, best.x0, best.y1, s)
	w.taken = append(w.taken, best)
	return best
}

// cost counts what the area would hide: segments of the data, and ten times as
// much for another text.
func (w *writer) cost(box rect) float64 {
	n := 0.0
	for _, s := range w.busy {
		if a, b, ok := clipSegment(s[0], s[1], box); ok {
			n += 1 + math.Hypot(b.x-a.x, b.y-a.y)
		}
	}
	for _, t := range w.taken {
		if box.x0 < t.x1 && t.x0 < box.x1 && box.y0 < t.y1 && t.y0 < box.y1 {
			n += 1000
		}
	}
	return n
}

func (r rect) grown(by float64) rect { return rect{r.x0 - by, r.y0 - by, r.x1 + by, r.y1 + by} }

// nearest is the point of the rectangle closest to q.
func (r rect) nearest(q point) point {
	return point{min(max(q.x, r.x0), r.x1), min(max(q.y, r.y0), r.y1)}
}

func (r rect) distance(q point) float64 {
	n := r.nearest(q)
	return math.Hypot(n.x-q.x, n.y-q.y)
}

// segments are the lines of the data on the page, a lone point as one of length
// zero. Dense lines are thinned as they are when drawn.
func (p *panel) segments() [][2]point {
	var out [][2]point
	for i := range p.Series {
		s := &p.Series[i]
		for _, r := range runs(s) {
			path := make([]point, 0, r[1]-r[0])
			for j := r[0]; j < r[1]; j++ {
				path = append(path, p.spot(s.X[j], s.Y[j]))
			}
			switch s.Style {
			case Points:
				for _, q := range path {
					out = append(out, [2]point{q, q})
				}
			case Bar, Box:
				foot := p.spot(p.x.lo, p.y.clamp(0)).y
				for _, q := range path {
					out = append(out, [2]point{q, {q.x, foot}})
				}
			default:
				path = thin(path)
				for j := 1; j < len(path); j++ {
					out = append(out, [2]point{path[j-1], path[j]})
				}
			}
		}
	}
	return out
}
