package compare

import (
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots"
	"pintlab/plots/report"
)

// tables are what people read: each workload's schemes, then the changes from one
// scheme to another.
func tables(t *plots.Table) ([]report.Table, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	var list []report.Table
	for _, w := range workloads {
		s, err := schemeTable(w, rows)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	for _, p := range pairs {
		c, err := changeTable(p[0].Name, p[1].Name, rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
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

func schemeTable(w workload, rows []Row) (report.Table, error) {
	var lines []schemeLine
	flows, long, seeds := 0, 0, 0
	for _, s := range schemes {
		l := schemeLine{Scheme: s.Name, Goodput: math.NaN(), Long: math.NaN(), Short: math.NaN()}
		for _, r := range rows {
			if r.Table != measures || r.Workload != w.Name || r.Scheme != s.Name {
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
	t, err := figure.Encode(lines)
	return report.Table{Table: t, Caption: fmt.Sprintf("%s: %s of at least %d flows. Percentiles of the slowdown of all, short (up to 150 KB) and long flows (above 1 MB); goodput of flows above %s, of which there are at least %d.",
		sentence(w.Name), overSeeds(seeds), flows, figure.Size(w.long), long)}, err
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

func changeTable(scheme, versus string, rows []Row) (report.Table, error) {
	var lines []changeLine
	for _, m := range measured {
		l := changeLine{Measure: m.name, Web: "–", Hadoop: "–"}
		for _, r := range rows {
			if r.Table != ratios || r.Scheme != scheme || r.Versus != versus || r.Measure != m.name {
				continue
			}
			text := figure.Change(r.Value, r.Lo, r.Hi) + "  " + judge(&r)
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
	t, err := figure.Encode(lines)
	return report.Table{Table: t, Caption: fmt.Sprintf("%s against %s, same flows and paths: change, and its 95 %% interval over the seeds.", scheme, versus)}, err
}

// judge is what a ratio says about its first scheme.
func judge(r *Row) string {
	switch {
	case math.IsNaN(r.Lo):
		return ""
	case !figure.Significant(r.Lo, r.Hi, 1):
		return "not significant"
	case (r.Value > 1) == moreIsBetter(r.Measure):
		return "better"
	}
	return "worse"
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// draw makes the drawings.
func draw(t *plots.Table, m *figure.Manifest) ([]figure.Drawing, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	slowdown, err := drawSizes(rows)
	if err != nil {
		return nil, err
	}
	change, err := drawChange(rows)
	if err != nil {
		return nil, err
	}
	long, err := drawGoodput(rows)
	if err != nil {
		return nil, err
	}
	list := []figure.Drawing{slowdown, change, long}
	for i := range list {
		list[i].Plot.Footnote = m.Footnote
	}
	return list, nil
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
		points = append(points, figure.CurvePoint{
			Panel: sentence(r.Workload), Scheme: scheme, Size: r.Size, Share: r.Share, Value: r.Value, Lo: r.Lo, Hi: r.Hi, Flows: r.Flows,
		})
	}
	return points
}

func drawSizes(rows []Row) (figure.Drawing, error) {
	p, err := figure.Slowdowns(curves(rows, bySize))
	p.Title = "Slowdown by flow size"
	return figure.Drawing{Name: "slowdown", Plot: p, Caption: "95th-percentile slowdown (completion time over that alone in the network) by flow size, 10 % of the flows in each point."}, err
}

func drawChange(rows []Row) (figure.Drawing, error) {
	p, err := figure.Changes(curves(rows, sizeRatios))
	p.Title = "What PINT changes"
	return figure.Drawing{Name: "change", Plot: p, Caption: "HPCC with PINT against HPCC with INT, same flows and paths: below 0 PINT is better."}, err
}

type barLine struct {
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Goodput  float64 `col:"goodput" unit:"b/s"`
	Lo       float64 `col:"lo" unit:"b/s"`
	Hi       float64 `col:"hi" unit:"b/s"`
}

func drawGoodput(rows []Row) (figure.Drawing, error) {
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
	t, err := figure.Encode(lines)
	if err != nil {
		return figure.Drawing{}, err
	}
	p, err := plots.BarsByLoad(t, plots.Mapping{X: "workload", XLabel: "Workload", YLabel: "Mean goodput per flow"})
	if err != nil {
		return figure.Drawing{}, err
	}
	p.Title = "Goodput of long flows"
	return figure.Drawing{Name: "goodput", Plot: p, Caption: "Payload over completion time, mean over the long flows."}, nil
}
