package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/observe"
	"pintlab/internal/input"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/global"
	"pintlab/pint/latency"
	"pintlab/pint/loops"
	"pintlab/pint/query"
	"pintlab/pint/trace"
	"pintlab/plots"
)

func pintCommand(p *program) *cobra.Command {
	return group("pint", "Plan queries, trace paths, estimate latencies, find loops",
		`What PINT's queries need and give: execution plans, packets until a path is known,
errors of latency quantiles, false reports and delay of loop detection.`,
		pintPlan(p), pintTrace(p), pintFlows(p), pintLatency(p), pintLoops(p))
}

// planPresets are the query sets that have a name.
var planPresets = map[string]func() query.Spec{"combined": query.Combined, "combined-by-hand": query.CombinedByHand}

func pintPlan(p *program) *cobra.Command {
	var o options
	var words strings.Builder
	words.WriteString("\nValues:")
	for _, v := range query.Values {
		fmt.Fprintf(&words, "\n  %-18s %s", v, v.About())
	}
	words.WriteString("\n\nAggregations:")
	for _, a := range query.Aggregations {
		fmt.Fprintf(&words, "\n  %-18s %s: %s", a, a.Class(), a.About())
	}
	cmd := &cobra.Command{
		Use:   "plan FILE|PRESET",
		Short: "Compile queries under a bit budget into an execution plan",
		Long: `Compile the queries of a file or of a preset (combined, combined-by-hand: PINT §6.4)
into an execution plan: which sets of queries share the packets, in which bits of the
digest, and how often each query is served. If no plan gives every query its frequency,
the message says which queries ask for too much.

A file, whose other keys package query describes:
  bits: 16   # on every packet
  hops: 5    # switches on the longest path
  queries:
    - {name: path, value: switch_id, aggregation: static, bits: 8, space: 512B}
    - {name: slow, value: hop_latency, aggregation: max, bits: 8, frequency: 1/2}
` + words.String(),
		Example: `  pintlab pint plan combined
  pintlab pint plan queries.yaml --json`,
		Args:      exactly("a query file or a preset"),
		ValidArgs: []string{"combined", "combined-by-hand"},
		RunE: func(_ *cobra.Command, args []string) error {
			spec, err := querySpec(args[0])
			if err != nil {
				return err
			}
			plan, err := query.Compile(*spec)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if o.json {
				return p.printJSON(plan.Report())
			}
			p.printf("%s", plan)
			return nil
		},
	}
	o.attach(cmd, flagJSON)
	return cmd
}

// querySpec is the queries of a preset or file.
func querySpec(what string) (*query.Spec, error) {
	if make := planPresets[what]; make != nil {
		s := make()
		return &s, nil
	}
	if filepath.Ext(what) == "" {
		return nil, fmt.Errorf("%s: neither a preset (combined, combined-by-hand) nor a query file (.yaml)", what)
	}
	text, err := input.ReadFile(what, input.Settings)
	if err != nil {
		return nil, err
	}
	return query.Parse(what, text)
}

// traceOptions are the flags of pint trace.
type traceOptions struct {
	options
	runs      int
	hops      []int
	methods   []string
	bits      int
	instances int
	tau, p    float64
	d         int
	loss      float64
	idBits    int
	reorder   int
}

// tracers are the methods of pint trace, and what each is.
var tracers = []struct{ name, about string }{
	{"pint", "hashed switch IDs, every switch of the map possible"},
	{"true-path", "the same, only the switches of the true path possible (the published artifact)"},
	{"linear", "linear hash of switch indices, elimination"},
	{"topology", "a decoder that knows the map"},
	{"ppm", "PPM, 16 bits"},
	{"ams2-5", "AMS2 with m = 5, 16 bits"},
	{"ams2-6", "AMS2 with m = 6, 16 bits"},
}

// traceResult is the JSON of pint trace.
type traceResult struct {
	Map      string      `json:"map"`
	Switches int         `json:"switches"`
	Links    int         `json:"links"`
	Longest  int         `json:"longest_path"` // switches
	Dir      string      `json:"dir"`
	Rows     []tracePath `json:"rows"`
}

// tracePath is a row: a method at a path length.
type tracePath struct {
	Method string  `json:"method" col:"method"`
	Scheme string  `json:"scheme" col:"scheme"`
	Bits   int     `json:"bits" col:"bits" unit:"b"`
	Hops   int     `json:"hops" col:"hops"`
	Mean   float64 `json:"mean" col:"mean" unit:"packets"`
	Half   float64 `json:"half_width" col:"half_width" unit:"packets"`
	P50    int     `json:"p50" col:"p50" unit:"packets"`
	P99    int     `json:"p99" col:"p99" unit:"packets"`
	Max    int     `json:"max" col:"max" unit:"packets"`
	Runs   int     `json:"runs" col:"runs"`
	Failed int     `json:"failed" col:"failed"`
}

func pintTrace(p *program) *cobra.Command {
	o := traceOptions{runs: 100, bits: 8, instances: 2, tau: 0.5, d: 10, options: options{seed: 1, workers: runtime.NumCPU()}}
	var f fillFlags
	var about strings.Builder
	for _, t := range tracers {
		fmt.Fprintf(&about, "\n  %-10s %s", t.name, t.about)
	}
	cmd := &cobra.Command{
		Use:   "trace MAP",
		Short: "How many packets it takes until a path is known",
		Long: `Trace random shortest paths of a network from the digests of their packets, and count
the packets until the path is known: a table, and rows and a drawing in --out. A path
that is found but is not the true one ends the study with an error.

MAP is kdl or uscarrier (generated networks of the size of Kentucky Datalink and US
Carrier), a kind of network such as fattree, a scenario, or a file (GML, GraphML,
topology.txt). Methods:` + about.String(),
		Example: `  pintlab pint trace kdl --runs 1000
  pintlab pint trace UsCarrier.gml --methods pint,topology --bits 4 --instances 1
  pintlab pint trace fattree --set topology.k=16 --hops 5 --loss 0.01`,
		Args: exactly("a map"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.pintTrace(cmd.Context(), args[0], &o, &f) },
	}
	o.attach(cmd, flagOut, flagSeed, flagWorkers, flagSet, flagJSON, flagQuiet)
	f.attach(cmd)
	fl := cmd.Flags()
	fl.Var(&whole[int]{value: &o.runs, min: 1}, "runs", "paths `N` for each method and length")
	fl.IntSliceVar(&o.hops, "hops", nil, "path `lengths` in switches; without it four up to the longest")
	fl.StringSliceVar(&o.methods, "methods", []string{"pint", "linear", "topology", "ppm", "ams2-5"}, "what to compare: `names`, with commas")
	fl.Var(&whole[int]{value: &o.bits, min: 1}, "bits", "bits `B` of a digest")
	fl.Var(&whole[int]{value: &o.instances, min: 1}, "instances", "independent digests `N` on each packet")
	fl.Float64Var(&o.tau, "tau", o.tau, "`share` of Baseline packets, of pint and true-path")
	fl.Float64Var(&o.p, "p", 0, "`probability` that a hop XORs, of pint and true-path; without it 1/d")
	fl.Var(&whole[int]{value: &o.d, min: 2}, "d", "path length `D` that the switches are configured for")
	fl.Float64Var(&o.loss, "loss", 0, "`share` of the packets that get lost")
	fl.Var(&whole[int]{value: &o.idBits}, "id-bits", "draw packet identifiers of `N` bits at random; 0: they never repeat")
	fl.Var(&whole[int]{value: &o.reorder}, "reorder", "a packet arrives after up to `N` packets that were sent after it")
	return cmd
}

// traceMap is the network of pint trace.
func traceMap(p *program, what string, o *options, f *fillFlags) (*topo.Graph, error) {
	switch what {
	case "kdl", "uscarrier":
		for _, n := range append([]string{flagSet}, fillNames...) {
			if f.flags.Changed(n) {
				return nil, fmt.Errorf("--%s has no effect on the generated network %s", n, what)
			}
		}
		if what == "kdl" {
			return topo.DefaultISP().Build()
		}
		return topo.USCarrierISP().Build()
	}
	return network(p, what, o, f)
}

// curves are the methods that are asked for, on a map with paths of up to longest
// switches.
func (o *traceOptions) curves(m *trace.Map, longest int) ([]trace.Curve, error) {
	if o.p == 0 {
		o.p = 1 / float64(o.d)
	}
	hashed := coding.Config{Schemes: []coding.Scheme{coding.Interleaved(o.tau, o.p)}, Mode: coding.Hash, Bits: o.bits, Instances: o.instances}
	width := 1
	for _, v := range m.Values() {
		for v>>width != 0 {
			width++
		}
	}
	linear := coding.Config{Schemes: []coding.Scheme{coding.XOR(1)}, Mode: coding.Linear, Bits: o.bits, Instances: o.instances, ValueBits: width}
	var list []trace.Curve
	scheme := false
	for _, name := range o.methods {
		c := trace.Curve{Label: name}
		switch name {
		case "pint":
			c.Method, c.Code, scheme = trace.AllSwitches, hashed, true
		case "true-path":
			c.Method, c.Code, scheme = trace.TruePath, hashed, true
		case "linear":
			c.Method, c.Code = trace.AllSwitches, linear
		case "topology":
			c.Method, c.Code = trace.TopologyAware, trace.AwareCode(m, longest, o.instances, o.bits)
		case "ppm":
			c.Method = trace.PPMMarks
		case "ams2-5":
			c.Method, c.Match = trace.AMS2Marks, 5
		case "ams2-6":
			c.Method, c.Match = trace.AMS2Marks, 6
		default:
			var names []string
			for _, t := range tracers {
				names = append(names, t.name)
			}
			return nil, fmt.Errorf("--methods: unknown method %q (accepted: %s)", name, strings.Join(names, ", "))
		}
		if slices.ContainsFunc(list, func(x trace.Curve) bool { return x.Label == name }) {
			return nil, fmt.Errorf("--methods: %s occurs twice", name)
		}
		list = append(list, c)
	}
	for _, n := range []string{"tau", "p", "d"} {
		if o.given(n) && !scheme {
			return nil, fmt.Errorf("--%s has no effect on the methods %s: only pint and true-path have it", n, strings.Join(o.methods, ", "))
		}
	}
	return list, nil
}

func (p *program) pintTrace(ctx context.Context, what string, o *traceOptions, f *fillFlags) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	g, err := traceMap(p, what, &o.options, f)
	if err != nil {
		return err
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return err
	}
	ends := trace.HostSwitches(g)
	all := trace.PathLengths(m, ends)
	longest := all[len(all)-1]
	curves, err := o.curves(m, longest)
	if err != nil {
		return err
	}
	for i, n := range o.hops {
		if slices.Contains(o.hops[:i], n) {
			return fmt.Errorf("--hops: %d occurs twice", n)
		}
	}
	if o.hops == nil {
		for i := 1; i <= 4; i++ {
			if n := all[(i*len(all)+3)/4-1]; !slices.Contains(o.hops, n) {
				o.hops = append(o.hops, n)
			}
		}
	}
	s := trace.Study{
		Topology: what, Map: m, Ends: ends, Curves: curves, Lengths: o.hops, Loss: o.loss, IDBits: o.idBits, Reorder: o.reorder,
		Trials: coding.Trials{Seed: o.seed, Runs: o.runs, Workers: o.workers, Limit: 200_000},
	}
	show := p.display(&o.options, 1)
	task := show.Begin("paths")
	s.Progress = func(done, total int) {
		task.Update(float64(done)/float64(total), fmt.Sprintf("%d of %d traced", done, total))
	}
	rows, err := s.Run(ctx)
	task.End()
	show.Close()
	if err != nil {
		return err
	}
	out := traceResult{Map: what, Switches: m.Len(), Links: m.Links(), Longest: longest, Dir: filepath.Join(o.out, "pint-trace")}
	for _, r := range rows {
		if r.Failed == r.Runs {
			return failed(fmt.Errorf("%s, %d switches: no path is known after %d packets", r.Curve, r.Hops, s.Trials.Limit))
		}
		out.Rows = append(out.Rows, tracePath{r.Curve, r.Scheme, r.Bits, r.Hops, figure.Round(r.Mean), figure.Round(r.HalfWidth), r.P50, r.P99, r.Max, r.Runs, r.Failed})
	}
	if err := out.save(); err != nil {
		return failed(err)
	}
	if o.json {
		return p.printJSON(out)
	}
	t, err := figure.Encode(out.Rows)
	if err != nil {
		return err
	}
	p.printf("%s: %d switches, %d links, paths of up to %d switches\n\n", what, out.Switches, out.Links, longest)
	if err := t.WriteText(p.stdout); err != nil {
		return failed(err)
	}
	found := 0
	for _, r := range out.Rows {
		found += r.Runs - r.Failed
	}
	p.printf("\nAll %d paths found are the true ones", found)
	if found >= 30 { // (1 − 3/n)^n is at most e^-3 < 0.05
		p.printf(": with 95 %% confidence fewer than 1 in %d is wrong", found/3)
	}
	p.printf("\nrows, drawing  %s\n", out.Dir)
	return nil
}

// save writes rows and drawing.
func (r *traceResult) save() error {
	t, err := figure.Encode(r.Rows)
	if err != nil {
		return err
	}
	f, err := plots.DecodeByPathLength(t, plots.Mapping{Series: "method", Y: "mean", YLabel: "Packets until the path is known"})
	if err != nil {
		return err
	}
	f.Title = "Packets until a path is known, on average"
	f.Panels[0].Y.Scale = plots.Log
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return err
	}
	return errors.Join(t.SaveCSV(filepath.Join(r.Dir, "rows.csv")),
		plots.Save(&f, filepath.Join(r.Dir, "packets.svg")), plots.Save(&f, filepath.Join(r.Dir, "packets.png")))
}

// latencyOptions are the flags of pint latency.
type latencyOptions struct {
	options
	packets  []int
	sketch   int
	bits     []int
	counters int
	theta    float64
}

// latencyResult is the JSON of pint latency.
type latencyResult struct {
	Scenario string         `json:"scenario"`
	Flows    int            `json:"flows"` // long enough for the smallest number of packets
	Hops     []hopLatency   `json:"hops"`
	Rows     []latencyError `json:"rows"`
	Frequent []frequentCode `json:"frequent"`
}

// hopLatency is the true latencies at a hop, over all those flows.
type hopLatency struct {
	Hop     int     `json:"hop" col:"hop"`
	Packets int     `json:"packets" col:"packets"`
	P50     float64 `json:"p50_ns" col:"p50" unit:"ns"`
	P99     float64 `json:"p99_ns" col:"p99" unit:"ns"`
	Max     float64 `json:"max_ns" col:"max" unit:"ns"`
}

// latencyError is the error of a quantile's estimate.
type latencyError struct {
	Packets  int     `json:"packets" col:"packets"`
	Bits     int     `json:"bits" col:"bits" unit:"b"`
	Sketch   int     `json:"sketch_digests" col:"sketch" unit:"digests"` // 0: all samples are kept
	Quantile float64 `json:"quantile" col:"quantile"`
	Error    float64 `json:"error" col:"error"` // mean of |estimate − truth| / truth
	Rank     float64 `json:"rank_error" col:"rank error"`
	Bound    float64 `json:"rank_bound" col:"rank bound"` // Theorem 1, but for probability 0.1
	Count    int     `json:"estimates" col:"estimates"`
	Missing  int     `json:"missing" col:"missing"` // hops of which no packet carried a sample
}

// frequentCode is how well the codes that make up a share of a hop's latencies are told.
type frequentCode struct {
	Packets  int     `json:"packets" col:"packets"`
	Bits     int     `json:"bits" col:"bits" unit:"b"`
	Counters int     `json:"counters" col:"counters"`
	Theta    float64 `json:"theta" col:"share"`
	Frequent int     `json:"frequent" col:"frequent codes"`
	Found    int     `json:"found" col:"found"`
	Error    float64 `json:"share_error" col:"share error"` // mean of the largest error of the share of a code
	Bound    float64 `json:"share_bound" col:"share bound"` // Theorem 2, but for probability 0.1
	Hops     int     `json:"hops" col:"hops"`
}

func pintLatency(p *program) *cobra.Command {
	o := latencyOptions{sketch: 100, counters: 10, theta: 0.3, options: options{workers: 1}}
	cmd := &cobra.Command{
		Use:   "latency SCENARIO|PRESET",
		Short: "How well digests tell the latency quantiles of every hop",
		Long: `Simulate, keep the true latency of every packet at every hop, and compare quantiles
that a sink estimates from digests with the truth, flow by flow and hop by hop; likewise
the codes that make up a share of a hop's latencies, with Space-Saving. Telemetry of the
scenario must not be int.`,
		Example: `  pintlab pint latency fat320-hadoop-pint --set workload.0.duration=200us
  pintlab pint latency mine.yaml --packets 100,1000 --bits 6 --json`,
		Args: exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.pintLatency(cmd.Context(), args[0], &o) },
	}
	o.attach(cmd, flagSeed, flagWorkers, flagSet, flagJSON, flagQuiet)
	fl := cmd.Flags()
	fl.IntSliceVar(&o.packets, "packets", []int{100, 500}, "compare after so many packets of a flow: `numbers`, ascending")
	fl.Var(&whole[int]{value: &o.sketch, min: latency.MinDigests}, "sketch", "digests `N` that the sketch of a hop holds")
	fl.IntSliceVar(&o.bits, "bits", []int{4, 8}, "`widths` of a latency's code")
	fl.Var(&whole[int]{value: &o.counters, min: 1}, "counters", "Space-Saving counters `N` of a hop")
	fl.Float64Var(&o.theta, "theta", o.theta, "least `share` of a frequent code")
	return cmd
}

func (p *program) pintLatency(ctx context.Context, what string, o *latencyOptions) error {
	sc, err := openScenario(what, &o.options)
	if err != nil {
		return err
	}
	e := latency.Fig9()
	e.Bits, e.Packets, e.Digests, e.RowSketch, e.Seed = o.bits, o.packets, nil, o.sketch, sc.Seed
	if len(o.packets) == 0 {
		return errors.New("--packets: want at least one number")
	}
	common := latency.FrequentExperiment{Bits: o.bits, Packets: o.packets, Counters: []int{o.counters}, Theta: o.theta, Delta: delta,
		Low: e.Low, High: e.High, Seeds: e.Seeds, Seed: e.Seed}
	if err := e.Validate(); err != nil {
		return err
	}
	if err := common.Validate(); err != nil {
		return err
	}
	show := p.display(&o.options, 1)
	task := show.Begin(sc.Name)
	_, traces, err := observe.Latencies(ctx, sc, slices.Max(o.packets), simulated(task))
	task.End()
	show.Close()
	if err != nil {
		return err
	}
	least := o.packets[0]
	r := latencyResult{Scenario: sc.Name, Flows: traces.Count(least), Hops: hopLatencies(traces, least)}
	if r.Flows == 0 {
		return fmt.Errorf("%s: no flow has %d packets: choose fewer --packets or a longer run (--set workload.0.duration=…)", what, least)
	}
	points, err := e.Run(observe.Floor(traces.All(least), e.Low))
	if err != nil {
		return err
	}
	for _, x := range points {
		g, err := latency.Theorem1(x.Packets, r.Hops[len(r.Hops)-1].Hop, x.Digests, delta)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, latencyError{x.Packets, x.Bits, x.Digests, x.Quantile, figure.Round(x.Mean), figure.Round(x.Rank), figure.Round(g.Total()), x.Count, x.Missing})
	}
	codes, err := common.Run(observe.Floor(traces.All(least), e.Low))
	if err != nil {
		return err
	}
	for _, x := range codes {
		g, err := latency.Theorem2(x.Packets, r.Hops[len(r.Hops)-1].Hop, x.Bits, x.Counters, delta)
		if err != nil {
			return err
		}
		r.Frequent = append(r.Frequent, frequentCode{x.Packets, x.Bits, x.Counters, o.theta, x.Frequent, x.Found, figure.Round(x.Error), figure.Round(g.Total()), x.Count})
	}
	if o.json {
		return p.printJSON(r)
	}
	p.printf("%s: %d flows of %d packets or more\n\nTrue latencies\n", r.Scenario, r.Flows, least)
	if err := printRows(p, r.Hops); err != nil {
		return err
	}
	p.printf("\nEstimates from digests; the rank error stays below its bound (Theorem 1) but for one hop in ten and the width of a code\n")
	if err := printRows(p, r.Rows); err != nil {
		return err
	}
	p.printf("\nCodes of a share of %g or more, of flows of %d packets or more; the bound is that of Theorem 2\n", o.theta, slices.Max(o.packets))
	return printRows(p, r.Frequent)
}

// delta is the probability with which the theorems' bounds may fail.
const delta = 0.1

// hopLatencies are the quantiles over all packets, by hop.
func hopLatencies(t *deploy.Traces, least int) []hopLatency {
	var all [][]unit.Time
	for tr := range t.All(least) {
		for _, lat := range tr.Packets {
			for h, v := range lat {
				if h == len(all) {
					all = append(all, nil)
				}
				all[h] = append(all[h], v)
			}
		}
	}
	var list []hopLatency
	for h, v := range all {
		slices.Sort(v)
		at := func(q float64) float64 {
			return float64(v[max(0, int(math.Ceil(q*float64(len(v))))-1)]) / float64(unit.Nanosecond)
		}
		list = append(list, hopLatency{h + 1, len(v), at(0.5), at(0.99), at(1)})
	}
	return list
}

// printRows prints structs as a table.
func printRows[T any](p *program, rows []T) error {
	t, err := figure.Encode(rows)
	if err != nil {
		return err
	}
	return failed(t.WriteText(p.stdout))
}

// loopOptions are the flags of pint loops.
type loopOptions struct {
	options
	hops, packets   int
	bits, threshold int
	prefix, ring    int
	ttl             int
}

// loopResult is the JSON of pint loops.
type loopResult struct {
	Hops    int         `json:"hops"` // of the path without a loop
	Packets int         `json:"packets"`
	Prefix  int         `json:"prefix"`
	Ring    int         `json:"ring"`
	TTL     int         `json:"ttl"`
	Rows    []loopCheck `json:"rows"`
}

// loopCheck is what a detector does.
type loopCheck struct {
	Bits      int     `json:"bits" col:"b" unit:"b"`
	Threshold int     `json:"threshold" col:"T"`
	Width     int     `json:"width" col:"on the packet" unit:"b"`
	Exact     float64 `json:"false_reports_exact" col:"false reports"`
	Measured  float64 `json:"false_reports_measured" col:"measured"`
	Expected  float64 `json:"false_reports_expected" col:"expected reports"` // among the packets
	Reports   int     `json:"false_reports" col:"reports"`
	Found     float64 `json:"packets_reported" col:"found in the loop"` // share of the packets before the TTL ends them
	Hop       int     `json:"median_hop" col:"at hop (median)"`
	Packet    int     `json:"first_packet" col:"first packet"`
	Delay     float64 `json:"delay_us" col:"after" unit:"us"` // simulated, from the start of the flow
}

func pintLoops(p *program) *cobra.Command {
	o := loopOptions{hops: 32, packets: 200_000, prefix: 3, ring: 2, ttl: 64, options: options{seed: 1}}
	cmd := &cobra.Command{
		Use:   "loops",
		Short: "False reports of loop detection, and how soon a loop is found",
		Long: `PINT's loop detection (appendix A.4): how often a packet on a path without a loop is
reported, exactly and measured, and how soon the first packet is reported when a wrong
route sends a flow round and round in the simulator.

Without --bits and --threshold these are the three detectors of the appendix.`,
		Example: `  pintlab pint loops
  pintlab pint loops --bits 10 --threshold 1 --packets 10000000
  pintlab pint loops --prefix 6 --ring 4 --ttl 128 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.pintLoops(cmd.Context(), &o) },
	}
	o.attach(cmd, flagSeed, flagJSON, flagQuiet)
	fl := cmd.Flags()
	fl.Var(&whole[int]{value: &o.hops, min: 1}, "hops", "switches `N` on the path without a loop")
	fl.Var(&whole[int]{value: &o.packets, min: 1}, "packets", "packets `N` on it")
	fl.Var(&whole[int]{value: &o.bits, min: 1}, "bits", "hash bits `B` of one detector")
	fl.Var(&whole[int]{value: &o.threshold}, "threshold", "matches `T` that it lets pass")
	fl.Var(&whole[int]{value: &o.prefix}, "prefix", "switches `N` before the loop")
	fl.Var(&whole[int]{value: &o.ring, min: 2}, "ring", "switches `N` of the loop")
	fl.Var(&whole[int]{value: &o.ttl, min: 1}, "ttl", "hops `N` after which a packet ends")
	return cmd
}

// maxTTL is the largest TTL of a header.
const maxTTL = 255

func (p *program) pintLoops(ctx context.Context, o *loopOptions) error {
	configs := []loops.Config{loops.Plain(), loops.Twice(), loops.Fourfold()}
	switch {
	case o.given("bits"):
		configs = []loops.Config{{Bits: o.bits, Threshold: o.threshold}}
	case o.given("threshold"):
		return errors.New("--threshold has no effect without --bits")
	}
	if o.hops > maxTTL {
		return fmt.Errorf("--hops %d: a packet passes at most %d switches before its TTL ends", o.hops, maxTTL)
	}
	r := loopResult{Hops: o.hops, Packets: o.packets, Prefix: o.prefix, Ring: o.ring, TTL: o.ttl}
	show := p.display(&o.options, len(configs))
	defer show.Close()
	for _, c := range configs {
		d, err := loops.New(c, global.Fast(o.seed))
		if err != nil {
			return err
		}
		row := loopCheck{Bits: c.Bits, Threshold: c.Threshold, Width: c.Width()}
		if row.Exact, err = c.FalseReport(o.hops); err != nil {
			return err
		}
		row.Expected = figure.Round(row.Exact * float64(o.packets))
		row.Exact = figure.Round(row.Exact)
		task := show.Begin(fmt.Sprintf("b = %d, T = %d", c.Bits, c.Threshold))
		for i := range o.packets {
			if i%(1<<16) == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				task.Update(float64(i)/float64(o.packets), fmt.Sprintf("%d of %d packets", i, o.packets))
			}
			digest, loop := uint64(0), false
			for hop := 1; hop <= o.hops && !loop; hop++ {
				digest, loop = d.Process(uint64(i), hop, uint64(hop), digest)
			}
			if loop {
				row.Reports++
			}
		}
		row.Measured = figure.Round(float64(row.Reports) / float64(o.packets))
		l := deploy.DefaultLoop(d)
		l.Prefix, l.Ring, l.TTL = o.prefix, o.ring, o.ttl
		found, err := l.Run()
		task.End()
		if err != nil {
			return err
		}
		reported, seen := l.Packets-found.At[0], 0
		row.Found = figure.Round(float64(reported) / float64(l.Packets))
		for hop := 1; hop < len(found.At) && 2*seen < reported; hop++ {
			seen += found.At[hop]
			row.Hop = hop
		}
		row.Packet, row.Delay = found.Packet, figure.Round(1e6*found.Delay.Seconds())
		r.Rows = append(r.Rows, row)
	}
	if o.json {
		return p.printJSON(r)
	}
	p.printf("No loop: %d packets over %d switches. Loop of %d switches after %d others, TTL %d:\n", r.Packets, r.Hops, r.Ring, r.Prefix, r.TTL)
	return printRows(p, r.Rows)
}
