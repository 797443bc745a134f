package fig8

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Row is a line of rows.csv: one bucket of flows.
type Row struct {
	Table    string  `col:"table"` // "slowdown", or "change" against p = 1
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window
	Size     float64 `col:"size" unit:"B"`      // largest flow of the bucket
	Share    float64 `col:"share" unit:"%"`     // of the flows, up to that size
	Value    float64 `col:"value"`              // 95th-percentile slowdown, or its ratio
	Lo       float64 `col:"lo"`                 // 95 % interval over the seeds
	Hi       float64 `col:"hi"`
	Flows    int     `col:"flows"` // in the bucket, in the seed that has the fewest
	Seeds    int     `col:"seeds"`
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
)

func measure(ctx context.Context, j *figure.Job) (*plots.Table, error) {
	z := scales[j.Scale]
	seeds := j.SeedList(z.seeds)
	runs, err := congestion.Simulate(ctx, j, cases(z, seeds))
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Footnote("320-server fat tree, load %d %%, %s, arrivals for %v (web search) and %v (Hadoop), then until all flows have finished; bars: 95 %% intervals over the seeds",
		load, figure.Count(len(seeds), "seed"), z.panels[0].full(), z.panels[1].full())
	var rows []Row
	for _, p := range z.panels {
		for _, arrival := range p.windows {
			some, err := panelRows(runs, p.workload, arrival, seeds, z.buckets)
			if err != nil {
				return nil, fmt.Errorf("%s, arrivals for %v: %w", p.workload.Name, arrival, err)
			}
			rows = append(rows, some...)
		}
	}
	return figure.Encode(rows)
}

// panelRows are the curves of a workload at one length of runs.
func panelRows(runs *congestion.Runs, w congestion.Workload, arrival unit.Time, seeds []uint64, buckets int) ([]Row, error) {
	var rows []Row
	add := func(table string, s congestion.Scheme, curve []figure.SizeRow) {
		for _, b := range curve {
			rows = append(rows, Row{
				Table: table, Workload: w.Name, Scheme: name(s), Arrival: 1e3 * arrival.Seconds(), Size: b.Size, Share: b.Share,
				Value: b.Value, Lo: b.Lo, Hi: b.Hi, Flows: b.Flows, Seeds: len(seeds),
			})
		}
	}
	var base []figure.SizeRow
	for _, s := range schemes {
		curve, err := runs.Curve(congestion.Case{Workload: w, Scheme: s, Load: load, Arrival: arrival}, seeds, buckets, 0.95)
		if err != nil {
			return nil, err
		}
		add(slowdowns, s, curve)
		if base == nil {
			base = curve
			continue
		}
		over, err := figure.Over(curve, base)
		if err != nil {
			return nil, err
		}
		add(changes, s, over)
	}
	return rows, nil
}
