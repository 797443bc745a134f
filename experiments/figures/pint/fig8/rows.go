package fig8

import (
	"context"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv: the 95th-percentile slowdown of a bucket of flows, or its
// ratio.
type Row struct {
	Table    string  `col:"table"` // "slowdown", or "change" against p = 1
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window
	stats.Measured
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
)

// schemes are the shares p of packets that carry HPCC's digest.
var schemes = []congestion.Scheme{every, congestion.Share(16), congestion.Share(256)}

// every is p = 1: the PINT of Fig. 7.
var every = congestion.PINT

// name is what a scheme is called here.
func name(s congestion.Scheme) string {
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

func measure(ctx context.Context, j *figure.Job, z congestion.Scale) ([]Row, error) {
	seeds := j.SeedList(z.Seeds)
	runs, err := congestion.Simulate(ctx, j, z.Cases(load, schemes, seeds))
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	z.Footnote(j, load, len(seeds))
	var rows []Row
	err = runs.Curves(z, load, schemes, seeds, func(c congestion.Case, change bool, m stats.Measured) {
		r := Row{Table: slowdowns, Workload: c.Workload.Name, Scheme: name(c.Scheme), Arrival: 1e3 * c.Arrival.Seconds(), Measured: m}
		if change {
			r.Table = changes
		}
		rows = append(rows, r)
	})
	return rows, err
}

// full keeps the rows of the longest runs of each workload.
func full(rows []Row) []Row {
	return congestion.Full(rows, func(r *Row) (string, float64) { return r.Workload, r.Arrival })
}
