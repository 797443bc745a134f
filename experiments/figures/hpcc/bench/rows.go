package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Row is a line of rows.csv.
type Row struct {
	Table    string  `col:"table"` // "measure", or "series" for a point over time
	Case     string  `col:"case"`
	Scheme   string  `col:"scheme"`
	Quantity string  `col:"quantity"`
	Time     float64 `col:"time" unit:"s"` // end of an interval; NaN for a measure
	Value    float64 `col:"value"`
	Unit     string  `col:"unit"`
	Lo       float64 `col:"lo"` // 95 % interval over the seeds; NaN for one seed, and in a series
	Hi       float64 `col:"hi"`
	Seeds    int     `col:"seeds"`
}

const (
	measures = "measure"
	overTime = "series"
	// queues is the longest queue of the bottleneck in an interval.
	queues = "queue"
)

// measure runs all benchmarks with all schemes and makes the rows.
func measure(ctx context.Context, j *figure.Job, list []Benchmark, schemes []Scheme, seeds []uint64) ([]Row, error) {
	var specs []campaign.Spec
	for i := range list {
		for _, s := range schemes {
			for _, seed := range seeds {
				specs = append(specs, list[i].spec(s, seed))
			}
		}
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i := range list {
		b := &list[i]
		for _, s := range schemes {
			of := make([]stats.PerSeed, len(b.Measure))
			for k := range seeds {
				t, err := read(runs[0], b.Period)
				if err != nil {
					return nil, err
				}
				runs = runs[1:]
				for m, q := range b.Measure {
					of[m].Add(q.Of(t), len(t.Flows))
				}
				if k == 0 {
					rows = append(rows, b.series(t, s.Name)...)
				}
			}
			for m, q := range b.Measure {
				x, err := of[m].Mean()
				if err != nil {
					return nil, fmt.Errorf("%s, %s, %s: %w", s.Name, b.Case, q.Name, err)
				}
				rows = append(rows, Row{measures, b.Case, s.Name, q.Name, math.NaN(), x.Value, q.Unit, x.Lo, x.Hi, x.Seeds})
			}
		}
	}
	return columns.Rounded(rows), nil
}

// series are the rows of a trial over time.
func (b *Benchmark) series(t *Trial, scheme string) []Row {
	var rows []Row
	step := b.Period * unit.Time(b.Looks)
	for to := step; t.after(to) < len(t.queue); to += step {
		point := func(quantity, unit string, value float64) {
			rows = append(rows, Row{overTime, b.Case, scheme, quantity, to.Seconds(), value, unit, math.NaN(), math.NaN(), 1})
		}
		for _, g := range b.Groups {
			if !t.throughout(g, to-step, to) {
				continue
			}
			point(g.Name, plots.InBitsPerSecond, t.Goodput(g, to-step, to))
		}
		point(queues, plots.InBytes, t.Queue(to-step, to, 1))
	}
	return rows
}

// Of are the measures of a case, by scheme and quantity.
func Of(rows []Row, name string) func(Scheme, string) Row {
	return func(s Scheme, quantity string) Row { return find(rows, name, s.Name, quantity) }
}

// find is a measure of a scheme, with NaN for its numbers if there is none.
func find(rows []Row, name, scheme, quantity string) Row {
	i := slices.IndexFunc(rows, func(r Row) bool {
		return r.Table == measures && r.Case == name && r.Scheme == scheme && r.Quantity == quantity
	})
	if i < 0 {
		return Row{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return rows[i]
}

// Below holds if a is certainly below the factor times b, and fails if it is certainly above; with
// one seed nothing is certain.
func Below(statement string, a, b Row, factor float64) figure.Finding {
	return figure.Judge(statement, a.Hi < factor*b.Lo, a.Lo > factor*b.Hi, "%s: %v; %s: %v", a.Scheme, a, b.Scheme, b)
}

// Above holds if a is certainly above a number, and fails if it is certainly below.
func Above(statement string, a Row, bound float64) figure.Finding {
	return figure.Judge(statement, a.Lo > bound, a.Hi < bound, "%s: %v", a.Scheme, a)
}

// String is the value of a row with its unit.
func (r Row) String() string {
	if math.IsNaN(r.Value) {
		return "–"
	}
	return plots.FormatValue(r.Value, r.Unit, 3)
}

// Schemes are those of the rows, in their order.
func Schemes(rows []Row) []string {
	var names []string
	for i := range rows {
		if !slices.Contains(names, rows[i].Scheme) {
			names = append(names, rows[i].Scheme)
		}
	}
	return names
}

// Lines are a line of a table for each scheme, of its measures in a case.
func Lines[L any](rows []Row, name string, line func(scheme string, of func(quantity string) float64) L) []L {
	var list []L
	for _, s := range Schemes(rows) {
		list = append(list, line(s, func(quantity string) float64 { return find(rows, name, s, quantity).Value }))
	}
	return list
}
