package show

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// seriesRow is a point of a drawing.
type seriesRow struct {
	Measure string  `col:"measure"`
	Name    string  `col:"name"` // name of the layer, port or flow
	Time    float64 `col:"time" unit:"s"`
	Value   float64 `col:"value"` // in the unit of the measure
	Share   float64 `col:"share"` // share of the time at or below the value; distributions only
}

// Rows returns all points of the drawings.
func (v *Series) Rows() (*plots.Table, error) { return columns.Encode(v.points()) }

// Points returns the rows with units, and the footnote of drawings.
func (v *Series) Points() (*plots.Table, string, error) {
	t, err := withUnits(v.points(), func(r seriesRow) string { return r.Measure })
	return t, v.footnote, err
}

// withUnits returns the rows with the unit of their values. The measure of a row determines its unit.
func withUnits[R any](rows []R, measure func(R) string) (*plots.Table, error) {
	t, err := columns.Encode(rows)
	if err != nil {
		return nil, err
	}
	return t.With([]string{"unit"}, func(row, _ int) string {
		switch measure(rows[row]) {
		case queue, queueCDF:
			return plots.InBytes
		case goodput, meanGoodput, pacing:
			return plots.InBitsPerSecond
		case marks, drops:
			return "packets"
		}
		return ""
	})
}

func (v *Series) points() []seriesRow {
	var rows []seriesRow
	for _, c := range v.curves {
		for i := range c.x {
			r := seriesRow{Measure: c.measure, Name: c.name, Time: c.x[i], Value: c.y[i], Share: math.NaN()}
			switch c.measure {
			case queueCDF:
				r.Time, r.Value, r.Share = math.NaN(), c.x[i], c.y[i]
			case pausedBy:
				r.Time = math.NaN()
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// listed is the largest number of flows that a table lists.
const listed = 16

// Tables returns the tables of a report.
func (v *Series) Tables() ([]report.Table, error) {
	var list []figure.Table
	if len(v.Layers) > 0 {
		layer := figure.Text("layer", func(l Layer) string { return l.Layer })
		lengths, used := func(l Layer) *Spread { return l.Queue }, func(l Layer) *Spread { return l.Utilisation }
		list = append(list,
			figure.Lines("Queue length by layer, weighted with time.", v.Layers, slices.Concat(
				cells(layer, figure.Whole("ports", "", func(l Layer) int64 { return int64(l.Ports) })),
				numbers(lengths, plots.InBytes, "mean", "p50", "p95", "p99", "max"))...),
			figure.Lines("Utilisation, time paused, ECN marks and drops, by layer.", v.Layers, slices.Concat(
				cells(layer), numbers(used, "%", "mean", "p50", "p95", "p99"),
				cells(share("paused", func(l Layer) float64 { return l.Paused }),
					share("most paused port", func(l Layer) float64 { return l.MostPaused }),
					figure.Whole("ECN marks", "", func(l Layer) int64 { return l.Marks }),
					figure.Whole("drops", "", func(l Layer) int64 { return l.Drops })))...),
			figure.Lines("Ports with the longest queues.", v.Ports, slices.Concat(
				cells(figure.Text("port", func(p Port) string { return p.Name }),
					figure.Text("layer", func(p Port) string { return p.Layer })),
				numbers(func(p Port) *Spread { return p.Queue }, plots.InBytes, "mean", "p50", "p95", "p99", "max"),
				numbers(func(p Port) *Spread { return p.Utilisation }, "%", "utilisation=mean"),
				cells(share("paused", func(p Port) float64 { return p.Paused }),
					figure.Whole("ECN marks", "", func(p Port) int64 { return p.Marks }),
					figure.Whole("drops", "", func(p Port) int64 { return p.Drops })))...))
	}
	if a := v.AllFlows; a != nil {
		type measure struct {
			name, unit string
			spread     *Spread
		}
		measures := figure.Pick([]measure{
			{"goodput of a flow in intervals of " + seconds(v.interval), plots.InBitsPerSecond, a.Goodput},
			{"pacing rate of a flow", plots.InBitsPerSecond, a.Rate},
			{"U that a flow knows", "", a.Load}, {"Jain index of an interval", "", a.Jain},
		}, func(m *measure) bool { return m.spread != nil })
		columns := cells(figure.Text("measure", func(m measure) string { return m.name }))
		for _, name := range []string{"mean", "p50", "p95", "p99", "min", "max"} {
			columns = append(columns, figure.Text(name, func(m measure) string { return m.spread.text(name, m.unit) }))
		}
		caption := "Goodput by flow."
		if len(v.Flows) > listed {
			caption = fmt.Sprintf("Goodput of the first %d of these flows.", listed)
		}
		list = append(list,
			figure.Lines(a.caption(), measures, columns...),
			figure.Lines(caption, v.Flows[:min(listed, len(v.Flows))], slices.Concat(
				cells(figure.Text("flow", func(f Flow) string { return fmt.Sprint(f.Flow) }),
					figure.Text("hosts", func(f Flow) string { return v.node(f.Src) + " to " + v.node(f.Dst) }),
					figure.Text("sampled",
						func(f Flow) string { return seconds(unit.Time(f.From)) + " to " + seconds(unit.Time(f.To)) })),
				numbers(func(f Flow) *Spread { return f.Goodput }, plots.InBitsPerSecond, "mean", "p50", "p95", "p99"),
				numbers(func(f Flow) *Spread { return f.Rate }, plots.InBitsPerSecond, "mean rate=mean"),
				numbers(func(f Flow) *Spread { return f.Load }, "", "mean U=mean"))...))
	}
	return figure.Reports(list)
}

// caption returns the number of flows as a sentence.
func (a *AllFlows) caption() string {
	text := fmt.Sprintf("The %d flows that were sampled", a.Flows-a.Between)
	if a.Flows-a.Between == 1 {
		text = "The flow that was sampled"
	}
	if a.Between > 0 {
		text += fmt.Sprintf(", and %s that began and ended between two samples", figure.Count(a.Between, "flow"))
	}
	return text + "."
}

// cells returns its arguments as a list of columns.
func cells[L any](list ...figure.Column[L]) []figure.Column[L] { return list }

// numbers returns columns with numbers of a distribution. A word selects a number, such as mean or p50. In the form
// HEAD=mean, it also sets the head of the column.
func numbers[L any](of func(L) *Spread, unit string, words ...string) []figure.Column[L] {
	var list []figure.Column[L]
	for _, w := range words {
		head, name, renamed := strings.Cut(w, "=")
		if !renamed {
			name = head
		}
		list = append(list, figure.Text(head, func(l L) string { return of(l).text(name, unit) }))
	}
	return list
}

// share returns a column with a share of the time.
func share[L any](head string, of func(L) float64) figure.Column[L] {
	return figure.Text(head, func(l L) string { return number.Share(of(l)) })
}

// text formats a number of a distribution, or returns "-" if there is no distribution. Shares are in percent.
func (s *Spread) text(name, unit string) string {
	if s == nil {
		return "-"
	}
	x := map[string]float64{"mean": s.Mean, "p50": s.P50, "p95": s.P95, "p99": s.P99, "min": s.Min, "max": s.Max}[name]
	if unit == "%" {
		x *= 100
	}
	return number.Format(x, unit, 3)
}

func seconds(t unit.Time) string { return number.Format(t.Seconds(), plots.InSeconds, 4) }
