package fig7

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

type goodputLine struct {
	Load     string  `col:"load"`
	INT      float64 `col:"INT" unit:"Gb/s"`
	Standard float64 `col:"standard INT" unit:"Gb/s"`
	PINT     float64 `col:"PINT" unit:"Gb/s"`
	Over     string  `col:"PINT over INT"`
	Each     string  `col:"flow by flow"`
	OverStd  string  `col:"over standard INT"`
	Flows    int     `col:"flows"`
}

type lengthLine struct {
	Arrivals float64 `col:"arrivals" unit:"ms"`
	Load     string  `col:"load"`
	INT      float64 `col:"INT" unit:"Gb/s"`
	PINT     float64 `col:"PINT" unit:"Gb/s"`
	Over     string  `col:"PINT over INT"`
	Flows    int     `col:"flows"`
}

type averageLine struct {
	Load     string `col:"load"`
	Over     string `col:"over"`
	Means    string `col:"ratio of means"`
	Each     string `col:"flow by flow"`
	Warm     string `col:"ratio of means, second half"`
	EachWarm string `col:"flow by flow, second half"`
}

type longLine struct {
	Load  string  `col:"load"`
	Over  string  `col:"over"`
	Means float64 `col:"ratio of means" unit:"%"`
	Each  float64 `col:"flow by flow" unit:"%"`
}

type sizeLine struct {
	Size   float64 `col:"flows up to" unit:"B"`
	Share  float64 `col:"share" unit:"%"`
	INT    float64 `col:"INT"`
	PINT   float64 `col:"PINT"`
	Change string  `col:"change"`
	Flows  int     `col:"flows"`
}

func tables(all []Row) []figure.Table {
	rows := full(all)
	var goodput []goodputLine
	for _, load := range loads(rows) {
		l := goodputLine{Load: fmt.Sprintf("%d %%", load), INT: math.NaN(), Standard: math.NaN(), PINT: math.NaN()}
		for _, r := range rows {
			if r.Load != load || r.Source != "ours" {
				continue
			}
			switch {
			case r.Table == goodputs && r.Scheme == congestion.INT.Name:
				l.INT, l.Flows = r.Value/1e9, r.Flows
			case r.Table == goodputs && r.Scheme == congestion.StandardINT.Name:
				l.Standard = r.Value / 1e9
			case r.Table == goodputs:
				l.PINT = r.Value / 1e9
			case r.Table == gains && r.Versus == congestion.StandardINT.Name && r.Measure == ofMeans:
				l.OverStd = r.Change()
			case r.Table == gains && r.Versus == congestion.INT.Name && r.Measure == ofMeans:
				l.Over = r.Change()
			case r.Table == gains && r.Versus == congestion.INT.Name && r.Measure == perFlow:
				l.Each = r.Change()
			}
		}
		goodput = append(goodput, l)
	}
	var length []lengthLine
	for _, r := range ourGains(all) {
		l := lengthLine{Arrivals: r.Arrival, Load: fmt.Sprintf("%d %%", r.Load), Over: r.Change(), Flows: r.Flows}
		for _, g := range all {
			if g.Table != goodputs || g.Load != r.Load || g.Arrival != r.Arrival {
				continue
			}
			switch g.Scheme {
			case congestion.INT.Name:
				l.INT = g.Value / 1e9
			case congestion.PINT.Name:
				l.PINT = g.Value / 1e9
			}
		}
		length = append(length, l)
	}
	var averages []averageLine
	for _, r := range rows {
		if r.Table != gains || r.Source != "ours" || r.Measure != ofMeans {
			continue
		}
		l := averageLine{Load: fmt.Sprintf("%d %%", r.Load), Over: r.Versus, Means: r.Change(), Each: "–", Warm: "–", EachWarm: "–"}
		for _, g := range rows {
			if g.Table != gains || g.Source != "ours" || g.Load != r.Load || g.Versus != r.Versus {
				continue
			}
			switch g.Measure {
			case perFlow:
				l.Each = g.Change()
			case ofMeansWarm:
				l.Warm = g.Change()
			case perFlowWarm:
				l.EachWarm = g.Change()
			}
		}
		averages = append(averages, l)
	}
	var long []longLine
	for _, r := range all {
		if r.Source == "stored" && r.Start == cold && r.Arrival == paperLength && r.Measure == ofMeans {
			l := longLine{Load: fmt.Sprintf("%d %%", r.Load), Over: r.Versus, Means: stats.Percent(r.Value), Each: math.NaN()}
			if each, ok := storedGain(all, r.Load, r.Versus, perFlow, r.Arrival); ok {
				l.Each = stats.Percent(each.Value)
			}
			long = append(long, l)
		}
	}
	list := []figure.Table{
		{Rows: goodput, Caption: "(a) Web search: mean goodput of flows above 10 MB; gain as ratio of means, flow by flow, and over standard INT."},
		{Rows: averages, Caption: "(a) Gain of PINT by what it is held against, how it is averaged, and without the first half of the arrivals as warm-up."},
		{Rows: length, Caption: "(a) The same by length of the arrival window: how far the gain is from settled."},
		{Rows: long, Caption: fmt.Sprintf("(a) Stored runs with arrivals for %d ms, one seed: gain of PINT.", paperLength)},
	}
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		list = append(list, figure.Table{Rows: sizeLines(rows, w), Caption: label(w) + " 95th-percentile slowdown by flow size at 50 % load."})
	}
	return list
}

func sizeLines(rows []Row, w congestion.Workload) []sizeLine {
	var lines []sizeLine
	for _, c := range figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Workload == w.Name }) {
		l := sizeLine{Size: c.Size, Share: c.Share, Change: c.Change(), Flows: c.Flows}
		for _, r := range rows {
			if r.Table != slowdowns || r.Workload != w.Name || r.Share != c.Share {
				continue
			}
			if r.Scheme == congestion.INT.Name {
				l.INT = r.Value
			} else {
				l.PINT = r.Value
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// loads are the loads of panel (a), rising.
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

// drawGain is panel (a), with the model as points.
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

// curves are the panels (b) and (c) of one of the tables.
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
