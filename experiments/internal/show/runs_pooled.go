package show

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
)

const overSeeds = "Means over the seeds; bars: 95 % intervals"

// pooled returns the rows of drawings: one run for each scheme, with means over its seeds. Schemes whose runs have
// different sizes are not pooled.
func (v *view) pooled() (list []RunRow, err error) {
	runs := figure.Groups[[]RunRow](v.rows, func(r *RunRow) string { return r.Run })
	schemes := figure.Groups[[][]RunRow](runs, func(of *[]RunRow) string { return v.scheme[(*of)[0].Run] })
	for _, of := range schemes {
		name := v.scheme[of[0][0].Run]
		same := !slices.ContainsFunc(of,
			func(run []RunRow) bool { return !slices.Equal(places(run), places(of[0])) })
		if len(of) == 1 || !same {
			for _, run := range of {
				list = append(list, slices.Clone(run)...)
			}
			continue
		}
		for i := range places(of[0]) { // rows by size come first
			row := of[0][i]
			seeds := stats.PerSeed{}
			if row.Table == slowdowns {
				seeds.Least = 1
			}
			for _, run := range of {
				row.Size, row.Least = max(row.Size, run[i].Size), min(row.Least, run[i].Least)
				seeds.Add(run[i].Value, run[i].Flows)
			}
			n, err := seeds.Mean()
			if err != nil {
				return nil, err
			}
			row.Run, row.Value, row.lo, row.hi, row.Flows = name, n.Value, n.Lo, n.Hi, n.Flows
			list = append(list, row)
		}
		curve, err := pooledCDF(name, of)
		if err != nil {
			return nil, err
		}
		list = append(list, curve...)
	}
	return list, nil
}

// place identifies a row in the runs of all seeds. Groups with equal numbers of flows have
// similar sizes and keep size 0; few flows have a row for each size.
type place struct {
	table, measure, class string
	size                  float64
}

// places returns the place of each row by size.
func places(rows []RunRow) (list []place) {
	for _, r := range rows {
		if r.Table == slowdowns || r.Table == bySizes {
			at := place{table: r.Table, measure: r.Measure, class: r.Class}
			if math.IsNaN(r.Share) && !math.IsNaN(r.Size) {
				at.size = r.Size
			}
			list = append(list, at)
		}
	}
	return list
}

// pooledCDF returns the mean over the seeds of the share of flows with at most a completion time.
func pooledCDF(scheme string, seeds [][]RunRow) (list []RunRow, err error) {
	var times []float64
	curves := make([][]RunRow, len(seeds))
	for i, run := range seeds {
		curves[i] = figure.Pick(run, func(r *RunRow) bool { return r.Table == fcts })
		for k, r := range curves[i] {
			if k%len(seeds) == 0 || k == len(curves[i])-1 { // as many points as one seed has
				times = append(times, r.Value)
			}
		}
	}
	slices.Sort(times)
	for _, t := range slices.Compact(times) {
		var share stats.PerSeed
		for _, c := range curves {
			below := 0.0
			if at, _ := slices.BinarySearchFunc(c, t, func(r RunRow, t float64) int {
				if r.Value > t {
					return 1
				}
				return -1
			}); at > 0 {
				below = c[at-1].Share / 100
			}
			share.Add(below, len(c))
		}
		n, err := share.Share()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", scheme, err)
		}
		list = append(list, RunRow{Table: fcts, Run: scheme, Measure: "cdf", Size: math.NaN(), Share: 100 * n.Value,
			Value: t, lo: n.Lo, hi: n.Hi, Least: math.NaN()})
	}
	return list, nil
}
