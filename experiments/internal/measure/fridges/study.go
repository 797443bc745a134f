package fridges

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

// Seeds is the number of hash seeds in the fridges paper (§5).
const Seeds = 10

// Row is a line of rows.csv: the errors of a design, or a point of its CDF.
type Row struct {
	Table       string  `col:"table"`  // one of the tables below
	Source      string  `col:"source"` // ours or published
	Trace       string  `col:"trace"`
	Design      string  `col:"design"`
	Versus      string  `col:"versus"` // in ratios: the design whose error is the divisor of One
	Params      string  `col:"parameters"`
	Memory      int     `col:"memory" unit:"entries"`
	Probability float64 `col:"p"`              // p of a single fridge
	Share       float64 `col:"share"`          // in CDFs: share of pairs; in ratios: quantile of errors, NaN for One
	Delay       float64 `col:"delay" unit:"s"` // in CDFs: this share of the pairs has at most this delay
	// P50, P95 and P99 are the errors |log2(estimated/true)| of percentiles of the mean CDF of all seeds. Max is the
	// largest error of all percentiles from 5 to 95. The 95 % interval of Max is computed by the jackknife over seeds,
	// and for Fig. 2 by the bootstrap.
	P50 float64      `col:"p50_error"`
	P95 float64      `col:"p95_error"`
	P99 float64      `col:"p99_error"`
	Max stats.Number `col:"max_error,max_lo,max_hi"`
	// These are the same errors for the CDF of one seed, averaged over the seeds.
	One50  float64 `col:"one_seed_p50_error"`
	One95  float64 `col:"one_seed_p95_error"`
	One99  float64 `col:"one_seed_p99_error"`
	OneMax float64 `col:"one_seed_max_error"`
	// One is the mean of One50, One95 and One99, with its 95 % interval over seeds.
	One     stats.Number `col:"one_seed_error,lo,hi"`
	Samples float64      `col:"samples"` // mean number of samples of a seed
	// Pairs is the estimated number of pairs divided by the true one, as a mean over the seeds with its 95 % interval.
	Pairs stats.Number `col:"pairs,pairs_lo,pairs_hi"`
	Seeds int          `col:"seeds"`
}

// Cut limits the intervals of errors and of numbers of pairs to 0 and above. Intervals in older stored rows may extend
// below 0.
func (r *Row) Cut() {
	for _, n := range []*stats.Number{&r.Max, &r.One, &r.Pairs} {
		*n = n.Cut(0, math.Inf(1))
	}
}

// The tables of the rows.
const (
	ErrorTable = "error"
	CDFTable   = "cdf"
	// RatioTable contains the errors of a design divided by the errors of another design. Its One has an interval.
	RatioTable = "ratio"
	// GroupsTable contains Max, the largest error of a design. The interval of Max covers the results of several groups
	// with equally many seeds.
	GroupsTable = "groups"
)

// Blank returns a row without numbers.
func Blank(table, source, trace, design string) Row {
	r := columns.Blank[Row]()
	r.Table, r.Source, r.Trace, r.Design = table, source, trace, design
	return r
}

// Named is a design with the values that its rows contain.
type Named struct {
	Name, Params string
	Memory       int
	Probability  float64 // p of a single fridge; NaN for other designs
	// Rate is the rate of requests per picosecond. It determines the weights of several fridges.
	Rate float64
	// Eq7 combines several fridges by their estimated variances (§4.2, Eq. 7). This is biased. With Apart, the
	// variances come from the samples of another hash seed, which avoids the bias.
	Eq7, Apart bool
	// Bins is the number of bins of the tally that Eq. 7 treats as one. 0 means 1.
	Bins   int
	Design Design
}

// Study measures designs with several hash seeds. It generates a trace and keeps the trace in memory.
type Study struct {
	Name string // name of the trace
	Traffic
	Seeds []uint64
	Model *fridge.Model // chooses the fridges for the trace

	job    *study.Job
	events []exchange.Event
}

// Open generates a trace and counts its contents. seeds is the number of hash seeds, unless the job sets the number.
func Open(j *study.Job, name string, trace exchange.Config, seeds int) (*Study, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	events, err := generate(trace)
	if err != nil {
		return nil, err
	}
	c, err := newCounter(forever, fridge.DefaultWidth)
	if err != nil {
		return nil, err
	}
	c.take(events)
	s := &Study{Name: name, Traffic: c.traffic(), Seeds: j.SeedList(seeds), job: j, events: events}
	s.Model, err = fridge.NewModel(
		fridge.Load{Rate: s.Rate(), Delays: s.Delays, Pairs: float64(s.Pairs), Quantiles: Quantiles})
	return s, err
}

// generate returns all events of a trace.
func generate(trace exchange.Config) (events []exchange.Event, err error) {
	g, err := exchange.Generate(trace)
	if err != nil {
		return nil, err
	}
	for e := (exchange.Event{}); g.Next(&e); {
		events = append(events, e)
	}
	return events, g.Err()
}

// Result is a measured design.
type Result struct {
	Row Row // row of the table of errors
	// Means are the means over the seeds of the CDFs for each weight.
	Means []*fridge.Distribution
	// Each contains the CDFs of the seeds for each weight. One contains the value of One in Row for each seed.
	Each [][]*fridge.Distribution
	One  []float64
}

// run passes the trace through all designs, each with all seeds, and returns their meters by seed.
func (s *Study) run(ctx context.Context, designs []Named, seeds []uint64, weights ...Weight) ([][]*Meter, error) {
	all := study.Study{Seeds: seeds}
	for _, d := range designs {
		all.Cells = append(all.Cells, study.Cell{
			Case: s.Name, Scheme: d.Name + ", " + d.Params, X: float64(d.Memory),
			Work: study.OfSeed(func(seed uint64) (*Meter, error) {
				m, err := newMeter(d.Design, seed, fridge.DefaultWidth, weights...)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", d.Name, d.Params, err)
				}
				m.take(s.events)
				return m, nil
			}),
		})
	}
	results, err := all.Run(ctx, s.job)
	if err != nil {
		return nil, err
	}
	return lists.Map(all.Cells, func(c study.Cell) []*Meter { return study.Made[*Meter](results, c) }), nil
}

// Measure passes the trace through all designs with all seeds. It compares the results with the true distribution; for
// this, it uses the first weight.
func (s *Study) Measure(ctx context.Context, designs []Named, weights ...Weight) ([]Result, error) {
	meters, err := s.run(ctx, designs, s.Seeds, weights...)
	if err != nil {
		return nil, err
	}
	var list []Result
	for i, d := range designs {
		r, err := s.result(d, meters[i])
		if err == nil {
			err = r.spread(s.Delays)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func (s *Study) result(d Named, meters []*Meter) (Result, error) {
	r := Result{Row: Blank(ErrorTable, "ours", s.Name, d.Name)}
	row := &r.Row
	row.Params, row.Memory, row.Probability, row.Seeds = d.Params, d.Memory, d.Probability, len(meters)
	for w := range meters[0].tallies {
		var list []*fridge.Distribution
		for k, m := range meters {
			list = append(list, m.combined(w, &d, meters[(k+1)%len(meters)]))
		}
		r.Means, r.Each = append(r.Means, fridge.Mean(list...)), append(r.Each, list)
	}
	a := Compare(r.Means[0], s.Delays)
	row.P50, row.P95, row.P99, row.Max.Value = a.P50, a.P95, a.P99, a.Max
	var one [6][]float64
	row.Samples = 0
	for k, m := range meters {
		a := Compare(r.Each[0][k], s.Delays)
		for i, v := range []float64{a.P50, a.P95, a.P99, a.Max, (a.P50 + a.P95 + a.P99) / 3,
			r.Each[0][k].Total() / s.Delays.Total()} {
			one[i] = append(one[i], v)
		}
		row.Samples += float64(m.structure.Stats().Samples) / float64(len(meters))
	}
	r.One = one[4]
	var means [6]stats.Number
	for i := range one {
		m, err := stats.Mean(one[i], stats.Level)
		if err != nil {
			return r, fmt.Errorf("one seed has no samples: %w", err)
		}
		means[i] = m.Within(0, math.Inf(1))
	}
	row.One50, row.One95, row.One99, row.OneMax = means[0].Value, means[1].Value, means[2].Value, means[3].Value
	row.One, row.Pairs = means[4], means[5]
	return r, nil
}

// Groups measures a design on the same trace with n further groups, each with as many hash seeds as the study. It
// returns the largest error of each group. These errors show what other measurements with as many seeds would find.
func (s *Study) Groups(ctx context.Context, d Named, n int) (worst []float64, err error) {
	for i := range n {
		first := s.Seeds[0] + 1000 + uint64(i*len(s.Seeds))
		meters, err := s.run(ctx, []Named{d}, campaign.Seeds(first, len(s.Seeds)))
		if err != nil {
			return nil, err
		}
		r, err := s.result(d, meters[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		worst = append(worst, r.Row.Max.Value)
	}
	return worst, nil
}

func (r *Result) spread(truth *fridge.Distribution) error {
	each := r.Each[0]
	m, err := stats.Jackknife(len(each), func(without int) float64 {
		if without < 0 {
			return r.Row.Max.Value
		}
		return fridge.MaxError(fridge.Mean(slices.Concat(each[:without], each[without+1:])...), truth)
	}, stats.Level)
	r.Row.Max = m.Within(0, math.Inf(1))
	return err
}

// resamples is the number of times that Resampled draws the seeds.
const resamples = 400

// Resampled returns numbers that `of` computes from the mean CDFs of designs. All designs must be measured with the
// same seeds. The intervals of the numbers are computed by the 95 % percentile bootstrap over the seeds. Resampled is
// intended for the largest of many errors. The jackknife is not valid for that, because without a seed the largest
// error may be at another percentile.
func Resampled(list []Result, seed uint64, of func(means []*fridge.Distribution) []float64) (values []stats.Number) {
	for _, v := range of(lists.Map(list, func(r Result) *fridge.Distribution { return r.Means[0] })) {
		values = append(values, stats.Number{Value: v, Seeds: len(list[0].One)})
	}
	random := hash.Stream(seed, "fridges/resampled")
	drawn := make([][]float64, len(values))
	for range resamples {
		var seeds []int
		for range list[0].One {
			seeds = append(seeds, random.IntN(len(list[0].One)))
		}
		for i, v := range of(lists.Map(list, func(r Result) *fridge.Distribution {
			return fridge.Mean(lists.Map(seeds, func(k int) *fridge.Distribution { return r.Each[0][k] })...)
		})) {
			drawn[i] = append(drawn[i], v)
		}
	}
	for i := range values {
		slices.Sort(drawn[i])
		values[i].Lo, values[i].Hi = stats.Percentile(drawn[i], (1-stats.Level)/2),
			stats.Percentile(drawn[i], (1+stats.Level)/2)
	}
	return values
}

// over returns a row with the error of r divided by the error of o, a design on the same trace. It uses the seeds that
// both designs have.
func (r *Result) over(o *Result) (Row, error) {
	row := Blank(RatioTable, "ours", r.Row.Trace, r.Row.Design)
	n := min(len(r.One), len(o.One))
	row.Params, row.Memory, row.Versus, row.Seeds = r.Row.Params, r.Row.Memory, o.Row.Design, n
	m, err := stats.Jackknife(n, func(without int) float64 {
		a, b := floats.Sum(r.One[:n]), floats.Sum(o.One[:n])
		if without >= 0 {
			a, b = a-r.One[without], b-o.One[without]
		}
		return math.Log(a / b)
	}, stats.Level)
	row.One = m.Exp()
	return row, err
}

// Parts describes fridges, such as "2048 p=0.31, 2048 p=0.013".
func Parts(parts []fridge.Part) string {
	return strings.Join(lists.Map(parts, func(p fridge.Part) string {
		return fmt.Sprintf("%d p=%.3g", p.Entries, p.Probability)
	}), ", ")
}

// Single returns a design of one fridge.
func Single(name string, entries int, p float64) Named {
	parts := []fridge.Part{{Entries: entries, Probability: p}}
	return Named{Name: name, Params: Parts(parts), Memory: entries, Probability: p,
		Design: Fridges(fridge.Entered, parts...)}
}

// Best selects the best fridges for a trace if their number is given.
type Best struct {
	Name    string
	Fridges int
	Free    bool // the fridges have different sizes
}

// Optimized returns designs with the given number of entries, whose fridges are combined by the expected factors.
func (s *Study) Optimized(entries int, list ...Best) ([]Named, error) {
	return lists.Try(list, func(b Best) (Named, error) {
		parts, err := s.Model.Optimize(fridge.Choice{Entries: entries, Fridges: b.Fridges, Split: b.Free})
		p := math.NaN()
		if len(parts) == 1 {
			p = parts[0].Probability
		}
		return Named{Name: b.Name, Params: Parts(parts), Memory: entries, Probability: p, Rate: s.Rate(),
			Design: Fridges(fridge.Entered, parts...)}, err
	})
}

// Naive returns a design of an expiring array.
func Naive(name string, entries, stages int, threshold unit.Time) Named {
	params := "T=" + threshold.String()
	if threshold == 0 {
		params = "always replaces"
	}
	return Named{Name: name, Params: params, Memory: entries, Probability: math.NaN(),
		Design: array(entries, stages, threshold)}
}

// Select returns our rows of a table and a design. An empty design selects all designs.
func Select(rows []Row, table, design string) []Row {
	return lists.Keep(rows, func(r Row) bool {
		return r.Source == "ours" && r.Table == table && (design == "" || r.Design == design)
	})
}

// CDF returns the rows of a curve. Each row contains a percentage of the pairs and the delay that these pairs do not
// exceed.
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

// Memory formats a number of entries. A power of two is written as 2^k.
func Memory(entries int) string {
	for k := range 31 {
		if entries == 1<<k {
			return fmt.Sprintf("2^%d", k)
		}
	}
	return fmt.Sprint(entries)
}
