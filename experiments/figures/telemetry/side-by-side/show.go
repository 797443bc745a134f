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

// costLine is what people read of the costs of a system.
type costLine struct {
	System    string  `col:"system"`
	First     float64 `col:"link 1" unit:"B"`
	Last      float64 `col:"link 5" unit:"B"`
	Mean      float64 `col:"mean" unit:"B"`
	Reports   float64 `col:"reports"`
	Bytes     float64 `col:"report" unit:"B"`
	Collector float64 `col:"collector" unit:"%"`
	Registers float64 `col:"registers" unit:"B"`
	Tables    float64 `col:"tables" unit:"B"`
	Stages    float64 `col:"stages"`
	P50       string  `col:"p50"`
	P95       string  `col:"p95"`
	P99       string  `col:"p99"`
	Goodput   string  `col:"goodput"`
}

// answerLine is what people read of its answers.
type answerLine struct {
	System  string  `col:"system"`
	Bytes   float64 `col:"cost" unit:"B"`
	Told    float64 `col:"told" unit:"%"`
	L50     float64 `col:"error p50" unit:"%"`
	L99     float64 `col:"error p99" unit:"%"`
	Lag     float64 `col:"lag" unit:"us"`
	Paths   float64 `col:"paths" unit:"%"`
	Packets float64 `col:"after"`
	Heavy   float64 `col:"heavy F1"`
	Sizes   float64 `col:"sizes" unit:"%"`
	Size    float64 `col:"size error" unit:"%"`
	Delays  float64 `col:"delays"`
}

// fullLine has its faults, too.
type fullLine struct {
	answerLine
	Precision float64 `col:"precision" unit:"%"`
	Recall    float64 `col:"recall" unit:"%"`
}

// faultLine is what people read of a kind of fault: a number of each system.
type faultLine struct {
	Kind          string  `col:"fault"`
	None          float64 `col:"none"`
	INT           float64 `col:"INT"`
	Passport      float64 `col:"passport"`
	Postcard      float64 `col:"postcard"`
	PINT8         float64 `col:"PINT 8"`
	PINT16        float64 `col:"PINT 16"`
	SketchINT     float64 `col:"SketchINT"`
	LightGuardian float64 `col:"LightGuardian"`
	Votes         float64 `col:"LG + votes"`
	Whole         float64 `col:"LG, whole"`
	Exact         float64 `col:"LG, exact"`
	Victims       int     `col:"victims"`
}

// three keeps three digits, which is what a page has room for.
func three(v float64) float64 {
	if v == 0 || math.IsNaN(v) {
		return v
	}
	var r float64
	fmt.Sscan(fmt.Sprintf("%.3g", v), &r)
	return r
}

func costs(rows []Row) []costLine {
	var list []costLine
	for i := range rows {
		r := &rows[i]
		change := func(v float64) string {
			if math.IsNaN(v) {
				return "–"
			}
			return fmt.Sprintf("%+.1f %%", stats.Percent(v))
		}
		list = append(list, costLine{
			r.System, three(r.Link1), three(r.Link5), three(r.Mean), three(r.Reports), three(r.ReportBytes), three(100 * r.Collector),
			r.Registers, r.Tables, r.Stages, change(r.P50), change(r.P95), change(r.P99), change(r.Goodput),
		})
	}
	return list
}

func told(rows []Row) []answerLine {
	var list []answerLine
	for i := range rows {
		r := &rows[i]
		list = append(list, answerLine{
			r.System, three(r.bytes()), three(100 * r.Told), three(100 * r.Latency50), three(100 * r.Latency99), three(1e6 * r.Lag),
			three(100 * r.PathFlows), three(r.PathPackets), three(r.Heavy), three(100 * r.SizeTold), three(100 * r.Size), three(r.Delays),
		})
	}
	return list
}

// full are the answers with those about faults.
func full(rows []Row) []fullLine {
	var list []fullLine
	for i, l := range told(rows) {
		r := &rows[i].Located
		list = append(list, fullLine{l, three(100 * r.Precision), three(100 * r.Recall)})
	}
	return list
}

func findingTime(l *Located) float64 { return 1e3 * l.After }

// f1Lines are F1 of all systems by kind of fault, and over the kinds.
func f1Lines(rows []Row) []faultLine {
	return located(rows, func(l *Located) float64 { return l.F1 }, append(slices.Clone(faults.Kinds), everyKind)...)
}

// located is a number of all systems by kind of fault. Systems that were not asked have empty cells.
func located(rows []Row, number func(*Located) float64, kinds ...string) []faultLine {
	var list []faultLine
	for _, kind := range kinds {
		of := ofFault(rows, kind)
		if len(of) == 0 {
			continue
		}
		by := func(name string) float64 {
			if r := find(of, name); r != nil {
				return three(number(&r.Located))
			}
			return math.NaN()
		}
		said := func(key string) float64 { return by(nameOf(key)) }
		list = append(list, faultLine{
			kind, said("none"), said("int"), said("passport"), said("postcard"), said("pint-8"), said("pint-16"), said("sketchint"), said("lightguardian"), by(withVotes), by(readWhole), by(exactly), of[0].Flows,
		})
	}
	return list
}

// The words of the tables.
const (
	costWords   = "telemetry bytes on a data packet on the first and last link behind a switch and on average over its links; reports to collectors and their bytes for each data packet, and the share of the busiest collector's link; registers, tables and stages in a switch; changes against none of the slowdown's percentiles and of the goodput of long flows"
	faultWords  = "F1 of the culprits that victims of silent faults name, all systems on the same packets of 16 hosts. LightGuardian also with the comparison of flows that all others have (votes), with its sketches read whole, and with exact counters in place of sketches"
	answerWords = "bytes for each data packet, on it and about it; share of flows at switches of whose latency it says something, the errors there, and how long after their first packet; share of flows whose path is known, and after how many packets; F1 of heavy flows; share of flows of whose size it says something, and the error; error of latency distributions (of round trips for fridges), |log2|; silent faults on a network of 16 hosts: share of the named culprits that are right, and share of the victims that name theirs. An empty cell is a question that the system does not answer"
)

// tables are those of the main setting, and the others folded.
func tables(rows []Row) []figure.Table {
	at := central(rows)
	if len(at) == 0 {
		return nil
	}
	title := func(p place) string { return fmt.Sprintf("%s, %s at %d %%", p.control, p.workload, p.load) }
	list := []figure.Table{
		{Caption: "Costs with " + title(at[0].place()) + ": " + costWords + ".", Rows: costs(at)},
		{Caption: "Answers with " + title(at[0].place()) + ": " + answerWords + ".", Rows: full(contested(rows, at))},
	}
	for _, t := range []struct{ table, words string }{{byBytes, "at most %s for each data packet"}, {byMemory, "%s in a switch for an interval of 5 ms"}} {
		for _, b := range budgets(rows, t.table) {
			some := figure.Pick(rows, func(r *Row) bool { return r.Table == t.table && r.Budget == b.budget && r.place() == b.at })
			words := fmt.Sprintf(t.words, plots.FormatValue(b.budget, plots.InBytes, 3))
			list = append(list, figure.Table{Caption: "Answers with " + words + ", " + title(b.at) + ".", Rows: told(some), Folded: b.at != at[0].place()})
		}
	}
	if lines := f1Lines(rows); len(lines) > 0 {
		list = append(list, figure.Table{Caption: "Faults: " + faultWords + ".", Rows: lines},
			figure.Table{Caption: "Time in ms from a fault to the first right name, median over the faults that are located.", Rows: located(rows, findingTime, faults.Kinds...), Folded: true})
	}
	seen := map[place]bool{at[0].place(): true}
	for i := range rows {
		p := rows[i].place()
		if rows[i].Table != bySetting || seen[p] {
			continue
		}
		seen[p] = true
		some := figure.Pick(rows, func(r *Row) bool { return r.Table == bySetting && r.place() == p })
		list = append(list, figure.Table{Caption: "Costs with " + title(p) + ".", Rows: costs(some), Folded: true}, figure.Table{Caption: "Answers with " + title(p) + ".", Rows: told(some), Folded: true})
	}
	return list
}

// budgeted is a budget in a setting.
type budgeted struct {
	at     place
	budget float64
}

// budgets are those of a table, in their order.
func budgets(rows []Row, table string) []budgeted {
	var list []budgeted
	for i := range rows {
		r := &rows[i]
		if b := (budgeted{r.place(), r.Budget}); r.Table == table && !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// nothing is where a cost of 0 B is drawn, on a scale of logarithms.
const nothing = 0.1

// against is what panels draw answers against: its name, its value, and its axis.
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

// panels have a question each. All have the same axis, so that a system stands at the same place in each.
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
			line := plots.Series{Name: s.name, Style: style, Muted: s.key == "fridge" || s.key == "none" || s.name == withVotes} // there are more systems than colours
			for i := range rows {
				r := &rows[i]
				if v := q.of(r); r.System == s.name && !math.IsNaN(v) && (v > 0 || !q.log) {
					line.X, line.Y = append(line.X, max(nothing, x.of(r))), append(line.Y, v)
				}
			}
			if s.key == "none" && len(line.X) == 1 { // a level that the others are held against
				line.Style, line.X, line.Y = plots.Line, plots.Values{x.min, x.max}, plots.Values{line.Y[0], line.Y[0]}
			}
			if len(line.X) > 0 {
				p.Series = append(p.Series, line)
			}
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
		Name: "answers", Caption: "What each system tells against what it costs: bytes for each data packet, on it and about it. Silent faults are on a network of 16 hosts; the line is what hosts locate without telemetry, and the grey mark LightGuardian with the comparison of flows that all others have.",
		Plot: plots.Figure{Title: "Cost against answer", Subtitle: where, Columns: 3, Panels: panels(contested(rows, at), plots.Points, bytesAxis("Bytes for a data packet", (*Row).bytes, 0.08, 100, nothing, 1, 10, 100))},
	}}
	if some := figure.Pick(rows, func(r *Row) bool { return r.Table == byBytes && r.place() == at[0].place() }); len(some) > 0 {
		list = append(list, figure.Drawing{
			Name: "bytes", Caption: "What each system tells with at most so many bytes for each data packet.",
			Plot: plots.Figure{Title: "Answers at equal bytes", Subtitle: where, Columns: 3, Panels: panels(some, plots.Line, bytesAxis("Bytes for a data packet, at most", budget, 0.8, 53, bytesBudgets...))},
		})
	}
	if some := figure.Pick(rows, func(r *Row) bool { return r.Table == byMemory && r.place() == at[0].place() }); len(some) > 0 {
		list = append(list, figure.Drawing{
			Name: "memory", Caption: "What each system tells with so much memory in a switch, for an interval of 5 ms; sketches of shorter intervals have as much less.",
			Plot: plots.Figure{Title: "Answers at equal switch memory", Subtitle: where, Columns: 3, Panels: panels(some, plots.Line, bytesAxis("Memory of a switch", budget, 50e3, 1.3e6, memoryBudgets...))},
		})
	}
	return list, nil
}
