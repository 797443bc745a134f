package compare

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
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
	looking := z.looks && j.Seeds == 0
	if looking {
		p.Looks = c.looks(j, entries)
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
	seeds, bars := seedsOf(results, p.Entries), "; bars: 95 % intervals over the seeds"
	switch {
	case looking:
		bars = fmt.Sprintf("; bars: intervals over the seeds that hold at 95 %% wherever a workload ends, after %d seeds or %d", looksAfter[1], looksAfter[2])
		j.Setting("seeds", "", "%s; intervals hold at 95 %% for both ends, at %d and at %d seeds", strings.TrimSuffix(seeds, " seeds"), looksAfter[1], looksAfter[2])
		j.Setting("end of a workload", "", "when the intervals of mean completion time and p95 slowdown leave out 0 for each pair of schemes; of the 5 %% that intervals may miss, the look after %d seeds takes %.1f and the last one %.1f",
			looksAfter[1], 100*(1-looksLevels[1]), 100*(1-looksLevels[2]))
	case len(p.Seeds) == 1:
		bars = ""
		j.Setting("seeds", "", "one, so there are no intervals (--seeds N)")
	default:
		j.Setting("seeds", "", "%d; 95 %% intervals over them", len(p.Seeds))
	}
	j.Footnote("320-server fat tree, load %g %%, %s, arrivals for %v (web search) and %v (Hadoop)%s, payload 1000 B, 32 MB buffers%s",
		100*first.Workload[0].Traffic().Offered(), seeds, lasts(first), lasts(last), how, bars)
	return results.Rows(c.order(entries))
}

// seedsOf says how many seeds were run.
func seedsOf(r *comparison.Results, entries []comparison.Entry) string {
	least, most := math.MaxInt, 0
	for _, e := range entries {
		least, most = min(least, r.Seeds(e)), max(most, r.Seeds(e))
	}
	if least < most {
		return fmt.Sprintf("%d or %d seeds", least, most)
	}
	return figure.Count(most, "seed")
}

// looks ends a workload when the seeds agree about its headlines, and tells how far things are.
func (c *choice) looks(j *figure.Job, entries map[string][]comparison.Entry) *comparison.Looks {
	return &comparison.Looks{
		After: looksAfter, Levels: looksLevels,
		Settled: func(r *comparison.Results, of string) (bool, error) {
			if r.Seeds(entries[of][0]) < looksAfter[1] {
				return false, nil
			}
			for _, p := range c.pairs {
				for _, quantity := range []string{meanFCT, p95} {
					m, err := r.Ratio(comparison.Entry{Case: of, Scheme: p[0].Name, X: math.NaN()}, p[1].Name, quantity)
					if err != nil {
						return false, err
					}
					if len(m) == 0 || !stats.Significant(m[0].Lo, m[0].Hi, 1) {
						return false, nil
					}
				}
			}
			return true, nil
		},
		Begin: func(i, _ int, r *comparison.Results) error {
			if r == nil {
				j.Part(0, len(looksAfter), "", "")
				return nil
			}
			rows, err := r.Rows(c.order(entries))
			if err != nil {
				return err
			}
			text, line, err := soFar(rows)
			j.Part(i, len(looksAfter), text, line)
			return err
		},
	}
}

// order returns the order of the rows.
func (c *choice) order(entries map[string][]comparison.Entry) func(*comparison.Rows) {
	return func(r *comparison.Rows) {
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
	}
}
