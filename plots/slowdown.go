package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SlowdownBySize draws slowdown against flow size: an axis on which every tenth
// of the flows has the same room, labelled with the flow size there, and a
// logarithmic slowdown. Each row is one bucket of flows.
//
// Columns: scheme, size (the largest flow of the bucket, or its upper bound),
// slowdown; optional share (the percentage of flows up to that size), lo, hi,
// percentile (a panel each: p50, p95, p99), source, flows. Without a share, the
// buckets of a series are equally large and ordered by size.
func SlowdownBySize(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.Panel = "size", "slowdown", "percentile"
	def.YLabel = "Slowdown"
	m = m.fill(t, def)
	d, err := gather(t, m)
	if err != nil {
		return Figure{}, err
	}
	share, err := d.shares()
	if err != nil {
		return Figure{}, err
	}
	sizes := d.x
	d.x, d.xUnit = share, ""
	f := d.figure(Axis{Scale: SizeBuckets}, Axis{Scale: Log}, Line)
	for i := range f.Panels {
		x := &f.Panels[i].X
		if x.Sizes, err = d.sizesAt(d.panels[i], share, sizes); err != nil {
			return Figure{}, err
		}
		if m.XLabel == "" {
			ticks := len(sizeTicks(x.Sizes))
			x.Label = fmt.Sprintf("Flow size (each tick: %.3g %% of the flows)", 100/float64(ticks))
		}
	}
	return f, nil
}

// shares is, for each row, the percentage of flows up to its size.
func (d *data) shares() ([]float64, error) {
	const column = "share"
	if d.table.Has(column) {
		return d.table.Reals(column)
	}
	out := make([]float64, d.table.Len())
	n := len(d.bunches[0].rows)
	for _, b := range d.bunches {
		if len(b.rows) != n {
			return nil, fmt.Errorf("plots: %d buckets for %q and %d for %q: give their %s of the flows",
				n, d.bunches[0].series, len(b.rows), b.series, column)
		}
		rows := slices.Clone(b.rows)
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(d.x[i], d.x[j]) })
		for i, r := range rows {
			out[r] = 100 * float64(i+1) / float64(n)
		}
	}
	return out, nil
}

// sizesAt returns the flow size at equal steps of the share of flows, from
// our rows of a panel, or from published rows where we have none.
func (d *data) sizesAt(panel string, share, sizes []float64) ([]float64, error) {
	at := map[int]float64{} // by share in thousandths of a percent
	key := func(v float64) int { return int(math.Round(1000 * v)) }
	for _, published := range []bool{false, true} {
		for _, b := range d.bunches {
			if b.panel != panel || b.published != published {
				continue
			}
			for _, r := range b.rows {
				old, ok := at[key(share[r])]
				switch {
				case !ok:
					at[key(share[r])] = sizes[r]
				case !published && math.Abs(old-sizes[r]) > 0.05*old:
					return nil, fmt.Errorf("plots: row %d: %v %% of the flows are up to %v B, elsewhere up to %v B: are these the same flows?",
						r+1, share[r], sizes[r], old)
				}
			}
		}
	}
	keys := make([]int, 0, len(at))
	for k := range at {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	step := keys[0]
	for i := 1; i < len(keys); i++ {
		step = min(step, keys[i]-keys[i-1])
	}
	n := int(math.Round(100000 / float64(step)))
	out := []float64{0}
	for i := 1; i <= n; i++ {
		v, ok := at[int(math.Round(100000*float64(i)/float64(n)))]
		if !ok {
			return nil, fmt.Errorf("plots: no row at %v %% of the flows in panel %q", 100*float64(i)/float64(n), panel)
		}
		out = append(out, v)
	}
	return out, nil
}
