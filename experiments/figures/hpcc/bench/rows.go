package bench

import (
	"context"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// View is the columns of rows.csv. The time is the end of an interval of a series.
var View = columns.View{"table", "case", "scheme", "quantity", "time:s=x", "value", "unit", "lo", "hi", "seeds"}

// The tables of the rows.
const (
	measures = "measure"
	overTime = "series" // points over time, of the first seed
)

// queues is the longest queue of the bottleneck in an interval.
const queues = "queue"

// measure runs all benchmarks with all schemes and makes the rows.
func measure(ctx context.Context, j *figure.Job, list []Benchmark, schemes []comparison.Scheme, seeds []uint64) ([]comparison.Row, error) {
	p := comparison.Plan{Seeds: seeds}
	for i := range list {
		for _, s := range schemes {
			p.Entries = append(p.Entries, list[i].entry(s))
		}
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	return results.Rows(func(r *comparison.Rows) {
		for i, e := range p.Entries {
			r.Append(e, func(first *comparison.Trial) ([]comparison.Row, error) {
				t, err := read(first)
				if err != nil {
					return nil, err
				}
				return list[i/len(schemes)].series(t, e.Scheme), nil
			})
			for _, q := range e.Quantities {
				r.Add(measures, e, "", q.Name)
			}
		}
	})
}

// series returns the rows of a trial over time.
func (b *Benchmark) series(t *Trial, scheme string) []comparison.Row {
	var rows []comparison.Row
	step := b.Period * unit.Time(b.Looks)
	for to := step; t.after(to) < len(t.queue); to += step {
		point := func(quantity, unit string, value float64) {
			rows = append(rows, comparison.Row{
				Table: overTime, Case: b.Case, X: to.Seconds(), Scheme: scheme, Quantity: quantity, Unit: unit,
				Measured: stats.Measured{Value: value, Lo: math.NaN(), Hi: math.NaN(), Seeds: 1},
			})
		}
		for _, g := range b.Groups {
			if t.throughout(g, to-step, to) {
				point(g.Name, plots.InBitsPerSecond, t.Goodput(g, to-step, to))
			}
		}
		point(queues, plots.InBytes, t.Queue(to-step, to, 1))
	}
	return rows
}

// measured returns the measures of a case.
func measured(rows []comparison.Row, name string) []comparison.Row {
	return figure.Pick(rows, func(r *comparison.Row) bool { return r.Table == measures && r.Case == name })
}

// Of returns a function that finds a measure of a case by scheme and quantity.
func Of(rows []comparison.Row, name string) func(s comparison.Scheme, quantity string) comparison.Row {
	return func(s comparison.Scheme, quantity string) comparison.Row {
		return comparison.One(measured(rows, name), name, s.Name, quantity)
	}
}

// Lines makes a table of the measures of a case, a line for each scheme.
func Lines(rows []comparison.Row, name, caption string, cells ...figure.Cell) figure.Table {
	return figure.Lines(caption, figure.BySchemes(measured(rows, name)), append([]figure.Cell{figure.Scheme("scheme")}, cells...)...)
}
