package eta

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
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

func scheme(eta string, stage int) comparison.Scheme {
	return comparison.Scheme{Name: fmt.Sprintf("η = %s, maxStage = %d", eta, stage), Set: []string{"cc.eta=" + eta, fmt.Sprintf("cc.max_stage=%d", stage)}}
}

func schemes() (list []comparison.Scheme) {
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
	Measure: []comparison.Quantity{
		bench.Number(longest, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(begins, end, 1) }),
		bench.Number(queue50, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(settled, end, 0.50) }),
		bench.Number(queue99, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(settled, end, 0.99) }),
		bench.Number(used, plots.InBitsPerSecond, func(t *bench.Trial) float64 { return t.Sent(settled, end) }),
	},
}

// packets is one packet of each of the long flows, in bytes.
const packets = 8 * 1090

func check(rows []comparison.Row) []figure.Finding {
	var list []figure.Finding
	of := bench.Of(rows, name)
	limit := comparison.Row{Scheme: "a packet of each flow", Unit: plots.InBytes, Measured: stats.Measured{Value: packets, Lo: packets + 1, Hi: packets + 1}}
	for _, stage := range stages {
		at := fmt.Sprintf("maxStage = %d: ", stage)
		low, usual, high, full := scheme("0.9", stage), scheme("0.95", stage), scheme("0.99", stage), scheme("1", stage)
		list = append(list,
			figure.Below(at+"throughput is higher with η = 0.95 than with 0.9", of(low, used), of(usual, used), 1),
			figure.Below(at+"throughput is higher with η = 0.99 than with 0.95", of(usual, used), of(high, used), 1),
			figure.Below(at+"with η = 0.99 the p99 of the queue is at most a packet of each flow", of(high, queue99), limit, 1),
			figure.Below(at+"the p99 of the queue is shorter with η = 0.95 than with 1", of(usual, queue99), of(full, queue99), 1),
		)
	}
	return list
}

func tables(rows []comparison.Row) []figure.Table {
	return []figure.Table{bench.Lines(rows, name, "Longest queue from the incast on; queue and throughput from 1.5 ms on, when it is over.",
		figure.Value("longest queue", "KB", longest), figure.Value("queue p50", "KB", queue50), figure.Value("queue p99", "KB", queue99),
		figure.Value("throughput", "Gb/s", used))}
}
