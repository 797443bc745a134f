package arithmetic

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/p4/fixedpoint"
	"pintlab/plots"
)

// shipped is the q of hpcc_util.
var shipped = fixedpoint.Difference.TableBits()

// unnoticed is a mean change of the p95 slowdown, in either direction, that we call
// none.
const unnoticed = 0.05

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

// of are the changes of one arithmetic.
func of(rows []Row, w congestion.Workload, form fixedpoint.Form, q int) []Row {
	return pick(rows, func(r *Row) bool {
		return r.Table == changes && r.Workload == w.Name && r.Form == form.String() && r.Bits == q
	})
}

// distance is the mean distance of slowdowns from the exact ones, and in how many
// buckets they differ significantly.
func distance(rows []Row) (mean float64, differ int) {
	for _, r := range rows {
		mean += math.Abs(math.Log(r.Value)) / float64(len(rows))
		if figure.Significant(r.Lo, r.Hi, 1) {
			differ++
		}
	}
	return mean, differ
}

func check(t *plots.Table) ([]figure.Finding, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	var list []figure.Finding
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		fine := of(rows, w, fixedpoint.Difference, shipped)
		mean, differ := distance(fine)
		known := len(fine) > 0 && !math.IsNaN(fine[0].Lo)
		list = append(list, figure.Judge(
			fmt.Sprintf("%s: as a difference, with the tables of hpcc_util, U is within %.0f %% of exact arithmetic", w.Name, 100*unnoticed),
			known && mean <= unnoticed && 2*differ < len(fine), mean > unnoticed && 2*differ >= len(fine) && known,
			"mean distance of the p95 slowdown %.1f %%; %d of %d buckets differ significantly", 100*(math.Exp(mean)-1), differ, len(fine)))

		coarse := of(rows, w, fixedpoint.AppendixB, 4)
		far, some := distance(coarse)
		list = append(list, figure.Judge(
			w.Name+": appendix B with q = 4 is farther from exact arithmetic than that",
			known && far > mean && some > differ, known && far < mean && some < differ,
			"mean distances %.1f %% and %.1f %%; %d and %d of %d buckets differ significantly",
			100*(math.Exp(far)-1), 100*(math.Exp(mean)-1), some, differ, len(coarse)))
	}
	return append(list, gainOfLongFlows(rows)), nil
}

// gainOfLongFlows says what happens to flows that HPCC lets go too fast.
func gainOfLongFlows(rows []Row) figure.Finding {
	gain := pick(rows, func(r *Row) bool {
		return r.Table == gains && r.Form == fixedpoint.AppendixB.String() && r.Bits == 8
	})
	const statement = "web search: with appendix B and q = 8 flows above 10 MB are faster than with exact arithmetic"
	if len(gain) == 0 {
		return figure.Judge(statement, false, false, "no flow above 10 MB")
	}
	r := gain[0]
	return figure.Judge(statement, r.Lo > 1, r.Hi < 1, "goodput %s", figure.Change(r.Value, r.Lo, r.Hi))
}
