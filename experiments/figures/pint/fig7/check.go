package fig7

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots"
	"pintlab/plots/report"
)

// similar is how far apart slowdowns may be that the document calls similar.
const similar = 0.10

// full keeps the rows of the longest runs, and those that are not ours.
func full(t *plots.Table) ([]Row, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	longest := map[string]float64{}
	for _, r := range rows {
		longest[r.Workload] = math.Max(longest[r.Workload], zeroIfNaN(r.Arrival))
	}
	var out []Row
	for _, r := range rows {
		if r.Source != "ours" || r.Arrival == longest[r.Workload] {
			out = append(out, r)
		}
	}
	return out, nil
}

func zeroIfNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
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

func ourGains(rows []Row) []Row {
	return pick(rows, func(r *Row) bool {
		return r.Table == gains && r.Source == "ours" && r.Measure == ofMeans && r.Versus == congestion.INT.Name
	})
}

func check(t *plots.Table) ([]figure.Finding, error) {
	rows, err := full(t)
	if err != nil {
		return nil, err
	}
	gain := ourGains(rows)
	list := []figure.Finding{higherGoodput(gain), growsWithLoad(gain)}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		change := pick(rows, func(r *Row) bool { return r.Table == changes && r.Workload == w.Name })
		list = append(list, isSimilar(w, change), betterOnLong(w, change), worseOnShort(w, change))
	}
	return list, nil
}

func higherGoodput(gain []Row) figure.Finding {
	confirmed, contradicted, detail := len(gain) > 0, false, ""
	for _, r := range gain {
		confirmed = confirmed && r.Lo > 1
		contradicted = contradicted || r.Hi < 1
		detail += fmt.Sprintf("%d %%: %s; ", r.Load, figure.Change(r.Value, r.Lo, r.Hi))
	}
	return figure.Judge("(a) flows above 10 MB have more goodput with PINT than with INT at every load", confirmed, contradicted, "%sover INT", detail)
}

func growsWithLoad(gain []Row) figure.Finding {
	const statement = "(a) the gain grows with the load"
	if len(gain) < 2 {
		return figure.Judge(statement, false, false, "too few rows")
	}
	a, b := gain[0], gain[len(gain)-1]
	return figure.Judge(statement, b.Lo > a.Hi, b.Hi < a.Lo, "%s at %d %%, %s at %d %%",
		figure.Change(a.Value, a.Lo, a.Hi), a.Load, figure.Change(b.Value, b.Lo, b.Hi), b.Load)
}

func isSimilar(w congestion.Workload, change []Row) figure.Finding {
	confirmed, contradicted := len(change) > 0, false
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range change {
		least, most = math.Min(least, r.Value), math.Max(most, r.Value)
		confirmed = confirmed && math.Abs(r.Value-1) <= similar && !math.IsNaN(r.Lo)
		contradicted = contradicted || r.Lo > 1+similar || r.Hi < 1-similar
	}
	return figure.Judge(fmt.Sprintf("%s p95 slowdown is similar with PINT and INT for all flow sizes (within %.0f %%)", label(w), 100*similar),
		confirmed, contradicted, "changes between %+.1f %% and %+.1f %%", 100*(least-1), 100*(most-1))
}

func betterOnLong(w congestion.Workload, change []Row) figure.Finding {
	long := pick(change, func(r *Row) bool { return r.Share > 90 })
	better, worse, detail := tally(long)
	return figure.Judge(label(w)+" the longest tenth of the flows is faster with PINT", better > 0 && worse == 0, worse > 0 && better == 0, "%s", detail)
}

func worseOnShort(w congestion.Workload, change []Row) figure.Finding {
	short := pick(change, func(r *Row) bool { return r.Share <= 50 })
	better, worse, detail := tally(short)
	return figure.Judge(label(w)+" the shorter half of the flows is slightly slower with PINT", worse > 0 && better == 0, better > 0 && worse == 0, "%s", detail).
		Expect(shortFlows)
}

// tally counts the buckets that are significantly better and worse.
func tally(change []Row) (better, worse int, detail string) {
	mean := 0.0
	for _, r := range change {
		mean += r.Value / float64(len(change))
		switch {
		case r.Hi < 1:
			better++
		case r.Lo > 1:
			worse++
		}
	}
	return better, worse, fmt.Sprintf("%+.1f %% on average; of %d buckets, %d significantly faster and %d slower", 100*(mean-1), len(change), better, worse)
}

func label(w congestion.Workload) string {
	if w.Name == congestion.Web.Name {
		return "(b) web search:"
	}
	return "(c) Hadoop:"
}

// compared puts the one number that the document prints beside ours.
func compared(t *plots.Table) ([]report.Compared, error) {
	rows, err := full(t)
	if err != nil {
		return nil, err
	}
	var list []report.Compared
	for _, p := range published {
		for _, versus := range []string{congestion.INT.Name, congestion.StandardINT.Name} {
			for _, r := range rows {
				if r.Table != gains || r.Load != p.Load || r.Versus != versus || r.Source == "published" {
					continue
				}
				c := report.Compared{
					Quantity: fmt.Sprintf("goodput gain over %s at %d %% load", versus, r.Load), Unit: "%",
					Published: percent(p.Value), Ours: percent(r.Value), Lo: percent(r.Lo), Hi: percent(r.Hi),
					Source: "PINT §6.1", Note: r.Measure, Outcome: report.Deviates,
				}
				if r.Source == "model" {
					c.Quantity, c.Outcome = c.Quantity+", model", report.Neutral
				} else if r.Lo <= p.Value && p.Value <= r.Hi {
					c.Outcome = report.Holds
				} else if r.Hi < 1 {
					c.Outcome = report.Fails
				}
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// percent is a ratio as a change in percent.
func percent(ratio float64) float64 { return 100 * (ratio - 1) }
