package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// tables returns the tables for readers: first the schemes of each case, then the changes from one scheme to another.
func tables(rows []study.Row) []figure.Table {
	var list []figure.Table
	for _, of := range study.Cases(rows) {
		own := figure.Pick(rows, func(r *study.Row) bool { return r.Table == measures && r.Case == of })
		switch {
		case isJob(own):
			list = append(list, jobTables(of, own)...)
		case isFlows(own):
			list = append(list, schemeTable(of, own))
		case len(own) > 0:
			list = append(list, figure.Lines(fmt.Sprintf("%s, the whole network: %s.", of, overSeeds(own[0].Seeds)),
				figure.BySchemes(own), whole(own, figure.Scheme("scheme"))...))
		}
	}
	for _, p := range pairsOf(rows, ratios) {
		list = append(list, changeTable(p.scheme, p.versus, rows))
	}
	return list
}

// longOf returns the size above which a flow of a case counts as long.
func longOf(name string) unit.Bytes {
	for _, w := range workloads {
		if w.Name == name {
			return w.long
		}
	}
	return LongFlows
}

// sized replaces "long flows" in the name of a measure by the size above which flows of some cases are long. The result
// is "goodput of flows above 1 MB" or, if the sizes of the cases differ, "goodput of flows above 10 MB (web search) or
// 1 MB (Hadoop)". Other names do not change.
func sized(quantity string, cases ...string) string {
	limits := lists.Map(cases, func(of string) string { return figure.Size(longOf(of)) })
	if distinct := slices.Compact(slices.Sorted(slices.Values(limits))); len(distinct) > 1 {
		for i, of := range cases {
			limits[i] += " (" + of + ")"
		}
	} else {
		limits = distinct
	}
	text := " above " + strings.Join(limits, " or ")
	return strings.NewReplacer("long flows", "flows"+text, "long messages", "messages"+text).Replace(quantity)
}

// schemeTable returns a table of the measures of flows, with a line for each scheme.
func schemeTable(name string, of []study.Row) figure.Table {
	flows, long, seeds := 0, 0, of[0].Seeds
	for _, r := range of {
		switch r.Quantity {
		case meanFCT:
			flows = r.Flows
		case goodput:
			long = r.Flows
		}
	}
	caption := fmt.Sprintf("%s: %s of at least %d flows. Percentiles of the slowdown of all, "+
		"short (up to 150 KB) and long flows (above 1 MB); goodput of flows above %s (at least %d flows); "+
		"~ marks percentiles of too few flows.",
		sentence(name), overSeeds(seeds), flows, figure.Size(longOf(name)), long)
	return figure.Lines(caption, figure.BySchemes(of),
		whole(of, figure.Scheme("scheme"), figure.Value("mean FCT", "us", meanFCT), figure.Percentile("p50", p50, 0.50),
			figure.Percentile("p95", p95, 0.95), figure.Percentile("p99", p99, 0.99),
			figure.Percentile("p95 short", p95Short, 0.95), figure.Percentile("p95 long", p95Long, 0.95),
			figure.Value("goodput", "Gb/s", goodput))...)
}

// whole appends columns for excluded flows and jobs and for the counters of the whole network, if the rows have these.
func whole(of []study.Row, cells ...figure.Cell) []figure.Cell {
	if has(of, openJobs) || has(of, noFlows) || has(of, openFlows) {
		cells = append(cells, figure.Text("left out", func(l figure.Line) string { return leftOut(l, l[0].Scheme) }))
	}
	for _, x := range [][2]string{{"drops", drops}, {"pauses", pauses}} {
		if has(of, x[1]) {
			cells = append(cells, figure.Value(x[0], "", x[1]))
		}
	}
	return cells
}

// jobTables returns two tables of the measures of a job: a line for each scheme, and a line for each scheme and kind of
// collective.
func jobTables(name string, of []study.Row) []figure.Table {
	caption := fmt.Sprintf("%s: %s. Completion time and exposed communication of the job, "+
		"mean time and bus bandwidth of its collectives, completion time and slowdown of its messages; "+
		"~ marks a percentile of too few messages.",
		sentence(name), overSeeds(of[0].Seeds))
	list := []figure.Table{figure.Lines(caption, figure.BySchemes(of),
		whole(of, figure.Scheme("scheme"), figure.Value("job", "us", jobTime), figure.Value("exposed", "us", exposed),
			figure.Value("collective", "us", collectiveTime), figure.Value("bus", "Gb/s", busBandwidth),
			figure.Value("mean FCT", "us", messageFCT), figure.Percentile("p99", messageP99, 0.99))...)}
	kind := func(r *study.Row) string {
		for _, of := range []string{collectiveTime, busBandwidth} {
			if name, ok := strings.CutPrefix(r.Quantity, of+", "); ok {
				return name
			}
		}
		return ""
	}
	if kinds := figure.Pick(of, func(r *study.Row) bool { return kind(r) != "" }); len(kinds) > 0 {
		list = append(list,
			figure.Lines(fmt.Sprintf("%s: collectives of each kind, %s.", sentence(name), overSeeds(of[0].Seeds)),
				figure.By(kinds, func(r *study.Row) string { return kind(r) + "\n" + r.Scheme }),
				figure.Text("collectives", func(l figure.Line) string { return kind(&l[0]) }), figure.Scheme("scheme"),
				figure.Real("time", "us",
					func(l figure.Line) float64 { return 1e6 * l.Find("", "", collectiveTime+", "+kind(&l[0])).Value }),
				figure.Real("bus", "Gb/s",
					func(l figure.Line) float64 { return l.Find("", "", busBandwidth+", "+kind(&l[0])).Value / 1e9 })))
	}
	return list
}

// overSeeds returns the part of a caption that describes values over n seeds.
func overSeeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("means over %d seeds", n)
}

func changeTable(scheme, versus string, rows []study.Row) figure.Table {
	of := figure.Pick(rows, func(r *study.Row) bool {
		return r.Table == ratios && r.Scheme == scheme && r.Against == versus
	})
	cells := []figure.Cell{figure.Text("measure", func(l figure.Line) string {
		return sized(l[0].Quantity, study.Cases(l)...)
	})}
	for _, name := range study.Cases(of) {
		cells = append(cells, figure.Text(name, func(l figure.Line) string {
			for _, r := range l {
				if r.Case == name {
					return judged(&r)
				}
			}
			return "–"
		}))
	}
	interval := ", and its interval over the seeds"
	if of[0].Seeds == 1 {
		interval = " in one seed"
	}
	return figure.Lines(fmt.Sprintf("%s against %s, same flows and paths: change%s.", scheme, versus, interval),
		figure.By(of, func(r *study.Row) string { return r.Quantity }), cells...)
}

// judged formats a change and its judgement.
func judged(r *study.Row) string { return r.Change() + "  " + judge(r) }

// judge returns whether the first scheme of a ratio is better, worse or not significantly different.
func judge(r *study.Row) string {
	switch {
	case math.IsNaN(r.Lo):
		return ""
	case !r.Differs(1):
		return "not significant"
	case (r.Value > 1) == moreIsBetter(r.Quantity):
		return "better"
	}
	return "worse"
}

// sentence returns the name of a case for the beginning of a sentence. It does not change the names of scenarios.
func sentence(of string) string {
	if slices.ContainsFunc(workloads, func(w workload) bool { return w.Name == of }) {
		return strings.ToUpper(of[:1]) + of[1:]
	}
	return of
}

// draw makes the drawings, first the drawing of paired ratios. If there are too few flows for curves by size, it
// draws mean completion times instead.
func draw(rows []study.Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	add := func(name, caption, title string, p plots.Figure) {
		if p.Title = title; name != "change" && len(rows) > 0 && rows[0].Seeds > 1 {
			caption += " A change compares runs with the same seed, so it can be significant although the intervals " +
				"of two schemes overlap."
		}
		list = append(list, figure.Drawing{Name: name, Plot: p, Caption: caption})
	}
	var errs []error
	if points := curves(rows, sizeRatios); len(points) > 0 {
		title, caption := "What PINT changes", "HPCC with PINT against HPCC with INT, same flows and paths: "+
			"below 1 PINT is better."
		if p := pairsOf(rows, sizeRatios); len(p) != 1 || p[0] != (pair{hpccPINT.Name, hpccINT.Name}) {
			title, caption = "What the scheme changes", "Each scheme against the first, same flows and paths: a "+
				"ratio below 1 is better than the first."
		}
		p, err := figure.Changes(points)
		errs = append(errs, err)
		add("change", caption+withoutCurves(rows, sizeRatios), title, p)
	}
	if points := curves(rows, bySize); len(points) > 0 {
		p, err := figure.Slowdowns(points)
		errs = append(errs, err)
		add("slowdown", "95th-percentile slowdown (completion time divided by the time that the flow takes alone in "+
			"the network) by flow size, 10 % of the flows in each point."+withoutCurves(rows, bySize),
			"Slowdown by flow size", p)
	} else if has(rows, meanFCT) {
		add("fct", "Mean completion time of all flows.", "Completion time",
			drawBars(rows, meanFCT, "Mean completion time", sentence))
	}
	if has(rows, jobTime) {
		add("job", "Completion time of the job, from the release of its first task to the end of its last.",
			"Job completion time", drawBars(rows, jobTime, "Completion time of the job", sentence))
	}
	if has(rows, busBandwidth) {
		add("bus", "Bus bandwidth as NCCL defines it, mean over the collectives of the job.",
			"Bus bandwidth of collectives", drawBars(rows, busBandwidth, "Mean bus bandwidth", sentence))
	}
	if has(rows, goodput) {
		add("goodput", "Payload divided by completion time, mean over the long flows.", "Goodput of long flows",
			drawBars(rows, goodput, "Mean goodput per flow", func(of string) string {
				return fmt.Sprintf("%s, flows above %s", sentence(of), figure.Size(longOf(of)))
			}))
	}
	return list, errors.Join(errs...)
}

// has reports whether some scheme has a measure.
func has(rows []study.Row, quantity string) bool {
	return slices.ContainsFunc(rows, func(r study.Row) bool { return r.Table == measures && r.Quantity == quantity })
}

// curves returns the points of a table, with a panel for each workload.
func curves(rows []study.Row, table string) []study.Row {
	of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
	return figure.Named(of, func(r *study.Row) (panel, scheme string) {
		if r.Against != "" {
			return sentence(r.Case), r.Scheme + " against " + r.Against
		}
		return sentence(r.Case), r.Scheme
	})
}

// withoutCurves returns a sentence for a caption about the cases of flows that have no curves in a table. It returns ""
// if all have curves.
func withoutCurves(rows []study.Row, table string) string {
	missing := lists.Keep(study.Cases(rows), func(of string) bool {
		own := figure.Pick(rows, func(r *study.Row) bool { return r.Case == of })
		return has(own, meanFCT) && !slices.ContainsFunc(own, func(r study.Row) bool { return r.Table == table })
	})
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf(" Not shown, because of too few finished flows or too few sizes for %d points: %s.", buckets,
		strings.Join(lists.Map(missing, sentence), "; "))
}

// units maps the measures that are drawn as bars to their units.
var units = map[string]string{meanFCT: plots.InSeconds, goodput: plots.InBitsPerSecond, jobTime: plots.InSeconds,
	busBandwidth: plots.InBitsPerSecond}

// drawBars draws a measure of each scheme in each case. The name of the case is below its bars.
func drawBars(rows []study.Row, quantity, label string, name func(of string) string) plots.Figure {
	named := figure.Pick(rows, func(r *study.Row) bool { return r.Table == measures })
	for i := range named {
		named[i].Case = name(named[i].Case)
	}
	p := figure.Bars(named, quantity, plots.Axis{Label: label, Unit: units[quantity], Scale: plots.Linear})
	p.X.Label = "Workload"
	return plots.Figure{Panels: []plots.Panel{p}}
}

// pair is a scheme and the scheme that it is compared with.
type pair struct{ scheme, versus string }

// pairsOf returns the pairs of schemes in the rows of a table, in the order of the rows.
func pairsOf(rows []study.Row, table string) []pair {
	of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
	return lists.Distinct(of, func(r study.Row) pair { return pair{r.Scheme, r.Against} })
}
