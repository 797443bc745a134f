package telemetry

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/plots"
)

// three rounds to three digits, because a page has no space for more.
func three(v float64) float64 {
	if v == 0 || math.IsNaN(v) {
		return v
	}
	var r float64
	fmt.Sscan(fmt.Sprintf("%.3g", v), &r)
	return r
}

// counted shows a field of a row, multiplied by a factor. A word of a columns.View names the field.
func counted(word string, times float64) figure.Column[systemRow] {
	c, of := columns.Field[systemRow](word)
	return figure.Real(c.Name, c.Unit, func(r systemRow) float64 { return three(times * of(r).(float64)) })
}

// change shows a field that is a ratio, written as a change in percent.
func change(head string) figure.Column[systemRow] {
	_, of := columns.Field[systemRow](head)
	return figure.Text(head, func(r systemRow) string {
		if v := of(r).(float64); !math.IsNaN(v) {
			return number.Change(stats.Percent(v), 1) + " %"
		}
		return "–"
	})
}

// costs returns the table of costs.
func costs(caption string, rows []systemRow) figure.Table {
	return figure.Show(caption, rows, "system", counted("link 1", 1), counted("link 5", 1), counted("mean=in band", 1),
		counted("reports", 1), counted("report=report bytes", 1), counted("collector:%=collector", 100),
		"registers", "tables", "stages", change("p50"), change("p95"), change("p99"), change("goodput"))
}

// told returns the table of the systems' answers. The columns in `more` follow.
func told(caption string, rows []systemRow, more ...any) figure.Table {
	return figure.Show(caption, rows, append([]any{
		"system",
		figure.Real("cost", "B", func(r systemRow) float64 { return three(r.bytes()) }),
		counted("latencies:%=latencies reported", 100), counted("error p50:%=latency error p50", 100),
		counted("error p99:%=latency error p99", 100),
		figure.Real("lag", "us", func(r systemRow) float64 { return three(1e6 * r.Lag) }),
		counted("paths:%=path known", 100), counted("after=path packets", 1), counted("heavy F1", 1),
		counted("sizes:%=sizes reported", 100), counted("size error:%=size error", 100),
		counted("delays=delays error", 1), counted("wrong hop:%=wrong hop", 100),
	}, more...)...)
}

// full returns the table of answers, with the precision and the recall of located faults.
func full(caption string, rows []systemRow) figure.Table {
	return told(caption, rows, counted("precision:%=fault precision", 100), counted("recall:%=fault recall", 100))
}

// f1 returns a table of F1 for all systems, by kind of fault and over all kinds.
func f1(caption string, rows []systemRow) figure.Table {
	return byKind(caption, rows, func(l *located) float64 { return l.F1 },
		append(slices.Clone(kinds), everyKind)...)
}

// times returns a table of the times in ms until faults are located, by kind.
func times(caption string, rows []systemRow) figure.Table {
	return byKind(caption, rows, func(l *located) float64 { return 1e3 * l.After }, kinds...)
}

// byKind returns a table of a score, with a line for each kind of fault and a column for each system in the rows.
// Cells without a diagnosis are empty.
func byKind(caption string, rows []systemRow, score func(*located) float64, kinds ...string) figure.Table {
	var lines [][]systemRow
	for _, kind := range kinds {
		if of := ofFault(rows, kind); len(of) > 0 {
			lines = append(lines, of)
		}
	}
	cells := []figure.Column[[]systemRow]{figure.Text("fault", func(of []systemRow) string { return of[0].Fault })}
	for _, x := range [][2]string{
		{"none", nameOf("none")}, {"INT", nameOf("int")}, {"passport", nameOf("passport")},
		{"postcard", nameOf("postcard")}, {"PINT 8", nameOf("pint-8")},
		{"PINT 16", nameOf("pint-16")}, {"SketchINT", nameOf("sketchint")}, {"LightGuardian", nameOf("lightguardian")},
		{"DLINT", nameOf("dlint")}, {"PLINT", nameOf("plint")}, {"CLINT", nameOf("clint")},
		{"ChameleMon", nameOf("chamelemon")}, {"LG + votes", withVotes}, {"LG, whole", readWhole},
		{"LG, exact", exactly},
	} {
		if !slices.ContainsFunc(lines, func(of []systemRow) bool { return find(of, x[1]) != nil }) {
			continue
		}
		cells = append(cells, figure.Real(x[0], "", func(of []systemRow) float64 {
			if r := find(of, x[1]); r != nil {
				return three(score(&r.located))
			}
			return math.NaN()
		}))
	}
	return figure.Lines(caption, lines,
		append(cells, figure.Whole("victims", "", func(of []systemRow) int64 { return int64(of[0].Flows) }))...)
}

// systemTables returns the tables of the main setting, and the folded tables of the other settings.
func systemTables(rows []systemRow) []figure.Table {
	at := central(rows)
	if len(at) == 0 {
		return nil
	}
	main := at[0].place()
	list := []figure.Table{
		costs("all costs", at).With(main),
		full("all answers", contested(rows, at)).With(main),
	}
	add := func(folded bool, t figure.Table, values ...any) {
		t = t.With(values...)
		t.Folded = folded
		list = append(list, t)
	}
	in := func(table string) []systemRow {
		return figure.Pick(rows, func(r *systemRow) bool { return r.Table == table })
	}
	for _, table := range []string{byBytes, byMemory} {
		for _, some := range figure.Groups[[]systemRow](in(table),
			func(r *systemRow) budgeted { return budgeted{r.place(), r.Budget} }) {
			add(some[0].place() != main, told("equal "+table, some),
				number.Size(some[0].Budget, 3), some[0].place())
		}
	}
	for _, some := range figure.Groups[[]systemRow](in(byPeriod), (*systemRow).place) {
		add(false, told("periods", some), some[0].place())
	}
	if len(ofFault(rows, everyKind)) > 0 {
		list = append(list, f1("faults", rows))
		add(true, times("times", rows))
	}
	for _, some := range figure.Groups[[]systemRow](in(bySetting), (*systemRow).place) {
		if some[0].place() != main {
			add(true, costs("costs", some), some[0].place())
			add(true, told("answers with", some), some[0].place())
		}
	}
	return list
}

// budgeted is a budget in a setting.
type budgeted struct {
	at     place
	budget float64
}

// nothing is the position of a cost of 0 B on a logarithmic axis, in bytes.
const nothing = 0.1

// against describes the x axis of the panels: its label, the value of a row, the ticks, and the ends.
type against struct {
	label    string
	of       func(*systemRow) float64
	ticks    []plots.Tick
	min, max float64
}

func bytesAxis(label string, of func(*systemRow) float64, min, max float64, at ...float64) against {
	x := against{label: label, of: of, min: min, max: max}
	for _, v := range at {
		text := number.Format(v, plots.InBytes, 3)
		if v == nothing {
			text = "0"
		}
		x.ticks = append(x.ticks, plots.Tick{At: v, Label: text})
	}
	return x
}

// panels returns a panel for each question. All panels have the same x axis, so that a system has the same position
// in each panel.
func panels(rows []systemRow, style plots.Style, x against) []plots.Panel {
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
			of := figure.Pick(rows, func(r *systemRow) bool {
				v := q.of(r)
				return r.System == s.name && !math.IsNaN(v) && (v > 0 || !q.log)
			})
			line = figure.Curve(line, of,
				func(r *systemRow) (float64, float64) { return max(nothing, x.of(r)), q.of(r) })
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

// drawSystems draws the answers against the cost, and the answers at equal budgets.
func drawSystems(rows []systemRow) ([]figure.Drawing, error) {
	at := central(rows)
	if len(at) == 0 {
		return nil, nil
	}
	var list []figure.Drawing
	add := func(name, title string, rows []systemRow, style plots.Style, x against) {
		if len(rows) > 0 {
			list = append(list, figure.Drawing{Name: name, Caption: name, Plot: plots.Figure{
				Title: title, Subtitle: at[0].place().String(), Columns: 3, Panels: panels(rows, style, x),
			}})
		}
	}
	budget := func(r *systemRow) float64 { return r.Budget }
	in := func(table string) []systemRow {
		return figure.Pick(rows, func(r *systemRow) bool { return r.Table == table && r.place() == at[0].place() })
	}
	add("answers", "Cost against answer", contested(rows, at), plots.Points,
		bytesAxis("Bytes for a data packet", (*systemRow).bytes, 0.08, 100, nothing, 1, 10, 100))
	add("bytes", "Answers at equal bytes", in(byBytes), plots.Line,
		bytesAxis("Bytes for a data packet, at most", budget, 0.8, 53, bytesBudgets...))
	add("memory", "Answers at equal switch memory", in(byMemory), plots.Line,
		bytesAxis("Memory of a switch", budget, 50e3, 1.3e6, memoryBudgets...))
	return list, nil
}
