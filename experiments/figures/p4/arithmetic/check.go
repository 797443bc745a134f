package arithmetic

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/p4/fixedpoint"
)

// shipped is the q of hpcc_util.
var shipped = fixedpoint.Difference.TableBits()

// unnoticed is a mean change of the p95 slowdown, in either direction, that we call
// none.
const unnoticed = 0.05

// of returns the changes of one arithmetic.
func of(rows []Row, w congestion.Workload, form string, q int) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return r.Table == changes && r.Workload == w.Name && r.Form == form && r.Bits == q
	})
}

func check(rows []Row) []figure.Finding {
	var list []figure.Finding
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		fine := of(rows, w, fixedpoint.Difference.String(), shipped)
		mean, differ := stats.Distance(fine)
		known := len(fine) > 0 && !math.IsNaN(fine[0].Lo)
		list = append(list, figure.Judge(
			fmt.Sprintf("%s: as a difference, with the tables of hpcc_util, U is within %.0f %% of exact arithmetic", w.Name, 100*unnoticed),
			known && mean <= unnoticed && 2*differ < len(fine), mean > unnoticed && 2*differ >= len(fine) && known,
			"mean distance of the p95 slowdown %.1f %%; %d of %d buckets differ significantly", stats.Percent(math.Exp(mean)), differ, len(fine)))

		coarse := of(rows, w, fixedpoint.AppendixB.String(), 4)
		far, some := stats.Distance(coarse)
		list = append(list, figure.Judge(
			w.Name+": appendix B with q = 4 is farther from exact arithmetic than that",
			known && far > mean && some > differ, known && far < mean && some < differ,
			"mean distances %.1f %% and %.1f %%; %d and %d of %d buckets differ significantly",
			stats.Percent(math.Exp(far)), stats.Percent(math.Exp(mean)), some, differ, len(coarse)))
	}
	return append(list, gainOfLongFlows(rows))
}

// gainOfLongFlows says what happens to flows that HPCC lets go too fast.
func gainOfLongFlows(rows []Row) figure.Finding {
	gain := figure.Pick(rows, func(r *Row) bool {
		return r.Table == gains && r.Form == fixedpoint.AppendixB.String() && r.Bits == 8
	})
	const statement = "web search: with appendix B and q = 8 flows above 10 MB are faster than with exact arithmetic"
	if len(gain) == 0 {
		return figure.Judge(statement, false, false, "no flow above 10 MB")
	}
	r := gain[0]
	return figure.Judge(statement, r.Lo > 1, r.Hi < 1, "goodput %s", r.Change())
}
