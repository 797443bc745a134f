package lightguardian

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// The traces that are tried. shapes lists distributions of flow sizes; the last is SketchINT's. lives lists the
// lifetimes of flows as shares of the duration of the trace; 0 stands for the whole duration.
var (
	shapes = []lightguardian.Shape{{Skew: 0.9}, {Skew: 1}, {Skew: 1.1}, {Skew: 0.98, Singles: 0.595}}
	lives  = []float64{0, 0.1, 0.2, 0.3, 0.5, 0.7, 1}
)

// sizesOf describes the sizes of a shape, without the lifetime.
func sizesOf(x lightguardian.Shape) string {
	if x.Singles > 0 {
		return fmt.Sprintf("rank^-%g, %s have one packet", x.Skew, number.Share(x.Singles))
	}
	return fmt.Sprintf("rank^-%g", x.Skew)
}

// of returns the scheme of a sketch on a trace with the sizes of a shape.
func of(sketch string, x lightguardian.Shape) string { return sketch + ", " + sizesOf(x) }

// fitted is a number that the paper prints and that depends on the trace. If over and under are set, the number is
// the ratio of two sketches.
type fitted struct {
	table       string
	over, under string // sketches
	unit        string
	printed     []float64 // by reading
	off         float64   // share by which our number may differ; 0 means that the printed number is an upper bound
}

// fits lists the measures of a trace, as the published code computes them, in the order of errorsOf.
var fits = []fitted{
	{"ARE, 96 KB", lightguardian.CM, lightguardian.SuMax, "", []float64{6.78}, 0.1},
	{"ARE, 96 KB", lightguardian.SuMax, lightguardian.CU, "", []float64{1.75, 2.75}, 0.1},
	{"ARE, 768 KB, 500 flows", lightguardian.CM, lightguardian.SuMax, "", []float64{17.1}, 0.1},
	{"ARE, 768 KB, 500 flows", lightguardian.SuMax, lightguardian.CU, "", []float64{1.1}, 0.1},
	{"ARE, 55 % arrived", "", "", "", []float64{0.088}, 0.1},
	{"ARE, 80 % arrived", "", "", "", []float64{0.01}, 0.1},
	{"ARE, 90 % arrived", "", "", "", []float64{0.001}, 0.1},
	{"ARE, 100 % arrived", "", "", "", []float64{0.0002}, 0.1},
	{"Longest gaps, 6 MB", "", "", "", []float64{10}, 0},
	{"Longest gaps, 12 MB", "", "", "", []float64{0.3}, 0},
	{"Longest gaps, 50 MB", "", "", "", []float64{0.01}, 0},
	{"Last arrivals, 768 KB", "", "", plots.InSeconds, []float64{0.012}, 0},
	{"Last arrivals, 3 MB", "", "", plots.InSeconds, []float64{0.0015}, 0},
	{"Right last arrivals, 768 KB", "", "", "%", []float64{87}, 0.5 / 87},
	{"Flow sizes, 100 KB", "", "", "", []float64{0.01}, 0},
	{"Distribution, 400 KB", "", "", "", []float64{0.05}, 0},
	{"Cardinality, 200 KB", "", "", "", []float64{0.005}, 0},
	{"Entropy, 800 KB", "", "", "", []float64{0.001}, 0},
	{"Delays, 800 KB", "", "", "", []float64{0.05}, 0},
}

// name returns the name of the table with the rows of f.
func (f *fitted) name() string {
	if f.over == "" {
		return f.table
	}
	return fmt.Sprintf("%s, %s over %s", f.table, f.over, f.under)
}

// met reports whether our number agrees with the printed number in any reading.
func (f *fitted) met(ours float64) bool {
	return slices.ContainsFunc(f.printed, func(x float64) bool {
		return ours <= x && f.off == 0 || math.Abs(ours/x-1) <= f.off
	})
}

// errorsOf measures the first packets of a trace. It returns two AREs for each of the three sketches, and then the
// other measures in the order of fits.
func errorsOf(z lightguardian.LocalScale, head, early *lightguardian.Trace, seed uint64) (list []float64, err error) {
	add := func(more []float64, bad error) {
		if err == nil {
			list, err = append(list, more...), bad
		}
	}
	for _, c := range []struct{ memory, flows int }{{96 * kb, askedFlows}, {largestMemory, 500}} {
		for _, s := range lightguardian.Sketches {
			add(head.Cells(s, c.memory/z.Share, []int{z.Some(c.flows)}, seed))
		}
	}
	add(head.PartCells(partial/z.Share, z.Some(askedFlows), []float64{0.55, 0.8, 0.9, 1}, seed))
	for _, m := range []int{6 * mb, 12 * mb, 50 * mb} {
		a, bad := head.Arrivals(lightguardian.CodedArrivals(m)/z.Share, z.Some(askedFlows), seed)
		add([]float64{a.Interval}, bad)
	}
	a, bad := head.Arrivals(lightguardian.CodedArrivals(768*kb)/z.Share, 0, seed)
	b, worse := head.Arrivals(lightguardian.CodedArrivals(3*mb)/z.Share, 0, seed)
	add([]float64{a.Last, b.Last, 100 * a.Exact}, cmp.Or(bad, worse))
	add(head.Cells(lightguardian.SuMax, 100*kb/z.Share, []int{z.Some(askedFlows)}, seed))
	_, _, distribution, bad := early.Tasks(lightguardian.SuMax, 400*kb/z.Share, seed)
	cardinality, _, _, _ := early.Tasks(lightguardian.SuMax, 200*kb/z.Share, seed)
	_, entropy, _, worse := early.Tasks(lightguardian.SuMax, 800*kb/z.Share, seed)
	add([]float64{distribution, cardinality, entropy}, cmp.Or(bad, worse))
	delays, bad := question{head, 800 * kb / z.Share, z.Some(askedFlows), seed}.counts()
	add([]float64{delays}, bad)
	return list, err
}

func measureTraces(ctx context.Context, j *figure.Job, z lightguardian.LocalScale) ([]row, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	s := study.Study{Seeds: j.SeedList(z.Seeds)}
	for _, x := range shapes {
		for _, life := range lives {
			x.Lifetime = life
			head, err := z.Load(x, lightguardian.Coded, j.Seed)
			if err != nil {
				return nil, err
			}
			early := head.Head(lightguardian.Early / lightguardian.Coded)
			c := study.Cell{Work: study.OfSeed(func(seed uint64) ([]float64, error) {
				return errorsOf(z, head, early, seed)
			})}
			for i, f := range fits {
				switch {
				case f.over == "":
					c.Rows = append(c.Rows, row{Table: f.table, Scheme: sizesOf(x), X: 100 * life})
				case i%2 == 0: // each of the three sketches, once
					for _, sketch := range lightguardian.Sketches {
						c.Rows = append(c.Rows, row{Table: f.table, Scheme: of(sketch, x), X: 100 * life})
					}
				}
			}
			s.Cells = append(s.Cells, c)
		}
	}
	rows, err := s.Measure(ctx, j, study.All("", ""))
	if err != nil {
		return nil, err
	}
	j.Footnote("%v; the first sixth of the packets, as in the published code; lines: what the paper prints", z)
	return meet(rows), nil
}

// meet returns the rows of fits, with ratios instead of the AREs of sketches. It adds a row for each trace, with the
// number of printed numbers that the trace meets.
func meet(rows []row) (list []row) {
	for _, x := range shapes {
		for _, life := range lives {
			met := row{Table: met, Scheme: sizesOf(x), X: 100 * life, Sized: stats.Whole(stats.None())}
			met.Value = 0
			for _, f := range fits {
				r := row{Table: f.name(), Scheme: sizesOf(x), X: met.X}
				if f.over != "" {
					n := figure.RatioAt(rows, f.table, of(f.over, x), of(f.under, x), met.X)
					if math.IsInf(n.Hi, 0) { // some seed has an error of 0
						n.Lo, n.Hi = math.NaN(), math.NaN()
					}
					r.Sized = stats.Whole(n)
				} else if at := figure.PointAt(rows, f.table, r.Scheme, met.X); at != nil {
					r = *at
				}
				r.Seeds = rows[0].Seeds
				if f.met(r.Value) {
					met.Value++
				}
				list = append(list, r)
			}
			list = append(list, met)
		}
	}
	return list
}

// met is the name of the table with the number of printed numbers that each trace meets.
const met = "Printed numbers met"

// traceCharts returns the drawings. The first drawing shows how many printed numbers a trace meets, and the ratios of
// sketches. The other drawings show the other measures.
func traceCharts() []figure.Chart {
	life := figure.Linear("Life of a flow; 0: all of the time", "%")
	schemes := lists.Map(shapes, sizesOf)
	panels := []figure.Panel{panel(met, fmt.Sprintf("Printed numbers met, of %d", len(fits)), life,
		figure.Linear("Printed numbers", ""), schemes...)}
	for _, f := range fits {
		y := figure.Log("Measured", f.unit)
		if f.unit == "%" {
			y = figure.Linear(y.Label, y.Unit)
		}
		for _, x := range f.printed {
			y.Lines = append(y.Lines, plots.RefLine{At: x})
		}
		panels = append(panels, panel(f.name(), f.name(), life, y, schemes...))
	}
	list := []figure.Chart{
		{Name: "panels", Title: "Lifetimes of flows: numbers met, ratios of errors", Columns: 2},
		{Name: "arrived", Title: "Lifetimes of flows: parts of the sketchlets", Columns: 2},
		{Name: "arrivals", Title: "Lifetimes of flows: gaps and last arrivals", Columns: 2},
		{Name: "tasks", Title: "Lifetimes of flows: other tasks", Columns: 2},
	}
	for i, n := range []int{5, 4, 6, 5} {
		list[i].Panels, panels = panels[:n], panels[n:]
	}
	return list
}

// Trace has no counterpart in the paper. It shows which of the printed numbers each generated trace meets. The traces
// differ in the sizes and the lifetimes of their flows. We chose the trace of the other figures by these results.
var Trace = figure.Spec[lightguardian.LocalScale]{
	Name: "lightguardian/trace", Files: files, Columns: stored,
	Scales: map[study.Scale]lightguardian.LocalScale{
		study.Smoke: {Share: 150, Seeds: 2}, study.Laptop: {Share: 8, Seeds: 3}, study.Paper: {Share: 1, Seeds: 3},
	},
	Measure: measureTraces,
	Charts:  traceCharts(),
}.Figure()
