package sketchint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/internal/progress"
	"pintlab/plots"
	"pintlab/workloads/packets"
)

// Trace compares the numbers that the paper prints about local tasks (Fig. 5) with our numbers on several generated
// traces. We fitted three parameters of the default trace to the printed numbers. The other traces have similar
// parameters, and show how good the fit is.
var Trace = figure.Of[traceScale, TraceRow]{
	Name:    "sketchint/trace",
	Files:   files,
	Scales:  traceScales,
	Measure: measureGrid,
	Check:   fit,
	Tables:  gridTables,
	Draw:    drawGrid,
}.Figure()

// traceScale contains the settings of a scale. The figure runs Fig. 5 with each of the traces.
type traceScale struct {
	fig5Scale
	differ int // largest number of parameters in which a trace may differ from the default
}

var traceScales = map[figure.Scale]traceScale{
	figure.Smoke:  {fig5Scales[figure.Smoke], 1},
	figure.Laptop: {fig5Scale{1, fig5Scales[figure.Laptop].memories, 3, 500, 250}, 1},
	figure.Paper:  {fig5Scale{1, fig5Scales[figure.Paper].memories, 10, 500, 250}, 3},
}

func (z traceScale) String() string {
	return fmt.Sprintf("%d traces of %d packets and %d flows, %s", len(z.traces()), z.trace().Packets, z.trace().Flows,
		figure.Count(z.seeds, "seed"))
}

// traces returns the default trace, the plainest trace, and traces that are similar to the default. In the plainest
// trace, flow sizes are proportional to 1/rank, and packets are mixed uniformly.
func (z traceScale) traces() []packets.Skewed {
	base := z.trace()
	plain := base
	plain.Singles, plain.Skew, plain.Lifetime = 0, 1, 0
	list := []packets.Skewed{base, plain}
	for _, life := range []float64{0.5, 0.7, 1} {
		for _, skew := range []float64{0.95, 0.98, 1.01} {
			for _, share := range []float64{0.55, 0.595, 0.64} {
				s := base
				s.Singles, s.Skew, s.Lifetime = share, skew, life
				if n := differ(&s, &base); n > 0 && n <= z.differ {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// differ returns the number of fitted parameters in which two traces differ.
func differ(a, b *packets.Skewed) (n int) {
	for _, same := range []bool{a.Singles == b.Singles, a.Skew == b.Skew, a.Lifetime == b.Lifetime} {
		if !same {
			n++
		}
	}
	return n
}

// TraceRow is a line of rows.csv: a printed number, and our number with one trace.
type TraceRow struct {
	Singles  float64 `col:"singles"`
	Skew     float64 `col:"skew"`
	Lifetime float64 `col:"lifetime"`
	Task     string  `col:"task"`
	Quantity string  `col:"quantity"`
	Printed  float64 `col:"printed"`
	From     float64 `col:"from"` // From and To limit the numbers that agree
	To       float64 `col:"to"`
	Ours     float64 `col:"ours"`
	Seeds    int     `col:"seeds"`
}

func (r *TraceRow) agrees() bool { return r.From <= r.Ours && r.Ours <= r.To }

func measureGrid(ctx context.Context, j *figure.Job, z traceScale) ([]TraceRow, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	c := z.config([]sketch.Kind{sketch.TowerCM, sketch.TowerCU, sketch.CM, sketch.CU, sketch.Elastic})
	traces, seeds := z.traces(), j.SeedList(z.seeds)
	all := study.Study{Seeds: seeds[:1]}
	for i, s := range traces {
		s.Seed = j.Seed
		depends := []any{question{s, c.Sketches, c.Memories, c.Hitter, c.Change, c.Table}, len(seeds)}
		all.Cells = append(all.Cells, study.Cell{Label: "sketchint/trace", X: float64(i),
			Work: study.Kept(j, "sketchint/trace", depends,
				func(ctx context.Context, _ uint64, show *progress.Task) (*sketch.Measured, error) {
					return ofSeeds(ctx, c, s, seeds, show)
				})})
	}
	done, err := all.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	var rows []TraceRow
	for i, s := range traces {
		list, err := printedWith(study.Made[*sketch.Measured](done, all.Cells[i]), len(seeds))
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			r.Singles, r.Skew, r.Lifetime = s.Singles, s.Skew, s.Lifetime
			rows = append(rows, r)
		}
	}
	j.Footnote("%d packets of %d flows, medians of %s", traces[0].Packets, traces[0].Flows,
		figure.Count(len(seeds), "seed"))
	return rows, nil
}

// printedWith returns the numbers that the paper prints for Fig. 5, in their main readings, with our numbers. It
// omits the cardinality, which depends only on the number of flows. Our numbers are medians over the seeds, because a
// single unlucky seed could dominate a mean.
func printedWith(measured []*sketch.Measured, seeds int) (list []TraceRow, err error) {
	rows, err := rowsOf(measured)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Value = rows[i].Median
	}
	t, err := columns.Encode(rows, sketch.Columns...)
	if err != nil {
		return nil, err
	}
	view, err := Fig5.Read(t)
	if err != nil {
		return nil, err
	}
	compared := view.Compared()
	for i, p := range figure.PublishedOf(Fig5.Name, files) {
		if p.Reading == "" && p.Panel != "cardinality" {
			c := compared[i]
			list = append(list, TraceRow{Task: p.Panel, Quantity: c.Quantity, Printed: c.Published, From: c.From,
				To: c.To, Ours: c.Ours, Seeds: seeds})
		}
	}
	return list, nil
}

// byTrace groups rows by their traces.
func byTrace(rows []TraceRow) [][]TraceRow {
	return figure.Groups[[]TraceRow](rows, parametersOf)
}

// parametersOf returns the three fitted parameters of a row's trace.
func parametersOf(r *TraceRow) [3]float64 { return [3]float64{r.Singles, r.Skew, r.Lifetime} }

// agree returns the number of rows in which our number agrees with the printed number.
func agree(rows []TraceRow) int { return len(figure.Pick(rows, (*TraceRow).agrees)) }

func fit(rows []TraceRow) []figure.Finding {
	traces := byTrace(rows)
	if len(traces) < 2 {
		return nil
	}
	best := traces[0]
	for _, of := range traces {
		if agree(of) > agree(best) {
			best = of
		}
	}
	fitted, plain := agree(traces[0]), agree(traces[1])
	return []figure.Finding{
		figure.Judge("more printed numbers agree with the fitted trace than with the plainest one", fitted > plain,
			fitted < plain, "%d of %d and %d", fitted, len(traces[0]), plain).Own(),
		{Outcome: figure.Found, Statement: "most printed numbers agree with", Ours: true, Detail: fmt.Sprintf(
			"singles %v, skew %v, lifetime %v: %d of %d", best[0].Singles, best[0].Skew, best[0].Lifetime, agree(best),
			len(best))},
	}
}

// gridTables returns tables with a line for each trace. The first table shows how many numbers agree. The others show
// the numbers of each task.
func gridTables(rows []TraceRow) []figure.Table {
	var trace []figure.Column[[]TraceRow]
	for i, head := range []string{"singles", "skew", "lifetime"} {
		trace = append(trace, figure.Text(head, func(l []TraceRow) string {
			if l[0].Seeds == 0 {
				return "printed"
			}
			return strconv.FormatFloat(parametersOf(&l[0])[i], 'g', -1, 64)
		}))
	}
	list := []figure.Table{figure.Lines("agree", byTrace(rows), append(slices.Clone(trace),
		figure.Whole("numbers that agree", "", func(l []TraceRow) int64 { return int64(agree(l)) }),
		figure.Whole("printed numbers", "", func(l []TraceRow) int64 { return int64(len(l)) }))...)}
	for _, t := range sketch.Tasks() {
		of := byTrace(figure.Pick(rows, func(r *TraceRow) bool { return r.Task == t.Name }))
		if len(of) == 0 {
			continue
		}
		printed, columns := slices.Clone(of[0]), slices.Clone(trace)
		for i, r := range printed {
			printed[i].Ours, printed[i].Seeds = r.Printed, 0
			head := strings.ReplaceAll(strings.TrimPrefix(r.Quantity, t.Label+", "), ": ", ", ")
			columns = append(columns, figure.Real(head, "", func(l []TraceRow) float64 { return l[i].Ours }))
		}
		list = append(list, figure.Lines("task", append([][]TraceRow{printed}, of...), columns...).With(t.Label))
	}
	return list
}

// drawGrid draws how many numbers agree, against each of the three parameters. In each panel, the other two
// parameters have their default values.
func drawGrid(rows []TraceRow) ([]figure.Drawing, error) {
	f, traces := plots.Figure{Title: "Fit of the generated trace", Columns: 3}, byTrace(rows)
	labels := []string{"Share of flows of one packet", "Skew of the other sizes", "Lifetime of a flow, in windows"}
	for i, label := range labels {
		at := func(l *[]TraceRow) float64 { return parametersOf(&(*l)[0])[i] }
		of := figure.Pick(traces, func(l *[]TraceRow) bool {
			p, same := parametersOf(&(*l)[0]), parametersOf(&traces[0][0])
			p[i], same[i] = 0, 0
			return p == same
		})
		slices.SortFunc(of, func(a, b []TraceRow) int { return cmp.Compare(at(&a), at(&b)) })
		p := plots.Panel{X: figure.Linear(label, ""), Y: figure.Linear("Numbers that agree", "")}
		p.Y.Min, p.Y.Max = plots.At(0), plots.At(float64(len(traces[0])))
		p.Series = []plots.Series{figure.Curve(plots.Series{Name: "numbers that agree", Style: plots.Line}, of,
			func(l *[]TraceRow) (x, y float64) { return at(l), float64(agree(*l)) })}
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{Name: "fit", Plot: f}}, nil
}
