package fig7

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots/report"
)

// similar is how far apart slowdowns may be that the PINT paper calls similar.
const similar = 0.10

// full keeps the rows of the longest runs, and those that are not ours.
func full(rows []Row) []Row {
	return congestion.Full(rows, func(r *Row) (string, float64) { return r.Workload, r.Arrival })
}

// ourGains are the gains over INT, mean over mean.
func ourGains(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return r.Table == gains && r.Source == "ours" && r.Measure == ofMeans && r.Versus == congestion.INT.Name
	})
}

func check(all []Row) []figure.Finding {
	rows := full(all)
	gain := ourGains(rows)
	list := []figure.Finding{higherGoodput(gain), growsWithLoad(gain)}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		of := func(from, to float64) []Row { // shares of the flows, %
			return figure.Pick(rows, func(r *Row) bool {
				return r.Table == changes && r.Workload == w.Name && r.Share > from && r.Share <= to
			})
		}
		list = append(list,
			figure.Similar(label(w)+" p95 slowdown is similar with PINT and INT for all flow sizes", of(0, 100), similar),
			figure.Lower(label(w)+" the longest tenth of the flows is faster with PINT", of(90, 100)),
			figure.Higher(label(w)+" the shorter half of the flows is slightly slower with PINT", of(0, 50)).Expect(shortFlows))
	}
	return list
}

func higherGoodput(gain []Row) figure.Finding {
	confirmed, contradicted, detail := len(gain) > 0, false, ""
	for _, r := range gain {
		confirmed = confirmed && r.Lo > 1
		contradicted = contradicted || r.Hi < 1
		detail += fmt.Sprintf("%d %%: %s; ", r.Load, r.Change())
	}
	return figure.Judge("(a) flows above 10 MB have more goodput with PINT than with INT at every load", confirmed, contradicted, "%sover INT", detail)
}

func growsWithLoad(gain []Row) figure.Finding {
	const statement = "(a) the gain grows with the load"
	if len(gain) < 2 {
		return figure.Judge(statement, false, false, "too few rows")
	}
	a, b := gain[0], gain[len(gain)-1]
	return figure.Judge(statement, b.Lo > a.Hi, b.Hi < a.Lo, "%s at %d %%, %s at %d %%", a.Change(), a.Load, b.Change(), b.Load)
}

func label(w congestion.Workload) string {
	if w.Name == congestion.Web.Name {
		return "(b) web search:"
	}
	return "(c) Hadoop:"
}

// compared puts the one number that the PINT paper prints beside ours.
func compared(all []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		for _, versus := range []string{congestion.INT.Name, congestion.StandardINT.Name} {
			for _, r := range full(all) {
				if r.Table != gains || r.Load != p.Load || r.Versus != versus || r.Source == "published" {
					continue
				}
				c := figure.Beside(report.Compared{
					Quantity: fmt.Sprintf("goodput gain over %s at %d %% load", versus, r.Load), Unit: "%", Source: "PINT §6.1", Note: r.Measure,
					Published: figure.Percent(p.Value), Ours: figure.Percent(r.Value), Lo: figure.Percent(r.Lo), Hi: figure.Percent(r.Hi),
				})
				if r.Source == "model" {
					c.Quantity += ", model"
				}
				list = append(list, c)
			}
		}
	}
	return list
}
