package sketchint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/sketch"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/study"
	"pintlab/internal/progress"
	"pintlab/plots"
	"pintlab/workloads/packets"
)

// Trace holds the numbers that the paper prints on local tasks (Fig. 5) against ours with other generated traces. Three
// parameters of these were fitted to the printed numbers, and the figure shows how well: its rows are a grid of the
// three around the default trace.
var Trace = figure.Of[traceScale, TraceRow]{
	Name:    "sketchint/trace",
	Files:   files,
	Scales:  traceScales,
	Measure: measureGrid,
	Check:   fit,
	Tables:  gridTables,
	Draw:    drawGrid,
}.Figure()

// traceScale holds what the figure runs at one scale: Fig. 5 with each of the traces.
type traceScale struct {
	fig5Scale
	few bool // the corners of the grid alone
}

var traceScales = map[figure.Scale]traceScale{
	figure.Smoke:  {fig5Scales[figure.Smoke], true},
	figure.Laptop: {fig5Scale{1, fig5Scales[figure.Laptop].memories, 3, 500, 250}, false},
	figure.Paper:  {fig5Scale{1, fig5Scales[figure.Paper].memories, 10, 500, 250}, false},
}

func (z traceScale) String() string {
	return fmt.Sprintf("%d traces of %d packets and %d flows, %s", len(z.traces()), z.trace().Packets, z.trace().Flows,
		figure.Count(z.seeds, "seed"))
}

// traces returns the default trace, the plainest one, whose sizes fall as 1/rank and whose packets are mixed uniformly,
// and the grid around the default.
func (z traceScale) traces() []packets.Skewed {
	base := z.trace()
	plain := base
	plain.Singles, plain.Skew, plain.Lifetime = 0, 1, 0
	list := []packets.Skewed{base, plain}
	singles, skews, lives := []float64{0.55, 0.595, 0.64}, []float64{0.95, 0.98, 1.01}, []float64{0.5, 0.7, 1}
	if z.few {
		singles, skews, lives = []float64{0.55, 0.64}, []float64{0.95, 1.01}, []float64{0.5, 1}
	}
	for _, life := range lives {
		for _, skew := range skews {
			for _, share := range singles {
				s := base
				s.Singles, s.Skew, s.Lifetime = share, skew, life
				if s != base {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// TraceRow is a line of rows.csv: a printed number, and ours with one trace.
type TraceRow struct {
	Singles  float64 `col:"singles"`
	Skew     float64 `col:"skew"`
	Lifetime float64 `col:"lifetime"`
	Task     string  `col:"task"`
	Quantity string  `col:"quantity"`
	Printed  float64 `col:"printed"`
	From     float64 `col:"from"` // From and To bound what agrees
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

// printedWith returns the numbers that Fig. 5 prints, by its main readings, and ours. Those of the cardinality are left
// out: they depend on the number of flows alone. Ours are medians, because the mean of a few seeds is that of the
// unlucky one.
func printedWith(measured []*sketch.Measured, seeds int) (list []TraceRow, err error) {
	rows, err := rowsOf(measured)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Value = rows[i].Median
	}
	t, err := columns.Encode(rows, fig5View...)
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

// byTrace divides rows by the traces of which they are.
func byTrace(rows []TraceRow) [][]TraceRow {
	return figure.Groups[[]TraceRow](rows, func(r *TraceRow) [3]float64 {
		return [3]float64{r.Singles, r.Skew, r.Lifetime}
	})
}

// agree returns how many of the rows have a number that agrees.
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

// gridTables have a line for each trace: how many numbers agree, and the numbers of each task.
func gridTables(rows []TraceRow) []figure.Table {
	parameter := func(head string, of func(*TraceRow) float64) figure.Column[[]TraceRow] {
		return figure.Text(head, func(l []TraceRow) string {
			if l[0].Seeds == 0 {
				return "printed"
			}
			return strconv.FormatFloat(of(&l[0]), 'g', -1, 64)
		})
	}
	trace := []figure.Column[[]TraceRow]{
		parameter("singles", func(r *TraceRow) float64 { return r.Singles }),
		parameter("skew", func(r *TraceRow) float64 { return r.Skew }),
		parameter("lifetime", func(r *TraceRow) float64 { return r.Lifetime }),
	}
	list := []figure.Table{figure.Lines("agree", byTrace(rows), append(slices.Clone(trace),
		figure.Whole("numbers that agree", "", func(l []TraceRow) int64 { return int64(agree(l)) }),
		figure.Whole("of", "", func(l []TraceRow) int64 { return int64(len(l)) }))...)}
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

// drawGrid counts the numbers that agree, with a panel for each lifetime.
func drawGrid(rows []TraceRow) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Fit of the generated trace", Columns: 3}
	traces := byTrace(rows)
	if len(traces) < 2 {
		return nil, nil
	}
	grid := slices.Delete(traces, 1, 2)
	slices.SortFunc(grid, func(a, b []TraceRow) int {
		return cmp.Or(cmp.Compare(a[0].Lifetime, b[0].Lifetime), cmp.Compare(a[0].Skew, b[0].Skew),
			cmp.Compare(a[0].Singles, b[0].Singles))
	})
	for _, life := range figure.Groups[[][]TraceRow](grid, func(l *[]TraceRow) float64 { return (*l)[0].Lifetime }) {
		p := plots.Panel{
			Title: fmt.Sprintf("Flows live for %v of the window", life[0][0].Lifetime),
			X:     figure.Linear("Share of flows of one packet", ""),
			Y:     figure.Linear("Printed numbers that agree", ""),
		}
		p.X.Min, p.X.Max = plots.At(0.5), plots.At(0.7)
		p.Y.Min, p.Y.Max = plots.At(0), plots.At(float64(len(grid[0])))
		for _, of := range figure.Groups[[][]TraceRow](life, func(l *[]TraceRow) float64 { return (*l)[0].Skew }) {
			p.Series = append(p.Series, figure.Curve(
				plots.Series{Name: fmt.Sprintf("rank^-%v", of[0][0].Skew), Style: plots.Line}, of,
				func(l *[]TraceRow) (x, y float64) { return (*l)[0].Singles, float64(agree(*l)) }))
		}
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{Name: "fit", Plot: f}}, nil
}
