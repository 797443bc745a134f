package sidebyside

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/telemetry/faults"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// three rounds to three digits: a page has no room for more.
func three(v float64) float64 {
	if v == 0 || math.IsNaN(v) {
		return v
	}
	var r float64
	fmt.Sscan(fmt.Sprintf("%.3g", v), &r)
	return r
}

// number shows a number of a row times a factor.
func number(head, unit string, times float64, of func(*Row) float64) figure.Column[Row] {
	return figure.Real(head, unit, func(r Row) float64 { return three(times * of(&r)) })
}

// change shows a ratio as a change.
func change(head string, of func(*Row) float64) figure.Column[Row] {
	return figure.Text(head, func(r Row) string {
		if v := of(&r); !math.IsNaN(v) {
			return fmt.Sprintf("%+.1f %%", stats.Percent(v))
		}
		return "–"
	})
}

// costs returns the table of costs.
func costs(caption string, rows []Row) figure.Table {
	return figure.Show(caption, rows, "system", number("link 1", "B", 1, func(r *Row) float64 { return r.Link1 }),
		number("link 5", "B", 1, func(r *Row) float64 { return r.Link5 }),
		number("mean", "B", 1, func(r *Row) float64 { return r.Mean }),
		number("reports", "", 1, func(r *Row) float64 { return r.Reports }),
		number("report", "B", 1, func(r *Row) float64 { return r.ReportBytes }),
		number("collector", "%", 100, func(r *Row) float64 { return r.Collector }), "registers", "tables", "stages",
		change("p50", func(r *Row) float64 { return r.P50 }), change("p95", func(r *Row) float64 { return r.P95 }),
		change("p99", func(r *Row) float64 { return r.P99 }),
		change("goodput", func(r *Row) float64 { return r.Goodput }))
}

// told returns the table of the systems' answers. more has further columns.
func told(caption string, rows []Row, more ...any) figure.Table {
	return figure.Show(caption, rows, append([]any{
		"system", number("cost", "B", 1, (*Row).bytes),
		number("told", "%", 100, func(r *Row) float64 { return r.Told }),
		number("error p50", "%", 100, func(r *Row) float64 { return r.Latency50 }),
		number("error p99", "%", 100, func(r *Row) float64 { return r.Latency99 }),
		number("lag", "us", 1e6, func(r *Row) float64 { return r.Lag }),
		number("paths", "%", 100, func(r *Row) float64 { return r.PathFlows }),
		number("after", "", 1, func(r *Row) float64 { return r.PathPackets }),
		number("heavy F1", "", 1, func(r *Row) float64 { return r.Heavy }),
		number("sizes", "%", 100, func(r *Row) float64 { return r.SizeTold }),
		number("size error", "%", 100, func(r *Row) float64 { return r.Size }),
		number("delays", "", 1, func(r *Row) float64 { return r.Delays }),
		number("wrong hop", "%", 100, func(r *Row) float64 { return r.Worst }),
	}, more...)...)
}

// full returns the table of answers with the precision and recall of faults.
func full(caption string, rows []Row) figure.Table {
	return told(caption, rows, number("precision", "%", 100, func(r *Row) float64 { return r.Located.Precision }),
		number("recall", "%", 100, func(r *Row) float64 { return r.Located.Recall }))
}

// f1 returns F1 of all systems by kind of fault, and over the kinds.
func f1(caption string, rows []Row) figure.Table {
	return located(caption, rows, func(l *Located) float64 { return l.F1 },
		append(slices.Clone(faults.Kinds), everyKind)...)
}

// times returns the times in ms until faults are located, by kind.
func times(caption string, rows []Row) figure.Table {
	return located(caption, rows, func(l *Located) float64 { return 1e3 * l.After }, faults.Kinds...)
}

// located returns a number of all systems by kind of fault. Systems that were not asked have empty cells.
func located(caption string, rows []Row, number func(*Located) float64, kinds ...string) figure.Table {
	var lines [][]Row
	for _, kind := range kinds {
		if of := ofFault(rows, kind); len(of) > 0 {
			lines = append(lines, of)
		}
	}
	cells := []figure.Column[[]Row]{figure.Text("fault", func(of []Row) string { return of[0].Fault })}
	for _, x := range [][2]string{
		{"none", nameOf("none")}, {"INT", nameOf("int")}, {"passport", nameOf("passport")},
		{"postcard", nameOf("postcard")}, {"PINT 8", nameOf("pint-8")},
		{"PINT 16", nameOf("pint-16")}, {"SketchINT", nameOf("sketchint")}, {"LightGuardian", nameOf("lightguardian")},
		{"LG + votes", withVotes}, {"LG, whole", readWhole}, {"LG, exact", exactly},
	} {
		cells = append(cells, figure.Real(x[0], "", func(of []Row) float64 {
			if r := find(of, x[1]); r != nil {
				return three(number(&r.Located))
			}
			return math.NaN()
		}))
	}
	return figure.Lines(caption, lines,
		append(cells, figure.Whole("victims", "", func(of []Row) int64 { return int64(of[0].Flows) }))...)
}

// The words of the tables.
const (
	costWords = "telemetry bytes on a data packet on the first and last link behind a switch and on average over " +
		"its links; reports to collectors and their bytes for each data packet, and the share of the busiest " +
		"collector's link; registers, tables and stages in a switch; changes against none of the slowdown's " +
		"percentiles and of the goodput of long flows"
	faultWords = "F1 of the culprits that victims of silent faults name, all systems on the same packets of 16 " +
		"hosts. LightGuardian also with the comparison of flows that all others have (votes), with its sketches read " +
		"whole, and with exact counters in place of sketches"
	answerWords = "bytes for each data packet, on it and about it; share of flows at switches of whose latency it " +
		"says something, the errors there, and how long after their first packet; share of flows whose path is " +
		"known, and after how many packets; F1 of heavy flows; share of flows of whose size it says something, " +
		"and the error; error of latency distributions (of round trips for fridges), |log2|; " +
		"share of the flows for which a tag names another hop than the slowest; silent faults on a network of 16 " +
		"hosts: share of the named culprits that are right, and share of the victims that name theirs. " +
		"An empty cell is a question that the system does not answer"
)

// tables returns the tables of the main setting, and the others folded.
func tables(rows []Row) []figure.Table {
	at := central(rows)
	if len(at) == 0 {
		return nil
	}
	title := func(p place) string { return fmt.Sprintf("%s, %s at %d %%", p.control, p.workload, p.load) }
	list := []figure.Table{
		costs("Costs with "+title(at[0].place())+": "+costWords+".", at),
		full("Answers with "+title(at[0].place())+": "+answerWords+".", contested(rows, at)),
	}
	add := func(t figure.Table, folded bool) {
		t.Folded = folded
		list = append(list, t)
	}
	for _, t := range []struct{ table, words string }{{byBytes, "at most %s for each data packet"},
		{byMemory, "%s in a switch for an interval of 5 ms"}} {
		for _, some := range figure.Groups[[]Row](figure.Pick(rows, func(r *Row) bool { return r.Table == t.table }),
			func(r *Row) budgeted { return budgeted{r.place(), r.Budget} }) {
			words := fmt.Sprintf(t.words, plots.FormatValue(some[0].Budget, plots.InBytes, 3))
			add(told("Answers with "+words+", "+title(some[0].place())+".", some), some[0].place() != at[0].place())
		}
	}
	for _, some := range figure.Groups[[]Row](figure.Pick(rows, func(r *Row) bool { return r.Table == byPeriod }),
		(*Row).place) {
		list = append(list,
			told("Answers at the periods of LightGuardian's paper over a hundred, "+title(some[0].place())+".", some))
	}
	if len(ofFault(rows, everyKind)) > 0 {
		list = append(list, f1("Faults: "+faultWords+".", rows))
		add(times("Time in ms from a fault to the first right name, median over the faults that are located.", rows),
			true)
	}
	settings := figure.Pick(rows, func(r *Row) bool { return r.Table == bySetting && r.place() != at[0].place() })
	for _, some := range figure.Groups[[]Row](settings, (*Row).place) {
		add(costs("Costs with "+title(some[0].place())+".", some), true)
		add(told("Answers with "+title(some[0].place())+".", some), true)
	}
	return list
}

// budgeted is a budget in a setting.
type budgeted struct {
	at     place
	budget float64
}

// nothing is the place of a cost of 0 B on a logarithmic axis, in bytes.
const nothing = 0.1

// against describes the horizontal axis of the panels: name, value and axis.
type against struct {
	label    string
	of       func(*Row) float64
	ticks    []plots.Tick
	min, max float64
}

func bytesAxis(label string, of func(*Row) float64, min, max float64, at ...float64) against {
	x := against{label: label, of: of, min: min, max: max}
	for _, v := range at {
		text := plots.FormatValue(v, plots.InBytes, 3)
		if v == nothing {
			text = "0"
		}
		x.ticks = append(x.ticks, plots.Tick{At: v, Label: text})
	}
	return x
}

// panels returns a panel for each question. All have the same horizontal axis, so that a system is at the same place in
// each.
func panels(rows []Row, style plots.Style, x against) []plots.Panel {
	var list []plots.Panel
	for _, q := range questions {
		p := plots.Panel{
			Title: q.label,
			X:     plots.Axis{Label: x.label, Scale: plots.Log, Ticks: x.ticks, Min: &x.min, Max: &x.max},
			Y:     plots.Axis{Label: q.axis, Unit: q.unit, Scale: plots.Linear},
		}
		if q.log {
			p.Y.Scale = plots.Log
		}
		for _, s := range append(slices.Clone(systems), system{name: withVotes}) {
			line := plots.Series{Name: s.name, Style: style, Muted: s.key == "none"}
			of := figure.Pick(rows, func(r *Row) bool {
				v := q.of(r)
				return r.System == s.name && !math.IsNaN(v) && (v > 0 || !q.log)
			})
			line = figure.Curve(line, of, func(r *Row) (float64, float64) { return max(nothing, x.of(r)), q.of(r) })
			if s.key == "none" && len(line.X) == 1 { // a level to compare the others with
				line.Style, line.X, line.Y = plots.Line, plots.Values{x.min, x.max}, plots.Values{line.Y[0], line.Y[0]}
			}
			p.Series = append(p.Series, figure.Drawn(line)...)
		}
		if len(p.Series) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// draw makes the drawings.
func draw(rows []Row) ([]figure.Drawing, error) {
	at := central(rows)
	if len(at) == 0 {
		return nil, nil
	}
	where := fmt.Sprintf("%s, %s at %d %%", at[0].Control, at[0].Workload, at[0].Load)
	budget := func(r *Row) float64 { return r.Budget }
	list := []figure.Drawing{{
		Name: "answers", Caption: "What each system tells against what it costs: bytes for each data packet, " +
			"on it and about it. Silent faults are on a network of 16 hosts; the grey line is what hosts locate " +
			"without telemetry. LightGuardian is there twice: alone, and with the comparison of flows at the hosts " +
			"that all others have (host votes).",
		Plot: plots.Figure{Title: "Cost against answer", Subtitle: where, Columns: 3,
			Panels: panels(contested(rows, at), plots.Points,
				bytesAxis("Bytes for a data packet", (*Row).bytes, 0.08, 100, nothing, 1, 10, 100))},
	}}
	if some := figure.Pick(rows,
		func(r *Row) bool { return r.Table == byBytes && r.place() == at[0].place() }); len(some) > 0 {
		list = append(list, figure.Drawing{
			Name: "bytes", Caption: "What each system tells with at most so many bytes for each data packet.",
			Plot: plots.Figure{Title: "Answers at equal bytes", Subtitle: where, Columns: 3,
				Panels: panels(some, plots.Line,
					bytesAxis("Bytes for a data packet, at most", budget, 0.8, 53, bytesBudgets...))},
		})
	}
	if some := figure.Pick(rows,
		func(r *Row) bool { return r.Table == byMemory && r.place() == at[0].place() }); len(some) > 0 {
		list = append(list, figure.Drawing{
			Name: "memory", Caption: "What each system tells with so much memory in a switch, " +
				"for an interval of 5 ms; sketches of shorter intervals have as much less.",
			Plot: plots.Figure{Title: "Answers at equal switch memory", Subtitle: where, Columns: 3,
				Panels: panels(some, plots.Line,
					bytesAxis("Memory of a switch", budget, 50e3, 1.3e6, memoryBudgets...))},
		})
	}
	return list, nil
}
