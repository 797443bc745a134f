package series

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Row is a point of a drawing.
type Row struct {
	Measure string  `col:"measure"`
	Name    string  `col:"name"` // layer, port or flow
	Time    float64 `col:"time" unit:"s"`
	Value   float64 `col:"value"` // of the unit of the measure
	Share   float64 `col:"share"` // of the time at or below the value, in distributions
}

// Rows are all points of the drawings.
func (v *View) Rows() (*plots.Table, error) { return columns.Encode(v.points()) }

func (v *View) points() []Row {
	var rows []Row
	for _, c := range v.curves {
		for i := range c.x {
			r := Row{Measure: c.measure, Name: c.name, Time: c.x[i], Value: c.y[i], Share: math.NaN()}
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

type queueLine struct {
	Name  string `col:"layer"`
	Ports int    `col:"ports"`
	Mean  string `col:"mean"`
	P50   string `col:"p50"`
	P95   string `col:"p95"`
	P99   string `col:"p99"`
	Max   string `col:"max"`
}

type trafficLine struct {
	Name   string `col:"layer"`
	Mean   string `col:"mean"`
	P50    string `col:"p50"`
	P95    string `col:"p95"`
	P99    string `col:"p99"`
	Paused string `col:"paused"`
	Most   string `col:"most paused port"`
	Marks  int64  `col:"ECN marks"`
	Drops  int64  `col:"drops"`
}

type portLine struct {
	Port   string `col:"port"`
	Layer  string `col:"layer"`
	Mean   string `col:"mean"`
	P50    string `col:"p50"`
	P95    string `col:"p95"`
	P99    string `col:"p99"`
	Max    string `col:"max"`
	Used   string `col:"utilisation"`
	Paused string `col:"paused"`
	Marks  int64  `col:"ECN marks"`
	Drops  int64  `col:"drops"`
}

type measureLine struct {
	Measure string `col:"measure"`
	Mean    string `col:"mean"`
	P50     string `col:"p50"`
	P95     string `col:"p95"`
	P99     string `col:"p99"`
	Min     string `col:"min"`
	Max     string `col:"max"`
}

type flowLine struct {
	Flow  string `col:"flow"`
	Hosts string `col:"hosts"`
	Time  string `col:"sampled"`
	Mean  string `col:"mean"`
	P50   string `col:"p50"`
	P95   string `col:"p95"`
	P99   string `col:"p99"`
	Rate  string `col:"mean rate"`
	Load  string `col:"mean U"`
}

// listed is how many flows have a line of their own in the table that people read.
const listed = 16

// Tables are what people read.
func (v *View) Tables() ([]report.Table, error) {
	var t tables
	if len(v.Layers) > 0 {
		var queues []queueLine
		var traffic []trafficLine
		for _, l := range v.Layers {
			q, u := cells(l.Queue, plots.InBytes, 1), cells(l.Utilisation, "%", 100)
			queues = append(queues, queueLine{l.Layer, l.Ports, q.mean, q.p50, q.p95, q.p99, q.max})
			traffic = append(traffic, trafficLine{l.Layer, u.mean, u.p50, u.p95, u.p99, percent(l.Paused), percent(l.MostPaused), l.Marks, l.Drops})
		}
		var ports []portLine
		for _, p := range v.Ports {
			q := cells(p.Queue, plots.InBytes, 1)
			ports = append(ports, portLine{p.Port, p.Layer, q.mean, q.p50, q.p95, q.p99, q.max, cells(p.Utilisation, "%", 100).mean, percent(p.Paused), p.Marks, p.Drops})
		}
		add(&t, "Queue length by layer, weighted with time.", queues)
		add(&t, "Utilisation by layer, share of the time paused, marks and drops.", traffic)
		add(&t, "Ports with the longest queues.", ports)
	}
	if a := v.AllFlows; a != nil {
		var lines []measureLine
		for _, m := range []struct {
			name, unit string
			spread     *Spread
		}{
			{fmt.Sprintf("goodput of a flow in %v", v.interval), plots.InBitsPerSecond, a.Goodput}, {"pacing rate of a flow", plots.InBitsPerSecond, a.Rate},
			{"U that a flow knows", "", a.Load}, {"Jain index of an interval", "", a.Jain},
		} {
			if c := cells(m.spread, m.unit, 1); m.spread != nil {
				lines = append(lines, measureLine{m.name, c.mean, c.p50, c.p95, c.p99, c.min, c.max})
			}
		}
		add(&t, fmt.Sprintf("The %s that were sampled.", figure.Count(a.Flows, "flow")), lines)
		var flows []flowLine
		for _, f := range v.Flows[:min(listed, len(v.Flows))] {
			g := cells(f.Goodput, plots.InBitsPerSecond, 1)
			flows = append(flows, flowLine{
				fmt.Sprint(f.Flow), fmt.Sprintf("%d to %d", f.Src, f.Dst), fmt.Sprintf("%s to %s", seconds(unit.Time(f.From)), seconds(unit.Time(f.To))), g.mean, g.p50, g.p95, g.p99,
				cells(f.Rate, plots.InBitsPerSecond, 1).mean, cells(f.Load, "", 1).mean,
			})
		}
		caption := "Goodput by flow."
		if len(v.Flows) > listed {
			caption = fmt.Sprintf("Goodput of the first %d of these flows.", listed)
		}
		add(&t, caption, flows)
	}
	return t.list, t.err
}

// tables collects tables, and the first error.
type tables struct {
	list []report.Table
	err  error
}

func add[T any](t *tables, caption string, lines []T) {
	made, err := columns.Encode(lines)
	if t.err == nil {
		t.err = err
	}
	t.list = append(t.list, report.Table{Table: made, Caption: caption})
}

// texts are the numbers of a distribution as people read them.
type texts struct{ mean, p50, p95, p99, min, max string }

func cells(s *Spread, unit string, factor float64) texts {
	if s == nil {
		return texts{"-", "-", "-", "-", "-", "-"}
	}
	text := func(x float64) string { return plots.FormatValue(factor*x, unit, 3) }
	return texts{text(s.Mean), text(s.P50), text(s.P95), text(s.P99), text(s.Min), text(s.Max)}
}

func percent(share float64) string { return plots.FormatValue(100*share, "%", 3) }

func seconds(t unit.Time) string { return plots.FormatValue(t.Seconds(), plots.InSeconds, 4) }
