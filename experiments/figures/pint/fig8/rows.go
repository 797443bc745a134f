package fig8

import (
	"context"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// view is the columns of rows.csv.
var view = columns.View{"table", "workload=case", "scheme", "arrivals:ms=x", "size", "share", "value", "lo", "hi", "flows", "seeds"}

// The tables of the rows.
const (
	slowdowns = "slowdown" // the 95th percentile of a bucket of flows
	changes   = "change"   // its ratio to that of p = 1
)

// schemes are the shares p of packets that carry HPCC's digest.
var schemes = []comparison.Scheme{every, congestion.Share(16), congestion.Share(256)}

// every is p = 1: the PINT of Fig. 7.
var every = congestion.PINT

// name returns what a scheme is called here.
func name(s comparison.Scheme) string {
	if s.Name == every.Name {
		return "PINT, p = 1"
	}
	return s.Name
}

// load of the figure, %.
const load = 50

const us, ms = unit.Microsecond, unit.Millisecond

// The paper scale has the 200 ms of the published scripts for web search, and a quarter of it for
// Hadoop, whose flows are so much shorter that these are 850 000. It has one seed; sections of
// the arrivals give its intervals.
var scales = map[figure.Scale]congestion.Scale{
	figure.Smoke:  {Seeds: 1, Buckets: 10, Web: []unit.Time{30 * us, 60 * us}, Hadoop: []unit.Time{5 * us, 10 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 20, Web: []unit.Time{1 * ms, 3 * ms}, Hadoop: []unit.Time{500 * us, 1 * ms}, Steady: true},
	figure.Paper:  {Seeds: 1, Sections: 10, Buckets: 20, Web: []unit.Time{200 * ms}, Hadoop: []unit.Time{50 * ms}},
}

func measure(ctx context.Context, j *figure.Job, z congestion.Scale) ([]comparison.Row, error) {
	p := comparison.Plan{
		Entries: z.Entries(load, schemes), Seeds: j.SeedList(z.Seeds),
		Quantities: []comparison.Quantity{comparison.BySize(slowdowns, 0.95, z.Buckets)},
	}
	results, err := congestion.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	z.Footnote(j, load, len(p.Seeds))
	rows, err := results.Rows(comparison.All(slowdowns, changes))
	for i := range rows {
		rows[i].Scheme = name(comparison.Scheme{Name: rows[i].Scheme})
	}
	return rows, err
}

// full returns the rows of the longest runs of each workload. All changes are against p = 1.
func full(all []comparison.Row) []comparison.Row {
	rows := congestion.Longest(all)
	for i := range rows {
		if rows[i].Table == changes {
			rows[i].Against = name(every)
		}
	}
	return rows
}
