package plots

import (
	"cmp"
	"errors"
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
	def.XLabel, def.YLabel = "Flow size (each tick: 10 % of the flows)", "Slowdown"
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
		if f.Panels[i].X.Sizes, err = d.sizesAt(d.panels[i], share, sizes); err != nil {
			return Figure{}, err
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

// sizesAt is the flow size at equal steps of the share of flows, from the rows of
// a panel that are ours; published rows are asked only where we have none.
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

// FCTCDF draws the distribution of flow completion times on a logarithmic axis.
// Columns: scheme, fct (one row a flow, in a unit of time); optional fraction (then
// the rows are points of the distribution already), panel, source.
func FCTCDF(t *Table, m Mapping) (Figure, error) {
	return cdf(t, m, "fct", "Flow completion time", Log)
}

// QueueCDF draws the distribution of queue lengths. Columns: scheme, queue (one
// row a sample, in a unit of bytes); optional fraction, panel (such as the layer),
// source.
func QueueCDF(t *Table, m Mapping) (Figure, error) {
	return cdf(t, m, "queue", "Queue length", Linear)
}

func cdf(t *Table, m Mapping, x, label string, scale Scale) (Figure, error) {
	def := common
	def.X, def.XLabel, def.YLabel = x, label, "Fraction at or below"
	if m.Y == "" && t.Has("fraction") {
		m.Y = "fraction"
	}
	m = m.fill(t, def)
	m.Lo, m.Hi, m.Count = "", "", ""
	d, err := gather(t, m)
	if err != nil {
		return Figure{}, err
	}
	samples := d.y == nil
	if samples {
		d.y = make([]float64, t.Len())
	}
	f := d.figure(Axis{Scale: scale}, Axis{Scale: Linear, Min: At(0), Max: At(1)}, Step)
	for i := range f.Panels {
		f.Panels[i].Y.Unit = ""
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			if samples {
				s.X, s.Y = ECDF(s.X)
			}
		}
	}
	return f, nil
}

// ECDF is the empirical distribution of the samples: at x[i], the share y[i] of
// them is at or below. It starts at zero. Beyond a thousand samples it keeps about
// a thousand points, so that y errs by 0.1 % at most.
func ECDF(samples []float64) (x, y Values) {
	sorted := slices.Clone(samples)
	sorted = slices.DeleteFunc(sorted, math.IsNaN)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return nil, nil
	}
	const points = 1000
	x, y = append(x, sorted[0]), append(y, 0)
	for i, v := range sorted {
		last := i == n-1
		if !last && sorted[i+1] == v {
			continue // the step is as high as all equal samples together
		}
		if n > points && !last && (i+1)*points/n == i*points/n {
			continue
		}
		x, y = append(x, v), append(y, float64(i+1)/float64(n))
	}
	return x, y
}

// BarsByLoad draws a group of bars for each load, with intervals, the published
// bar beside ours. Columns: scheme, load, goodput; optional lo, hi, panel, source.
// For a gain or another measure, name it as Y. X may be a column of text.
func BarsByLoad(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel, def.YLabel = "load", "goodput", "Load", "Goodput"
	m = m.fill(t, def)
	names, place, err := categories(t, m.X)
	if err != nil {
		return Figure{}, err
	}
	label := or(m.XLabel, m.X)
	t, m.X, err = withPlaces(t, place)
	if err != nil {
		return Figure{}, err
	}
	m.XLabel = label
	d, err := gather(t, m)
	if err != nil {
		return Figure{}, err
	}
	return d.figure(Axis{Scale: Categorical, Categories: names}, Axis{Scale: Linear}, Bar), nil
}

// placeColumn is the name of the column that withPlaces adds. It has no name that
// NewTable would accept, so that it clashes with none.
const placeColumn = ":place"

// withPlaces is the table with the place of each row along a categorical axis.
func withPlaces(t *Table, place []float64) (*Table, string, error) {
	out := *t
	out.columns = append(slices.Clone(t.columns), Column{Name: placeColumn, Kind: Float})
	out.data = append(slices.Clone(t.data), cells{real: place})
	return &out, placeColumn, nil
}

// categories are the distinct values of a column as text, numbers in rising
// order and text as it first appears, and the place of each row among them.
func categories(t *Table, name string) (names []string, place []float64, err error) {
	i, err := t.column(name, String, Int, Float)
	if err != nil {
		return nil, nil, err
	}
	place = make([]float64, t.Len())
	if t.columns[i].Kind == String {
		for r, s := range t.data[i].text {
			k := slices.Index(names, s)
			if k < 0 {
				k = len(names)
				names = append(names, s)
			}
			place[r] = float64(k)
		}
		return names, place, nil
	}
	v, unit, err := t.scaled(name)
	if err != nil {
		return nil, nil, err
	}
	distinct := slices.Clone(v)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	for _, x := range distinct {
		if !finite(x) {
			return nil, nil, fmt.Errorf("plots: column %q has the value %v, which cannot be a category", name, x)
		}
		names = append(names, FormatValue(x, unit, 4))
	}
	for r, x := range v {
		k, _ := slices.BinarySearch(distinct, x)
		place[r] = float64(k)
	}
	return names, place, nil
}

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

// TimeSeries draws values over time. Columns: scheme, time, value; optional panel,
// lo, hi (drawn as a band). More than eight series are drawn muted.
func TimeSeries(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel = "time", "value", "Time"
	d, err := gather(t, m.fill(t, def))
	if err != nil {
		return Figure{}, err
	}
	f := d.figure(Axis{Scale: Linear}, Axis{Scale: Linear}, Trace)
	muted := len(f.hueOrder()) > len(hues)
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			s.Interval = Band
			if muted {
				s.Muted, s.Name = true, or(d.Series, "series")
			}
		}
	}
	return f, nil
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

// HeatMap draws a value over two parameters. Columns: x, y, value, one row a cell;
// optional panel. Cells without a row are crossed out.
func HeatMap(t *Table, m Mapping) (Figure, error) {
	def := Mapping{X: "x", Y: "y", Z: "value", Panel: "panel"}
	m = m.fill(t, def)
	if t.Len() == 0 {
		return Figure{}, errors.New("plots: the table has no rows")
	}
	xs, xAt, err := categories(t, m.X)
	if err != nil {
		return Figure{}, err
	}
	ys, yAt, err := categories(t, m.Y)
	if err != nil {
		return Figure{}, err
	}
	z, unit, err := t.scaled(m.Z)
	if err != nil {
		return Figure{}, err
	}
	panels := make([]string, t.Len())
	if m.Panel != "" {
		if panels, err = t.Texts(m.Panel); err != nil {
			return Figure{}, err
		}
	}
	f := Figure{}
	index := map[string]int{}
	filled := map[[3]int]int{}
	for r := range z {
		i, ok := index[panels[r]]
		if !ok {
			i = len(f.Panels)
			index[panels[r]] = i
			f.Panels = append(f.Panels, heatPanel(panels[r], m, xs, ys, unit))
		}
		row, col := int(yAt[r]), int(xAt[r])
		if first, twice := filled[[3]int{i, row, col}]; twice {
			return Figure{}, fmt.Errorf("plots: rows %d and %d are both for the cell %s, %s", first, r+1, xs[col], ys[row])
		}
		filled[[3]int{i, row, col}] = r + 1
		f.Panels[i].Heat.Z[row][col] = z[r]
	}
	return f, nil
}

func heatPanel(title string, m Mapping, xs, ys []string, unit string) Panel {
	p := Panel{
		Title: title,
		X:     Axis{Label: or(m.XLabel, m.X), Scale: Categorical, Categories: xs},
		Y:     Axis{Label: or(m.YLabel, m.Y), Scale: Categorical, Categories: ys},
		Heat:  &Heat{Label: or(m.ZLabel, m.Z), Unit: unit, Z: make([]Values, len(ys)), Values: true},
	}
	for i := range p.Heat.Z {
		p.Heat.Z[i] = make(Values, len(xs))
		for j := range p.Heat.Z[i] {
			p.Heat.Z[i][j] = math.NaN()
		}
	}
	return p
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
