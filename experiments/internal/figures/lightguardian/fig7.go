package lightguardian

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Fig7 is Figure 7 of LightGuardian (§8.3). Panels (a) to (c) show the F1 of locating blackholes, loops and jitter
// against the memory of a switch; package measure/lightguardian contains the experiment. Panel (d) shows what the
// analyzer recovers when hosts are broken.
//
// In (d), broken hosts neither send nor receive. Other hosts still send packets to the broken hosts, and the
// sketchlets in these packets are lost. A sketch is recovered if all of its sketchlets reach the analyzer during the
// interval in which the switch adds the sketch to packets. FRR is the share of runs in which all 20 sketches are
// recovered, and RSR is the share of recovered sketches.
//
// # What limits recovery
//
// If there is enough traffic, a sketch is lost only if no packet that passes its switch reaches a working host. This
// happens to an edge switch if both of its hosts are broken, and to an aggregation switch if all four hosts of its
// pod are broken. So FRR at λ_b = 4 is C(8,4)·2^4/C(16,4) = 0.615, and RSR at λ_b = 8 is 1 − (8·C(14,6) +
// 2·4·C(12,4))/(20·C(16,8)) = 0.891. The LightGuardian paper prints "> 60 %" and "89 %" for these. The number of
// buckets does not matter, so our sketches are small and our intervals are short.
var Fig7 = figure.Of[faultScale, FaultRow]{
	Name:  "lightguardian/fig7",
	Files: files,
	Scales: map[figure.Scale]faultScale{
		figure.Smoke:  {lightguardian.LocateScales[figure.Smoke], []int{0, 4, 8}, 4},
		figure.Laptop: {lightguardian.LocateScales[figure.Laptop], []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 300},
		figure.Paper:  {lightguardian.LocateScales[figure.Paper], []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 300},
	},
	Measure: measureFaults,
	Claims:  scoreClaims(located),
	Check:   checkRecovery,
	Ours: map[string]figure.Ours[FaultRow]{
		"largest": ofLocated("largest"), "largest, published code": ofLocated("largest, published code"),
		"recovered": recovered, "expected": expected,
	},
	Values: variants(located),
	Tables: faultTables,
	Draw:   drawFaults,
}.Figure()

// ofLocated returns a function of `extremes` that applies to the rows of panels (a) to (c).
func ofLocated(name string) figure.Ours[FaultRow] {
	return func(rows []FaultRow, p *figure.Published, c *report.Compared) stats.Number {
		return extremes[name](located(rows), p, c)
	}
}

// FaultRow is a line of rows.csv. It contains the F1 of a fault with one memory and one threshold, or the recovery
// with one number of broken hosts.
type FaultRow struct {
	lightguardian.Row     // Fault is "" and numbers are NaN in rows about recovery
	Broken            int `col:"broken"` // number of broken hosts; -1 in rows about a fault
	// Shares of the runs and of the sketches, with 95 % intervals over the runs; NaN in rows about a fault.
	FRR     stats.Number `col:"frr,frr_lo,frr_hi"`
	RSR     stats.Number `col:"rsr,rsr_lo,rsr_hi"`
	FRRMost float64      `col:"frr_most"` // largest possible FRR with the broken hosts of these runs
	RSRMost float64      `col:"rsr_most"`
	Runs    int          `col:"runs"`
}

type faultScale struct {
	lightguardian.LocateScale
	broken []int
	runs   int // for each number of broken hosts
}

func (z faultScale) String() string {
	return fmt.Sprintf("%v; %s with each of %d numbers of broken hosts", z.LocateScale, figure.Count(z.runs, "run"),
		len(z.broken))
}

var faults = []lightguardian.Fault{lightguardian.Blackhole, lightguardian.Loop, lightguardian.Jitter}

func measureFaults(ctx context.Context, j *figure.Job, z faultScale) ([]FaultRow, error) {
	var rows []FaultRow
	for _, f := range faults {
		list, err := lightguardian.Locate(ctx, j, z.LocateScale, f)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			row := columns.Blank[FaultRow]()
			row.Row, row.Broken = r, -1
			rows = append(rows, row)
		}
	}
	if err := j.Fixed("monitors"); err != nil {
		return nil, err
	}
	show := j.Progress(1)
	defer show.Close()
	task := show.Begin("broken hosts")
	defer task.End()
	for i, broken := range z.broken {
		var frr, rsr stats.PerSeed
		var frrMost, rsrMost float64
		for run := range z.runs {
			order := hash.Stream(j.Seed, "figures/lightguardian/fig7", uint64(broken), uint64(run)).Perm(hosts)
			share, err := reconstructed(ctx, j, order, broken, run)
			if err != nil {
				return nil, err
			}
			most := possible(order[:broken])
			rsrMost += most / float64(z.runs)
			frrMost += math.Floor(most) / float64(z.runs)
			rsr.Add(share, 1)
			frr.Add(math.Floor(share), 1)
			task.Update((float64(i)+float64(run+1)/float64(z.runs))/float64(len(z.broken)), fmt.Sprintf("%s broken, "+
				"run %d", figure.Count(broken, "host"), run+1))
		}
		r := columns.Blank[FaultRow]()
		r.Broken, r.Runs, r.FRRMost, r.RSRMost = broken, z.runs, frrMost, rsrMost
		for _, x := range []struct {
			to *stats.Number
			of *stats.PerSeed
		}{{&r.FRR, &frr}, {&r.RSR, &rsr}} {
			m, err := x.of.Mean()
			if err != nil {
				return nil, err
			}
			*x.to = m.Within(0, 1)
		}
		rows = append(rows, r)
	}
	j.Footnote("fat tree of 16 hosts; (a) to (c) %s, (d) %s for each number of broken hosts; bars: 95 %% intervals",
		figure.Count(rows[0].Seeds, "seed"), figure.Count(z.runs, "run"))
	return rows, nil
}

// The number of hosts in the fat tree, and the scenario. Each switch adds a sketch of 8 sketchlets to packets in each
// interval of 9 ms.
const (
	hosts   = 16
	traffic = `name: broken
seed: %d
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: fixed, size: 20KB, load: 0.2, duration: 18ms}]
network: {pfc: {enabled: false}}
transport: {kind: newreno, pacing: true, rto_min: 5ms, rto_initial: 5ms, rto_max: 5ms, max_retries: 0}
cc: {kind: fixed, window: none, rate: 2Gbps}
telemetry: {kind: none}
run: {until: 18ms}
monitors:
  - {kind: lightguardian, interval: 9ms, quiet: 500us, carry: 0.2, delay_buckets: 4, interval_buckets: 0,
     collector: %d}
`
)

// reconstructed returns the share of the sketches that the analyzer recovers in a run. The first `broken` hosts of
// `order` are broken.
func reconstructed(ctx context.Context, j *figure.Job, order []int, broken, run int) (float64, error) {
	text := fmt.Sprintf(traffic, hash.Stream(j.Seed, "figures/lightguardian/fig7/seed", uint64(broken),
		uint64(run)).Uint32(), order[broken])
	faults := lists.Map(order[:broken],
		func(h int) string { return fmt.Sprintf("{kind: host-failure, host: %d, at: 0s}", h) })
	text += "faults: [" + strings.Join(faults, ", ") + "]\n"
	sc, err := j.Scenario(scenario.Parse([]byte(text), "broken"))
	if err != nil {
		return 0, err
	}
	var s *sim.Simulation
	_, err = sim.Run(ctx, sc, sim.Options{Tap: func(x *sim.Simulation) (netsim.Tap, error) {
		s = x
		return unseen{}, nil
	}})
	if err != nil {
		return 0, err
	}
	m := s.Monitor(0).(interface {
		Received(interval int, at netsim.NodeID) float64
	})
	switches := s.Graph.Switches()
	whole := lists.Count(switches, func(at netsim.NodeID) bool { return m.Received(0, at) == 1 })
	return float64(whole) / float64(len(switches)), nil
}

// possible returns the share of the switches whose packets can reach a working host. Packets of an edge switch cannot
// if its two hosts are broken. Packets of an aggregation switch cannot if the four hosts of its pod are broken.
func possible(broken []int) float64 {
	var edge, pod [hosts]int
	lost := 0
	for _, h := range broken {
		if edge[h/2]++; edge[h/2] == 2 {
			lost++
		}
		if pod[h/4]++; pod[h/4] == 4 {
			lost += 2
		}
	}
	return 1 - float64(lost)/20
}

// unseen is a tap that does nothing.
type unseen struct{}

func (unseen) Dequeue(*netsim.Hop) {}

// located returns the rows of (a) to (c).
func located(rows []FaultRow) []lightguardian.Row {
	some := figure.Pick(rows, func(r *FaultRow) bool { return r.Broken < 0 })
	return lists.Map(some, func(r FaultRow) lightguardian.Row { return r.Row })
}

// recovery returns the rows of (d).
func recovery(rows []FaultRow) []FaultRow {
	return figure.Pick(rows, func(r *FaultRow) bool { return r.Broken >= 0 })
}

// with returns the row for a number of broken hosts, or nil.
func with(rows []FaultRow, broken int) *FaultRow {
	return figure.Find(rows, func(r *FaultRow) bool { return r.Broken == broken })
}

// chance returns two numbers for a given number of broken hosts: the probability that each edge switch has a working
// host, and the expected share of the switches whose packets can reach a working host.
func chance(broken int) (frr, rsr float64) {
	all := choose(hosts, broken)
	frr = choose(hosts/2, broken) * math.Pow(2, float64(broken)) / all
	edges, pods := 8*choose(hosts-2, broken-2)/all, 4*choose(hosts-4, broken-4)/all
	return frr, 1 - (edges+2*pods)/20
}

func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

func checkRecovery(rows []FaultRow) (list []figure.Finding) {
	if r := with(rows, 0); r != nil {
		list = append(list, figure.Judge("without broken hosts every sketch is recovered", r.FRR.Value == 1,
			r.FRR.Below(1), "FRR %.3f", r.FRR.Value).Own())
	}
	half := figure.Judge("with half of the hosts broken all sketches are recovered at times", false, false,
		"not measured")
	if r := with(rows, hosts/2); r != nil {
		half = figure.Judge(half.Statement, r.FRR.Above(0), r.FRRMost > 0 && r.FRR.Hi <= 0, "FRR %.4f, %.4f to %.4f",
			r.FRR.Value, r.FRR.Lo, r.FRR.Hi)
	}
	inside, outside, detail := true, false, ""
	for _, r := range recovery(rows) {
		off := math.Abs(r.RSR.Value - r.RSRMost)
		inside, outside = inside && off <= 0.01, outside || off > 0.05
		detail = fmt.Sprintf("%.4f of %.4f with %d", r.RSR.Value, r.RSRMost, r.Broken)
	}
	return append(list, half, figure.Judge("RSR is the share of the switches from which some host that works "+
		"can hear, within 0.01", inside && detail != "", outside, "%s", detail).Own())
}

// The curves of the panel on broken hosts.
const (
	allSketches = "all sketches (FRR)"
	eachSketch  = "sketches (RSR)"
)

// recovered returns FRR or RSR with X broken hosts. The scheme of the printed number selects one of the two.
func recovered(rows []FaultRow, p *figure.Published, c *report.Compared) stats.Number {
	r := with(rows, int(p.X))
	if r == nil {
		return stats.None()
	}
	c.Over = figure.Count(r.Runs, "draw") + ", 8 sketchlets in a sketch"
	if p.Scheme == allSketches {
		return r.FRR
	}
	return r.RSR
}

// expected returns the mean of FRR or RSR over all choices of broken hosts, if every sketch is recovered that the
// broken hosts leave recoverable. It is missing unless this is true for the measured runs.
func expected(rows []FaultRow, p *figure.Published, c *report.Compared) stats.Number {
	r := with(rows, int(p.X))
	if r == nil || r.FRR.Value != r.FRRMost || math.Abs(r.RSR.Value-r.RSRMost) >= 1e-6 {
		return stats.None()
	}
	c.Over = "computed; every recovery possible in " + figure.Count(r.Runs, "draw")
	frr, rsr := chance(r.Broken)
	if p.Scheme == allSketches {
		rsr = frr
	}
	return stats.Exactly(rsr)
}

func faultTables(rows []FaultRow) []figure.Table {
	var list []figure.Table
	for _, f := range faults {
		list = append(list, scoreTable(located(rows), f))
	}
	average := func(head string, of func(frr, rsr float64) float64) figure.Column[FaultRow] {
		return figure.Real(head, "", func(r FaultRow) float64 { return of(chance(r.Broken)) })
	}
	return append(list, figure.Show("recovery", recovery(rows),
		"broken hosts=broken", "FRR=frr", "possible=frr_most",
		average("expected", func(frr, _ float64) float64 { return frr }),
		"RSR=rsr", "possible with these hosts=rsr_most",
		average("expected share", func(_, rsr float64) float64 { return rsr }), "runs"))
}

func drawFaults(rows []FaultRow) ([]figure.Drawing, error) {
	panels := lists.Map(faults, func(f lightguardian.Fault) plots.Panel { return scorePanel(located(rows), f, f1) })
	d := plots.Panel{
		Title: "broken hosts",
		X:     plots.Axis{Label: "Broken hosts of 16", Scale: plots.Linear, Whole: true},
		Y:     figure.Linear("Share recovered", ""),
	}
	for _, c := range []struct {
		name string
		of   func(*FaultRow) stats.Number
	}{
		{allSketches, func(r *FaultRow) stats.Number { return r.FRR }},
		{eachSketch, func(r *FaultRow) stats.Number { return r.RSR }},
	} {
		d.Series = append(d.Series, figure.Ranges(plots.Series{Name: c.name, Style: plots.Line}, recovery(rows),
			func(r *FaultRow) (x, y, lo, hi float64) {
				n := c.of(r)
				return float64(r.Broken), n.Value, n.Lo, n.Hi
			}))
	}
	return []figure.Drawing{{Name: "faults",
		Plot: plots.Figure{Title: "Locating faults", Columns: 2, Panels: append(panels, d)}}}, nil
}
