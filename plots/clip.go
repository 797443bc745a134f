package plots

// clip cuts a line to a rectangle. The pieces inside come back in order.
func clip(points []point, r rect) [][]point {
	var out [][]point
	var piece []point
	for i := 1; i < len(points); i++ {
		a, b, ok := clipSegment(points[i-1], points[i], r)
		if !ok {
			if piece != nil {
				out, piece = append(out, piece), nil
			}
			continue
		}
		if piece == nil || piece[len(piece)-1] != a {
			if piece != nil {
				out = append(out, piece)
			}
			piece = []point{a}
		}
		piece = append(piece, b)
	}
	if piece != nil {
		out = append(out, piece)
	}
	return out
}

// clipSegment is the part of the segment from a to b within r, after Liang and
// Barsky: the range of the parameter t in which all four borders are respected.
func clipSegment(a, b point, r rect) (point, point, bool) {
	dx, dy := b.x-a.x, b.y-a.y
	t0, t1 := 0.0, 1.0
	for _, e := range [4][2]float64{{-dx, a.x - r.x0}, {dx, r.x1 - a.x}, {-dy, a.y - r.y0}, {dy, r.y1 - a.y}} {
		switch d, q := e[0], e[1]; {
		case d == 0 && q < 0:
			return a, b, false
		case d < 0:
			t0 = max(t0, q/d)
		case d > 0:
			t1 = min(t1, q/d)
		}
	}
	if t0 > t1 {
		return a, b, false
	}
	from, to := a, b
	if t0 > 0 {
		from = point{a.x + t0*dx, a.y + t0*dy}
	}
	if t1 < 1 {
		to = point{a.x + t1*dx, a.y + t1*dy}
	}
	return from, to, true
}

// clipPolygon cuts a polygon to a rectangle, one border after another (Sutherland
// and Hodgman).
func clipPolygon(poly []point, r rect) []point {
	borders := []struct {
		depth func(point) float64 // how far inside the border a point is
	}{
		{func(q point) float64 { return q.x - r.x0 }},
		{func(q point) float64 { return r.x1 - q.x }},
		{func(q point) float64 { return q.y - r.y0 }},
		{func(q point) float64 { return r.y1 - q.y }},
	}
	for _, b := range borders {
		var out []point
		for i, q := range poly {
			prev := poly[(i+len(poly)-1)%len(poly)]
			dq, dp := b.depth(q), b.depth(prev)
			if (dq < 0) != (dp < 0) {
				t := dp / (dp - dq)
				out = append(out, point{prev.x + t*(q.x-prev.x), prev.y + t*(q.y-prev.y)})
			}
			if dq >= 0 {
				out = append(out, q)
			}
		}
		poly = out
	}
	return poly
}
