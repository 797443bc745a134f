package fig8

import (
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
)

// similar is how far apart slowdowns may be that the PINT paper calls similar.
const similar = 0.15

func check(all []comparison.Row) []figure.Finding {
	rows := full(all)
	var list []figure.Finding
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		of := func(s comparison.Scheme, from, to float64) []comparison.Row { // shares of the flows, %
			return figure.Pick(rows, func(r *comparison.Row) bool {
				return r.Table == changes && r.Case == w.Name && r.Scheme == name(s) && r.Share > from && r.Share <= to
			})
		}
		some, few := schemes[1], schemes[2]
		list = append(list,
			figure.Similar(w.Name+": p = 1/16 is similar to p = 1 for all flow sizes", of(some, 0, 100), similar),
			figure.Higher(w.Name+": p = 1/256 slows down short flows (the shorter half)", of(few, 0, 50)))
		if w.Name == congestion.Web.Name { // Hadoop has hardly any flow of that size
			list = append(list, figure.Higher(w.Name+": p = 1/256 slows down flows above 5 MB", of(few, 90, 100)))
		}
		list = append(list, nearer(w, of(some, 0, 100), of(few, 0, 100)))
	}
	return list
}

// nearer compares the two shares over all sizes: the nearer one has the smaller mean
// distance and fewer buckets that differ significantly.
func nearer(w congestion.Workload, some, few []comparison.Row) figure.Finding {
	a, m := stats.Distance(some)
	b, n := stats.Distance(few)
	return figure.Judge(w.Name+": p = 1/16 is nearer to p = 1 than p = 1/256 is", a < b && m < n, a > b && m > n,
		"mean distance %.1f %% and %.1f %%; %d and %d of %d buckets differ significantly",
		stats.Percent(math.Exp(a)), stats.Percent(math.Exp(b)), m, n, len(few))
}
