// Package sketchint has the figures that are made of runs of the whole of SketchINT. The rows of a figure lie in the
// folder of its name.
package sketchint

import (
	"cmp"
	"context"
	_ "embed" // for known.csv
	"fmt"
	"slices"

	"pintlab/experiments/figures/figure"
	system "pintlab/experiments/measure/sketchint"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig7 is Figure 7 of SketchINT (§VII-C): the global tasks of the whole system against the
// memory of an agent.
//
// The SketchINT paper prints F1 of TowerCU, CM and CU at 10 KB (heavy hitters 0.765, 0.446 and 0.667, heavy
// changes 0.688, 0.462 and 0.536), of TowerCU at 50 KB (0.99 and 0.98), ARE of the latencies at
// 3 MB (Tower 0.11, CM 0.18) and F1 of inflated latencies at 600 KB (0.976, 0.961).
//
// At the paper scale (1.3 hours of CPU) F1 of heavy hitters and heavy changes are up to 0.03 above the published ones with 10 KB, and
// equal to these with 50 KB. Errors of latencies come in the published order and are lower, because queues are shorter than in the testbed. F1 of inflated latencies is
// lower: the published code counts apart, which explains that of Tower, and a part of that of CM. The variants show both.
var Fig7 = figure.Of[system.Scale, Row]{
	Name:    "sketchint/fig7",
	Title:   "Accuracy of SketchINT in the global tasks",
	Source:  "SketchINT §VII-C, Fig. 7 (a) to (d)",
	Claim:   "Agents with TowerSketch find heavy hitters, heavy changes and inflated latencies at each switch better than with CM and CU of the same memory, and have lower errors of latencies.",
	Scales:  system.Scales,
	Measure: measureSystem,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"The SketchINT paper gives neither the wiring of its testbed nor its load, transport and buffers. Ours are in preset sketchint: the load makes the 73 000 flows " +
			"that the SketchINT paper counts in 5 s, and with its MTU of 9000 B they make 13.6 million packets where the SketchINT paper has about 16 million.",
		emptySwitch,
		countersApart,
		"The interval of the least ratio of CM over Tower spans what the intervals of both means allow. Both sketches see the same traffic, so that a paired interval would be narrower, but the rows have no single seeds.",
		"The SketchINT paper has tables of 1024 entries in its local tasks and does not say how many there are here. More latencies are inflated than that in 5 s of our traffic, so our tables have room for 8192.",
	},
}.Figure()

// emptyCause is why our errors of latencies are not those that the SketchINT paper prints.
var emptyCause = figure.Known(knownText, "empty switch", emptySwitch)

// apartCause is why F1 of inflated latencies is not what it prints.
var apartCause = figure.Known(knownText, "inflated", countersApart)

// fewBytes is why F1 with few bytes differs from what the SketchINT paper prints.
var fewBytes = figure.Known(knownText, "few bytes", "With few bytes F1 depends on how many packets there are and on their flows. The SketchINT paper has about 16 million packets in 5 s and does not print how many its flows have; ours has 14 million. "+
	"With 16.6 million F1 of heavy hitters is below the printed ones, so that these lie between. F1 of heavy changes hardly moves: why it is 0.02 higher than printed is not known. "+
	"The laptop scale divides periods and memories by 20, and its F1 of heavy hitters are up to 0.04 lower.")

//go:embed fig7/known.csv
var knownText string

const emptySwitch = "Errors of latencies are those of a mouse that shares its counters with an elephant, so they depend on how much latencies differ among flows: on the time in queues over the time through an empty switch, which all flows have alike. " +
	"The SketchINT paper names neither the transport nor the marking of its testbed. Longer queues raise the ARE, as the variants in our rows show: the printed numbers lie between those with our marks and those without marks (Reno), and near those with marks at 4 times our threshold. " +
	"A shorter time through an empty switch (500 ns here) raises it, too: with 100 ns and our marks both printed numbers lie in our intervals, which reach beyond the tolerance, and with 20 ns CM's is far above its own. " +
	"Either longer queues or a faster switch would explain the difference. Which of them the testbed had, its paper does not say; with 100 ns far more latencies are inflated than our tables have room for."

const countersApart = "F1 of inflated latencies is that of the counters: the published code has no buckets, but counts packets by flow alone in a quarter of the memory and sums latencies apart in counters of 24, 28 and 32 bits (CM: 32), and divides the smallest sum by the smallest count. " +
	"With such counters Tower's F1 is above the printed one, but within the tolerance. CM's rises, too, and stays below the tolerance, whatever the marks, the transport and the time through an empty switch: the rest of its difference is not explained."

// Row is a line of rows.csv: one task of one sketch with one memory.
type Row struct {
	Task    string  `col:"task"`            // of tasks
	Sketch  string  `col:"scheme"`          // as in the legend of the SketchINT paper
	Variant string  `col:"variant"`         // of system.Variants, "" for the settings of the others
	Memory  int     `col:"memory" unit:"B"` // of an agent, at the SketchINT paper's scale
	Value   float64 `col:"value"`           // F1, or ARE of the latencies
	Lo      float64 `col:"lo"`              // 95 % interval over the seeds; NaN for one seed
	Hi      float64 `col:"hi"`
	Missing int     `col:"missing"` // frames that were lost or late, in all seeds
	Seeds   int     `col:"seeds"`
}

// task is a panel, named after the quantity. latency says which of an agent's sketches it is of.
type task struct {
	name, label string
	latency     bool
}

var tasks = []task{
	{"hitters", "F1 of heavy hitters", false}, {"changes", "F1 of heavy changes", false},
	{"latency", "ARE of latencies", true}, {"inflated", "F1 of inflated latencies", true},
}

// sketch returns the name of a sketch in the task, "" if the task does not have it: latencies have CM
// insertion alone.
func (t *task) sketch(s system.Sketch) string {
	if !t.latency {
		return s.Label()
	}
	switch s {
	case system.TowerCU:
		return "Tower"
	case system.CM:
		return "CM"
	}
	return ""
}

func measureSystem(ctx context.Context, j *figure.Job, z system.Scale) ([]Row, error) {
	var points []system.Point
	for _, s := range []system.Sketch{system.TowerCU, system.CM, system.CU} {
		for _, m := range z.Memories() {
			points = append(points, system.Point{Sketch: s, Memory: m})
		}
	}
	ends := z.Memories() // the least and the most, for which errors of latencies are printed
	for _, v := range z.Variants() {
		for _, s := range []system.Sketch{system.TowerCU, system.CM} {
			points = append(points, system.Point{Sketch: s, Memory: ends[0], Variant: v}, system.Point{Sketch: s, Memory: ends[len(ends)-1], Variant: v})
		}
	}
	answers, err := system.Measure(ctx, j, z, points)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, t := range tasks {
		for i := range answers {
			a := &answers[i]
			name := t.sketch(a.Sketch)
			if name == "" || a.Variant.Name != "" && !t.latency {
				continue
			}
			m := a.Numbers[t.name]
			r := Row{Task: t.name, Sketch: name, Variant: a.Variant.Name, Memory: a.Memory.Heavy, Value: m.Value, Lo: m.Lo, Hi: m.Hi, Missing: a.Missing, Seeds: m.Seeds}
			if t.latency {
				r.Memory = a.Memory.Latency
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// at returns the row of a task, a sketch, a variant and a memory; nil without one.
func at(rows []Row, task, sketch, variant string, memory int) *Row {
	return figure.Find(rows, func(r *Row) bool {
		return r.Task == task && r.Sketch == sketch && r.Variant == variant && r.Memory == memory
	})
}

// number returns the mean over the seeds with its interval.
func (r *Row) number() stats.Number {
	return stats.Number{Value: r.Value, Lo: r.Lo, Hi: r.Hi, Seeds: r.Seeds}
}

// pairs sets the tower beside the other sketches at every memory.
func pairs(rows []Row, task, tower string) []pair {
	var list []pair
	for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Task == task && r.Sketch != tower && r.Variant == "" }) {
		if ours := at(rows, task, tower, "", r.Memory); ours != nil {
			list = append(list, pair{fmt.Sprintf("%s, %s", r.Sketch, plots.FormatValue(float64(r.Memory), plots.InBytes, 3)), ours.number(), r.number()})
		}
	}
	return list
}

// moves holds if the value of a sketch at the largest memory is above that at the smallest (sign 1), or below (sign -1).
func moves(statement string, rows []Row, task, sketch string, sign float64) figure.Finding {
	of := figure.Pick(rows, func(r *Row) bool { return r.Task == task && r.Sketch == sketch && r.Variant == "" })
	var list []pair
	if len(of) > 0 {
		slices.SortStableFunc(of, func(a, b Row) int { return a.Memory - b.Memory })
		list = append(list, pair{"the least memory", of[len(of)-1].number(), of[0].number()})
	}
	return ahead(statement, list, sign).Own()
}

// causes returns findings that explain our errors of latencies: each variant moves an error past the printed number, or towards it.
// A scale without variants has none.
func causes(rows []Row) []figure.Finding {
	if !slices.ContainsFunc(rows, func(r Row) bool { return r.Variant != "" }) {
		return nil
	}
	move := func(statement, task, sketch, from, to string, memory int) figure.Finding {
		a, b := at(rows, task, sketch, from, memory), at(rows, task, sketch, to, memory)
		if a == nil || b == nil {
			return figure.Judge(statement, false, false, "no rows").Own()
		}
		return ahead(statement, []pair{{"from " + cmp.Or(from, "DCTCP"), b.number(), a.number()}}, 1).Own()
	}
	var list []figure.Finding
	for _, s := range []string{"Tower", "CM"} {
		list = append(list,
			move("longer queues raise the ARE of latencies at 3 MB: DCTCP, and Reno without marks, "+s, "latency", s, "", "Reno", 3_000_000),
			between(rows, s),
			move("counters apart raise F1 of inflated latencies at 600 KB: DCTCP, "+s, "inflated", s, "", "counters apart", 600_000),
			move("counters apart raise F1 of inflated latencies at 600 KB: Reno, "+s, "inflated", s, "Reno", "Reno, counters apart", 600_000))
	}
	return list
}

// between holds if the printed ARE of latencies lies above the interval of DCTCP and below that of Reno.
func between(rows []Row, sketch string) figure.Finding {
	const memory = 3_000_000
	statement := "the printed ARE of latencies at 3 MB lies between that of DCTCP and that of Reno without marks, " + sketch
	p := figure.Find(printedRows, func(p *printedRow) bool { return p.task == "latency" && p.sketch == sketch && p.memory == memory })
	short, long := at(rows, "latency", sketch, "", memory), at(rows, "latency", sketch, "Reno", memory)
	if short == nil || long == nil {
		return figure.Judge(statement, false, false, "no rows").Own()
	}
	return figure.Judge(statement, short.Hi < p.value && p.value < long.Lo, short.Lo > p.value || long.Hi < p.value,
		"%s and %s", short.number().Format("%.4g"), long.number().Format("%.4g")).Own()
}

func check(rows []Row) []figure.Finding {
	return append([]figure.Finding{
		ahead("heavy hitters: TowerCU has a higher F1 than CM and CU at every memory", pairs(rows, "hitters", "TowerCU"), 1),
		ahead("heavy changes: TowerCU has a higher F1 than CM and CU at every memory", pairs(rows, "changes", "TowerCU"), 1),
		ahead("latencies: Tower has a lower ARE than CM at every memory", pairs(rows, "latency", "Tower"), -1),
		ahead("inflated latencies: Tower has a higher F1 than CM at every memory", pairs(rows, "inflated", "Tower"), 1),
		moves("F1 of the heavy hitters of TowerCU grows with the memory", rows, "hitters", "TowerCU", 1),
		moves("F1 of the heavy changes of TowerCU grows with the memory", rows, "changes", "TowerCU", 1),
		moves("ARE of the latencies of Tower falls with the memory", rows, "latency", "Tower", -1),
	}, causes(rows)...)
}

// printedRow is a number of the SketchINT paper's text.
type printedRow struct {
	task, sketch string
	memory       int
	value        float64
	figure       string
}

var printedRows = []printedRow{
	{"hitters", "TowerCU", 10_000, 0.765, "7 (a)"},
	{"hitters", "CM", 10_000, 0.446, "7 (a)"},
	{"hitters", "CU", 10_000, 0.667, "7 (a)"},
	{"hitters", "TowerCU", 50_000, 0.99, "7 (a)"},
	{"changes", "TowerCU", 10_000, 0.688, "7 (b)"},
	{"changes", "CM", 10_000, 0.462, "7 (b)"},
	{"changes", "CU", 10_000, 0.536, "7 (b)"},
	{"changes", "TowerCU", 50_000, 0.98, "7 (b)"},
	{"latency", "Tower", 3_000_000, 0.11, "7 (c)"},
	{"latency", "CM", 3_000_000, 0.18, "7 (c)"},
	{"inflated", "Tower", 600_000, 0.976, "7 (d)"},
	{"inflated", "CM", 600_000, 0.961, "7 (d)"},
}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	notes := map[string]string{"latency": emptyCause.String(), "inflated": apartCause.String()}
	for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Variant != "" }) {
		if p := figure.Find(printedRows, func(p *printedRow) bool {
			return p.task == r.Task && p.sketch == r.Sketch && p.memory == r.Memory
		}); p != nil {
			notes[r.Task] += fmt.Sprintf("; %s, %s, %s, %s: %s, printed %g", label(r.Task), r.Sketch, r.Variant, plots.FormatValue(float64(r.Memory), plots.InBytes, 3), r.number().Format("%.4g"), p.value)
		}
	}
	add := func(what, in string, ours stats.Number, published float64, t figure.Tolerance, note string) {
		list = append(list, figure.Beside(report.Compared{
			Quantity: what, Published: published, Ours: ours.Value, Lo: ours.Lo, Hi: ours.Hi, Over: figure.Count(ours.Seeds, "seed"), Source: "SketchINT §VII-C2, Fig. " + in, Note: note,
		}, t))
	}
	for _, p := range printedRows {
		r := columns.Blank[Row]()
		if x := at(rows, p.task, p.sketch, "", p.memory); x != nil {
			r = *x
		}
		t := figure.OpenSetting
		if p.task != "latency" {
			t = figure.Score
		}
		note := notes[p.task]
		if p.memory == 10_000 {
			note = fewBytes.String()
		}
		add(fmt.Sprintf("%s, %s, %s", label(p.task), p.sketch, plots.FormatValue(float64(p.memory), plots.InBytes, 3)), p.figure, r.number(), p.value, t, note)
	}
	// "At least 0.52× lower": 1.52 times, as the printed 0.18 over 0.11 are 1.64.
	blank := columns.Blank[Row]()
	least := blank.number()
	for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Task == "latency" && r.Sketch == "Tower" && r.Variant == "" }) {
		if o := at(rows, "latency", "CM", "", r.Memory); o != nil {
			least = lesser(least, o.number().Ratio(r.number()))
		}
	}
	add("ARE of latencies, CM over Tower, at any memory", "7 (c)", least, 1.52, figure.LeastDigits(0.01), notes["latency"])
	return list
}

func label(name string) string {
	return tasks[slices.IndexFunc(tasks, func(t task) bool { return t.name == name })].label
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, t := range tasks {
		list = append(list, figure.Show(t.label+", mean over the seeds with 95 % interval.", figure.Pick(rows, func(r *Row) bool { return r.Task == t.name }),
			"sketch=scheme", "variant", "memory", "value", "lo", "hi", "frames missing=missing"))
	}
	return list
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Global tasks", Columns: 2}
	for _, t := range tasks {
		panel := plots.Panel{
			X: plots.Axis{Label: "Memory of an agent", Unit: plots.InBytes, Scale: plots.Linear},
			Y: plots.Axis{Label: t.label, Scale: plots.Linear},
		}
		if t.name == "latency" {
			panel.Y.Scale = plots.Log
		}
		for _, name := range []string{"TowerCU", "Tower", "CM", "CU"} {
			hue := name
			if name == "Tower" {
				hue = "TowerCU"
			}
			s := figure.Ranges(plots.Series{Name: name, Hue: hue, Style: plots.Line}, figure.Pick(rows, func(r *Row) bool { return r.Task == t.name && r.Sketch == name && r.Variant == "" }),
				func(r *Row) (x, y, lo, hi float64) { return float64(r.Memory), r.Value, r.Lo, r.Hi })
			p := plots.Series{Name: name, Hue: hue, Style: plots.Points, Published: true}
			for _, x := range printedRows {
				if x.task == t.name && x.sketch == name && at(rows, x.task, x.sketch, "", x.memory) != nil {
					p.X, p.Y = append(p.X, float64(x.memory)), append(p.Y, x.value)
				}
			}
			panel.Series = append(panel.Series, figure.Drawn(s, p)...)
		}
		f.Panels = append(f.Panels, panel)
	}
	return []figure.Drawing{{Name: "tasks", Caption: "The four global tasks against the memory of an agent's sketch. Hollow marks: numbers of the paper's text.", Plot: f}}, nil
}
