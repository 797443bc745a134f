package balancing

import (
	"math"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/plots"
)

// line is a scheme in a case.
type line struct {
	Case   string  `col:"transport and network"`
	Scheme string  `col:"balancer"`
	Mean   float64 `col:"mean slowdown"`
	P50    float64 `col:"p50"`
	P95    float64 `col:"p95"`
	P99    float64 `col:"p99"`
	Again  float64 `col:"sent again" unit:"%"`
	Change string  `col:"mean against ECMP"`
	Flows  int     `col:"flows"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	for _, t := range transports {
		for _, n := range []network{whole, broken} {
			for _, s := range t.schemes {
				c := caseOf(t, n)
				value := func(quantity string) float64 {
					if r := contest.Pick(rows, c, s.name, "", quantity); len(r) == 1 {
						return r[0].Value
					}
					return math.NaN()
				}
				l := line{Case: c, Scheme: s.name, Mean: value(mean), P50: value(p50), P95: value(p95), P99: value(p99), Again: 100 * value(again)}
				if r := contest.Pick(rows, c, s.name, t.schemes[0].name, mean); len(r) == 1 {
					l.Change, l.Flows = r[0].Change(), r[0].Flows
				}
				lines = append(lines, l)
			}
		}
	}
	return []figure.Table{{Rows: lines, Caption: "Slowdown of all flows, and packets sent again."}}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for _, t := range transports {
		of := figure.Pick(rows, func(r *Row) bool { return r.Case == caseOf(t, whole) || r.Case == caseOf(t, broken) })
		f := plots.Figure{Title: t.name + ": slowdown by balancer", Width: plots.PageWidth, Columns: 2}
		for _, q := range []struct{ quantity, label string }{{mean, "Mean slowdown"}, {p99, "p99 slowdown"}} {
			f.Panels = append(f.Panels, contest.Bars(of, q.quantity, plots.Axis{Label: q.label, Scale: plots.Linear}))
		}
		list = append(list, figure.Drawing{Name: map[string]string{"DCTCP": "dctcp", "IRN": "irn"}[t.name], Caption: "Mean and 99th percentile of the slowdown of all flows, with all links and with a failed one.", Plot: f})
	}
	return list, nil
}
