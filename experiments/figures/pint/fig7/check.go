package fig7

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// similar is how far apart slowdowns may be that the PINT paper calls similar.
const similar = 0.10

// full keeps the rows of the longest runs, and those that are not ours.
func full(rows []Row) []Row {
	return congestion.Full(rows, func(r *Row) (string, float64) {
		if r.Source != "ours" {
			return r.Workload, math.NaN()
		}
		return r.Workload, r.Arrival
	})
}

// ourGains returns the gains over INT, mean over mean.
func ourGains(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return r.Table == gains && r.Source == "ours" && r.Measure == ofMeans && r.Versus == congestion.INT.Name
	})
}

func check(all []Row) []figure.Finding {
	rows := full(all)
	gain := ourGains(rows)
	list := []figure.Finding{higherGoodput(gain), growsWithLoad(gain), magnitude(rows)}
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

// about is how far from the published gain one that is about as large may be, and settled
// the length of runs, in ms, from which on one can tell.
const (
	about   = 0.15
	settled = 100
)

// magnitude holds the gain over standard INT against the number that the PINT paper prints.
func magnitude(rows []Row) figure.Finding {
	want := published[0]
	statement := fmt.Sprintf("(a) at %d %% load flows above 10 MB gain about %.0f %% over standard INT", want.Load, stats.Percent(want.Value))
	long := "; " + Agreement()
	if r, ok := storedGain(rows, want.Load, want.Versus, ofMeans, paperLength); ok {
		long += fmt.Sprintf("; the stored run of %g ms gains %.1f %%", r.Arrival, stats.Percent(r.Value))
	}
	for _, r := range rows {
		if r.Table != gains || r.Source != "ours" || r.Load != want.Load || r.Versus != want.Versus || r.Measure != ofMeans {
			continue
		}
		off := math.Abs(r.Value - want.Value)
		if r.Arrival < settled && r.Start == cold {
			return figure.Judge(statement, false, false, "%s with arrivals for %g ms, which are too short to tell%s", r.Change(), r.Arrival, long)
		}
		return figure.Judge(statement, off <= about, off > about, "%s with arrivals for %g ms, %s start%s", r.Change(), r.Arrival, r.Start, long)
	}
	return figure.Judge(statement, false, false, "no run of ours%s", long)
}

func label(w congestion.Workload) string {
	if w.Name == congestion.Web.Name {
		return "(b) web search:"
	}
	return "(c) Hadoop:"
}

// compared puts ours beside the one number that the PINT paper prints, which is a gain over
// standard INT.
func compared(all []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		for _, r := range full(all) {
			if r.Table != gains || r.Load != p.Load || r.Versus != p.Versus || r.Source == "published" || r.Source == "stored" && r.Arrival != paperLength {
				continue
			}
			c := figure.Beside(report.Compared{
				Quantity: fmt.Sprintf("goodput gain over %s at %d %% load", r.Versus, r.Load), Unit: "%", Source: "PINT §6.1", Note: r.Measure,
				Published: stats.Percent(p.Value), Ours: stats.Percent(r.Value), Lo: stats.Percent(r.Lo), Hi: stats.Percent(r.Hi),
			})
			switch r.Source {
			case "model":
				c.Quantity += ", model"
			case "stored":
				c.Quantity += fmt.Sprintf(", stored run of %g ms", r.Arrival)
			}
			list = append(list, c)
		}
	}
	return list
}
