package lightguardian

import (
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/plots/report"
)

// The points of the measurements, for the trace at the LightGuardian paper's scale.
var (
	largestFlows         = []int{500, 1000, 2000, 5000, 20_000, 100_000}
	lengths              = []float64{0.125, 0.25, 0.5, 1} // as shares of the trace
	distributionMemories = []int{192 * kb, 384 * kb, 768 * kb, 1536 * kb}
)

const (
	largestMemory = 768 * kb // memory in panel (a)
	target        = 0.01     // target ARE in panel (b)
	important     = 1000     // number of flows in panel (b), and for sizes, delays and arrivals in the table
)

// task is a line of Table 3.
type task struct {
	name      string
	target    float64
	of, coded func(question) (float64, error) // coded measures as in the published code, if that code differs
	all       bool                            // the task covers all flows
}

// question is the input of a task on a trace.
type question struct {
	*lightguardian.Trace
	memory, flows int // memory, and number of largest flows
	seed          uint64
}

var tasks = []task{
	{"flow sizes", 0.01, question.sizes, func(q question) (float64, error) {
		return first(q.Cells(lightguardian.SuMax, q.memory, []int{q.flows}, q.seed))
	}, false},
	{"distribution", 0.05, question.distribution, nil, true},
	{"cardinality", 0.005, question.cardinality, nil, true},
	{"entropy", 0.001, question.entropy, nil, true},
	{"delays", 0.05, func(q question) (float64, error) {
		return q.Delay(lightguardian.SuMax, lightguardian.ChiSquare, q.buckets(), q.flows, q.seed)
	}, question.counts, false},
	{"longest gap", 0.01, func(q question) (float64, error) {
		a, err := q.arrivals(q.memory, q.flows)
		return a.Interval, err
	}, func(q question) (float64, error) {
		a, err := q.arrivals(lightguardian.CodedArrivals(q.memory), q.flows)
		return a.Interval, err
	}, false},
	{"last arrival", 0.01, func(q question) (float64, error) {
		a, err := q.arrivals(q.memory, q.flows)
		return a.LastARE, err
	}, func(q question) (float64, error) {
		a, err := q.arrivals(lightguardian.CodedArrivals(q.memory), 0)
		return a.Last, err // the published code computes the absolute error of the time, not the relative error
	}, false},
}

func (q question) sizes() (float64, error) {
	return first(q.Size(lightguardian.SuMax, q.memory, []int{q.flows}, q.seed))
}

// first returns the first number of a list, or err.
func first(list []float64, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

func (q question) counts() (float64, error) {
	return q.Counts(lightguardian.SuMax, lightguardian.ChiSquare, q.buckets(), q.flows, q.seed)
}

// buckets returns the number of delay buckets in an array.
func (q question) buckets() int {
	return max(q.memory/(4*lightguardian.DelayCells*lightguardian.Arrays), 1)
}

func (q question) cardinality() (float64, error) {
	x, _, _, err := q.Tasks(lightguardian.SuMax, q.memory, q.seed)
	return x, err
}

func (q question) entropy() (float64, error) {
	_, x, _, err := q.Tasks(lightguardian.SuMax, q.memory, q.seed)
	return x, err
}

func (q question) distribution() (float64, error) {
	_, _, x, err := q.Tasks(lightguardian.SuMax, q.memory, q.seed)
	return x, err
}

func (q question) arrivals(memory, flows int) (lightguardian.Arrivals, error) {
	return q.Arrivals(max(memory, lightguardian.LeastArrivals), flows, q.seed)
}

// table3 is the name of the table with a row for each task. X is the target.
const table3 = "table 3"

func largestCells(t *lightguardian.Trace, z lightguardian.LocalScale) []study.Cell {
	var cells []study.Cell
	head, early := t.Head(lightguardian.Coded), t.Head(lightguardian.Early)
	names, tasked := t.OfSizes()
	for _, s := range names {
		top := func(panel string, of func(string, int, []int, uint64) ([]float64, error)) {
			c := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
				n := lists.Map(largestFlows, func(k int) int { return max(k/z.Share, 1) })
				return of(s, largestMemory/z.Share, n, seed)
			})}
			for _, k := range largestFlows {
				c.Rows = append(c.Rows, row{Table: panel, Scheme: s, X: float64(k)})
			}
			cells = append(cells, c)
		}
		top(coded("a"), head.Cells)
		top("a", t.Size)
		for _, m := range distributionMemories {
			if !tasked(s) {
				break
			}
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
				return question{h, m, z.Some(important), seed}.sizes()
			})
		}))
	}
	for _, k := range tasks {
		h, of := head, k.of
		if k.all {
			h = early
		}
		if k.coded != nil {
			of = k.coded
		}
		least := func(panel string, t *lightguardian.Trace, of func(question) (float64, error)) study.Cell {
			return lightguardian.One(panel, k.name, k.target, func(seed uint64) (float64, error) {
				return z.Least(k.target, func(m int) (float64, error) {
					return of(question{t, m, z.Some(important), seed})
				})
			})
		}
		cells = append(cells, least(coded(table3), h, of), least(table3, t, k.of))
	}
	return cells
}

func taskNames() []string {
	return lists.Map(tasks, func(k task) string { return k.name })
}

var (
	largestPanels = []figure.Panel{
		panel(coded("a"), "(a) largest flows, 768 KB, as in the published code", flowsAxis, logARE,
			lightguardian.Sketches...),
		panel("a", "(a) largest flows, 768 KB", flowsAxis, logARE, lightguardian.Sketches...),
		panel("b", "(b) memory for an ARE of 0.01", figure.Linear("Packets at the paper's scale", ""), memoryAxis,
			alone...),
		panel("c", "(c) distribution of flow sizes", memoryAxis, linearWMRE, lightguardian.Sketches...),
		panel(table3, "Table 3: memory for a target error", figure.Log("Target error", ""), memoryAxis, taskNames()...),
		panel(coded(table3), "Table 3, as in the published code", figure.Log("Target error", ""), memoryAxis,
			taskNames()...),
	}
)

// growth judges whether the memory in panel (b) grows by a smaller factor than the number of packets.
func growth(_ *figure.Claim, rows []row) figure.Finding {
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

// rung returns a lower bound of the sufficient memory, if Least returned the given memory. Least tries growing
// memories. The bound is the memory before the given one, because that memory did not suffice. If the given memory is
// the first that Least tries, the bound is 0, because any smaller memory may suffice.
func rung(memory float64) float64 {
	if memory < 1.5*lightguardian.LeastMemory {
		return 0
	}
	return memory / 1.5
}

// needed returns the memory that a task needs. The interval begins at the memory that did not suffice (see rung).
func needed(rows []row, p *figure.Published, _ *report.Compared) stats.Number {
	r := figure.PointAt(rows, p.Panel, p.Scheme, p.X)
	if r == nil {
		return stats.None()
	}
	return stats.Number{Value: r.Value, Lo: rung(r.Lo), Hi: r.Hi}
}

// Fig11 is Figure 11 and Table 3 of LightGuardian (appendix D.1). It shows the errors of the largest flows, the memory
// that SuMax needs, and the distribution of flow sizes.
var Fig11 = figure.Spec[lightguardian.LocalScale]{
	Name: "lightguardian/fig11", Files: files, Columns: stored,
	Scales: lightguardian.LocalScales,
	Measure: ofTrace(largestCells, func(j *figure.Job, z lightguardian.LocalScale) {
		j.Setting("largest flows of (b) and Table 3", "not in the paper", "%d for flow sizes, delays and arrivals",
			z.Some(important))
	}),
	Claims: map[string]func(*figure.Claim, []row) figure.Finding{"growth": growth},
	Ours:   map[string]figure.Ours[row]{"step of the ladder": needed},
	Charts: []figure.Chart{{Name: "panels", Title: "SuMax in device-local tasks", Columns: 2, Panels: largestPanels}},
}.Figure()
