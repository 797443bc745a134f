package plots

import (
	"image/color"
	"math"
)

// beyond draws an arrowhead on the frame wherever the series leaves it: for each
// lone point, and once, at the farthest place, for each stretch of a line.
func (p *pen) beyond(a *panel, s *Series, l look) {
	if s.Style == Bar || s.Style == Box {
		return // drawn with the bar
	}
	joined := s.Style != Points
	far, side := -1, [2]float64{}
	flush := func() {
		if far >= 0 {
			p.outside(a, s.X[far], s.Y[far], side, l.color)
		}
		far = -1
	}
	for i := range s.X {
		if math.IsNaN(s.Y[i]) {
			flush()
			continue
		}
		now := [2]float64{a.x.side(s.X[i]), a.y.side(s.Y[i])}
		if now != side || !joined {
			flush()
			side = now
		}
		if now != [2]float64{} && (far < 0 || math.Abs(s.Y[i]) > math.Abs(s.Y[far])) {
			far = i
		}
	}
	flush()
}

// outside draws one arrowhead, pointing to where the value lies.
func (p *pen) outside(a *panel, x, y float64, side [2]float64, c color.NRGBA) {
	at := a.spot(a.x.clamp(x), a.y.clamp(y))
	p.arrowhead(at, point{side[0], -side[1]}, c)
}

// arrowhead draws a small triangle with its tip at the place given, pointing in
// the direction dir (an axis or a diagonal).
func (p *pen) arrowhead(at, dir point, c color.NRGBA) {
	n := math.Hypot(dir.x, dir.y)
	dx, dy := dir.x/n, dir.y/n
	const long, half = 4.5, 2.2
	base := point{at.x - long*dx, at.y - long*dy}
	p.fill(c, at, point{base.x - half*dy, base.y + half*dx}, point{base.x + half*dy, base.y - half*dx})
}

// side is -1 for a value before the axis, 1 for one behind it, 0 for one on it.
func (a *axis) side(v float64) float64 {
	slack := 1e-9 * (math.Abs(a.lo) + math.Abs(a.hi))
	switch {
	case v < a.lo-slack:
		return -1
	case v > a.hi+slack:
		return 1
	}
	return 0
}

// clamp moves a value to the nearer end of the axis if it is not on it.
func (a *axis) clamp(v float64) float64 { return min(max(v, a.lo), a.hi) }
