package fig8

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots"
)

// similar is how far apart slowdowns may be that the document calls similar.
const similar = 0.15

// full keeps the rows of the longest runs of each workload.
func full(t *plots.Table) ([]Row, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	longest := map[string]float64{}
	for _, r := range rows {
		longest[r.Workload] = math.Max(longest[r.Workload], r.Arrival)
	}
	return pick(rows, func(r *Row) bool { return r.Arrival == longest[r.Workload] }), nil
}

// pick are the rows for which keep says so.
func pick(rows []Row, keep func(*Row) bool) []Row {
	var out []Row
	for _, r := range rows {
		if keep(&r) {
			out = append(out, r)
		}
	}
	return out
}

func check(t *plots.Table) ([]figure.Finding, error) {
	rows, err := full(t)
	if err != nil {
		return nil, err
	}
	var list []figure.Finding
	of := func(w congestion.Workload, s congestion.Scheme) []Row {
		return pick(rows, func(r *Row) bool { return r.Table == changes && r.Workload == w.Name && r.Scheme == name(s) })
	}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		some, few := of(w, schemes[1]), of(w, schemes[2])
		list = append(list,
			isSimilar(w, some),
			slower(w.Name+": p = 1/256 slows down short flows (the shorter half)", pick(few, func(r *Row) bool { return r.Share <= 50 })))
		if w.Name == congestion.Web.Name { // Hadoop has hardly any flow of that size
			list = append(list, slower(w.Name+": p = 1/256 slows down flows above 5 MB", pick(few, func(r *Row) bool { return r.Share > 90 })))
		}
		list = append(list, nearer(w, some, few))
	}
	return list, nil
}

func isSimilar(w congestion.Workload, change []Row) figure.Finding {
	confirmed, contradicted := len(change) > 0, false
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range change {
		least, most = math.Min(least, r.Value), math.Max(most, r.Value)
		confirmed = confirmed && math.Abs(r.Value-1) <= similar && !math.IsNaN(r.Lo)
		contradicted = contradicted || r.Lo > 1+similar || r.Hi < 1-similar
	}
	return figure.Judge(fmt.Sprintf("%s: p = 1/16 is similar to p = 1 for all flow sizes (within %.0f %%)", w.Name, 100*similar),
		confirmed, contradicted, "changes between %+.1f %% and %+.1f %%", 100*(least-1), 100*(most-1))
}

// slower holds if some buckets are significantly slower and none is faster.
func slower(statement string, change []Row) figure.Finding {
	mean, faster, slow := 0.0, 0, 0
	for _, r := range change {
		mean += r.Value / float64(len(change))
		switch {
		case r.Hi < 1:
			faster++
		case r.Lo > 1:
			slow++
		}
	}
	return figure.Judge(statement, slow > 0 && faster == 0, faster > 0 && slow == 0,
		"%+.1f %% on average; of %d buckets, %d significantly slower and %d faster", 100*(mean-1), len(change), slow, faster)
}

// nearer compares the two shares over all sizes: the nearer one has the smaller mean
// distance and fewer buckets that differ significantly.
func nearer(w congestion.Workload, some, few []Row) figure.Finding {
	distance := func(rows []Row) (mean float64, differ int) {
		for _, r := range rows {
			mean += math.Abs(math.Log(r.Value)) / float64(len(rows))
			if figure.Significant(r.Lo, r.Hi, 1) {
				differ++
			}
		}
		return mean, differ
	}
	a, m := distance(some)
	b, n := distance(few)
	return figure.Judge(w.Name+": p = 1/16 is nearer to p = 1 than p = 1/256 is", a < b && m < n, a > b && m > n,
		"mean distance %.1f %% and %.1f %%; %d and %d of %d buckets differ significantly", 100*(math.Exp(a)-1), 100*(math.Exp(b)-1), m, n, len(few))
}
