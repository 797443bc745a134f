package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
)

const overSeeds = "Means over the seeds; bars: 95 % intervals"

// pooled returns the rows for drawings. Each scheme appears as one run whose values are means over its seeds. left
// names the seeds that are missing from the means by size, because their flows have other sizes than the flows of most
// seeds. If no two seeds have the same sizes, each seed has separate rows by size.
func (v *view) pooled() (list []RunRow, left []string, err error) {
	runs := figure.Groups[[]RunRow](v.rows, func(r *RunRow) string { return r.Run })
	for _, of := range figure.Groups[[][]RunRow](runs, func(of *[]RunRow) string { return v.scheme[(*of)[0].Run] }) {
		if len(of) == 1 {
			list = append(list, of[0]...)
			continue
		}
		name := v.scheme[of[0][0].Run]
		alike := figure.Groups[[][]RunRow](of, func(run *[]RunRow) string { return fmt.Sprint(places(*run)) })
		sized := slices.MaxFunc(alike, func(a, b [][]RunRow) int {
			some := func(of [][]RunRow) int { return min(1, len(places(of[0]))) }
			return cmp.Or(cmp.Compare(some(a), some(b)), cmp.Compare(len(a), len(b)))
		})
		for i := range places(sized[0]) { // rows by size come first
			if len(sized) == 1 {
				for _, run := range of {
					list = append(list, run[:len(places(run))]...)
				}
				break
			}
			row := sized[0][i]
			seeds := stats.PerSeed{}
			if row.Table == slowdowns {
				seeds.Least = 1
			}
			for _, run := range sized {
				row.Size, row.Least = max(row.Size, run[i].Size), min(row.Least, run[i].Least)
				seeds.Add(run[i].Value, run[i].Flows)
			}
			n, err := seeds.Mean()
			if err != nil {
				return nil, nil, err
			}
			row.Run, row.Value, row.lo, row.hi, row.Flows = name, n.Value, n.Lo, n.Hi, n.Flows
			list = append(list, row)
		}
		for _, run := range of {
			if len(sized) > 1 && !slices.Equal(places(run), places(sized[0])) {
				left = append(left, run[0].Run)
			}
		}
		for _, class := range classes {
			cdf, err := pooledCDF(name, class, of)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, cdf...)
		}
	}
	return list, left, nil
}

// place identifies a row by size. Rows with the same place correspond to each other in the runs of different seeds. If
// rows are groups with equal numbers of flows, their sizes are similar, so size is 0. If there are few sizes, each size
// has a row.
type place struct {
	table, measure, class string
	size                  float64
}

// places returns the place of each row that is a row by size.
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

// pooledCDF returns a distribution of the completion times of a class: for each time, the mean over the seeds of the
// share of flows that take at most this time.
func pooledCDF(scheme, class string, seeds [][]RunRow) (list []RunRow, err error) {
	var times []float64
	var curves [][]RunRow
	for _, run := range seeds {
		if c := figure.Pick(run, func(r *RunRow) bool { return r.Table == fcts && r.Class == class }); len(c) > 0 {
			curves = append(curves, c)
		}
	}
	for _, c := range curves {
		for k, r := range c {
			if k%len(curves) == 0 || k == len(c)-1 { // so that the mean has about as many points as one seed
				times = append(times, r.Value)
			}
		}
	}
	slices.Sort(times)
	for _, t := range slices.Compact(times) {
		var share stats.PerSeed
		for _, c := range curves {
			below := 0.0
			if at := sort.Search(len(c), func(i int) bool { return c[i].Value > t }); at > 0 {
				below = c[at-1].Share / 100
			}
			share.Add(below, len(c))
		}
		n, err := share.Share()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", scheme, err)
		}
		list = append(list, RunRow{Table: fcts, Run: scheme, Measure: "cdf", Size: math.NaN(), Share: 100 * n.Value,
			Value: t, lo: max(0, n.Lo), hi: max(0, n.Hi), Class: class, Least: math.NaN()})
	}
	return list, nil
}
