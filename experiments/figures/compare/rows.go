package compare

import (
	"context"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// view is the columns of rows.csv: times in s, goodput in b/s.
var view = columns.View{"table", "workload=case", "scheme", "versus=against", "measure=quantity", "size", "share", "value", "lo", "hi", "flows", "seeds"}

// The tables of the rows: a bucket of flows, one scheme over another there, a scheme as a whole, one
// over another.
const (
	bySize     = "size"
	sizeRatios = "size ratio"
	measures   = "measure"
	ratios     = "ratio"
)

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

// measured are the measures. Those that are paired are compared between schemes.
var measured = []comparison.Quantity{
	comparison.MeanFCT(meanFCT),
	comparison.Slowdown(p50, 0.50, 0, math.MaxInt64),
	comparison.Slowdown(p95, 0.95, 0, math.MaxInt64),
	comparison.Slowdown(p99, 0.99, 0, math.MaxInt64),
	comparison.Slowdown(p95Short, 0.95, 0, oneBDP),
	comparison.Slowdown(p95Long, 0.95, 1*unit.MB+1, math.MaxInt64),
	comparison.Goodput(goodput),
	comparison.Number(drops, func(t *comparison.Trial) (float64, int, error) {
		s := &t.Run.Manifest.Summary
		return float64(s.Drops), s.Flows, nil
	}),
	comparison.Number(pauses, func(t *comparison.Trial) (float64, int, error) {
		s := &t.Run.Manifest.Summary
		return float64(s.Pauses), s.Flows, nil
	}),
	comparison.FlowByFlow(byFlow),
}

// slowdowns are by flow size, in buckets: one for each tick of the PINT paper's axes, so that the short
// runs of the laptop scale fill them.
var slowdowns = comparison.Quantity{Name: "p95 slowdown by flow size", Shown: p95, Of: comparison.BySize("", 0.95, 10).Of}

// rowsOf makes the rows.
func (c *choice) rowsOf(ctx context.Context, j *figure.Job, z sizes) ([]comparison.Row, error) {
	p := comparison.Plan{Seeds: j.SeedList(z.seeds), Quantities: append([]comparison.Quantity{slowdowns}, measured...), Free: free}
	entries := map[string][]comparison.Entry{} // by workload, in the order of the schemes
	for i, w := range workloads {
		for _, s := range c.schemes {
			entries[w.Name] = append(entries[w.Name], w.entry(s, z.arrival[i], z.steady))
		}
		p.Entries = append(p.Entries, entries[w.Name]...)
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	first, last := results.Scenario(p.Entries[0]), results.Scenario(p.Entries[len(p.Entries)-1])
	c.settings(j, first)
	how := ""
	if z.steady {
		how = ", with flows under way before and unmeasured arrivals for as long after"
	}
	j.Footnote("320-server fat tree, load %g %%, %s, arrivals for %v (web search) and %v (Hadoop)%s, payload 1000 B, 32 MB buffers; bars: 95 %% intervals over the seeds",
		100*first.Workload[0].Traffic().Offered(), figure.Count(len(p.Seeds), "seed"), lasts(first), lasts(last), how)
	return results.Rows(func(r *comparison.Rows) {
		for _, w := range workloads {
			of := func(s comparison.Scheme) comparison.Entry {
				return comparison.Entry{Case: w.Name, Scheme: s.Name, X: math.NaN()}
			}
			for _, e := range entries[w.Name] {
				r.Add(bySize, e, "", slowdowns.Name)
			}
			for _, p := range c.pairs[:c.curves] {
				r.Add(sizeRatios, of(p[0]), p[1].Name, slowdowns.Name)
			}
			for _, q := range measured {
				for _, e := range entries[w.Name] {
					r.Add(measures, e, "", q.Name)
				}
			}
			for _, p := range c.pairs {
				for _, q := range measured {
					if q.Paired {
						r.Add(ratios, of(p[0]), p[1].Name, q.Name)
					}
				}
			}
		}
	})
}
