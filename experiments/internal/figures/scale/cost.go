package scale

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Cost compares the work for the same scenario on networks of 320, 8192 and 101 306 hosts. The scenario is web search
// at half load under HPCC. It is simulated by one core, simulated by 16 cores, and estimated from single links. For the
// estimate, one link of each group of similar links is simulated. Work is counted in packet-hops, whose number is the
// same on any machine. For 16 cores, Cost counts the work of the busiest core, because all cores wait for the busiest
// core at the end of each window.
var Cost = figure.Of[sizes, CostRow]{
	Name:  "scale/cost",
	Files: files,
	Scales: map[figure.Scale]sizes{
		figure.Smoke: {{4, 200 * unit.Microsecond, true}, {8, 50 * unit.Microsecond, false}},
		figure.Laptop: {{0, unit.Millisecond, true}, {32, 200 * unit.Microsecond, true},
			{74, 20 * unit.Microsecond, false}},
		figure.Paper: {{0, 5 * unit.Millisecond, true}, {32, unit.Millisecond, true},
			{74, 100 * unit.Microsecond, false}},
	},
	Measure: measureCost,
	Check:   checkCost,
	Tables:  tablesOfCost,
	Draw:    drawCost,
}.Figure()

// size is a network, with the duration of its traffic.
type size struct {
	K        int // size of the fat tree; 0 stands for the PINT paper's network
	Duration unit.Time
	Run      bool // whether all packets are simulated
}

type sizes []size

// String describes the runs.
func (z sizes) String() string { return fmt.Sprintf("networks: %d", len(z)) }

// CostRow is the result for a network and a way to simulate the network.
type CostRow struct {
	Hosts    int     `col:"hosts"`
	Way      string  `col:"way"`
	Duration float64 `col:"duration" unit:"us"` // duration of the traffic
	Flows    int     `col:"flows"`
	Work     float64 `col:"work"` // packet-hops of the busiest core
	P99      float64 `col:"p99"`  // slowdown
	Error    float64 `col:"p99_error" unit:"%"`
}

// The ways to simulate a network.
const (
	byRun      = "run"
	byMany     = "run, 16 cores"
	byEstimate = "estimate"
)

var ways = []string{byRun, byMany, byEstimate}

// cores is the number of cores of byMany.
const cores = 16

func measureCost(ctx context.Context, j *figure.Job, z sizes) (rows []CostRow, err error) {
	show := j.Progress(len(z))
	defer show.Close()
	for _, x := range z {
		set := append([]string{fmt.Sprintf("seed=%d", j.Seed), fmt.Sprintf("workload.0.duration=%v", x.Duration),
			fmt.Sprintf("run.workers=%d", max(1, j.Campaign.Workers)), "run.outputs=[flows.csv]"}, j.Set...)
		if x.K > 0 {
			set = append(set, fmt.Sprintf("topology={kind: fattree, k: %d}", x.K))
		}
		sc, err := scenario.Open("fat320-web", set...)
		if err != nil {
			return nil, err
		}
		task := show.Begin(sc.Name)
		report := func(p sim.Progress) { task.Update(p.Share(), p.String()) }
		est := sc.Clone()
		if est, err = est.With("estimate.enabled=true", "estimate.clusters=true"); err != nil {
			return nil, err
		}
		e, err := estimate.Run(ctx, est, "", report)
		if err != nil {
			return nil, err
		}
		row := CostRow{e.Hosts(), byEstimate, 1e6 * x.Duration.Seconds(), e.Flows.Len(), float64(e.Summary.PacketHops),
			p99(e.Flows), math.NaN()}
		run := row
		run.Way, run.Work, run.P99 = byRun, float64(e.Hops()), math.NaN()
		if !x.Run {
			rows = append(rows, run, row)
			task.End()
			continue
		}
		r, err := sim.Run(ctx, sc, sim.Options{Bounds: true, Progress: report})
		if err != nil {
			return nil, err
		}
		run.Work, run.P99 = float64(r.Summary.PacketHops), p99(r.Flows)
		row.Error = stats.Percent(row.P99 / run.P99)
		many := run
		many.Way, many.Work = byMany, run.Work/speedup(r.Bounds)
		rows = append(rows, run, many, row)
		task.End()
	}
	j.Setting("network", "ours", "the 320 servers of the PINT paper, and k-ary fat trees of 100 Gb/s")
	j.Setting("traffic", "ours", "web search at half load, HPCC fed by INT")
	j.Footnote("work: packet-hops of the busiest core; that of %d cores from the events of each window", cores)
	return rows, nil
}

// p99 returns the 99th percentile of the slowdown.
func p99(flows *store.Flows) float64 {
	points := stats.Points(flows, stats.Everything())
	list := lists.Map(points, func(p stats.Point) float64 { return p.Slowdown })
	slices.Sort(list)
	return stats.Percentile(list, 0.99)
}

// speedup returns how many times as fast a run is with the given number of cores.
func speedup(b *netsim.Bounds) float64 {
	for _, x := range b.Bounds {
		if x.Workers == cores {
			return x.Speedup
		}
	}
	return math.NaN()
}

func checkCost(rows []CostRow) []figure.Finding {
	const large = 8192
	at := func(way string) *CostRow {
		return figure.Find(rows, func(r *CostRow) bool { return r.Hosts == large && r.Way == way })
	}
	run, est := at(byRun), at(byEstimate)
	ok := run != nil && est != nil
	const none = "not simulated at this scale"
	fewer, off := none, none
	if ok {
		fewer, off = fmt.Sprintf("%.1f times less", run.Work/est.Work), number.Change(est.Error, 1)+" %"
	}
	return []figure.Finding{
		figure.Judge("at 8192 hosts an estimate takes at most a quarter of the packet-hops of a run", ok &&
			est.Work <= run.Work/4, ok && est.Work > run.Work/4, "%s", fewer).Own(),
		figure.Judge("at 8192 hosts the p99 slowdown of an estimate is within 15 %", ok && math.Abs(est.Error) <= 15,
			ok && math.Abs(est.Error) > 15, "%s", off).Own(),
	}
}

func tablesOfCost(rows []CostRow) []figure.Table {
	return []figure.Table{figure.Show("work", rows, "hosts", "way", "duration", "flows", "work", "p99", "p99_error")}
}

func drawCost(rows []CostRow) ([]figure.Drawing, error) {
	p := plots.Panel{X: figure.Log("Hosts", ""),
		Y: figure.Log("Packet-hops of the busiest core", "")}
	for _, way := range ways {
		of := figure.Pick(rows, func(r *CostRow) bool { return r.Way == way })
		p.Series = append(p.Series,
			figure.Curve(plots.Series{Name: way, Style: plots.Line}, of, func(r *CostRow) (x, y float64) {
				return float64(r.Hosts), 1e3 * r.Work / r.Duration
			}))
	}
	p.Series = figure.Drawn(p.Series...)
	return []figure.Drawing{figure.Draw("cost", "What a millisecond of traffic costs", p)}, nil
}
