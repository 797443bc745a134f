package fig11

import (
	"context"
	"errors"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/measure/decode"
	"pintlab/experiments/measure/observe"
	"pintlab/experiments/measure/truth"
	"pintlab/experiments/results/stats"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "slowdown" and "change" (by flow size), "latency" (errors of quantiles),
	// "path" (packets until it is known, of long flows), "known" (share of the flows whose
	// path is known when they end, by their number of packets), or "plan" (the frequencies
	// that a plan gives to a query).
	Table    string  `col:"table"`
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Measure  string  `col:"measure"`
	Size     float64 `col:"size" unit:"B"`  // slowdown, change: the largest flow of the bucket
	Share    float64 `col:"share" unit:"%"` // of the flows, up to that size
	Quantile float64 `col:"quantile"`       // latency
	From     int     `col:"packets_from"`   // known: of the flow
	To       int     `col:"packets_to"`     // 0: no end
	Value    float64 `col:"value"`
	Lo       float64 `col:"lo"` // 95 % interval
	Hi       float64 `col:"hi"`
	P99      float64 `col:"p99" unit:"packets"` // path
	Flows    int     `col:"flows"`
	Unknown  int     `col:"unknown"` // path: flows that ended before it was known
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	latencies = "latency"
	paths     = "path"
	known     = "known"
	plans     = "plan"
)

var nan = math.NaN()

func blank(table, workload, scheme, measure string) Row {
	return Row{Table: table, Workload: workload, Scheme: scheme, Measure: measure, Size: nan, Share: nan, Quantile: nan, Value: nan, Lo: nan, Hi: nan, P99: nan}
}

// quantiles of the latencies.
var quantiles = []float64{0.5, 0.99}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if err := observe.Fixed(j.Set, "seed", "telemetry.", "workload.0.duration", "workload.0.load"); err != nil {
		return nil, err
	}
	seeds := j.SeedList(z.seeds)
	base := congestion.Case{Workload: congestion.Hadoop, Scheme: alone, Load: load, Arrival: z.hadoop}
	var specs []campaign.Spec
	for _, seed := range seeds {
		specs = append(specs, base.Entry().Spec(seed))
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	congestion.Settings(j, &runs[0].Scenario)
	var theirs, ours [][]stats.Point
	for _, r := range runs {
		flows, err := r.Counted()
		if err != nil {
			return nil, err
		}
		points, _ := stats.Points(flows, stats.Everything())
		theirs = append(theirs, points)
	}
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 2 * len(seeds)})
	defer show.Close()
	var cases []campaign.Spec
	var of []congestion.Workload // of the cases
	for _, c := range []congestion.Case{
		{Workload: congestion.Hadoop, Scheme: combined, Load: load, Arrival: z.hadoop},
		{Workload: congestion.Web, Scheme: combined, Load: load, Arrival: z.web},
	} {
		for _, seed := range seeds {
			cases, of = append(cases, c.Entry().Spec(seed)), append(of, c.Workload)
		}
	}
	type result struct {
		points []stats.Point
		flows  []*truth.Flow
	}
	results := make([]result, len(cases))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(j.Campaign.Workers, 1))
	for i, c := range cases {
		group.Go(func() error {
			spec := c.With(j.Set...)
			sc, err := spec.Scenario()
			if err != nil {
				return err
			}
			task := show.Begin(spec.Label)
			defer task.End()
			r, flows, err := observe.Study(ctx, sc, observe.Config{Arms: arms(), Latency: z.packets, Quantiles: quantiles}, observe.Report(task))
			if err != nil {
				return fmt.Errorf("%s: %w", spec.Label, err)
			}
			results[i].flows = flows
			results[i].points, _ = stats.Points(r.Flows, stats.Everything())
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	studied := map[string][]*truth.Flow{}
	for i, w := range of {
		studied[w.Name] = append(studied[w.Name], results[i].flows...)
		if w == congestion.Hadoop {
			ours = append(ours, results[i].points)
		}
	}
	rows, err := slowdownRows(ours, theirs, z.buckets)
	if err != nil {
		return nil, err
	}
	for _, w := range []congestion.Workload{congestion.Hadoop, congestion.Web} {
		more, err := studyRows(w.Name, studied[w.Name], z)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	more, err := planRows()
	if err != nil {
		return nil, err
	}
	j.Setting("combined plan", "PINT §6.4", "path on all packets, latency on 15/16 of them, HPCC on 1/16; 8 bits each, of the path as two hashes of 4 bits")
	j.Setting("alone", "PINT §6.4", "HPCC: 8 bits on every packet, in 2 bytes; path: 2×(b=8); latency: 16 bits")
	j.Setting("path", "", "hybrid scheme for 5 hops; every one of the 56 switches is a candidate at every hop")
	j.Footnote("320-server fat tree, Hadoop at %d %% load, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals", load, figure.Count(len(seeds), "seed"), z.hadoop)
	return append(rows, more...), nil
}

func slowdownRows(ours, theirs [][]stats.Point, buckets int) ([]Row, error) {
	var rows []Row
	add := func(table, scheme string, curve []stats.Measured) {
		for _, b := range curve {
			r := blank(table, congestion.Hadoop.Name, scheme, "p95 slowdown")
			r.Size, r.Share, r.Value, r.Lo, r.Hi, r.Flows = b.Size, b.Share, b.Value, b.Lo, b.Hi, b.Flows
			rows = append(rows, r)
		}
	}
	a, err := stats.BySize(ours, buckets, 0.95)
	if err != nil {
		return nil, err
	}
	b, err := stats.BySize(theirs, buckets, 0.95)
	if err != nil {
		return nil, err
	}
	over, err := stats.Over(a, b)
	if err != nil {
		return nil, err
	}
	add(slowdowns, combined.Name, a)
	add(slowdowns, alone.Name, b)
	add(changes, combined.Name, over)
	return rows, nil
}

// studyRows are what the arms made of the flows of a workload.
func studyRows(workload string, flows []*truth.Flow, z scale) ([]Row, error) {
	var rows []Row
	at := map[string]int{}
	for a, arm := range arms() {
		at[arm.Name] = a
		if arm.Name == armLatency { // of the others each has a path
			continue
		}
		more, err := pathRows(workload, arm.Name, flows, a, z.packets)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for _, e := range errorsOf {
		for _, q := range quantiles {
			var ours, theirs []float64 // of the flows for which both say something
			for _, f := range flows {
				a, okA := errorOf(f, at[armCombined], q, e.least)
				b, okB := errorOf(f, at[armLatency], q, e.least)
				if okA && okB {
					ours, theirs = append(ours, a), append(theirs, b)
				}
			}
			if len(ours) == 0 {
				continue
			}
			add := func(scheme string, iv stats.Interval, err error) error {
				r := blank(latencies, workload, scheme, e.measure)
				r.Quantile, r.Flows = q, len(ours)
				r.Value, r.Lo, r.Hi = stats.Ends(iv)
				rows = append(rows, r)
				return err
			}
			mean := func(v []float64) (stats.Interval, error) { return stats.Mean(v, stats.Level) }
			a, errA := mean(ours)
			b, errB := mean(theirs)
			d, errD := stats.PairedDifference(ours, theirs, stats.Level)
			if err := errors.Join(add(armCombined, a, errA), add(armLatency, b, errB), add(difference, d, errD)); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// difference is the scheme of rows of what the combined plan errs more, flow by flow.
const difference = "combined minus alone"

// errorsOf are the measures of the errors of latencies. Those below the least one count as
// that: 1 ns is the smallest code; a packet takes 84 ns to be sent at 100 Gb/s, so that a
// wait below 100 ns is hardly one. Half of the medians are below, and errors relative to
// some nanoseconds have so long a tail that their mean decides nothing.
var errorsOf = []struct {
	measure string
	least   unit.Time
}{{"relative error", unit.Nanosecond}, {ofWaits, 100 * unit.Nanosecond}}

// ofWaits is the measure that the claims are about.
const ofWaits = "relative error, 100 ns or more"

// errorOf is the error of a quantile, the mean over the hops of a flow.
func errorOf(f *truth.Flow, arm int, quantile float64, least unit.Time) (float64, bool) {
	sum, n := 0.0, 0
	for _, e := range f.Latency {
		if e.Arm == arm && e.Quantile == quantile && !e.Missing {
			e.Want, e.Got = max(e.Want, least), max(e.Got, least)
			sum += e.Error()
			n++
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

// pathRows are the packets until the path is known, and how many flows end before.
func pathRows(workload, arm string, flows []*truth.Flow, a, packets int) ([]Row, error) {
	dist := &decode.Distribution{}
	row := blank(paths, workload, arm, "packets until the path is known")
	for _, f := range flows {
		switch {
		case f.Packets < packets:
		case f.Known[a] == 0:
			row.Unknown++
			dist.AddFailure()
		default:
			dist.Add(f.Known[a])
		}
	}
	var rows []Row
	if n := dist.Runs() - dist.Failed(); n > 1 {
		row.Value, row.Flows = dist.Mean(), dist.Runs()
		row.Lo, row.Hi = row.Value-dist.HalfWidth(), row.Value+dist.HalfWidth()
		if q := dist.Quantile(0.99); q > 0 {
			row.P99 = float64(q)
		}
		rows = append(rows, row)
	}
	for _, k := range observe.KnownAtEnd(flows, a) {
		r := blank(known, workload, arm, "path known when the flow ends")
		r.From, r.To, r.Flows, r.Value, r.Lo, r.Hi = k.From, k.To, k.Flows, k.Share, k.Lo, k.Hi
		rows = append(rows, r)
	}
	return rows, nil
}

// planRows are the frequencies of the PINT paper's plan and of the one that the engine
// finds.
func planRows() ([]Row, error) {
	var rows []Row
	for _, p := range []struct {
		name string
		spec query.Spec
	}{{"as PINT §6.4 has it", query.CombinedByHand()}, {"as the engine finds it", query.Combined()}} {
		plan, err := query.Compile(p.spec)
		if err != nil {
			return nil, err
		}
		for i := range plan.Queries {
			r := blank(plans, "", p.name, plan.Queries[i].Name)
			r.Value = plan.Frequency(i).Float64()
			rows = append(rows, r)
		}
	}
	return rows, nil
}
