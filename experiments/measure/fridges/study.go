package fridges

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/measure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/int/fridge/tune"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

// Seeds is how many hash seeds the fridges paper has (§5).
const Seeds = 10

// Row is a line of rows.csv: the errors of a design, or a point of its CDF.
type Row struct {
	Table       string  `col:"table"`  // "error" or "cdf"
	Source      string  `col:"source"` // ours or published
	Trace       string  `col:"trace"`
	Design      string  `col:"design"`
	Params      string  `col:"parameters"`
	Memory      int     `col:"memory" unit:"entries"`
	Probability float64 `col:"p"`              // of a single fridge
	Share       float64 `col:"share"`          // cdf: of the pairs
	Delay       float64 `col:"delay" unit:"s"` // cdf: up to which that share lies
	// |log2(estimated/true)| of percentiles of the mean of the CDFs of all seeds; Max is
	// the largest for any from 5 to 95.
	P50 float64 `col:"p50_error"`
	P95 float64 `col:"p95_error"`
	P99 float64 `col:"p99_error"`
	Max float64 `col:"max_error"`
	// The same of the CDF of one seed, averaged over the seeds.
	One50  float64 `col:"one_seed_p50_error"`
	One95  float64 `col:"one_seed_p95_error"`
	One99  float64 `col:"one_seed_p99_error"`
	OneMax float64 `col:"one_seed_max_error"`
	// One is the mean of One50, One95 and One99, with its 95 % interval over seeds.
	One     float64 `col:"one_seed_error"`
	Lo      float64 `col:"lo"`
	Hi      float64 `col:"hi"`
	Samples float64 `col:"samples"` // of one seed, on average
	Seeds   int     `col:"seeds"`
}

// The tables of the rows.
const (
	ErrorTable = "error"
	CDFTable   = "cdf"
)

// Blank is a row without numbers.
func Blank(table, source, trace, design string) Row {
	r := columns.Blank[Row]()
	r.Table, r.Source, r.Trace, r.Design = table, source, trace, design
	return r
}

// Named is a design with what rows say of it.
type Named struct {
	Name, Params string
	Memory       int
	Probability  float64 // of a single fridge, else NaN
	// Rate is that of requests per picosecond by which several fridges are combined.
	Rate float64
	// Eq7 combines them by their estimated variances (§4.2, Eq. 7), which is biased.
	Eq7 bool
	// Bins are those of the tally that Eq. 7 takes as one; 0 for one.
	Bins   int
	Design Design
}

// Study measures designs on a generated trace with several hash seeds.
type Study struct {
	Name    string // of the trace
	Trace   exchange.Config
	Seeds   []uint64
	Workers int
	Show    *progress.Display
}

// NoScenario refuses keys of scenarios.
func NoScenario(j *measure.Job) error {
	if len(j.Set) > 0 {
		return errors.New("--set has no effect on this figure: it simulates no network")
	}
	return nil
}

// run runs the trace through meters and shows how far it is.
func (s Study) run(ctx context.Context, what string, meters []*Meter, o Options) (Traffic, error) {
	g, err := exchange.Generate(s.Trace)
	if err != nil {
		return Traffic{}, err
	}
	task := s.Show.Begin(s.Name + ", " + what)
	defer task.End()
	all := float64(s.Trace.Requests) * (1 + s.Trace.Answered + s.Trace.Orphans)
	o.Workers, o.Width = s.Workers, fridge.DefaultWidth
	o.Progress = func(n int64) {
		task.Update(min(float64(n)/all, 1), fmt.Sprintf("%d structures, %.1f of %.1f million packets", len(meters), float64(n)/1e6, all/1e6))
	}
	return Run(ctx, g, meters, o)
}

// Truth is what is in the trace.
func (s Study) Truth(ctx context.Context) (Traffic, error) {
	return s.run(ctx, "true delays", nil, Options{Window: All})
}

// Result is a design, measured.
type Result struct {
	Row Row // of the table of errors
	// Means are the means over the seeds of the CDFs for each weight.
	Means []*fridge.Distribution
	// Each are the CDFs of the seeds for the first weight.
	Each []*fridge.Distribution
}

// Measure runs the trace through all designs with all seeds, and holds what they measure
// with the first weight against the true distribution.
func (s Study) Measure(ctx context.Context, what string, truth *fridge.Distribution, designs []Named, weights ...Weight) ([]Result, error) {
	var meters []*Meter
	for _, d := range designs {
		for _, seed := range s.Seeds {
			m, err := NewMeter(d.Design, seed, fridge.DefaultWidth, weights...)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.Name, err)
			}
			meters = append(meters, m)
		}
	}
	if _, err := s.run(ctx, what, meters, Options{}); err != nil {
		return nil, err
	}
	var list []Result
	for i, d := range designs {
		r, err := s.result(d, meters[i*len(s.Seeds):(i+1)*len(s.Seeds)], truth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// result sums up the meters of a design.
func (s Study) result(d Named, meters []*Meter, truth *fridge.Distribution) (Result, error) {
	r := Result{Row: Blank(ErrorTable, "ours", s.Name, d.Name)}
	row := &r.Row
	row.Params, row.Memory, row.Probability, row.Seeds = d.Params, d.Memory, d.Probability, len(meters)
	for w := range meters[0].tallies {
		var list []*fridge.Distribution
		for _, m := range meters {
			list = append(list, m.combined(w, &d))
		}
		r.Means = append(r.Means, fridge.Mean(list...))
		if w == 0 {
			r.Each = list
		}
	}
	a := Compare(r.Means[0], truth)
	row.P50, row.P95, row.P99, row.Max = a.P50, a.P95, a.P99, a.Max
	var one [5][]float64
	row.Samples = 0
	for k, m := range meters {
		a := Compare(r.Each[k], truth)
		for i, v := range []float64{a.P50, a.P95, a.P99, a.Max, (a.P50 + a.P95 + a.P99) / 3} {
			one[i] = append(one[i], v)
		}
		row.Samples += float64(m.Structure.Stats().Samples) / float64(len(meters))
	}
	var means [5]stats.Interval
	for i := range one {
		iv, err := stats.Mean(one[i], stats.Level)
		if err != nil {
			return r, fmt.Errorf("a seed without samples: %w", err)
		}
		means[i] = iv
	}
	row.One50, row.One95, row.One99, row.OneMax = means[0].Value, means[1].Value, means[2].Value, means[3].Value
	row.One, row.Lo, row.Hi = stats.Ends(means[4])
	return r, nil
}

// Tuner chooses fridges for a trace.
func Tuner(t *Traffic) (*tune.Model, error) {
	return tune.NewModel(tune.Load{Rate: t.Rate(), Delays: t.Delays, Pairs: float64(t.Pairs), Quantiles: Quantiles})
}

// Parts says fridges in words: "2048 p=0.31, 2048 p=0.013".
func Parts(parts []fridge.Part) string {
	text := ""
	for k, p := range parts {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d p=%.3g", p.Entries, p.Probability)
	}
	return text
}

// Single is a design of one fridge.
func Single(name string, entries int, p float64) Named {
	parts := []fridge.Part{{Entries: entries, Probability: p}}
	return Named{Name: name, Params: Parts(parts), Memory: entries, Probability: p, Design: Fridges(fridge.Entered, parts...)}
}

// Optimized is a design of the best fridges, combined by the factors to be expected at a
// rate.
func Optimized(m *tune.Model, name string, o tune.Options, rate float64) (Named, error) {
	parts, err := m.Optimize(o)
	if err != nil {
		return Named{}, err
	}
	p := math.NaN()
	if len(parts) == 1 {
		p = parts[0].Probability
	}
	return Named{Name: name, Params: Parts(parts), Memory: o.Entries, Probability: p, Rate: rate, Design: Fridges(fridge.Entered, parts...)}, nil
}

// Naive is a design of an expiring array.
func Naive(name string, entries, stages int, threshold unit.Time) Named {
	params := "T=" + threshold.String()
	if threshold == 0 {
		params = "always replaces"
	}
	return Named{Name: name, Params: params, Memory: entries, Probability: math.NaN(), Design: Array(entries, stages, threshold)}
}

// Select are our rows of a table and a design; an empty design takes all.
func Select(rows []Row, table, design string) []Row {
	return measure.Pick(rows, func(r *Row) bool {
		return r.Source == "ours" && r.Table == table && (design == "" || r.Design == design)
	})
}

// CDF are the rows of a curve: the delay up to which each percent of the pairs lies.
func CDF(trace, design string, d *fridge.Distribution) []Row {
	var rows []Row
	for i := 1; i < 100; i++ {
		r := Blank(CDFTable, "ours", trace, design)
		r.Share = float64(i) / 100
		r.Delay = d.Quantile(r.Share) / float64(unit.Second)
		rows = append(rows, r)
	}
	return rows
}

// Memory says a number of entries as a power of two where it is one.
func Memory(entries int) string {
	for k := range 31 {
		if entries == 1<<k {
			return fmt.Sprintf("2^%d", k)
		}
	}
	return fmt.Sprint(entries)
}
