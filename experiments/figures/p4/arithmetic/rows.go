package arithmetic

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "slowdown" or "change" (against exact) for a bucket of flows, "goodput" or
	// "gain" for the flows above 10 MB.
	Table      string  `col:"table"`
	Workload   string  `col:"workload"`
	Arithmetic string  `col:"arithmetic"`
	Form       string  `col:"form"` // of the update of U; empty for exact
	Bits       int     `col:"q"`    // tables have 2^q entries; 0 for exact
	Size       float64 `col:"size" unit:"B"`
	Share      float64 `col:"share" unit:"%"` // of the flows, up to that size
	Value      float64 `col:"value"`          // 95th-percentile slowdown, goodput in b/s, or a ratio
	Lo         float64 `col:"lo"`             // 95 % interval over the seeds
	Hi         float64 `col:"hi"`
	Flows      int     `col:"flows"` // behind the value, in the seed that has the fewest
	Seeds      int     `col:"seeds"`
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	goodputs  = "goodput"
	gains     = "gain"
)

func measure(ctx context.Context, j *figure.Job) (*plots.Table, error) {
	z := scales[j.Scale]
	seeds := j.SeedList(z.seeds)
	runs, err := congestion.Simulate(ctx, j, cases(z, seeds))
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Setting("tables", "PINT appendix C", "2^q entries for logarithms, as many for powers")
	j.Footnote("320-server fat tree, load %d %%, %s, arrivals for %v (web search) and %v (Hadoop), then until all flows have finished; bars: 95 %% intervals over the seeds",
		load, figure.Count(len(seeds), "seed"), z.web, z.hadoop)
	var rows []Row
	for _, p := range z.panels() {
		some, err := sizeRows(runs, p, seeds, z.buckets)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.workload.Name, err)
		}
		more, err := goodputRows(runs, p, seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.workload.Name, err)
		}
		rows = append(append(rows, some...), more...)
	}
	return figure.Encode(rows)
}

// sizeRows are slowdowns by flow size.
func sizeRows(runs *congestion.Runs, p panel, seeds []uint64, buckets int) ([]Row, error) {
	var rows []Row
	add := func(table string, a arithmetic, curve []figure.SizeRow) {
		for _, b := range curve {
			rows = append(rows, Row{
				Table: table, Workload: p.workload.Name, Arithmetic: a.name, Form: a.form, Bits: a.bits,
				Size: b.Size, Share: b.Share, Value: b.Value, Lo: b.Lo, Hi: b.Hi, Flows: b.Flows, Seeds: len(seeds),
			})
		}
	}
	var base []figure.SizeRow
	for _, a := range arithmetics() {
		curve, err := runs.Curve(congestion.Case{Workload: p.workload, Scheme: a.scheme, Load: load, Arrival: p.arrival}, seeds, buckets, 0.95)
		if err != nil {
			return nil, err
		}
		add(slowdowns, a, curve)
		if base == nil {
			base = curve
			continue
		}
		over, err := figure.Over(curve, base)
		if err != nil {
			return nil, err
		}
		add(changes, a, over)
	}
	return rows, nil
}

// goodputRows are the flows above 10 MB; none if a seed has no such flow, as with
// Hadoop, whose largest flows have 10 MB.
func goodputRows(runs *congestion.Runs, p panel, seeds []uint64) ([]Row, error) {
	var rows []Row
	var base []float64
	for _, a := range arithmetics() {
		r := Row{
			Workload: p.workload.Name, Arithmetic: a.name, Form: a.form, Bits: a.bits,
			Size: math.NaN(), Share: math.NaN(), Seeds: len(seeds), Flows: math.MaxInt,
		}
		var goodput []float64
		for _, seed := range seeds {
			l, err := runs.Long(congestion.Case{Workload: p.workload, Scheme: a.scheme, Load: load, Arrival: p.arrival, Seed: seed}, nil)
			if err != nil {
				return nil, err
			}
			if l.N == 0 {
				return nil, nil
			}
			goodput = append(goodput, l.Goodput)
			r.Flows = min(r.Flows, l.N)
		}
		iv, err := stats.Mean(goodput, figure.Level)
		if err != nil {
			return nil, err
		}
		r.Table = goodputs
		r.Value, r.Lo, r.Hi = figure.Ends(iv)
		rows = append(rows, r)
		if base == nil {
			base = goodput
			continue
		}
		if iv, err = stats.PairedRatio(goodput, base, figure.Level); err != nil {
			return nil, err
		}
		r.Table = gains
		r.Value, r.Lo, r.Hi = figure.Ends(iv)
		rows = append(rows, r)
	}
	return rows, nil
}
