package fig7

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian/locate"
	"pintlab/experiments/measure/observe"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
	"pintlab/internal/rng"
	"pintlab/netsim"
)

// Row is a line of rows.csv: F1 of a fault with one memory and threshold, or recovery with one
// number of broken hosts.
type Row struct {
	locate.Row         // Fault "" and NaN of recovery
	Broken     int     `col:"broken"` // hosts; -1 of a fault
	FRR        float64 `col:"frr"`    // share of the runs; with 95 % intervals over them; NaN of a fault
	FRRLo      float64 `col:"frr_lo"`
	FRRHi      float64 `col:"frr_hi"`
	RSR        float64 `col:"rsr"` // share of the sketches
	RSRLo      float64 `col:"rsr_lo"`
	RSRHi      float64 `col:"rsr_hi"`
	FRRMost    float64 `col:"frr_most"` // what the broken hosts of these runs leave possible
	RSRMost    float64 `col:"rsr_most"`
	Runs       int     `col:"runs"`
}

type scale struct {
	locate.Scale
	broken []int
	runs   int // for each number of broken hosts
}

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("%v; %s with each of %d numbers of broken hosts", z.Scale, figure.Count(z.runs, "run"), len(z.broken))
}

var faults = []locate.Fault{locate.Blackhole, locate.Loop, locate.Jitter}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	nan := math.NaN()
	var rows []Row
	for _, f := range faults {
		list, err := locate.Measure(ctx, j, z.Scale, f)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			rows = append(rows, Row{Row: r, Broken: -1, FRR: nan, FRRLo: nan, FRRHi: nan, RSR: nan, RSRLo: nan, RSRHi: nan, FRRMost: nan, RSRMost: nan})
		}
	}
	if err := observe.Fixed(j.Set, "monitors"); err != nil {
		return nil, err
	}
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 1})
	defer show.Close()
	task := show.Begin("broken hosts")
	defer task.End()
	for i, broken := range z.broken {
		var frr, rsr stats.PerSeed
		var frrMost, rsrMost float64
		for run := range z.runs {
			order := rng.New(j.Seed, "figures/lightguardian/fig7", uint64(broken), uint64(run)).Perm(hosts)
			share, err := recovered(ctx, j, order, broken, run)
			if err != nil {
				return nil, err
			}
			most := possible(order[:broken])
			rsrMost += most / float64(z.runs)
			frrMost += math.Floor(most) / float64(z.runs)
			rsr.Add(share, 1)
			frr.Add(math.Floor(share), 1)
			task.Update((float64(i)+float64(run+1)/float64(z.runs))/float64(len(z.broken)), fmt.Sprintf("%d hosts broken, run %d", broken, run+1))
		}
		r := Row{Row: locate.Row{Threshold: nan, F1: nan, F1Lo: nan, F1Hi: nan, Precision: nan, PLo: nan, PHi: nan, Recall: nan, RLo: nan, RHi: nan}, Broken: broken, Runs: z.runs, FRRMost: frrMost, RSRMost: rsrMost}
		full, err := frr.Mean()
		if err != nil {
			return nil, err
		}
		part, err := rsr.Mean()
		if err != nil {
			return nil, err
		}
		full, part = full.Within(0, 1), part.Within(0, 1)
		r.FRR, r.FRRLo, r.FRRHi = full.Value, full.Lo, full.Hi
		r.RSR, r.RSRLo, r.RSRHi = part.Value, part.Lo, part.Hi
		rows = append(rows, r)
	}
	j.Footnote("fat tree of 16 hosts; (a) to (c) %s, (d) %s for each number of broken hosts; bars: 95 %%", figure.Count(rows[0].Seeds, "seed"), figure.Count(z.runs, "run"))
	return rows, nil
}

// hosts of the fat tree, and its traffic. Each switch gives a sketch of 8 sketchlets away in 9 ms.
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
monitors: [{kind: lightguardian, interval: 9ms, quiet: 500us, carry: 0.2, delay_buckets: 4, interval_buckets: 0, collector: %d}]
`
)

// recovered is the share of the sketches that the analyzer recovers in a run.
// order begins with the broken hosts.
func recovered(ctx context.Context, j *figure.Job, order []int, broken, run int) (float64, error) {
	text := fmt.Sprintf(traffic, rng.New(j.Seed, "figures/lightguardian/fig7/seed", uint64(broken), uint64(run)).Uint32(), order[broken])
	var faults []string
	for _, h := range order[:broken] {
		faults = append(faults, fmt.Sprintf("{kind: host-failure, host: %d, at: 0s}", h))
	}
	text += "faults: [" + strings.Join(faults, ", ") + "]\n"
	sc, err := scenario.Parse([]byte(text), "broken")
	if err != nil {
		return 0, err
	}
	if sc, err = sc.With(j.Set...); err != nil {
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
	whole, switches := 0, s.Graph.Switches()
	for _, at := range switches {
		if m.Received(0, at) == 1 {
			whole++
		}
	}
	return float64(whole) / float64(len(switches)), nil
}

// possible is the share of the switches from which some host that works can hear: all but the
// edge switches that have lost both of their hosts and the aggregation switches of pods that
// have lost all four.
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

// Dequeue is part of netsim.Tap.
func (unseen) Dequeue(*netsim.Hop) {}
