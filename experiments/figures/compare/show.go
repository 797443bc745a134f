package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// tables are what people read: each workload's schemes, then the changes from one
// scheme to another.
func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, w := range workloads {
		list = append(list, schemeTable(w, rows))
	}
	for _, p := range pairsOf(rows, ratios) {
		list = append(list, changeTable(p.scheme, p.versus, rows))
	}
	return list
}

// schemeLine is what people read of a scheme.
type schemeLine struct {
	Scheme  string  `col:"scheme"`
	FCT     float64 `col:"mean FCT" unit:"us"`
	P50     float64 `col:"p50"`
	P95     float64 `col:"p95"`
	P99     float64 `col:"p99"`
	Short   float64 `col:"p95 short"`
	Long    float64 `col:"p95 long"`
	Goodput float64 `col:"goodput" unit:"Gb/s"`
	Drops   float64 `col:"drops"`
	Pauses  float64 `col:"pauses"`
}

func schemeTable(w workload, rows []Row) figure.Table {
	var lines []schemeLine
	flows, long, seeds := 0, 0, 0
	for _, s := range pairsOf(rows, measures) {
		l := schemeLine{Scheme: s.scheme, Goodput: math.NaN(), Long: math.NaN(), Short: math.NaN()}
		for _, r := range rows {
			if r.Table != measures || r.Workload != w.Name || r.Scheme != s.scheme {
				continue
			}
			switch r.Measure {
			case meanFCT:
				l.FCT, flows, seeds = 1e6*r.Value, r.Flows, r.Seeds
			case p50:
				l.P50 = r.Value
			case p95:
				l.P95 = r.Value
			case p99:
				l.P99 = r.Value
			case p95Short:
				l.Short = r.Value
			case p95Long:
				l.Long = r.Value
			case goodput:
				l.Goodput, long = r.Value/1e9, r.Flows
			case drops:
				l.Drops = r.Value
			case pauses:
				l.Pauses = r.Value
			}
		}
		lines = append(lines, l)
	}
	return figure.Table{Rows: lines, Caption: fmt.Sprintf("%s: %s of at least %d flows. Percentiles of the slowdown of all, short (up to 150 KB) and long flows (above 1 MB); goodput of flows above %s, of which there are at least %d.",
		sentence(w.Name), overSeeds(seeds), flows, figure.Size(w.long), long)}
}

// overSeeds says what the values of so many seeds are.
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

func changeTable(scheme, versus string, rows []Row) figure.Table {
	var lines []changeLine
	for _, m := range slices.Concat(measured, []measure{{name: byFlow, compared: true}}) {
		l := changeLine{Measure: m.name, Web: "–", Hadoop: "–"}
		for _, r := range rows {
			if r.Table != ratios || r.Scheme != scheme || r.Versus != versus || r.Measure != m.name {
				continue
			}
			text := r.Change() + "  " + judge(&r)
			if r.Workload == congestion.Web.Name {
				l.Web = text
			} else {
				l.Hadoop = text
			}
		}
		if m.compared {
			lines = append(lines, l)
		}
	}
	return figure.Table{Rows: lines, Caption: fmt.Sprintf("%s against %s, same flows and paths: change, and its 95 %% interval over the seeds.", scheme, versus)}
}

// judge is what a ratio says about its first scheme.
func judge(r *Row) string {
	switch {
	case math.IsNaN(r.Lo):
		return ""
	case !stats.Significant(r.Lo, r.Hi, 1):
		return "not significant"
	case (r.Value > 1) == moreIsBetter(r.Measure):
		return "better"
	}
	return "worse"
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// draw makes the drawings.
func draw(rows []Row) ([]figure.Drawing, error) {
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

// curves are the points of one of the tables, a panel for each workload.
func curves(rows []Row, table string) []figure.CurvePoint {
	var points []figure.CurvePoint
	for _, r := range rows {
		if r.Table != table {
			continue
		}
		scheme := r.Scheme
		if r.Versus != "" {
			scheme += " against " + r.Versus
		}
		points = append(points, figure.CurvePoint{Panel: sentence(r.Workload), Scheme: scheme, Measured: r.Measured})
	}
	return points
}

type barLine struct {
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Goodput  float64 `col:"goodput" unit:"b/s"`
	Lo       float64 `col:"lo" unit:"b/s"`
	Hi       float64 `col:"hi" unit:"b/s"`
}

func drawGoodput(rows []Row) (plots.Figure, error) {
	var lines []barLine
	for _, r := range rows {
		if r.Table != measures || r.Measure != goodput {
			continue
		}
		for _, w := range workloads {
			if w.Name == r.Workload {
				lines = append(lines, barLine{fmt.Sprintf("%s, flows above %s", sentence(w.Name), figure.Size(w.long)), r.Scheme, r.Value, r.Lo, r.Hi})
			}
		}
	}
	p, err := figure.Plot(plots.BarsByLoad, lines, plots.Mapping{X: "workload", XLabel: "Workload", YLabel: "Mean goodput per flow"})
	p.Title = "Goodput of long flows"
	return p, err
}
