package pint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
	"pintlab/pint/trace"
	"pintlab/plots/report"
)

// Fig11 is Figure 11 of PINT (§6.4). It runs path tracing, latency quantiles and HPCC at the same time, in 16 bits on
// each packet, and compares each application with a run of the application alone.
//
// In the PINT paper, the path is in all packets, latency in 15/16 of them, and HPCC in 1/16, with 8 bits each. The
// paper compares this plan with each application alone, in 16 bits. Errors of median latencies grow by 0.7 %. Short
// flows are 6.6 % slower, but long flows are not slower. Paths take 0.5 % more packets than with 2×(b=8).
//
// We run the combined plan in the simulator, where HPCC reads its part of the digests. We also run HPCC alone, with
// the same flows and paths. For path tracing alone and latency quantiles alone, we compute the digests of the same
// packets from the values that the switches observe. There are three further kinds of rows: the plan that our engine
// finds for the same requests; a decoder that knows the network and reads the same digests; and the share of the
// flows whose path is known before the flow ends, also under web search (`pintlab pint flows` prints this share for
// any scenario).
//
// The PINT paper does not define the 0.7 %. We read this number literally: as a difference of relative errors, in
// percentage points. Other readings count latencies below 100 ns as 100 ns, or include the time through an empty
// switch as in Fig. 9 (in separate runs), or divide the increase by the error of the query alone.
var Fig11 = figure.Of[queryScale, queryRow]{
	Name: "pint/fig11", Files: files,
	Columns: fig11Columns,
	Scales: map[figure.Scale]queryScale{
		figure.Smoke:  {1, 10, 10 * us, 20 * us, 50, 1000, 1, 10 * us},
		figure.Laptop: {20, 20, 300 * us, 200 * us, 200, 50_000, 4, 2 * ms},
		figure.Paper:  {6, 20, 20 * ms, 5 * ms, 200, 1_000_000, 4, 2 * ms},
	},
	Measure: measureQueries,
	Check:   checkQueries,
	Ours: map[string]figure.Ours[queryRow]{
		"short flows": func(rows []queryRow, _ *figure.Published, _ *report.Compared) stats.Number {
			return slower(rows, 0, 50)
		},
		"long flows": func(rows []queryRow, _ *figure.Published, _ *report.Compared) stats.Number {
			return slower(rows, 90, 100)
		},
		"points": func(rows []queryRow, p *figure.Published, c *report.Compared) stats.Number {
			more := medianError(rows, difference, p.Panel)
			c.Over = figure.Count(more.Flows, "flow")
			return more.Times(100)
		},
		"share": func(rows []queryRow, p *figure.Published, c *report.Compared) stats.Number {
			more := medianError(rows, difference, p.Panel)
			c.Over = figure.Count(more.Flows, "flow")
			return more.Ratio(medianError(rows, armLatency, p.Panel).Number).Times(100)
		},
		"packets": func(rows []queryRow, _ *figure.Published, _ *report.Compared) stats.Number {
			return packetsOf(rows, armCombined).Ratio(packetsOf(rows, armPath).Number).Percent()
		},
		"half the bits": func(rows []queryRow, p *figure.Published, c *report.Compared) stats.Number {
			more := figure.Find(rows, func(r *queryRow) bool { return r.Table == halves && r.Scheme == p.Scheme })
			if more == nil {
				return stats.None()
			}
			c.Over = figure.Count(more.Flows, "run")
			return more.Percent()
		},
	},
	Tables: queryTables,
	Draw:   drawQueries,
}.Figure()

var fig11Columns = columns.View{"table", "workload", "scheme", "measure", "size", "share", "quantile", "packets_from",
	"packets_to", "value", "lo", "hi", "p99", "flows", "unknown"}

// queryRow is a line of rows.csv.
type queryRow struct {
	// Table is "slowdown" or "change" (by flow size), "latency" (errors of quantiles), "path" (packets until the path
	// of a long flow is known), "known" (share of the flows whose path is known when the flow ends, by number of
	// packets), "plan" (frequencies of the queries in a plan), or "half the bits".
	Table    string `col:"table"`
	Workload string `col:"workload"`
	Scheme   string `col:"scheme"`
	Measure  string `col:"measure"`
	stats.Sized
	Quantile float64 `col:"quantile"`           // latency
	From     int     `col:"packets_from"`       // in known: smallest number of packets of a flow
	To       int     `col:"packets_to"`         // in known: largest number; 0: no limit
	P99      float64 `col:"p99" unit:"packets"` // path
	Unknown  int     `col:"unknown"`            // in path: number of flows that ended before their path was known
}

// The tables of the rows, with slowdowns and changes.
const (
	latencies = "latency"
	paths     = "path"
	known     = "known"
	plans     = "plan"
	halves    = "half the bits" // packets with only one of two hashes of a hop, divided by packets with both hashes
)

func rowOfQuery(table, workload, scheme, measure string, m stats.Number) queryRow {
	r := columns.Blank[queryRow]()
	r.Table, r.Workload, r.Scheme, r.Measure, r.Number = table, workload, scheme, measure, m
	return r
}

// queryScale contains the settings of a scale.
type queryScale struct {
	seeds       int
	buckets     int
	hadoop, web unit.Time // arrivals
	packets     int       // least number of packets of a flow whose path and latencies are compared
	runs        int       // runs of the rows about half the bits
	delayed     int       // seeds of the rows with the time through an empty switch
	delayedFor  unit.Time // arrivals in the runs for these rows, with Hadoop
}

func (z queryScale) String() string {
	return fmt.Sprintf("%s, arrivals for %v (Hadoop) and %v (web search); with %v through an empty switch %s, "+
		"arrivals for %v; paths and latencies of flows of %d packets or more",
		figure.Count(z.seeds, "seed"), z.hadoop, z.web, pipeline, figure.Count(z.delayed, "seed"), z.delayedFor,
		z.packets)
}

// The schemes for which slowdowns are measured. Both have two bytes on each packet.
var (
	combined = study.Scheme{Name: "combined", Set: []string{"telemetry.kind=pint", "telemetry.plan=combined"}}
	alone    = study.Scheme{Name: "HPCC alone", Set: []string{"telemetry.kind=pint", "telemetry.wire_bytes=2B"}}
)

// The names of the compared plans. Each has one query or several.
const (
	armCombined = "combined"
	armOneHash  = "combined, one hash of 8 bits"
	armTopology = "combined, decoder knows the network"
	armPath     = "path alone, 2×(b=8)"
	armLatency  = "latency alone, b = 16"
)

// arms returns the plans that are computed for the packets of the combined run. A query alone has twice as many bits
// as in the combined plan. It also has twice the space, so that the number of stored digests is the same. The plan
// with one hash of 8 bits traces paths like the program p4/src/pint_combined.p4.
func arms() []pint.Plan {
	return []pint.Plan{
		{Name: armCombined},
		{Name: armTopology, Topology: true},
		{Name: armOneHash, Spec: single(8, query.PathQuery(8, 1, 1000*unit.Byte))},
		{Name: armPath, Spec: single(16, query.PathQuery(16, 2, 2*unit.KB))},
		{Name: armLatency, Spec: single(16, query.LatencyQuery(16, 2*unit.KB))},
	}
}

// delayedArms returns the plans with latency quantiles, combined and alone. Their latencies include the time through
// an empty switch.
func delayedArms() []pint.Plan {
	q := query.LatencyQuery(8, 1000*unit.Byte)
	q.Frequency = query.Share(15, 16)
	return []pint.Plan{
		{Name: armCombined, Spec: single(8, q), Pipeline: pipeline},
		{Name: armLatency, Spec: single(16, query.LatencyQuery(16, 2*unit.KB)), Pipeline: pipeline},
	}
}

// single returns a plan with a single query.
func single(bits int, q query.Query) *query.Spec {
	return &query.Spec{Bits: bits, Hops: maxHops, HashBits: 16, Queries: []query.Query{q}}
}

func measureQueries(ctx context.Context, j *figure.Job, z queryScale) ([]queryRow, error) {
	if err := j.Fixed("seed", "faults", "telemetry.", "workload.0.duration", "workload.0.load"); err != nil {
		return nil, err
	}
	s := study.Study{Seeds: j.SeedList(z.seeds), Cells: []study.Cell{z.cell(pint.Hadoop, alone, z.hadoop)}}
	for i, w := range workloadsOfQueries {
		arrival := []unit.Time{z.hadoop, z.web}[i]
		s.Cells = append(s.Cells, z.followed(j, w, arrival, arms()))
	}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	pint.Settings(j, results.Scenario(s.Cells[0]))
	var ours, theirs [][]stats.Point
	for _, r := range results.Runs(s.Cells[0]) {
		flows, err := r.Counted()
		if err != nil {
			return nil, err
		}
		points := stats.Points(flows, stats.Everything())
		theirs = append(theirs, points)
	}
	for _, f := range study.Made[followed](results, s.Cells[1]) {
		ours = append(ours, f.points)
	}
	rows, err := z.slowdowns(ours, theirs)
	if err != nil {
		return nil, err
	}
	for i, w := range workloadsOfQueries {
		var flows []*pint.Flow
		for _, f := range study.Made[followed](results, s.Cells[1+i]) {
			flows = append(flows, f.flows...)
		}
		rows = append(rows, z.paths(w.Name, flows)...)
		more, err := latencyErrors(w.Name, flows, arms(), errorsOf)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	delayed, err := z.delayedErrors(ctx, j)
	if err != nil {
		return nil, err
	}
	more, err := frequencies()
	if err != nil {
		return nil, err
	}
	half, err := z.halfTheBits(ctx, j)
	if err != nil {
		return nil, err
	}
	more = slices.Concat(delayed, more, half)
	j.Setting("combined plan", "PINT §6.4", "path on all packets, latency on 15/16 of them, HPCC on 1/16; "+
		"8 bits each, of the path as two hashes of 4 bits")
	j.Setting("alone", "PINT §6.4", "HPCC: 8 bits on every packet, in 2 bytes; path: 2×(b=8); latency: 16 bits")
	j.Setting("path", "", "hybrid scheme for 5 hops; every one of the 56 switches is a candidate at every hop")
	j.Footnote("320-server fat tree, Hadoop at %d %% load, %s, arrivals for %v, then until all flows have finished; "+
		"bars: 95 %% intervals", load, figure.Count(len(s.Seeds), "seed"), z.hadoop)
	return append(rows, more...), nil
}

// workloadsOfQueries lists the workloads in the order of the rows.
var workloadsOfQueries = []pint.Workload{pint.Hadoop, pint.Web}

// cell returns the simulations of a scheme.
func (z queryScale) cell(w pint.Workload, s study.Scheme, arrival unit.Time) study.Cell {
	return pint.Case{Workload: w, Scheme: s, Load: load, Arrival: arrival}.Cell()
}

// followed returns simulations of the combined plan, for whose packets the other plans are also computed.
func (z queryScale) followed(j *figure.Job, w pint.Workload, arrival unit.Time, plans []pint.Plan) study.Cell {
	c := pint.FollowConfig{Plans: plans, Latency: z.packets, Quantiles: quantiles}
	return study.Watched(z.cell(w, combined, arrival), j.Set,
		func(ctx context.Context, sc scenario.Scenario, show study.Progress) (followed, error) {
			r, flows, _, err := pint.Follow(ctx, sc, c, show)
			if err != nil {
				return followed{}, err
			}
			return followed{flows, stats.Points(r.Flows, stats.Everything())}, nil
		})
}

// delayedErrors returns the errors of latencies that include the time through an empty switch.
func (z queryScale) delayedErrors(ctx context.Context, j *figure.Job) ([]queryRow, error) {
	cell := z.followed(j, pint.Hadoop, z.delayedFor, delayedArms())
	s := study.Study{Seeds: j.SeedList(z.delayed), Cells: []study.Cell{cell}}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	var flows []*pint.Flow
	for _, f := range study.Made[followed](results, cell) {
		flows = append(flows, f.flows...)
	}
	return latencyErrors(pint.Hadoop.Name, flows, delayedArms(), []latencyError{{ofSwitches, unit.Nanosecond}})
}

// followed contains the flows of a run of the combined plan, and their slowdowns.
type followed struct {
	flows  []*pint.Flow
	points []stats.Point
}

// slowdowns returns the rows of HPCC in the combined plan and alone.
func (z queryScale) slowdowns(ours, theirs [][]stats.Point) (rows []queryRow, err error) {
	a, errA := stats.BySize(ours, z.buckets, 0.95)
	b, errB := stats.BySize(theirs, z.buckets, 0.95)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	change, err := stats.Over(a, b)
	for _, x := range []struct {
		table, scheme string
		curve         []stats.Sized
	}{{slowdowns, combined.Name, a}, {slowdowns, alone.Name, b}, {changes, combined.Name, change}} {
		for _, bucket := range x.curve {
			r := rowOfQuery(x.table, pint.Hadoop.Name, x.scheme, "p95 slowdown", bucket.Number)
			r.Size, r.Share = bucket.Size, bucket.Share
			rows = append(rows, r)
		}
	}
	return rows, err
}

// difference is the scheme of rows that contain the error with the combined plan minus the error with the query
// alone, flow by flow.
const difference = "combined minus alone"

// errorsOf lists the measures of the errors of latencies. A latency below the floor of a measure counts as the floor.
// The floor of 1 ns is the smallest code. The reason for the floor of 100 ns is that a shorter wait hardly matters:
// the transmission of a packet takes 84 ns at 100 Gb/s. Half of the medians are below 100 ns. Errors relative to a
// few nanoseconds have such a long tail that their mean decides nothing.
var errorsOf = []latencyError{{"relative error", unit.Nanosecond}, {ofWaits, 100 * unit.Nanosecond}}

// latencyError is a measure of the errors of latencies.
type latencyError struct {
	measure string
	least   unit.Time
}

// ofWaits is the measure with a floor of 100 ns. ofSwitches is the measure of latencies that include the time through
// an empty switch.
const (
	ofWaits    = "relative error, 100 ns or more"
	ofSwitches = "relative error, 500 ns through an empty switch"
)

// latencyErrors returns the errors of latency quantiles with the combined plan and alone, for flows for which both
// plans have an estimate.
func latencyErrors(
	workload string, flows []*pint.Flow, plans []pint.Plan, measures []latencyError,
) (rows []queryRow, err error) {
	at := map[string]int{}
	for a, arm := range plans {
		at[arm.Name] = a
	}
	for _, e := range measures {
		for _, q := range quantiles {
			var ours, theirs []float64
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
			a, errA := stats.Mean(ours, stats.Level)
			b, errB := stats.Mean(theirs, stats.Level)
			d, errD := stats.PairedDifference(ours, theirs, stats.Level)
			if err := errors.Join(errA, errB, errD); err != nil {
				return nil, err
			}
			for _, x := range []struct {
				scheme string
				stats.Number
			}{{armCombined, a.Within(0, math.Inf(1))}, {armLatency, b.Within(0, math.Inf(1))}, {difference, d}} {
				r := rowOfQuery(latencies, workload, x.scheme, e.measure, x.Number)
				r.Quantile, r.Flows = q, len(ours)
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

// errorOf returns the error of a quantile for a flow, as a mean over the flow's hops. It reports false if no hop has
// an estimate.
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

// paths returns the rows of all plans with path tracing: the packets until the path is known, and the share of the
// flows whose path is known when they end.
func (z queryScale) paths(workload string, flows []*pint.Flow) (rows []queryRow) {
	for a, arm := range arms() {
		if arm.Name == armLatency {
			continue
		}
		dist := &pint.Distribution{}
		row := rowOfQuery(paths, workload, arm.Name, "packets until the path is known", stats.None())
		for _, f := range flows {
			switch {
			case f.Packets < z.packets:
			case f.Known[a] == 0:
				row.Unknown++
				dist.AddFailure()
			default:
				dist.Add(f.Known[a])
			}
		}
		if dist.Runs()-dist.Failed() > 1 {
			row.Number = stats.Around(dist.Mean(), dist.HalfWidth())
			row.Number.Flows = dist.Runs()
			if q := dist.Quantile(0.99); q > 0 {
				row.P99 = float64(q)
			}
			rows = append(rows, row)
		}
		for _, k := range pint.KnownAtEnd(flows, a) {
			r := rowOfQuery(known, workload, arm.Name, "path known when the flow ends",
				stats.Number{Value: k.Share, Lo: k.Lo, Hi: k.Hi, Flows: k.Flows})
			r.From, r.To = k.From, k.To
			rows = append(rows, r)
		}
	}
	return rows
}

// halfTheBits returns the number of packets that a path takes with one hash of 8 bits, divided by the number with two
// hashes of the same hop. The paths are the longest of the fat tree. The candidates are the switches of the path.
func (z queryScale) halfTheBits(ctx context.Context, j *figure.Job) (rows []queryRow, err error) {
	g, err := schema.Default[topo.PINTFatTree]().Build()
	if err != nil {
		return nil, err
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return nil, err
	}
	s := pint.PathStudy{
		Topology: "fat tree of 320 servers", Map: m, Ends: trace.HostSwitches(g), Curves: pint.OneHop(maxHops),
		Lengths: []int{maxHops}, Trials: pint.Trials{Seed: j.Seed, Runs: z.runs},
	}
	list, err := s.Run(ctx, j)
	for i := 0; i+1 < len(list); i += 2 {
		both, one := &list[i], &list[i+1]
		_, decoder, _ := strings.Cut(one.Method, "bits, ")
		more := stats.Around(one.Mean, float64(one.Half)).Ratio(stats.Around(both.Mean, float64(both.Half)))
		more.Flows = one.Runs
		const measure = "packets with 8 bits over 16, both of the same hop"
		rows = append(rows, rowOfQuery(halves, "", decoder, measure, more))
	}
	return rows, err
}

// frequencies returns the frequencies of the queries in the PINT paper's plan, and in the plan that our engine finds.
func frequencies() (rows []queryRow, err error) {
	for _, p := range []struct {
		name string
		spec query.Spec
	}{{"as PINT §6.4 has it", query.CombinedByHand()}, {"as the engine finds it", query.Combined()}} {
		plan, err := query.Compile(p.spec)
		if err != nil {
			return nil, err
		}
		for i := range plan.Queries {
			rows = append(rows, rowOfQuery(plans, "", p.name, plan.Queries[i].Name,
				stats.Alone(plan.Frequency(i).Float64())))
		}
	}
	return rows, nil
}
