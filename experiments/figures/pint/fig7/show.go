package fig7

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// lines returns the rows that keep chooses as those of a comparison, whose case is the load.
func lines(rows []Row, keep func(*Row) bool) []comparison.Row {
	var list []comparison.Row
	for _, r := range figure.Pick(rows, keep) {
		list = append(list, comparison.Row{
			Table: r.Table, Case: fmt.Sprintf("%d %%", r.Load), X: r.Arrival, Scheme: r.Scheme, Against: r.Versus, Quantity: r.Measure, Measured: r.Measured,
		})
	}
	return list
}

func tables(all []Row) []figure.Table {
	rows := full(all)
	withINT, std, pint := congestion.INT.Name, congestion.StandardINT.Name, congestion.PINT.Name
	goodput := func(head, scheme string) figure.Cell {
		return figure.Real(head, "Gb/s", func(l figure.Line) float64 { return l.Find(scheme, "", mean).Value / 1e9 })
	}
	// gain shows what PINT gains over a scheme, or over that of the line.
	gain := func(head, versus, measure, missing string) figure.Cell {
		return figure.Text(head, func(l figure.Line) string {
			r := l.Find(pint, cmp.Or(versus, l[0].Against), measure)
			if math.IsNaN(r.Value) {
				return missing
			}
			return r.Change()
		})
	}
	percent := func(head, measure string) figure.Cell {
		return figure.Real(head, "%", func(l figure.Line) float64 { return stats.Percent(l.Find(pint, l[0].Against, measure).Value) })
	}
	over := figure.Text("over", func(l figure.Line) string { return l[0].Against })
	byPair := func(r *comparison.Row) string { return r.Case + "\n" + r.Against }
	ours := func(r *Row) bool { return r.Source == "ours" && (r.Table == goodputs || r.Table == gains) }
	list := []figure.Table{
		figure.Lines("(a) Web search: mean goodput of flows above 10 MB; gain as ratio of means, flow by flow, and over standard INT.",
			figure.ByBuckets(lines(rows, ours)), figure.Case("load"), goodput("INT", withINT), goodput("standard INT", std), goodput("PINT", pint),
			gain("PINT over INT", withINT, ofMeans, ""), gain("flow by flow", withINT, perFlow, ""), gain("over standard INT", std, ofMeans, ""),
			figure.Whole("flows", func(l figure.Line) int64 { return int64(l.Find(withINT, "", mean).Flows) })),
		figure.Lines("(a) Gain of PINT by what it is held against, how it is averaged, and without the first half of the arrivals as warm-up.",
			figure.By(lines(rows, func(r *Row) bool { return ours(r) && r.Table == gains }), byPair), figure.Case("load"), over,
			gain("ratio of means", "", ofMeans, "–"), gain("flow by flow", "", perFlow, "–"),
			gain("ratio of means, second half", "", ofMeansWarm, "–"), gain("flow by flow, second half", "", perFlowWarm, "–")),
		figure.Lines("(a) The same by length of the arrival window: how far the gain is from settled.",
			figure.ByBuckets(lines(all, ours)), figure.Place("arrivals", "ms"), figure.Case("load"), goodput("INT", withINT), goodput("PINT", pint),
			gain("PINT over INT", withINT, ofMeans, ""), figure.Flows("flows", mean)),
		figure.Lines(fmt.Sprintf("(a) Stored runs with arrivals for %d ms, one seed: gain of PINT.", paperLength),
			figure.By(lines(all, func(r *Row) bool { return r.Source == "stored" && r.Start == cold && r.Arrival == paperLength }), byPair),
			figure.Case("load"), over, percent("ratio of means", ofMeans), percent("flow by flow", perFlow)),
	}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		of := lines(rows, func(r *Row) bool { return (r.Table == slowdowns || r.Table == changes) && r.Workload == w.Name })
		list = append(list, figure.Lines(label(w)+" 95th-percentile slowdown by flow size at 50 % load.", figure.ByBuckets(of),
			figure.UpTo("flows up to"), figure.Share("share"), figure.OfScheme("INT", withINT), figure.OfScheme("PINT", pint), figure.OfPair("change", pint, withINT),
			figure.Flows("flows", p95)))
	}
	return list
}

// loads returns the loads of panel (a), rising.
func loads(rows []Row) []int {
	var list []int
	for _, r := range rows {
		if r.Table == goodputs && !slices.Contains(list, r.Load) {
			list = append(list, r.Load)
		}
	}
	slices.Sort(list)
	return list
}

func draw(all []Row) ([]figure.Drawing, error) {
	rows := full(all)
	sizes, err := figure.Slowdowns(curves(rows, slowdowns))
	if err != nil {
		return nil, err
	}
	sizes.Title = "Fig. 7 (b), (c): slowdown by flow size, 50 % load"
	change, err := figure.Changes(curves(rows, changes))
	if err != nil {
		return nil, err
	}
	change.Title = "What PINT changes"
	return []figure.Drawing{
		drawGain(rows),
		{Name: "fig7bc", Plot: sizes, Caption: "(b), (c) 95th-percentile slowdown by flow size; ticks are 10 % of the flows apart."},
		{Name: "change", Plot: change, Caption: "PINT against INT in (b) and (c): below 0 PINT is faster."},
		drawLength(all),
	}, nil
}

// drawGain draws panel (a), with the model as points.
func drawGain(rows []Row) figure.Drawing {
	at := loads(rows)
	p := plots.Panel{
		X: plots.Axis{Label: "Load", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Goodput gain of PINT", Unit: "%", Scale: plots.Linear},
	}
	for _, load := range at {
		p.X.Categories = append(p.X.Categories, fmt.Sprintf("%d %%", load))
	}
	for _, versus := range []string{congestion.INT.Name, congestion.StandardINT.Name} {
		for _, source := range []string{"ours", "published", "stored", "model"} {
			s := plots.Series{Name: "over " + versus, Hue: versus, Style: plots.Bar, Published: source == "published"}
			switch source {
			case "model":
				s.Name, s.Style = "over "+versus+", model", plots.Points
				s.Hue = s.Name // or its points would look like those of the stored runs
			case "stored":
				s.Name, s.Style = fmt.Sprintf("over %s, %d ms", versus, paperLength), plots.Points
			}
			for _, r := range rows {
				place := slices.Index(at, r.Load)
				if r.Table != gains || r.Source != source || r.Versus != versus || source != "model" && source != "published" && r.Measure != ofMeans || source == "stored" && r.Arrival != paperLength || place < 0 {
					continue
				}
				s.X, s.Y = append(s.X, float64(place)), append(s.Y, stats.Percent(r.Value))
				s.Lo, s.Hi = append(s.Lo, stats.Percent(r.Lo)), append(s.Hi, stats.Percent(r.Hi))
			}
			if source != "ours" {
				s.Lo, s.Hi = nil, nil
			}
			if len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
	}
	return figure.Drawing{
		Name:    "fig7a",
		Caption: "(a) Goodput of flows above 10 MB with PINT, over that with INT on the same flows and paths. Points: stored runs of the published length, and what the residual capacity of a server link predicts.",
		Plot:    plots.Figure{Title: "Fig. 7 (a): goodput gain of PINT, web search", Width: 380, Panels: []plots.Panel{p}},
	}
}

// curves returns the panels (b) and (c) of one of the tables.
func curves(rows []Row, table string) []figure.CurvePoint {
	var points []figure.CurvePoint
	for _, r := range rows {
		if r.Table != table {
			continue
		}
		panel, scheme := "(b) Web search", r.Scheme
		if r.Workload == congestion.Hadoop.Name {
			panel = "(c) Hadoop"
		}
		if r.Versus != "" {
			scheme += " against " + r.Versus
		}
		points = append(points, figure.CurvePoint{Panel: panel, Scheme: scheme, Measured: r.Measured})
	}
	return points
}

// drawLength shows how the gain moves with the length of the runs.
func drawLength(rows []Row) figure.Drawing {
	p := figure.ByLength("Goodput gain of PINT over INT", "%", 0)
	for _, load := range loads(rows) {
		s := plots.Series{Name: fmt.Sprintf("%d %% load", load), Style: plots.Line}
		for _, r := range ourGains(rows) {
			if r.Load == load {
				s.X, s.Y = append(s.X, r.Arrival/1e3), append(s.Y, stats.Percent(r.Value))
				s.Lo, s.Hi = append(s.Lo, stats.Percent(r.Lo)), append(s.Hi, stats.Percent(r.Hi))
			}
		}
		p.Series = append(p.Series, s)
	}
	for _, versus := range []string{congestion.INT.Name, congestion.StandardINT.Name} {
		s := plots.Series{Name: "70 % load, stored, over " + versus, Style: plots.Points}
		for _, r := range rows {
			if r.Source == "stored" && r.Start == cold && r.Load == 70 && r.Versus == versus && r.Measure == ofMeans {
				s.X, s.Y = append(s.X, r.Arrival/1e3), append(s.Y, stats.Percent(r.Value))
			}
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return figure.Drawing{
		Name: "length", Caption: "The gain of (a) for longer and longer runs: a curve that still rises has not settled.",
		Plot: plots.Figure{Title: "Is it settled?", Width: 380, Panels: []plots.Panel{p}},
	}
}
