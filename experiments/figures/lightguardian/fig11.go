package lightguardian

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// What is measured, at the LightGuardian paper's scale.
var (
	largestFlows         = []int{500, 1000, 2000, 5000, 20_000, 100_000}
	lengths              = []float64{0.125, 0.25, 0.5, 1} // of the trace
	distributionMemories = []int{192 * kb, 384 * kb, 768 * kb, 1536 * kb}
)

const (
	largestMemory = 768 * kb // of panel (a)
	target        = 0.01     // ARE of panel (b)
	important     = 1000     // the flows of panel (b) and of the table's sizes, delays and arrivals
)

// task is a line of Table 3.
type task struct {
	name      string
	target    float64
	of, coded measured // coded: as the published code does, if it asks otherwise
	all       bool     // of all flows
}

type measured func(t *lightguardian.Trace, z lightguardian.LocalScale, memory int, seed uint64) (float64, error)

var tasks = []task{
	{"flow sizes", 0.01, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		x, err := t.Size(lightguardian.SuMax, m, []int{z.Some(important)}, seed)
		if err != nil {
			return 0, err
		}
		return x[0], nil
	}, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		return t.Cells(lightguardian.SuMax, m, z.Some(important), seed)
	}, false},
	{"distribution", 0.05, func(t *lightguardian.Trace, _ lightguardian.LocalScale, m int, seed uint64) (float64,
		error) {
		_, _, x, err := t.Tasks(lightguardian.SuMax, m, seed)
		return x, err
	}, nil, true},
	{"cardinality", 0.005, func(t *lightguardian.Trace, _ lightguardian.LocalScale, m int, seed uint64) (float64,
		error) {
		x, _, _, err := t.Tasks(lightguardian.SuMax, m, seed)
		return x, err
	}, nil, true},
	{"entropy", 0.001, func(t *lightguardian.Trace, _ lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		_, x, _, err := t.Tasks(lightguardian.SuMax, m, seed)
		return x, err
	}, nil, true},
	{"delays", 0.05, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		return t.Delay(lightguardian.SuMax, lightguardian.ChiSquare,
			max(m/(4*lightguardian.DelayCells*lightguardian.Arrays), 1), z.Some(important), seed)
	}, nil, false},
	{"longest gap", 0.01, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64,
		error) {
		a, err := t.Arrivals(max(m, lightguardian.LeastArrivals), z.Some(important), seed)
		return a.Interval, err
	}, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		a, err := t.Arrivals(max(lightguardian.CodedArrivals(m), lightguardian.LeastArrivals), z.Some(important), seed)
		return a.Interval, err
	}, false},
	{"last arrival", 0.01, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64,
		error) {
		a, err := t.Arrivals(max(m, lightguardian.LeastArrivals), z.Some(important), seed)
		return a.LastARE, err
	}, func(t *lightguardian.Trace, z lightguardian.LocalScale, m int, seed uint64) (float64, error) {
		a, err := t.Arrivals(max(lightguardian.CodedArrivals(m), lightguardian.LeastArrivals), 0, seed)
		return a.LastARE, err
	}, false},
}

// tablePanel has a row of each task, whose X is the target.
const table3 = "table 3"

func largestCells(t *lightguardian.Trace, z lightguardian.LocalScale) []study.Cell {
	var cells []study.Cell
	for _, s := range lightguardian.Sketches {
		top := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
			n := lists.Map(largestFlows, func(k int) int { return max(k/z.Share, 1) })
			return t.Size(s, largestMemory/z.Share, n, seed)
		})}
		for _, k := range largestFlows {
			top.Rows = append(top.Rows, row{Table: "a", Scheme: s, X: float64(k)})
		}
		cells = append(cells, top)
		for _, m := range distributionMemories {
			cells = append(cells, lightguardian.One("c", s, float64(m), func(seed uint64) (float64, error) {
				_, _, x, err := t.Tasks(s, m/z.Share, seed)
				return x, err
			}))
		}
	}
	for _, share := range lengths {
		h := t.Head(share)
		x := float64(h.Packets() * z.Share)
		cells = append(cells, lightguardian.One("b", lightguardian.SuMax, x, func(seed uint64) (float64, error) {
			return z.Least(target, func(m int) (float64, error) {
				x, err := h.Size(lightguardian.SuMax, m, []int{z.Some(important)}, seed)
				if err != nil {
					return 0, err
				}
				return x[0], nil
			})
		}))
	}
	head, early := t.Head(lightguardian.Coded), t.Head(lightguardian.Early)
	for _, k := range tasks {
		h, of := head, k.of
		if k.all {
			h = early
		}
		if k.coded != nil {
			of = k.coded
		}
		cells = append(cells, lightguardian.One(coded(table3), k.name, k.target, func(seed uint64) (float64, error) {
			return z.Least(k.target, func(m int) (float64, error) { return of(h, z, m, seed) })
		}))
		cells = append(cells, lightguardian.One(table3, k.name, k.target, func(seed uint64) (float64, error) {
			return z.Least(k.target, func(m int) (float64, error) { return k.of(t, z, m, seed) })
		}))
	}
	return cells
}

func taskNames() []string {
	return lists.Map(tasks, func(k task) string { return k.name })
}

var (
	largestPanels = []figure.Panel{
		{Table: "a", Title: "(a) largest flows, 768 KB", X: flowsAxis, Y: logARE, Schemes: lightguardian.Sketches},
		{Table: "b", Title: "(b) memory for an ARE of 0.01",
			X: plots.Axis{Label: "Packets at the paper's scale", Scale: plots.Linear}, Y: memoryAxis, Schemes: alone},
		{Table: "c", Title: "(c) distribution of flow sizes", X: memoryAxis, Y: linearWMRE,
			Schemes: lightguardian.Sketches},
		{Table: table3, Title: "Table 3: memory for a target error",
			X: plots.Axis{Label: "Target error", Scale: plots.Log}, Y: memoryAxis, Schemes: taskNames()},
		{Table: coded(table3), Title: "Table 3, as in the published code",
			X: plots.Axis{Label: "Target error", Scale: plots.Log}, Y: memoryAxis, Schemes: taskNames()},
	}
)

// growth judges whether the memory of (b) grows less than the packets.
func growth(rows []row) figure.Finding {
	list := figure.PointsOf(rows, "b", lightguardian.SuMax)
	if len(list) < 2 {
		return figure.Judge("", false, false, "not measured")
	}
	a, b := list[0], list[len(list)-1]
	packets := b.X / a.X
	lo, hi := rung(b.Lo)/a.Hi, b.Hi/rung(a.Lo)
	return figure.Judge("", lo > 1 && hi < packets, lo > packets, "%.3g times the packets need %.3g "+
		"times the memory, %.3g to %.3g, for the same number of largest flows", packets, b.Value/a.Value, lo, hi)
}

// rung returns the least memory that may suffice if Least returns a memory: the one that it tried before, which did
// not. Below the lowest that it tries there may be any.
func rung(memory float64) float64 {
	if memory < 1.5*lightguardian.LeastMemory {
		return 0
	}
	return memory / 1.5
}

// needed returns the memory of a task, with the step of the ladder in its interval.
func needed(rows []row, p *figure.Published, _ *report.Compared) stats.Number {
	r := figure.PointAt(rows, p.Panel, p.Scheme, p.X)
	if r == nil {
		return stats.None()
	}
	return stats.Number{Value: r.Value, Lo: rung(r.Lo), Hi: r.Hi}
}

// Fig11 is Figure 11 and Table 3 of LightGuardian (appendix D.1): the errors of the largest flows, the
// memory that SuMax needs, and the distribution of flow sizes.
//
// Package experiments/measure/lightguardian has the definitions.
//
// Cardinality, distribution and entropy, which are of all 0.9 M flows, take ten to forty times the LightGuardian
// paper's memory; the errors of the largest flows take about as much as there.
var Fig11 = figure.Spec[lightguardian.LocalScale]{
	Name: "lightguardian/fig11", Files: files, Columns: stored,
	Scales: lightguardian.LocalScales,
	Measure: ofTrace(largestCells, func(j *figure.Job, z lightguardian.LocalScale) {
		j.Setting("largest flows of (b) and Table 3", "not in the paper", "%d for flow sizes, delays and arrivals",
			z.Some(important))
	}),
	Claims: map[string]func([]row) figure.Finding{"growth": growth},
	Ours:   map[string]figure.Ours[row]{"step of the ladder": needed},
	Charts: []figure.Chart{{Name: "panels", Title: "SuMax in device-local tasks", Columns: 2, Panels: largestPanels}},
}.Figure()
