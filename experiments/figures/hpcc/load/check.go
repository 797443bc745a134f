package load

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// similar is how far apart slowdowns may be that count as the same.
const similar = 0.15

func check(rows []comparison.Row) []figure.Finding {
	var list []figure.Finding
	lower := func(statement string, ratios []comparison.Row) {
		if len(ratios) > 0 { // else not at this scale
			list = append(list, figure.Lower(statement, ratios))
		}
	}
	for _, c := range cases {
		change := func(a, b comparison.Scheme, percentile string) []comparison.Row {
			return comparison.Pick(rows, c.name, a.Name, b.Name, percentile)
		}
		short := func(a, b comparison.Scheme, percentile string) []comparison.Row {
			return upTo(change(a, b, percentile), 90)
		}
		measure := func(s comparison.Scheme, quantity, unit string) comparison.Row {
			r := comparison.One(rows, c.name, s.Name, quantity)
			r.Unit = unit // which rows.csv does not have
			return r
		}
		at := func(format string) string { return c.name + ": " + format }
		lower(at("the p95 of the shorter nine tenths of flows is lower with HPCC than with DCQCN"), short(bench.HPCC, bench.DCQCN, "p95"))
		lower(at("their p99 is lower with HPCC than with DCQCN"), short(bench.HPCC, bench.DCQCN, "p99"))
		lower(at("their p95 is lower with HPCC than with TIMELY"), short(bench.HPCC, bench.Timely, "p95"))
		lower(at("their p95 is lower with HPCC than with DCQCN+win"), short(bench.HPCC, bench.DCQCNWin, "p95"))
		lower(at("their p95 is lower with DCQCN+win than with DCQCN"), short(bench.DCQCNWin, bench.DCQCN, "p95"))
		lower(at("their p95 is lower with TIMELY+win than with TIMELY"), short(bench.TimelyWin, bench.Timely, "p95"))
		list = append(list,
			figure.Similar(at("HPCC over PINT is similar to HPCC over INT for all flow sizes at p95"), change(bench.PINT, bench.HPCC, "p95"), similar),
			figure.Below(at("HPCC's queue is shorter than DCQCN's at p99"), measure(bench.HPCC, queue99, plots.InBytes), measure(bench.DCQCN, queue99, plots.InBytes), 1),
			figure.Below(at("HPCC's queue is shorter than DCQCN+win's at p99"), measure(bench.HPCC, queue99, plots.InBytes), measure(bench.DCQCNWin, queue99, plots.InBytes), 1),
		)
		lower(at("the longest tenth of flows has a lower p50 over PINT than over INT"), figure.Pick(change(bench.PINT, bench.HPCC, "p50"), func(r *comparison.Row) bool { return r.Share > 90 }))
		if c.incast {
			list = append(list, figure.Below(at("ports are paused for a tenth of the time with HPCC of that with TIMELY"), measure(bench.HPCC, paused, ""), measure(bench.Timely, paused, ""), 0.1))
		}
	}
	return list
}

// upTo returns the buckets of the shorter flows, up to a share of all in percent.
func upTo(rows []comparison.Row, share float64) []comparison.Row {
	return figure.Pick(rows, func(r *comparison.Row) bool { return r.Share <= share+1e-9 })
}

// published is the one number of the paper's text: HPCC "shortens flow completion times by up to 95 %"
// compared with DCQCN and TIMELY (abstract).
const published = 95

// compared puts our largest reduction beside it.
func compared(rows []comparison.Row) []report.Compared {
	var list []report.Compared
	for _, c := range cases {
		for _, against := range []comparison.Scheme{bench.DCQCN, bench.Timely} {
			best := report.Compared{Published: published, Ours: math.NaN()}
			for _, percentile := range percentiles {
				for _, r := range comparison.Pick(rows, c.name, bench.HPCC.Name, against.Name, percentile) {
					if less := -stats.Percent(r.Value); !(less <= best.Ours) {
						best.Ours, best.Lo, best.Hi = less, -stats.Percent(r.Hi), -stats.Percent(r.Lo)
						best.Note = fmt.Sprintf("%s of the flows up to %s", percentile, plots.FormatValue(r.Size, plots.InBytes, 3))
					}
				}
			}
			if math.IsNaN(best.Ours) {
				continue // not at this scale
			}
			best.Quantity = fmt.Sprintf("largest reduction of a slowdown by HPCC against %s, %s", against.Name, c.name)
			best.Unit, best.Source = "%", "HPCC, abstract: up to"
			list = append(list, figure.Beside(best))
		}
	}
	return list
}
