package eta

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the benchmark.
var Figure = bench.Spec{
	Name:       "hpcc/eta",
	Title:      "Target utilisation and stages of HPCC",
	Source:     "HPCC (SIGCOMM 2019) §3.3 and §5",
	Claim:      "Throughput follows η, with an almost empty queue up to 99 %; at 100 % the queue no longer empties. What an incast leaves is drained as fast with any.",
	Footnote:   "17 hosts around a switch, 100 Gb/s, 1 us per link; 8 long flows join from 0 on, 100 KB from each of 15 hosts at 500 us",
	Schemes:    schemes(),
	Benchmarks: []bench.Benchmark{benchmark},
	Check:      check,
	Tables:     tables,
	Why: []string{
		"The paper's evaluation has η = 95 %; the authors' project page finds 99 % better, and says that maxStage = 0 is what the paper's simulations had.",
		"With maxStage = 0 throughput stops growing at an η between 95 and 99 %; with five stages of additive increase between two divisions it goes on.",
	},
}.Figure()

const (
	name    = "8 long flows and an incast of 15"
	begins  = 500 * unit.Microsecond
	settled = 1500 * unit.Microsecond
	end     = 3 * unit.Millisecond
)

// The quantities.
const (
	longest = "longest queue"
	queue50 = "p50 of the queue"
	queue99 = "p99 of the queue"
	used    = "throughput of the bottleneck"
)

var (
	targets = []string{"0.9", "0.95", "0.99", "1"}
	stages  = []int{0, 5}
)

func scheme(eta string, stage int) bench.Scheme {
	return bench.Scheme{Name: fmt.Sprintf("η = %s, maxStage = %d", eta, stage), Set: []string{"cc.eta=" + eta, fmt.Sprintf("cc.max_stage=%d", stage)}}
}

func schemes() (list []bench.Scheme) {
	for _, stage := range stages {
		for _, eta := range targets {
			list = append(list, scheme(eta, stage))
		}
	}
	return list
}

var groups = []bench.Group{
	{Name: "long flows", Has: func(f *store.FlowRecord) bool { return f.Class == 0 }},
	bench.Incast("incast"),
}

var benchmark = bench.Benchmark{
	Case: name,
	Set: []string{
		"name=hpcc-eta", "topology={kind: star, hosts: 17}",
		"workload=[{kind: staircase, stairs: up, size: 1GB, senders: 8, receiver: 16, interval: 20us}, " +
			"{kind: incast, senders: 15, receiver: 16, size: 100KB, start: 500us}]",
	},
	Port: "17-16", End: end, Period: 5 * unit.Microsecond, Looks: 10,
	Groups: groups,
	Measure: []bench.Quantity{
		{Name: longest, Unit: plots.InBytes, Of: func(t *bench.Trial) float64 { return t.Queue(begins, end, 1) }},
		{Name: queue50, Unit: plots.InBytes, Of: func(t *bench.Trial) float64 { return t.Queue(settled, end, 0.50) }},
		{Name: queue99, Unit: plots.InBytes, Of: func(t *bench.Trial) float64 { return t.Queue(settled, end, 0.99) }},
		{Name: used, Unit: plots.InBitsPerSecond, Of: func(t *bench.Trial) float64 { return t.Sent(settled, end) }},
	},
}

// packets is one packet of each of the long flows, in bytes.
const packets = 8 * 1090

func check(rows []bench.Row) []figure.Finding {
	var list []figure.Finding
	of := bench.Of(rows, name)
	limit := bench.Row{Scheme: "a packet of each flow", Value: packets, Lo: packets + 1, Hi: packets + 1, Unit: plots.InBytes}
	for _, stage := range stages {
		at := fmt.Sprintf("maxStage = %d: ", stage)
		low, usual, high, full := scheme("0.9", stage), scheme("0.95", stage), scheme("0.99", stage), scheme("1", stage)
		list = append(list,
			bench.Below(at+"throughput is higher with η = 0.95 than with 0.9", of(low, used), of(usual, used), 1),
			bench.Below(at+"throughput is higher with η = 0.99 than with 0.95", of(usual, used), of(high, used), 1),
			bench.Below(at+"with η = 0.99 the p99 of the queue is at most a packet of each flow", of(high, queue99), limit, 1),
			bench.Below(at+"the p99 of the queue is shorter with η = 0.95 than with 1", of(usual, queue99), of(full, queue99), 1),
		)
	}
	return list
}

type line struct {
	Scheme  string  `col:"scheme"`
	Longest float64 `col:"longest queue" unit:"KB"`
	Queue50 float64 `col:"queue p50" unit:"KB"`
	Queue99 float64 `col:"queue p99" unit:"KB"`
	Used    float64 `col:"throughput" unit:"Gb/s"`
}

func tables(rows []bench.Row) []figure.Table {
	lines := bench.Lines(rows, name, func(s string, of func(string) float64) line {
		return line{s, of(longest) / 1e3, of(queue50) / 1e3, of(queue99) / 1e3, of(used) / 1e9}
	})
	return []figure.Table{{Rows: lines, Caption: "Longest queue from the incast on; queue and throughput from 1.5 ms on, when it is over."}}
}
