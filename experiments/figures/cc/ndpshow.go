package cc

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/plots"
)

// published is NDP's mean goodput in a permutation of 432 hosts, % of the links (Fig. 14).
const published = 92

// ndpIn returns the rows of a table.
func ndpIn(rows []study.Row, table string) []study.Row {
	return figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
}

// one returns the row of a scheme in a table of means.
func one(rows []study.Row, table string, s study.Scheme) study.Row {
	return study.One(ndpIn(rows, table), "", s.Name, "")
}

// ndpCheck judges the incasts of many senders, of which each scale has others.
func ndpCheck(rows []study.Row) (list []figure.Finding) {
	const ideal = 1
	link := study.Row{Scheme: "the link", Sized: stats.Whole(stats.Number{Value: ideal, Lo: ideal, Hi: ideal})}
	for _, r := range study.Pick(ndpIn(rows, incasts), "", ndp.Name, "", "") {
		if r.X >= 16 {
			list = append(list, figure.Below(fmt.Sprintf("an incast of %g ends within 5 %% of what the link needs",
				r.X), r, link, 1.05))
		}
	}
	return list
}

func ndpTables(rows []study.Row) []figure.Table {
	// value shows the number of a scheme in a table of means.
	value := func(head, unit, table string, times float64) figure.Cell {
		return figure.Real(head, unit,
			func(l figure.Line) float64 { return times * one(l, table, study.Scheme{Name: l[0].Scheme}).Value })
	}
	means := figure.Pick(rows, func(r *study.Row) bool { return math.IsNaN(r.X) })
	return []figure.Table{
		figure.Lines("hosts", figure.BySchemes(means),
			figure.Scheme("scheme"), value("mean goodput", "Gb/s", ndpMean, 1e-9),
			value("of the links", "%", ndpMean, 100/linkRate),
			figure.Real("published", "%", func(l figure.Line) float64 {
				if l[0].Scheme == ndp.Name {
					return published
				}
				return math.NaN()
			}),
			value("slowest host", "Gb/s", slowest, 1e-9), value("short flows, median", "us", median, 1e6),
			value("longest", "us", longest, 1e6)),
		figure.Lines("incasts", figure.ByBuckets(ndpIn(rows, incasts)),
			figure.Place("senders", ""), figure.OfScheme("NDP", ndp.Name), figure.OfScheme("DCTCP", ndpDctcp.Name),
			figure.OfScheme("DCQCN", dcqcn.Name),
			figure.OfScheme("HPCC", hpcc.Name)),
	}
}

func ndpDraw(rows []study.Row) ([]figure.Drawing, error) {
	panel := func(table string, x, y plots.Axis, turned bool) plots.Figure {
		p := plots.Panel{X: x, Y: y}
		for _, s := range ndpSchemes {
			l := plots.Series{Name: s.Name, Style: plots.Trace}
			for _, r := range rows {
				if r.Table != table || r.Scheme != s.Name {
					continue
				}
				if turned {
					l.X, l.Y = append(l.X, r.Value), append(l.Y, r.X)
				} else {
					l.X, l.Y = append(l.X, r.X), append(l.Y, r.Value)
				}
				if table == incasts && !math.IsNaN(r.Lo) {
					l.Lo, l.Hi = append(l.Lo, r.Lo), append(l.Hi, r.Hi)
				}
			}
			if table == incasts {
				l.Style = plots.Line
			}
			p.Series = append(p.Series, l)
		}
		return plots.Figure{Panels: []plots.Panel{p}}
	}
	percent := func(label string) plots.Axis {
		return plots.Axis{Label: label, Unit: "%", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(100)}
	}
	perm := panel(ndpGoodputs, percent("Hosts, from the slowest on"), plots.Axis{Label: "Goodput",
		Unit: plots.InBitsPerSecond, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(linkRate)}, false)
	perm.Title = "A permutation: goodput of each host"
	incast := panel(incasts, plots.Axis{Label: "Senders", Scale: plots.Log},
		plots.Axis{Label: "Completion time over the ideal", Scale: plots.Linear, Min: plots.At(0.9)}, false)
	incast.Title = "Incasts: when the last flow has ended"
	short := panel(shorts, plots.Axis{Label: "Completion time", Unit: plots.InSeconds, Scale: plots.Log},
		percent("Flows up to there"), true)
	short.Title = "Short flows between idle hosts of a busy network"
	return []figure.Drawing{
		{Name: "permutation", Caption: "permutation", Plot: perm},
		{Name: "incast", Caption: "incast", Plot: incast},
		{Name: "short", Caption: "short", Plot: short},
	}, nil
}
