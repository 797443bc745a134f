package pint

import (
	"fmt"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// slower returns the average change over the buckets in a range of flow shares, in percent. The buckets are from the
// same seeds, so their errors may be correlated. The interval of the average assumes full correlation, so it is the
// average of the buckets' intervals.
func slower(rows []queryRow, from, to float64) stats.Number {
	rows = figure.Pick(rows, func(r *queryRow) bool { return r.Table == changes && r.Share > from && r.Share <= to })
	if len(rows) == 0 {
		return stats.None()
	}
	var m stats.Number
	n := float64(len(rows))
	for _, r := range rows {
		m.Value, m.Lo, m.Hi = m.Value+r.Value/n, m.Lo+r.Lo/n, m.Hi+r.Hi/n
	}
	return m.Percent()
}

// packetsOf returns the packets until the path of a Hadoop flow is known, with the given plan.
func packetsOf(rows []queryRow, arm string) queryRow {
	return findQuery(rows, paths, arm, func(*queryRow) bool { return true })
}

// medianError returns the row with the error of median latencies, by the given measure.
func medianError(rows []queryRow, scheme, measure string) queryRow {
	return findQuery(rows, latencies, scheme,
		func(r *queryRow) bool { return r.Measure == measure && r.Quantile == 0.5 })
}

// findQuery returns the first matching row of a scheme under Hadoop, or a row without numbers.
func findQuery(rows []queryRow, table, scheme string, is func(*queryRow) bool) queryRow {
	if r := figure.Find(rows, func(r *queryRow) bool {
		return r.Table == table && r.Workload == pint.Hadoop.Name && r.Scheme == scheme && is(r)
	}); r != nil {
		return *r
	}
	return rowOfQuery(table, pint.Hadoop.Name, scheme, "", stats.None())
}

func checkQueries(rows []queryRow) []figure.Finding {
	a, c := packetsOf(rows, armCombined), packetsOf(rows, armTopology)
	plan := figure.Pick(rows, func(r *queryRow) bool { return r.Table == plans })
	same, detail := len(plan) == 6, ""
	for i := range len(plan) / 2 {
		o := plan[i+len(plan)/2]
		same = same && plan[i].Measure == o.Measure && plan[i].Value == o.Value
		detail += fmt.Sprintf("%s %.4g and %.4g; ", plan[i].Measure, plan[i].Value, o.Value)
	}
	return []figure.Finding{
		figure.Judge("the decoder that knows the network takes fewer packets from the same digests",
			c.Hi < a.Lo, c.Lo > a.Hi, "%.2f against %.2f packets on average", c.Value, a.Value).Own(),
		figure.Judge("the engine finds the PINT paper's plan for the same requests", same, !same,
			"%sas printed and as found", detail),
	}
}

func queryTables(rows []queryRow) (list []figure.Table) {
	for _, x := range []struct {
		table string
		what  func(queryRow) string
	}{
		{paths, func(r queryRow) string { return r.Measure }},
		{latencies, func(r queryRow) string { return fmt.Sprintf("quantile %g, %s", r.Quantile, r.Measure) }},
		{known, classOf},
		{changes, func(r queryRow) string { return "up to " + number.Format(r.Size, plots.InBytes, 3) }},
		{plans, func(r queryRow) string { return r.Measure }},
		{halves, func(r queryRow) string { return r.Measure }},
	} {
		of := figure.Pick(rows, func(r *queryRow) bool { return r.Table == x.table })
		list = append(list, figure.Show("table of "+x.table, of, "workload", "scheme", figure.Text("what", x.what),
			"value", "lo", "hi", "p99:=p99", "flows"))
	}
	return list
}

// classOf returns a class of flows by their number of packets.
func classOf(r queryRow) string {
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

func drawQueries(rows []queryRow) ([]figure.Drawing, error) {
	curves := func(table string) []study.Row {
		return lists.Map(figure.Pick(rows, func(r *queryRow) bool { return r.Table == table }),
			func(r queryRow) study.Row { return study.Row{Scheme: r.Scheme, Sized: r.Sized} })
	}
	tracing := []string{armCombined, armOneHash, armTopology, armPath}
	latency := armBars(rows, latencies, "Quantile",
		plots.Axis{Label: "Relative error (100 ns or more)", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
		[]string{armCombined, armLatency}, func(r *queryRow) (string, bool) {
			return quantileName(r.Quantile), r.Workload == pint.Hadoop.Name && r.Measure == ofWaits
		})
	latency.Title = "Latency"
	path := armBars(rows, paths, "Workload", plots.Axis{Label: "Packets until it is known", Scale: plots.Linear},
		tracing, func(r *queryRow) (string, bool) { return r.Workload, true })
	path.Title = "Path"
	var atEnd []plots.Panel
	for _, w := range workloadsOfQueries {
		share := plots.Axis{Label: "Flows with known path", Unit: "%", Scale: plots.Linear, Min: plots.At(0),
			Max: plots.At(100)}
		p := armBars(rows, known, "Packets of the flow", share, tracing,
			func(r *queryRow) (string, bool) { return classOf(*r), r.Workload == w.Name })
		p.Title = w.Name
		atEnd = append(atEnd, p)
	}
	return []figure.Drawing{
		figure.Drawing{Name: "change", Title: "Fig. 11: HPCC in the combined plan against HPCC alone",
			Caption: "change"}.With(figure.Changes(curves(changes))),
		figure.Drawing{Name: "slowdown", Title: "Fig. 11: HPCC in the combined plan and alone",
			Caption: "slowdown"}.With(figure.Slowdowns(curves(slowdowns))),
		{Name: "queries", Title: "Fig. 11: latency and path tracing in the combined plan and alone",
			Caption: "queries", Plot: plots.Figure{Panels: []plots.Panel{latency, path}}},
		{Name: "known", Title: "Flows whose path is known when they end", Caption: "known",
			Plot: plots.Figure{Panels: atEnd}},
	}, nil
}

// armBars draws the rows of a table as bars, with a group for each class and a bar for each plan. If the unit of y is
// %, it converts shares to percent.
func armBars(
	rows []queryRow, table, x string, y plots.Axis, arms []string, class func(*queryRow) (string, bool),
) plots.Panel {
	var bars []study.Row
	for _, arm := range arms {
		for _, r := range rows {
			name, ok := class(&r)
			if !ok || r.Table != table || r.Scheme != arm {
				continue
			}
			if y.Unit == "%" {
				r.Number = r.Times(100)
			}
			bars = append(bars, study.Row{Case: name, Scheme: arm, Sized: r.Sized})
		}
	}
	p := figure.Bars(bars, "", y)
	p.X.Label = x
	return p
}
