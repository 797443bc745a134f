package pint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// gainLines converts the rows for which `keep` returns true to rows of a comparison, with the load as their case.
func gainLines(rows []gainRow, keep func(*gainRow) bool) []study.Row {
	return lists.Map(figure.Pick(rows, keep), func(r gainRow) study.Row {
		p := r.point()
		p.Case = fmt.Sprintf("%d %%", r.Load)
		return p
	})
}

func gainTables(all []gainRow) []figure.Table {
	rows := longestGains(all)
	withINT, std, withPINT := pint.INT.Name, pint.StandardINT.Name, pint.PINT.Name
	goodput := func(head, scheme string) figure.Cell {
		return figure.Real(head, "Gb/s", func(l figure.Line) float64 { return l.Find(scheme, "", mean).Value / 1e9 })
	}
	// over shows PINT's gain over the scheme `versus`. If `versus` is "", it shows the gain over the scheme of the
	// line.
	over := func(head, versus, measure, missing string) figure.Cell {
		return figure.Text(head, func(l figure.Line) string {
			r := l.Find(withPINT, cmp.Or(versus, l[0].Against), measure)
			if math.IsNaN(r.Value) {
				return missing
			}
			return r.Change()
		})
	}
	percent := func(head, measure string) figure.Cell {
		return figure.Real(head, "%",
			func(l figure.Line) float64 { return stats.Percent(l.Find(withPINT, l[0].Against, measure).Value) })
	}
	against := figure.Text("over", func(l figure.Line) string { return l[0].Against })
	byPair := func(r *study.Row) string { return r.Case + "\n" + r.Against }
	ours := func(r *gainRow) bool { return r.Source == "ours" && (r.Table == goodputs || r.Table == gains) }
	list := []figure.Table{
		figure.Lines("goodputs",
			figure.ByBuckets(gainLines(rows, ours)), figure.Case("load"), goodput("INT", withINT),
			goodput("standard INT", std), goodput("PINT", withPINT),
			over("PINT over INT", withINT, ofMeans, ""), over("flow by flow", withINT, perFlow, ""),
			over("over standard INT", std, ofMeans, ""),
			figure.Whole("flows", "", func(l figure.Line) int64 { return int64(l.Find(withINT, "", mean).Flows) })),
		figure.Lines("gains",
			figure.By(gainLines(rows, func(r *gainRow) bool { return ours(r) && r.Table == gains }), byPair),
			figure.Case("load"), against,
			over("ratio of means", "", ofMeans, "–"), over("flow by flow", "", perFlow, "–"),
			over("ratio of means, second half", "", ofMeansWarm, "–"),
			over("flow by flow, second half", "", perFlowWarm, "–")),
		figure.Lines("lengths",
			figure.ByBuckets(gainLines(all, ours)), figure.Place("arrivals", "ms"), figure.Case("load"),
			goodput("INT", withINT), goodput("PINT", withPINT),
			over("PINT over INT", withINT, ofMeans, ""), figure.Flows("flows", mean)),
		figure.Lines("stored gains",
			figure.By(gainLines(all, func(r *gainRow) bool {
				return r.Source == "stored" && r.atLength(pint.PaperLength)
			}), byPair),
			figure.Case("load"), against, percent("ratio of means", ofMeans), percent("flow by flow", perFlow)).
			With(pint.PaperLength),
	}
	for _, w := range []struct{ name, label string }{
		{pint.Web.Name, "(b) web search:"}, {pint.Hadoop.Name, "(c) Hadoop:"},
	} {
		of := gainLines(rows,
			func(r *gainRow) bool { return (r.Table == slowdowns || r.Table == changes) && r.Workload == w.name })
		list = append(list,
			figure.Lines("slowdowns", figure.ByBuckets(of),
				figure.UpTo("flows up to"), figure.Share("share"), figure.OfScheme("INT", withINT),
				figure.OfScheme("PINT", withPINT), figure.OfPair("change", withPINT, withINT),
				figure.Flows("flows", p95)).With(w.label))
	}
	for _, t := range []struct {
		name, table, head string
		scheme            study.Scheme
	}{
		{"published u by size", readings, "U as in the published simulator", pint.PublishedU},
		{"same bytes by size", padded, "with 42 B", pint.Padded},
	} {
		of := gainPoints(figure.Pick(rows, func(r *gainRow) bool { return r.Table == t.table }))
		list = append(list, figure.Lines(t.name, figure.ByBuckets(of), figure.Case("flows"), figure.UpTo("up to"),
			figure.Share("share"), figure.OfPair("U as in the text", withPINT, withINT),
			figure.OfPair(t.head, t.scheme.Name, withINT)))
	}
	return list
}

// gainLoads returns the loads of panel (a) in ascending order.
func gainLoads(rows []gainRow) []int {
	of := figure.Pick(rows, func(r *gainRow) bool { return r.Table == goodputs })
	list := lists.Distinct(of, func(r gainRow) int { return r.Load })
	slices.Sort(list)
	return list
}

func drawGains(all []gainRow) ([]figure.Drawing, error) {
	rows := longestGains(all)
	return []figure.Drawing{
		drawGain(rows),
		figure.Drawing{Name: "change", Title: "What PINT changes", Caption: "change"}.With(
			figure.Changes(gainCurves(rows, changes))),
		figure.Drawing{Name: "fig7bc", Title: "Fig. 7 (b), (c): slowdown by flow size, 50 % load",
			Caption: "fig7bc"}.With(
			figure.Slowdowns(gainCurves(rows, slowdowns))),
		drawPublishedU(rows),
		drawGainLength(all),
	}, nil
}

// drawGain draws panel (a), with the model as points.
func drawGain(rows []gainRow) figure.Drawing {
	loads := gainLoads(rows)
	p := plots.Panel{
		X: plots.Axis{Label: "Load", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Goodput gain of PINT", Unit: "%", Scale: plots.Linear},
	}
	for _, load := range loads {
		p.X.Categories = append(p.X.Categories, fmt.Sprintf("%d %%", load))
	}
	at := func(r *gainRow) float64 { return float64(slices.Index(loads, r.Load)) }
	for _, versus := range []string{pint.INT.Name, pint.StandardINT.Name} {
		of := func(source string, keep func(*gainRow) bool) []gainRow {
			return figure.Pick(rows, func(r *gainRow) bool {
				return r.Table == gains && r.Source == source && r.Versus == versus && at(r) >= 0 && keep(r)
			})
		}
		all := func(*gainRow) bool { return true }
		points := func(name string, of []gainRow) plots.Series {
			s := plots.Series{Name: "over " + versus + name, Hue: versus, Style: plots.Points}
			return figure.Curve(s, of, func(r *gainRow) (x, y float64) { return at(r), stats.Percent(r.Value) })
		}
		ours := percent(plots.Series{Name: "over " + versus, Hue: versus, Style: plots.Bar},
			of("ours", func(r *gainRow) bool { return r.Measure == ofMeans }), at)
		printed := points("", of("published", all))
		printed.Style, printed.Published = plots.Bar, true
		stored := points(fmt.Sprintf(", %d ms", pint.PaperLength), of("stored", func(r *gainRow) bool {
			return r.Measure == ofMeans && r.Arrival == pint.PaperLength
		}))
		model := points(", model", of("model", all))
		p.Series = append(p.Series, figure.Drawn(ours, printed, stored, model)...)
	}
	return figure.Drawing{
		Name: "fig7a", Caption: "fig7a",
		Plot: plots.Figure{Title: "Fig. 7 (a): goodput gain of PINT, web search", Width: 380,
			Panels: []plots.Panel{p}},
	}
}

// percent fills a series with ratios, converted to changes in percent.
func percent(s plots.Series, rows []gainRow, x func(*gainRow) float64) plots.Series {
	return figure.Ranges(s, rows, func(r *gainRow) (float64, float64, float64, float64) {
		return x(r), stats.Percent(r.Value), stats.Percent(r.Lo), stats.Percent(r.Hi)
	})
}

// gainCurves returns the rows of panels (b) and (c) from a table.
func gainCurves(rows []gainRow, table string) []study.Row {
	of := gainPoints(figure.Pick(rows, func(r *gainRow) bool { return r.Table == table }))
	return figure.Named(of, func(r *study.Row) (panel, scheme string) {
		panel, scheme = "(b) Web search", r.Scheme
		if r.Case == pint.Hadoop.Name {
			panel = "(c) Hadoop"
		}
		if r.Against != "" {
			scheme += " against " + r.Against
		}
		return panel, scheme
	})
}

// drawPublishedU draws the changes that PINT causes, with the U of the paper's text and with the U of the published
// simulator.
func drawPublishedU(rows []gainRow) figure.Drawing {
	of := figure.Pick(rows, func(r *gainRow) bool { return r.Table == readings && r.Measure == p95 })
	d := figure.Drawing{Name: "published-u", Title: "What PINT changes, by the U of switches", Caption: "published u"}
	d = d.With(figure.Changes(figure.Named(gainCurves(of, readings), func(r *study.Row) (panel, scheme string) {
		if strings.HasPrefix(r.Scheme, pint.PublishedU.Name) {
			return r.Case, "U as in the published simulator"
		}
		return r.Case, "U as in the text"
	})))
	seeds, arrivals := 0, map[string]float64{}
	for _, r := range of {
		seeds, arrivals[r.Workload] = r.Seeds, r.Arrival
	}
	d.Plot.Footnote = fmt.Sprintf("320-server fat tree, load %d %%, %s, arrivals for %g ms (%s) and %g ms (%s), then "+
		"until all flows have finished; bars: 95 %% intervals over the seeds", load, number.Count(seeds, "seed"),
		arrivals[pint.Web.Name], pint.Web.Name, arrivals[pint.Hadoop.Name], pint.Hadoop.Name)
	return d
}

// drawGainLength shows how the gain depends on the length of the runs.
func drawGainLength(rows []gainRow) figure.Drawing {
	p := figure.ByLength("Goodput gain of PINT over INT", "%", 0)
	for _, load := range gainLoads(rows) {
		p.Series = append(p.Series, percent(plots.Series{Name: fmt.Sprintf("%d %% load", load), Style: plots.Line},
			figure.Pick(ourGains(rows), func(r *gainRow) bool { return r.Load == load }),
			func(r *gainRow) float64 { return r.Arrival / 1e3 }))
	}
	for _, versus := range []string{pint.INT.Name, pint.StandardINT.Name} {
		s := figure.Curve(plots.Series{Name: "70 % load, stored, over " + versus, Style: plots.Points},
			figure.Pick(rows, func(r *gainRow) bool {
				return r.Source == "stored" && r.Start == pint.Cold && r.Load == 70 && r.Versus == versus &&
					r.Measure == ofMeans
			}),
			func(r *gainRow) (x, y float64) { return r.Arrival / 1e3, stats.Percent(r.Value) })
		p.Series = append(p.Series, figure.Drawn(s)...)
	}
	return figure.Drawing{
		Name: "length", Caption: "length",
		Plot: plots.Figure{Title: "Goodput gain by the length of the run", Width: 380, Panels: []plots.Panel{p}},
	}
}
