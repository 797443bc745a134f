// Package hpcc contains figures of HPCC's evaluation (SIGCOMM 2019, §5) and of its parameters.
//
// A benchmark consists of a few flows at one port. Each scheme runs with the same flows. A Trial is one such run. It
// contains samples of the bottleneck's queue, and of the bytes that each flow has delivered. The rows contain
// quantities of trials over the seeds, and time series of the first seed. A time series is the goodput of a group of
// flows or the longest queue, in intervals of several samples. Load is the large simulation of the HPCC paper.
//
// The rows of a figure are in the folder that has the figure's name. laptop.csv contains the rows of the laptop
// scale.
package hpcc

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

//go:embed headlines.csv shared.md */figure.md */claims.csv load/published.csv
var files embed.FS

// spec is a figure that consists of benchmarks.
type spec struct {
	name       string         // as in figure.Figure
	schemes    []study.Scheme // nil: All, or few at the smoke scale; the smoke scale uses the first two of a list
	benchmarks []benchmark
	claims     figure.Kinds[study.Row] // as in figure.Of
}

// benchmark consists of a few flows that share the port of a switch.
type benchmark struct {
	name    string   // name of the case
	set     []string // network and flows
	port    string   // port that the flows share, named as in run.sampling.ports
	end     unit.Time
	period  unit.Time // between samples
	looks   int       // number of samples in an interval of the series
	groups  []Group   // groups of flows whose goodput is drawn
	caption []any     // values for the caption of the table
	measure []quantity
}

// quantity is a number of a trial, with the column that shows the number.
type quantity struct {
	name, head, unit string // name, heading and unit of the column
	of               func(*Trial) float64
}

// The names of quantities that several figures use.
const (
	longest = "longest queue"
	queue50 = "p50 of the queue"
	queue95 = "p95 of the queue"
	queue99 = "p99 of the queue"
	used    = "throughput of the bottleneck"
	jain    = "mean Jain index"
)

// inRows maps the units of columns to the units of the rows.
var inRows = map[string]string{"KB": plots.InBytes, "us": plots.InSeconds, "Gb/s": plots.InBitsPerSecond}

// number returns the measure of the quantity, in the unit of the rows.
func (q quantity) number() study.Measure {
	return study.PerTrial(q.name, func(t *study.Trial) (float64, int, error) {
		x, err := study.Once(t, "port", read)
		if err != nil {
			return 0, 0, err
		}
		return q.of(x), len(x.Flows), nil
	}).In(inRows[q.unit])
}

// scale contains the settings of a scale, which apply to all benchmarks.
type scale struct {
	seeds   int
	schemes []study.Scheme
}

func (z scale) String() string {
	return fmt.Sprintf("%s, %s", figure.Count(len(z.schemes), "scheme"), figure.Count(z.seeds, "seed"))
}

// view lists the columns of rows.csv. In a series, the time is the end of an interval.
var view = columns.View{"table", "case", "scheme", "quantity", "time:s=x", "value", "unit", "lo", "hi", "seeds"}

// The tables of the rows.
const (
	measures = "measure"
	overTime = "series" // time series of the first seed
)

// queues is the name of a series: the longest queue of the bottleneck in each interval.
const queues = "queue"

// figure returns the figure of a spec. The figure has a table and two drawings for each benchmark: the goodput of
// each group, and the queue. Each drawing has a panel for each scheme.
func (s spec) figure() figure.Figure {
	small, large := few, All
	if s.schemes != nil {
		small, large = s.schemes[:2], s.schemes
	}
	return figure.Spec[scale]{
		Name: s.name, Files: files, Columns: view,
		Scales: map[figure.Scale]scale{
			figure.Smoke:  {1, small},
			figure.Laptop: {5, large},
			figure.Paper:  {20, large},
		},
		Measure: s.measure,
		Claims:  s.claims,
		Tables: func(rows []study.Row) (list []figure.Table) {
			for _, b := range s.benchmarks {
				cells := []figure.Cell{figure.Scheme("scheme")}
				for _, q := range b.measure {
					cells = append(cells, figure.Value(q.head, q.unit, q.name))
				}
				lines := figure.BySchemes(measured(rows, b.name))
				list = append(list, figure.Lines("measures", lines, cells...).With(b.caption...))
			}
			return list
		},
		Draw: func(rows []study.Row) (list []figure.Drawing, err error) {
			for i, b := range s.benchmarks {
				list = append(list, draw(rows, b.name, fmt.Sprint(i+1))...)
			}
			return list, nil
		},
	}.Figure()
}

// measure runs all benchmarks with all schemes and makes the rows.
func (s spec) measure(ctx context.Context, j *figure.Job, z scale) ([]study.Row, error) {
	settings(j, z.schemes)
	p := study.Study{Seeds: j.SeedList(z.seeds)}
	for _, b := range s.benchmarks {
		for _, scheme := range z.schemes {
			p.Cells = append(p.Cells, b.entry(scheme))
		}
	}
	return p.Measure(ctx, j, func(r *study.Rows) {
		for i, e := range p.Cells {
			r.Append(e, func(first *study.Trial) ([]study.Row, error) {
				t, err := read(first)
				if err != nil {
					return nil, err
				}
				return s.benchmarks[i/len(z.schemes)].series(t, e.Scheme), nil
			})
			for _, q := range e.Measures {
				r.Add(measures, e, "", q.Name)
			}
		}
	})
}

// entry returns the benchmark under a scheme.
func (b *benchmark) entry(s study.Scheme) study.Cell {
	e := study.Cell{
		Case: b.name, Scheme: s.Name, X: math.NaN(), Label: s.Name + ", " + b.name, Base: "incast16",
		Set: slices.Concat(b.set, []string{
			fmt.Sprintf("run.until=%v", b.end), "run.sampling.enabled=true",
			fmt.Sprintf("run.sampling.period=%v", b.period),
			"run.sampling.ports=[" + b.port + "]", "run.sampling.formats=[parquet]",
		}, s.Set),
	}
	for _, q := range b.measure {
		e.Measures = append(e.Measures, q.number())
	}
	return e
}

// series returns the time series of a trial as rows.
func (b *benchmark) series(t *Trial, scheme string) []study.Row {
	var rows []study.Row
	step := b.period * unit.Time(b.looks)
	for to := step; t.after(to) < len(t.queue); to += step {
		point := func(quantity, unit string, value float64) {
			rows = append(rows, study.Row{
				Table: overTime, Case: b.name, X: to.Seconds(), Scheme: scheme, Quantity: quantity, Unit: unit,
				Sized: stats.Whole(stats.Number{Value: value, Lo: math.NaN(), Hi: math.NaN(), Seeds: 1}),
			})
		}
		for _, g := range b.groups {
			if t.throughout(g, to-step, to) {
				point(g.Name, plots.InBitsPerSecond, t.Goodput(g, to-step, to))
			}
		}
		point(queues, plots.InBytes, t.Queue(to-step, to, 1))
	}
	return rows
}

// measured returns the measures of a case.
func measured(rows []study.Row, name string) []study.Row {
	return figure.Pick(rows, func(r *study.Row) bool { return r.Table == measures && r.Case == name })
}

// draw makes the drawings of a case.
func draw(rows []study.Row, name, number string) []figure.Drawing {
	goodput := grid(rows, "Goodput: "+name, name, plots.Axis{Label: "Goodput", Unit: plots.InBitsPerSecond},
		func(quantity string) bool { return quantity != queues })
	queue := grid(rows, "Queue: "+name, name, plots.Axis{Label: "Queue", Unit: plots.InBytes},
		func(quantity string) bool { return quantity == queues })
	return []figure.Drawing{
		{Name: "goodput-" + number, Plot: goodput, Caption: "goodput"},
		{Name: "queue-" + number, Plot: queue, Caption: "queue"},
	}
}

// grid draws a panel for each scheme. All panels have the same axes. The y axis is logarithmic if some schemes have
// much longer queues than others.
func grid(rows []study.Row, title, name string, y plots.Axis, wanted func(string) bool) plots.Figure {
	f := plots.Figure{Title: title, Width: plots.PageWidth, Columns: 4, PanelHeight: 80}
	of := figure.Pick(rows,
		func(r *study.Row) bool { return r.Table == overTime && r.Case == name && wanted(r.Quantity) })
	const much, packet = 20, 1000
	top, end := map[string]float64{}, 0.0
	for _, r := range of {
		top[r.Scheme], end = max(top[r.Scheme], r.Value), max(end, r.X)
	}
	tops := slices.Sorted(maps.Values(top))
	most := tops[len(tops)-1]
	y.Scale, y.Min, y.Max = plots.Linear, plots.At(0), plots.At(1.05*most)
	if y.Unit == plots.InBytes && most > much*tops[0] {
		y.Scale, y.Min = plots.Log, plots.At(packet)
	}
	x := plots.Axis{Label: "Time", Unit: plots.InSeconds, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(end)}
	for _, scheme := range study.Schemes(of) {
		p := plots.Panel{Title: scheme, X: x, Y: y}
		for _, l := range figure.By(figure.Pick(of, func(r *study.Row) bool { return r.Scheme == scheme }),
			func(r *study.Row) string { return r.Quantity }) {
			p.Series = append(p.Series, figure.Curve(plots.Series{Name: l[0].Quantity, Style: plots.Trace}, l,
				func(r *study.Row) (x, y float64) { return r.X, r.Value }))
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
