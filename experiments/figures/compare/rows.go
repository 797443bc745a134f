package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "size" for a bucket of flows, "size ratio" for one scheme over another
	// there, "measure" for a scheme as a whole, "ratio" for one over another.
	Table    string `col:"table"`
	Workload string `col:"workload"`
	Scheme   string `col:"scheme"`
	// Versus is the scheme that a ratio divides by.
	Versus  string  `col:"versus"`
	Measure string  `col:"measure"`
	Size    float64 `col:"size" unit:"B"`  // largest flow of a bucket
	Share   float64 `col:"share" unit:"%"` // of the flows, up to that size
	Value   float64 `col:"value"`          // mean over the seeds; times in s, goodput in b/s
	Lo      float64 `col:"lo"`             // 95 % interval over the seeds
	Hi      float64 `col:"hi"`
	Flows   int     `col:"flows"` // behind the value, in the seed that has the fewest
	Seeds   int     `col:"seeds"`
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

// outcome is what is left of the runs of a scheme.
type outcome struct {
	points [][]stats.Point // of each seed
	values [][]float64     // of each measure, of each seed
	flows  []int           // behind each measure, in the seed that has the fewest
}

// Measure makes the rows.
func Measure(ctx context.Context, j *figure.Job) (*plots.Table, error) {
	z := scales[j.Scale]
	seeds := j.SeedList(z.seeds)
	runs, err := j.Simulate(ctx, specs(z, seeds), free...)
	if err != nil {
		return nil, err
	}
	settings(j, &runs[0].Scenario)
	j.Footnote("320-server fat tree, load %g %%, %s, arrivals for %v (web search) and %v (Hadoop), payload 1000 B, 32 MB buffers; bars: 95 %% intervals over the seeds",
		100*runs[0].Scenario.Workload[0].Load, figure.Count(len(seeds), "seed"), runs[0].Scenario.Workload[0].Duration, runs[len(runs)-1].Scenario.Workload[0].Duration)
	var rows []Row
	for _, w := range workloads {
		found := make([]outcome, len(schemes))
		for i := range schemes {
			for range seeds {
				flows, err := runs[0].Flows()
				if err != nil {
					return nil, err
				}
				found[i].add(w, flows, &runs[0].Manifest.Summary)
				runs = runs[1:]
			}
		}
		some, err := w.rows(found)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		rows = append(rows, some...)
	}
	return figure.Encode(rows)
}

// add takes over what a run of one more seed amounts to.
func (o *outcome) add(w workload, flows *store.Flows, s *store.Summary) {
	points, _ := stats.Points(flows, stats.Everything())
	if o.points == nil {
		o.values, o.flows = make([][]float64, len(measured)), make([]int, len(measured))
	}
	for m, what := range measured {
		v, n := what.of(w, flows, s)
		if len(o.points) == 0 || n < o.flows[m] {
			o.flows[m] = n
		}
		o.values[m] = append(o.values[m], v)
	}
	o.points = append(o.points, points)
}

// rows are the rows of a workload.
func (w workload) rows(found []outcome) ([]Row, error) {
	var rows []Row
	curves := make([][]figure.SizeRow, len(found))
	bucketRows := func(table, scheme, versus string, curve []figure.SizeRow) {
		for _, b := range curve {
			rows = append(rows, Row{
				Table: table, Workload: w.Name, Scheme: scheme, Versus: versus, Measure: p95,
				Size: b.Size, Share: b.Share, Value: b.Value, Lo: b.Lo, Hi: b.Hi, Flows: b.Flows, Seeds: len(found[0].points),
			})
		}
	}
	for i, o := range found {
		curve, err := figure.BySize(o.points, buckets, 0.95)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", schemes[i].Name, err)
		}
		curves[i] = curve
		bucketRows(bySize, schemes[i].Name, "", curve)
	}
	change, err := figure.Over(curves[place(hpccPINT)], curves[place(hpccINT)])
	if err != nil {
		return nil, err
	}
	bucketRows(sizeRatios, hpccPINT.Name, hpccINT.Name, change)
	for m, what := range measured {
		for i, o := range found {
			if o.flows[m] == 0 {
				continue // some seed has no such flow
			}
			iv, err := stats.Mean(o.values[m], figure.Level)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", schemes[i].Name, what.name, err)
			}
			r := Row{Table: measures, Workload: w.Name, Scheme: schemes[i].Name, Measure: what.name, Size: math.NaN(), Share: math.NaN(), Flows: o.flows[m], Seeds: len(o.points)}
			r.Value, r.Lo, r.Hi = figure.Ends(iv)
			rows = append(rows, r)
		}
	}
	for _, p := range pairs {
		for m, what := range measured {
			a, b := found[place(p[0])], found[place(p[1])]
			if !what.compared || a.flows[m] == 0 {
				continue
			}
			iv, err := stats.PairedRatio(a.values[m], b.values[m], figure.Level)
			if err != nil {
				return nil, fmt.Errorf("%s over %s, %s: %w", p[0].Name, p[1].Name, what.name, err)
			}
			r := Row{Table: ratios, Workload: w.Name, Scheme: p[0].Name, Versus: p[1].Name, Measure: what.name, Size: math.NaN(), Share: math.NaN(), Flows: a.flows[m], Seeds: len(a.points)}
			r.Value, r.Lo, r.Hi = figure.Ends(iv)
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// place is the index of a scheme.
func place(s congestion.Scheme) int {
	return slices.IndexFunc(schemes, func(o congestion.Scheme) bool { return o.Name == s.Name })
}
