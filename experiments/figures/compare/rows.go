package compare

import (
	"context"
	"fmt"
	"slices"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv: times in s, goodput in b/s.
type Row struct {
	// Table is "size" for a bucket of flows, "size ratio" for one scheme over another
	// there, "measure" for a scheme as a whole, "ratio" for one over another.
	Table    string `col:"table"`
	Workload string `col:"workload"`
	Scheme   string `col:"scheme"`
	// Versus is the scheme that a ratio divides by.
	Versus  string `col:"versus"`
	Measure string `col:"measure"`
	stats.Measured
}

// The tables of the rows.
const (
	bySize     = "size"
	sizeRatios = "size ratio"
	measures   = "measure"
	ratios     = "ratio"
)

// measure is a number that a run amounts to.
type measure struct {
	name string
	unit string
	more bool // is better
	// of is the value and the number of flows behind it.
	of       func(w workload, flows *store.Flows, s *store.Summary) (value float64, n int)
	compared bool // between schemes
}

// One bandwidth-delay product, 100 Gb/s times the 12 us of the largest base RTT:
// shorter flows can be sent before the first feedback.
const oneBDP = 150 * unit.KB

// The names of the measures.
const (
	meanFCT  = "mean FCT"
	p50      = "p50 slowdown"
	p95      = "p95 slowdown"
	p99      = "p99 slowdown"
	p95Short = "p95 slowdown, flows up to 150 KB"
	p95Long  = "p95 slowdown, flows above 1 MB"
	goodput  = "goodput of long flows"
	byFlow   = "goodput of long flows, flow by flow"
	drops    = "packets dropped"
	pauses   = "pause frames"
)

var measured = []measure{
	{meanFCT, "s", false, func(_ workload, f *store.Flows, _ *store.Summary) (float64, int) {
		t := stats.FCT(f, stats.Everything(), 0, stats.AnySize)
		return t.Mean, t.N
	}, true},
	{p50, "", false, slowdown(0.50, 0, stats.AnySize), true},
	{p95, "", false, slowdown(0.95, 0, stats.AnySize), true},
	{p99, "", false, slowdown(0.99, 0, stats.AnySize), true},
	{p95Short, "", false, slowdown(0.95, 0, oneBDP+1), true},
	{p95Long, "", false, slowdown(0.95, 1*unit.MB+1, stats.AnySize), true},
	{goodput, "b/s", true, func(w workload, f *store.Flows, _ *store.Summary) (float64, int) {
		g := stats.LongFlows(f, stats.Everything(), w.long)
		return g.Mean, g.N
	}, true},
	{drops, "", false, func(_ workload, _ *store.Flows, s *store.Summary) (float64, int) {
		return float64(s.Drops), s.Flows
	}, false},
	{pauses, "", false, func(_ workload, _ *store.Flows, s *store.Summary) (float64, int) {
		return float64(s.Pauses), s.Flows
	}, false},
}

// slowdown measures a percentile over the flows of at least min and less than max
// bytes.
func slowdown(p float64, min, max unit.Bytes) func(workload, *store.Flows, *store.Summary) (float64, int) {
	return func(_ workload, f *store.Flows, _ *store.Summary) (float64, int) {
		points, _ := stats.Points(f, stats.Everything())
		var in []stats.Point
		for _, x := range points {
			if x.Size >= min && x.Size < max {
				in = append(in, x)
			}
		}
		if len(in) == 0 {
			return 0, 0
		}
		table, err := stats.Table(in, 1)
		if err != nil {
			panic(err) // there is a flow for the one bucket
		}
		return map[float64]float64{0.50: table[0].P50, 0.95: table[0].P95, 0.99: table[0].P99}[p], len(in)
	}
}

// buckets of the slowdown curves: one for each tick of the paper's axes, so that the
// short runs of the laptop scale fill them.
const buckets = 10

// found is what is left of the runs of a scheme.
type found struct {
	points   [][]stats.Point // of each seed
	measures []stats.PerSeed // as measured
	flows    []*store.Flows  // of each seed
}

// rowsOf makes the rows.
func (c *comparison) rowsOf(ctx context.Context, j *figure.Job, z sizes) ([]Row, error) {
	seeds := j.SeedList(z.seeds)
	runs, err := j.Simulate(ctx, c.specs(z, seeds), free...)
	if err != nil {
		return nil, err
	}
	c.settings(j, &runs[0].Scenario)
	how := ""
	if z.steady {
		how = ", with flows under way before and unmeasured arrivals for as long after"
	}
	j.Footnote("320-server fat tree, load %g %%, %s, arrivals for %v (web search) and %v (Hadoop)%s, payload 1000 B, 32 MB buffers; bars: 95 %% intervals over the seeds",
		100*runs[0].Scenario.Workload[0].Traffic().Offered(), figure.Count(len(seeds), "seed"), lasts(runs[0]), lasts(runs[len(runs)-1]), how)
	var rows []Row
	for _, w := range workloads {
		of := map[string]*found{} // by scheme
		for _, s := range c.schemes {
			f := &found{measures: make([]stats.PerSeed, len(measured))}
			of[s.Name] = f
			for _, run := range runs[:len(seeds)] {
				flows, err := run.Counted()
				if err != nil {
					return nil, err
				}
				// Buckets are of all flows: some of a scheme may have no completion time.
				f.points, f.flows = append(f.points, stats.AllPoints(flows, stats.Everything())), append(f.flows, flows)
				for m, what := range measured {
					f.measures[m].Add(what.of(w, flows, &run.Manifest.Summary))
				}
			}
			runs = runs[len(seeds):]
		}
		some, err := c.rows(w, of)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// rows are the rows of a workload.
func (c *comparison) rows(w workload, of map[string]*found) ([]Row, error) {
	var rows []Row
	add := func(table, scheme, versus, measure string, m stats.Measured) {
		rows = append(rows, Row{Table: table, Workload: w.Name, Scheme: scheme, Versus: versus, Measure: measure, Measured: m})
	}
	curves := map[string][]stats.Measured{}
	for _, s := range c.schemes {
		curve, err := stats.BySize(of[s.Name].points, buckets, 0.95)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		curves[s.Name] = curve
		for _, m := range curve {
			add(bySize, s.Name, "", p95, m)
		}
	}
	for _, p := range c.pairs[:c.curves] {
		change, err := stats.Over(curves[p[0].Name], curves[p[1].Name])
		if err != nil {
			return nil, err
		}
		for _, m := range change {
			add(sizeRatios, p[0].Name, p[1].Name, p95, m)
		}
	}
	for i, what := range measured {
		for _, s := range c.schemes {
			f := &of[s.Name].measures[i]
			if f.Flows() == 0 {
				continue // some seed has no such flow
			}
			m, err := f.Mean()
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.Name, what.name, err)
			}
			add(measures, s.Name, "", what.name, m)
		}
	}
	for _, p := range c.pairs {
		for i, what := range measured {
			a, b := &of[p[0].Name].measures[i], &of[p[1].Name].measures[i]
			if !what.compared || a.Flows() == 0 {
				continue
			}
			m, err := a.Over(b)
			if err != nil {
				return nil, fmt.Errorf("%s over %s, %s: %w", p[0].Name, p[1].Name, what.name, err)
			}
			add(ratios, p[0].Name, p[1].Name, what.name, m)
		}
		var each stats.PerSeed
		for i, a := range of[p[0].Name].flows {
			mean, n, err := congestion.FlowByFlow(a, of[p[1].Name].flows[i], w.long, stats.Everything())
			if err != nil {
				return nil, fmt.Errorf("%s over %s: %w", p[0].Name, p[1].Name, err)
			}
			each.Add(mean, n)
		}
		if each.Flows() > 0 {
			m, err := each.Mean()
			if err != nil {
				return nil, fmt.Errorf("%s over %s, %s: %w", p[0].Name, p[1].Name, byFlow, err)
			}
			add(ratios, p[0].Name, p[1].Name, byFlow, m)
		}
	}
	return rows, nil
}

// lasts is for how long flows arrive in a run.
func lasts(r *campaign.Run) unit.Time {
	_, duration := r.Scenario.Workload[0].Traffic().Span()
	return duration
}

// pair is a scheme and the one that it is compared with.
type pair struct{ scheme, versus string }

// pairsOf are the pairs that a table of the rows has, in their order.
func pairsOf(rows []Row, table string) []pair {
	var list []pair
	for i := range rows {
		if p := (pair{rows[i].Scheme, rows[i].Versus}); rows[i].Table == table && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
