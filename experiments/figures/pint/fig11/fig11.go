// Package fig11 is Figure 11 of PINT (§6.4): path tracing, latency quantiles and HPCC at
// the same time in 16 bits on each packet, against each of them alone.
//
// The PINT paper runs the path on all packets, latency beside it on 15/16 and HPCC on 1/16
// of them, 8 bits each, and compares with each application alone with 16 bits: the error
// of median latencies grows by 0.7 %, short flows are 6.6 % slower and long ones are not,
// and paths take 0.5 % more packets than with 2×(b=8).
//
// Ours run the combined plan in the simulator, HPCC reading its part of the digests, and
// HPCC alone on the same flows and paths. What path tracing and latency quantiles would
// have been alone is worked out for the very same packets from what the switches saw.
// Beside it: the plan that our engine finds for the same requests, the decoder that knows
// the network on the same digests, and the share of the flows whose path is known before
// they end, also on web search (pintlab pint flows has this for any scenario).
//
// The PINT paper does not say of what the 0.7 % are. In its own words we compare the relative errors as they are, in
// points. Latencies below 100 ns counted as 100 ns, and the increase relative to the error alone, are other readings.
//
// docs/claims.md has what the paper scale gives, made from paper.csv beside this file.
package fig11

import (
	"context"
	_ "embed" // for known.csv
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/measure/pint"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// Figure is Fig. 11.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig11",
	Title:  "Three queries at once",
	Source: "PINT §6.4, Fig. 11",
	Claim: "Three queries in 16 bits perform close to each of them alone: short flows are a little slower, " +
		"long ones are not; " +
		"median latencies and paths take hardly more.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// fewerBits is why paths take more packets in the combined plan.
var fewerBits = figure.Known(knownText, "bits of the path", fewerBitsWhy)

//go:embed known.csv
var knownText string

const fewerBitsWhy = "The combined plan gives the path 8 bits of a packet, as two hashes of 4 bits, alone it has 16. " +
	"Half of the bits can only do with 0.5 % more packets if the number of packets is not decided by the bits but by " +
	"which hops they carry. Even the artifact's decoder, which chooses among the five switches of the true path " +
	"alone, needs a fifth more; ours chooses among all 56."

// shortRuns is why short flows lose less than printed.
var shortRuns = figure.Known(knownText, "length of the runs", "The loss of short flows grows with the length of the "+
	"runs, which the PINT paper does not print: ours have arrivals for a fraction of a millisecond at the laptop "+
	"scale, for 20 ms at the paper scale.").String()

var why = []string{
	fewerBitsWhy,
	shortRuns,
	smallMedians,
}

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

func blank(table, workload, scheme, measure string) Row {
	r := columns.Blank[Row]()
	r.Table, r.Workload, r.Scheme, r.Measure = table, workload, scheme, measure
	return r
}

// quantiles of the latencies.
var quantiles = []float64{0.5, 0.99}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if err := j.Fixed("seed", "faults", "telemetry.", "workload.0.duration", "workload.0.load"); err != nil {
		return nil, err
	}
	seeds := j.SeedList(z.seeds)
	base := congestion.Case{Workload: congestion.Hadoop, Scheme: alone, Load: load, Arrival: z.hadoop}
	specs := lists.Map(seeds, func(seed uint64) campaign.Spec { return base.Entry().Spec(seed) })
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
	show := j.Progress(2 * len(seeds))
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
		flows  []*pint.Flow
	}
	results := make([]result, len(cases))
	if err := lists.Each(ctx, j.Campaign.Workers, len(cases), func(ctx context.Context, i int) error {
		spec := cases[i].With(j.Set...)
		sc, err := spec.Scenario()
		if err != nil {
			return err
		}
		task := show.Begin(spec.Label)
		defer task.End()
		r, flows, _,
			err := pint.Follow(ctx, sc, pint.FollowConfig{Plans: arms(), Latency: z.packets, Quantiles: quantiles},
			study.Report(task))
		if err != nil {
			return fmt.Errorf("%s: %w", spec.Label, err)
		}
		results[i].flows = flows
		results[i].points, _ = stats.Points(r.Flows, stats.Everything())
		return nil
	}); err != nil {
		return nil, err
	}
	studied := map[string][]*pint.Flow{}
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
	j.Setting("combined plan", "PINT §6.4", "path on all packets, latency on 15/16 of them, HPCC on 1/16; "+
		"8 bits each, of the path as two hashes of 4 bits")
	j.Setting("alone", "PINT §6.4", "HPCC: 8 bits on every packet, in 2 bytes; path: 2×(b=8); latency: 16 bits")
	j.Setting("path", "", "hybrid scheme for 5 hops; every one of the 56 switches is a candidate at every hop")
	j.Footnote("320-server fat tree, Hadoop at %d %% load, %s, arrivals for %v, then until all flows have finished; "+
		"bars: 95 %% intervals", load, figure.Count(len(seeds), "seed"), z.hadoop)
	return append(rows, more...), nil
}

func slowdownRows(ours, theirs [][]stats.Point, buckets int) ([]Row, error) {
	var rows []Row
	add := func(table, scheme string, curve []stats.Sized) {
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

// studyRows returns the rows of the arms for the flows of a workload.
func studyRows(workload string, flows []*pint.Flow, z scale) ([]Row, error) {
	var rows []Row
	at := map[string]int{}
	for a, arm := range arms() {
		at[arm.Name] = a
		if arm.Name == armLatency { // of the others each has a path
			continue
		}
		rows = append(rows, pathRows(workload, arm.Name, flows, a, z.packets)...)
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
			add := func(scheme string, m stats.Number, err error) error {
				r := blank(latencies, workload, scheme, e.measure)
				r.Quantile, r.Flows = q, len(ours)
				r.Value, r.Lo, r.Hi = m.Value, m.Lo, m.Hi
				rows = append(rows, r)
				return err
			}
			mean := func(v []float64) (stats.Number, error) {
				m, err := stats.Mean(v, stats.Level)
				return m.Within(0, math.Inf(1)), err
			}
			a, errA := mean(ours)
			b, errB := mean(theirs)
			d, errD := stats.PairedDifference(ours, theirs, stats.Level)
			if err := errors.Join(add(armCombined, a, errA), add(armLatency, b, errB),
				add(difference, d, errD)); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// difference is the scheme of rows with the error of the combined plan less that of the query alone, flow by flow.
const difference = "combined minus alone"

// errorsOf are the measures of the errors of latencies. Those below the least one count as
// that: 1 ns is the smallest code; a packet takes 84 ns to be sent at 100 Gb/s, so that a
// wait below 100 ns is hardly one. Half of the medians are below, and errors relative to
// some nanoseconds have so long a tail that their mean decides nothing.
var errorsOf = []struct {
	measure string
	least   unit.Time
}{{"relative error", unit.Nanosecond}, {ofWaits, 100 * unit.Nanosecond}}

// ofWaits is the measure with the floor of 100 ns.
const ofWaits = "relative error, 100 ns or more"

// errorOf returns the error of a quantile, the mean over the hops of a flow.
func errorOf(f *pint.Flow, arm int, quantile float64, least unit.Time) (float64, bool) {
	sum, n := 0.0, 0
	for _, e := range f.Latency {
		if e.Plan == arm && e.Quantile == quantile && !e.Missing {
			e.Want, e.Got = max(e.Want, least), max(e.Got, least)
			sum += e.Error()
			n++
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

// pathRows returns the packets until the path is known, and how many flows end before.
func pathRows(workload, arm string, flows []*pint.Flow, a, packets int) []Row {
	dist := &pint.Distribution{}
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
	for _, k := range pint.KnownAtEnd(flows, a) {
		r := blank(known, workload, arm, "path known when the flow ends")
		r.From, r.To, r.Flows, r.Value, r.Lo, r.Hi = k.From, k.To, k.Flows, k.Share, k.Lo, k.Hi
		rows = append(rows, r)
	}
	return rows
}

// planRows returns the frequencies of the PINT paper's plan and of the one that the engine
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

// scale holds what the figure runs at one scale.
type scale struct {
	seeds       int
	buckets     int
	hadoop, web unit.Time // arrivals
	packets     int       // of a flow, after which paths and latencies are compared
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]scale{
	figure.Smoke:  {1, 10, 10 * us, 20 * us, 50},
	figure.Laptop: {20, 20, 300 * us, 200 * us, 200},
	figure.Paper:  {6, 20, 20 * ms, 5 * ms, 200},
}

func (z scale) String() string {
	return fmt.Sprintf("%s, arrivals for %v (Hadoop) and %v (web search); paths and latencies of flows of "+
		"%d packets or more",
		figure.Count(z.seeds, "seed"), z.hadoop, z.web, z.packets)
}

// load is the share of the server links that payload fills, %.
const load = 50

// The schemes of the slowdowns. Both have two bytes on each packet.
var (
	combined = study.Scheme{Name: "combined", Set: []string{"telemetry.kind=pint", "telemetry.plan=combined"}}
	alone    = study.Scheme{Name: "HPCC alone", Set: []string{"telemetry.kind=pint", "telemetry.wire_bytes=2B"}}
)

// The arms.
const (
	armCombined = "combined"
	armOneHash  = "combined, one hash of 8 bits"
	armTopology = "combined, decoder knows the network"
	armPath     = "path alone, 2×(b=8)"
	armLatency  = "latency alone, b = 16"
)

// oneHash returns the path query of the combined plan as p4/src/pint_combined.p4 has it: one
// hash of 8 bits.
func oneHash() *query.Spec {
	return &query.Spec{Bits: 8, Hops: 5, HashBits: 16, Queries: []query.Query{query.PathQuery(8, 1, 1000*unit.Byte)}}
}

// arms returns the plans that are followed on the packets of the combined run. Alone a query
// has twice the bits and, for as many digests, twice the space.
func arms() []pint.Plan {
	single := func(q query.Query) *query.Spec {
		return &query.Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []query.Query{q}}
	}
	return []pint.Plan{
		{Name: armCombined},
		{Name: armTopology, Topology: true},
		{Name: armOneHash, Spec: oneHash()},
		{Name: armPath, Spec: single(query.PathQuery(16, 2, 2*unit.KB))},
		{Name: armLatency, Spec: single(query.LatencyQuery(16, 2*unit.KB))},
	}
}
