package plots

import "fmt"

// ByOverhead draws a measure that is 1 without overhead against the bytes of
// overhead on each packet. Columns: scheme, overhead, normalised; optional lo, hi,
// panel, source.
func ByOverhead(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel, def.YLabel = "overhead", "normalised", "Overhead per packet", "Normalised"
	d, err := gather(t, m.fill(t, def))
	if err != nil {
		return Figure{}, err
	}
	y := Axis{Scale: Linear, Lines: []RefLine{{At: 1}}}
	return d.figure(Axis{Scale: Linear}, y, Line), nil
}

// Scatter draws ours against a reference, with the line on which they agree.
// Columns: reference, ours; optional scheme, panel. Both axes have one range, and
// are logarithmic if all values are positive and span more than a factor of 30.
func Scatter(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel, def.YLabel = "reference", "ours", "Reference", "Ours"
	m = m.fill(t, def)
	d, err := gather(t, m)
	if err != nil {
		return Figure{}, err
	}
	if d.xUnit != d.yUnit {
		return Figure{}, fmt.Errorf("plots: %q is in %q and %q in %q: they have no line of agreement", m.X, d.xUnit, m.Y, d.yUnit)
	}
	e := newExtent()
	e.add(d.x...)
	e.add(d.y...)
	axis := Axis{Scale: Linear}
	if e.lo > 0 && e.hi/e.lo > 30 {
		axis.Scale = Log
		e.lo, e.hi = roundOut125(e.lo, e.hi)
	} else {
		e.lo, e.hi, _ = linearRange(&axis, e, 5)
	}
	axis.Min, axis.Max = At(e.lo), At(e.hi)
	f := d.figure(axis, axis, Points)
	for i := range f.Panels {
		f.Panels[i].Identity = true
	}
	return f, nil
}

// DecodeByPathLength draws the packets needed to decode a path against its
// length. Columns: scheme, hops, packets; optional statistic (mean, p99: one
// colour, other patterns), lo, hi, panel (the topology), source.
func DecodeByPathLength(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel, def.YLabel = "hops", "packets", "Path length (hops)", "Packets to decode"
	d, err := gather(t, m.fill(t, def))
	if err != nil {
		return Figure{}, err
	}
	d.xUnit, d.yUnit = "", ""
	return d.figure(Axis{Scale: Linear, Whole: true}, Axis{Scale: Linear}, Line), nil
}
