package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// tables makes what people read: each workload's schemes, then the changes from one
// scheme to another.
func tables(rows []comparison.Row) []figure.Table {
	var list []figure.Table
	for _, w := range workloads {
		list = append(list, schemeTable(w, rows))
	}
	for _, p := range pairsOf(rows, ratios) {
		list = append(list, changeTable(p.scheme, p.versus, rows))
	}
	return list
}

func schemeTable(w workload, rows []comparison.Row) figure.Table {
	of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == measures && r.Case == w.Name })
	flows, long, seeds := 0, 0, 0
	for _, r := range of {
		switch r.Quantity {
		case meanFCT:
			flows, seeds = r.Flows, r.Seeds
		case goodput:
			long = r.Flows
		}
	}
	caption := fmt.Sprintf("%s: %s of at least %d flows. Percentiles of the slowdown of all, short (up to 150 KB) and long flows (above 1 MB); goodput of flows above %s, of which there are at least %d.",
		sentence(w.Name), overSeeds(seeds), flows, figure.Size(w.long), long)
	return figure.Lines(caption, figure.BySchemes(of), figure.Scheme("scheme"), figure.Value("mean FCT", "us", meanFCT), figure.Value("p50", "", p50),
		figure.Value("p95", "", p95), figure.Value("p99", "", p99), figure.Value("p95 short", "", p95Short), figure.Value("p95 long", "", p95Long),
		figure.Value("goodput", "Gb/s", goodput), figure.Value("drops", "", drops), figure.Value("pauses", "", pauses))
}

// overSeeds describes what the values of n seeds are.
func overSeeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("means over %d seeds", n)
}

// changeLine is what people read of a comparison.
type changeLine struct {
	Measure string `col:"measure"`
	Web     string `col:"web search"`
	Hadoop  string `col:"Hadoop"`
}

func changeTable(scheme, versus string, rows []comparison.Row) figure.Table {
	var lines []changeLine
	for _, m := range measured {
		if !m.Paired {
			continue
		}
		l := changeLine{Measure: m.Name, Web: "–", Hadoop: "–"}
		for _, r := range rows {
			if r.Table != ratios || r.Scheme != scheme || r.Against != versus || r.Quantity != m.Name {
				continue
			}
			text := r.Change() + "  " + judge(&r)
			if r.Case == congestion.Web.Name {
				l.Web = text
			} else {
				l.Hadoop = text
			}
		}
		lines = append(lines, l)
	}
	interval := ", and its interval over the seeds"
	if rows[0].Seeds == 1 {
		interval = " in one seed"
	}
	return figure.Table{Rows: lines, Caption: fmt.Sprintf("%s against %s, same flows and paths: change%s.", scheme, versus, interval)}
}

// judge says what a ratio means for its first scheme.
func judge(r *comparison.Row) string {
	switch {
	case math.IsNaN(r.Lo):
		return ""
	case !stats.Significant(r.Lo, r.Hi, 1):
		return "not significant"
	case (r.Value > 1) == moreIsBetter(r.Quantity):
		return "better"
	}
	return "worse"
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// draw makes the drawings.
func draw(rows []comparison.Row) ([]figure.Drawing, error) {
	slowdown, err := figure.Slowdowns(curves(rows, bySize))
	if err != nil {
		return nil, err
	}
	slowdown.Title = "Slowdown by flow size"
	change, err := figure.Changes(curves(rows, sizeRatios))
	if err != nil {
		return nil, err
	}
	title, caption := "What PINT changes", "HPCC with PINT against HPCC with INT, same flows and paths: below 0 PINT is better."
	if p := pairsOf(rows, sizeRatios); len(p) != 1 || p[0] != (pair{hpccPINT.Name, hpccINT.Name}) {
		title, caption = "What the control changes", "Each against the first, same flows and paths: below 0 it is better."
	}
	change.Title = title
	long, err := drawGoodput(rows)
	return []figure.Drawing{
		{Name: "slowdown", Plot: slowdown, Caption: "95th-percentile slowdown (completion time over that alone in the network) by flow size, 10 % of the flows in each point."},
		{Name: "change", Plot: change, Caption: caption},
		{Name: "goodput", Plot: long, Caption: "Payload over completion time, mean over the long flows."},
	}, err
}

// curves returns the points of one of the tables, a panel for each workload.
func curves(rows []comparison.Row, table string) []figure.CurvePoint {
	of := figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == table })
	return figure.Curves(of, func(r *comparison.Row) (panel, scheme string) {
		if r.Against != "" {
			return sentence(r.Case), r.Scheme + " against " + r.Against
		}
		return sentence(r.Case), r.Scheme
	})
}

type barLine struct {
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Goodput  float64 `col:"goodput" unit:"b/s"`
	Lo       float64 `col:"lo" unit:"b/s"`
	Hi       float64 `col:"hi" unit:"b/s"`
}

func drawGoodput(rows []comparison.Row) (plots.Figure, error) {
	var lines []barLine
	for _, r := range rows {
		if r.Table != measures || r.Quantity != goodput {
			continue
		}
		for _, w := range workloads {
			if w.Name == r.Case {
				lines = append(lines, barLine{fmt.Sprintf("%s, flows above %s", sentence(w.Name), figure.Size(w.long)), r.Scheme, r.Value, r.Lo, r.Hi})
			}
		}
	}
	p, err := figure.Plot(plots.BarsByLoad, lines, plots.Mapping{X: "workload", XLabel: "Workload", YLabel: "Mean goodput per flow"})
	p.Title = "Goodput of long flows"
	return p, err
}

// pair is a scheme and the one that it is compared with.
type pair struct{ scheme, versus string }

// pairsOf returns the pairs that a table of the rows has, in their order.
func pairsOf(rows []comparison.Row, table string) []pair {
	var list []pair
	for i := range rows {
		if p := (pair{rows[i].Scheme, rows[i].Against}); rows[i].Table == table && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
