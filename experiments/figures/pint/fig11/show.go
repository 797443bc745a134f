package fig11

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// one is the row of a table, workload and arm; with a quantile if it is not 0, of the
// latencies of 100 ns or more.
func one(rows []Row, table, workload, scheme string, quantile float64) (Row, bool) {
	for _, r := range rows {
		if r.Table == table && r.Workload == workload && r.Scheme == scheme && (quantile == 0 || r.Quantile == quantile && r.Measure == ofWaits) {
			return r, true
		}
	}
	return Row{}, false
}

// mean is the average change over buckets of flow sizes, with an interval that takes
// their errors as independent.
func mean(change []Row) (value, lo, hi float64) {
	sum, square := 0.0, 0.0
	for _, r := range change {
		sum += r.Value
		square += math.Pow((r.Hi-r.Lo)/2, 2)
	}
	n := float64(len(change))
	half := math.Sqrt(square) / n
	return sum / n, sum/n - half, sum/n + half
}

// The halves of the flows.
func short(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Share <= 50 })
}
func long(rows []Row) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.Table == changes && r.Share > 90 })
}

func check(rows []Row) []figure.Finding {
	const close = 0.10
	near := func(what string, change []Row) figure.Finding {
		v, lo, hi := mean(change)
		return figure.Judge(fmt.Sprintf("%s within %.0f %% of HPCC alone (p95 slowdown)", what, 100*close), lo >= 1-close && hi <= 1+close, lo > 1+close || hi < 1-close, "%s", stats.Change(v, lo, hi))
	}
	list := []figure.Finding{near("the shorter half of the flows is", short(rows)), near("the longest tenth of the flows is", long(rows))}
	h := congestion.Hadoop.Name
	d, okD := one(rows, latencies, h, difference, 0.5)
	list = append(list, figure.Judge("the relative error of median latencies (100 ns or more) is at most 5 % larger than alone", okD && d.Hi <= 0.05, okD && d.Lo > 0.05,
		"%+.2f %% (%+.2f %% to %+.2f %%)", 100*d.Value, 100*d.Lo, 100*d.Hi))
	a, okA := one(rows, paths, h, armCombined, 0)
	b, okB := one(rows, paths, h, armPath, 0)
	list = append(list, figure.Judge("paths take at most 5 % more packets than with 2×(b=8)", okA && okB && a.Hi <= 1.05*b.Lo, okA && okB && a.Lo > 1.05*b.Hi,
		"%.2f against %.2f packets on average", a.Value, b.Value).Expect(fewerBits))
	c, okC := one(rows, paths, h, armTopology, 0)
	return append(list,
		figure.Judge("the decoder that knows the network takes fewer packets from the same digests", okA && okC && c.Hi < a.Lo, okA && okC && c.Lo > a.Hi,
			"%.2f against %.2f packets on average", c.Value, a.Value),
		samePlan(rows))
}

func samePlan(rows []Row) figure.Finding {
	p := figure.Pick(rows, func(r *Row) bool { return r.Table == plans })
	same, detail := len(p) == 6, ""
	for i := range len(p) / 2 {
		o := p[i+len(p)/2]
		same = same && p[i].Measure == o.Measure && p[i].Value == o.Value
		detail += fmt.Sprintf("%s %.4g and %.4g; ", p[i].Measure, p[i].Value, o.Value)
	}
	return figure.Judge("the engine finds the PINT paper's plan for the same requests", same, !same, "%sas printed and as found", detail)
}

func compared(rows []Row) []report.Compared {
	const source = "PINT §6.4, Fig. 11"
	var list []report.Compared
	add := func(what string, published, ours, lo, hi float64) {
		list = append(list, figure.Beside(report.Compared{Quantity: what, Unit: "%", Published: published, Ours: ours, Lo: lo, Hi: hi, Source: source}))
	}
	h := congestion.Hadoop.Name
	for _, x := range []struct {
		what      string
		published float64
		change    []Row
	}{{"slowdown of short flows (the shorter half), over HPCC alone", 6.6, short(rows)}, {"slowdown of long flows (the longest tenth), over HPCC alone", 0, long(rows)}} {
		v, lo, hi := mean(x.change)
		add(x.what, x.published, 100*(v-1), 100*(lo-1), 100*(hi-1))
	}
	if d, ok := one(rows, latencies, h, difference, 0.5); ok {
		add("relative error of median latencies, more than alone", 0.7, 100*d.Value, 100*d.Lo, 100*d.Hi)
	}
	if a, ok := one(rows, paths, h, armCombined, 0); ok {
		if b, ok := one(rows, paths, h, armPath, 0); ok {
			add("packets until the path is known, more than alone", 0.5, 100*(a.Value/b.Value-1), 100*(a.Lo/b.Hi-1), 100*(a.Hi/b.Lo-1))
		}
	}
	return list
}

// line is a line of the tables.
type line struct {
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	What     string  `col:"what"`
	Value    float64 `col:"value"`
	Lo       float64 `col:"lo"`
	Hi       float64 `col:"hi"`
	P99      float64 `col:"p99"`
	Flows    int     `col:"flows"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, x := range []struct {
		table, caption string
		what           func(*Row) string
	}{
		{paths, "Packets until the path is known, of flows that are long enough", func(r *Row) string { return r.Measure }},
		{latencies, "Relative error of latency quantiles, mean over flows and hops", func(r *Row) string { return fmt.Sprintf("quantile %g, %s", r.Quantile, r.Measure) }},
		{known, "Share of the flows whose path is known when they end, by their number of packets", packetsOf},
		{changes, "p95 slowdown of the combined plan over HPCC alone, by flow size", func(r *Row) string { return "up to " + plots.FormatValue(r.Size, plots.InBytes, 3) }},
		{plans, "Share of the packets that serve a query", func(r *Row) string { return r.Measure }},
	} {
		var lines []line
		for _, r := range rows {
			if r.Table == x.table {
				lines = append(lines, line{r.Workload, r.Scheme, x.what(&r), r.Value, r.Lo, r.Hi, r.P99, r.Flows})
			}
		}
		list = append(list, figure.Table{Caption: x.caption, Rows: lines})
	}
	return list
}

// packetsOf is a class of flows by their number of packets.
func packetsOf(r *Row) string {
	switch {
	case r.From == 1 && r.To == 0:
		return "all flows"
	case r.To == 0:
		return fmt.Sprintf("more than %d", r.From-1)
	case r.From == r.To:
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d–%d", r.From, r.To)
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var points []figure.CurvePoint
	for _, r := range rows {
		if r.Table == slowdowns {
			points = append(points, figure.CurvePoint{Scheme: r.Scheme, Measured: stats.Measured{
				Size: r.Size, Share: r.Share, Value: r.Value, Lo: r.Lo, Hi: r.Hi, Flows: r.Flows,
			}})
		}
	}
	sizes, err := figure.Slowdowns(points)
	if err != nil {
		return nil, err
	}
	sizes.Title = "Fig. 11: HPCC in the combined plan and alone"
	pair := plots.Figure{Title: "Fig. 11: latency and path tracing in the combined plan and alone", Panels: []plots.Panel{latencyPanel(rows), pathPanel(rows)}}
	shares := plots.Figure{Title: "Flows whose path is known when they end", Panels: []plots.Panel{knownPanel(rows, congestion.Hadoop.Name), knownPanel(rows, congestion.Web.Name)}}
	return []figure.Drawing{
		{Name: "slowdown", Caption: "95th-percentile slowdown by flow size, Hadoop: HPCC on 1/16 of the packets in the combined plan, and alone on every packet.", Plot: sizes},
		{Name: "queries", Caption: "Relative error of latency quantiles, and packets until the path is known, in the combined plan and alone; Hadoop, the same packets.", Plot: pair},
		{Name: "known", Caption: "Share of the flows whose path is known when their last byte arrives, by their number of packets.", Plot: shares},
	}, nil
}

func bars(name string) plots.Series { return plots.Series{Name: name, Style: plots.Bar} }

func (r *Row) addTo(s *plots.Series, x int, factor float64) {
	s.X, s.Y = append(s.X, float64(x)), append(s.Y, factor*r.Value)
	s.Lo, s.Hi = append(s.Lo, factor*r.Lo), append(s.Hi, factor*r.Hi)
}

func latencyPanel(rows []Row) plots.Panel {
	p := plots.Panel{
		Title: "Latency", X: plots.Axis{Label: "Quantile", Scale: plots.Categorical, Categories: []string{"median", "p99"}},
		Y: plots.Axis{Label: "Relative error (100 ns or more)", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
	}
	for _, arm := range []string{armCombined, armLatency} {
		s := bars(arm)
		for i, q := range quantiles {
			if r, ok := one(rows, latencies, congestion.Hadoop.Name, arm, q); ok {
				r.addTo(&s, i, 100)
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

func pathPanel(rows []Row) plots.Panel {
	p := plots.Panel{
		Title: "Path", X: plots.Axis{Label: "Workload", Scale: plots.Categorical, Categories: []string{congestion.Hadoop.Name, congestion.Web.Name}},
		Y: plots.Axis{Label: "Packets until it is known", Scale: plots.Linear},
	}
	for _, arm := range []string{armCombined, armOneHash, armTopology, armPath} {
		s := bars(arm)
		for i, w := range p.X.Categories {
			if r, ok := one(rows, paths, w, arm, 0); ok {
				r.addTo(&s, i, 1)
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

func knownPanel(rows []Row, workload string) plots.Panel {
	p := plots.Panel{
		Title: workload, X: plots.Axis{Label: "Packets of the flow", Scale: plots.Categorical},
		Y: plots.Axis{Label: "Flows with known path", Unit: "%", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(100)},
	}
	for _, arm := range []string{armCombined, armOneHash, armTopology, armPath} {
		s := bars(arm)
		for _, r := range rows {
			if r.Table != known || r.Workload != workload || r.Scheme != arm {
				continue
			}
			x := len(s.X)
			if x == len(p.X.Categories) {
				p.X.Categories = append(p.X.Categories, packetsOf(&r))
			}
			r.addTo(&s, x, 100)
		}
		p.Series = append(p.Series, s)
	}
	return p
}
