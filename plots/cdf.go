package plots

import (
	"math"
	"slices"
)

// FCTCDF draws the distribution of flow completion times on a logarithmic axis.
// Columns: scheme, fct (one row a flow, in a unit of time); optional fraction (then
// the rows are points of the distribution already), panel, source. Each curve begins
// with the step from zero at its smallest value.
func FCTCDF(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.XLabel, def.YLabel = "fct", "Flow completion time", "Fraction at or below"
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
	f := d.figure(Axis{Scale: Log}, Axis{Scale: Linear, Min: At(0), Max: At(1)}, Step)
	for i := range f.Panels {
		f.Panels[i].Y.Unit = ""
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			switch {
			case samples:
				s.X, s.Y = ECDF(s.X)
			case s.Y[0] > 0: // the step of the smallest value
				s.X, s.Y = slices.Insert(s.X, 0, s.X[0]), slices.Insert(s.Y, 0, 0)
			}
		}
	}
	return f, nil
}

// ECDF returns the empirical distribution of the samples: at x[i], the share y[i] of
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
