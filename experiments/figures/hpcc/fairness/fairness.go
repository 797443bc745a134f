package fairness

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the benchmark.
var Figure = bench.Spec{
	Name:       "hpcc/fairness",
	Title:      "Fairness while flows join and leave",
	Source:     "HPCC (SIGCOMM 2019) §5.2, Fig. 9g and 9h",
	Claim:      "HPCC's flows share the link fairly at short time scales while others join and leave, with a short queue.",
	Footnote:   "5 hosts around a switch, 25 Gb/s, 1 us per link; a flow joins every 2 ms, later one leaves every 2 ms if they share fairly",
	Benchmarks: []bench.Benchmark{benchmark},
	Check:      check,
	Tables:     tables,
	Why: []string{
		"The paper's flows join and leave every second on a testbed; ours every 2 ms, which is some 400 round trips.",
		"HPCC evens rates out with W_AI alone, 80 B a round trip: a flow that joins needs milliseconds to reach its share. A window of one bandwidth-delay product, which all flows fill, is fair by itself, under a queue of one such product for each flow but one.",
	},
}.Figure()

const (
	name = "four flows join and leave"
	end  = 18 * unit.Millisecond
)

// The quantities.
const (
	jain    = "mean Jain index"
	unfair  = "p5 of the Jain index"
	queue95 = "p95 of the queue"
	longest = "longest queue"
	used    = "throughput of the bottleneck"
)

var groups = []bench.Group{bench.From("flow 1", 0), bench.From("flow 2", 1), bench.From("flow 3", 2), bench.From("flow 4", 3)}

var benchmark = bench.Benchmark{
	Case: name,
	Set: []string{
		"name=hpcc-fairness", "topology={kind: star, hosts: 5, host_rate: 25Gbps}",
		"workload=[{kind: staircase, senders: 4, receiver: 4, interval: 2ms, shared_rate: 22Gbps}]",
	},
	Port: "5-4", End: end, Period: 10 * unit.Microsecond, Looks: 20,
	Groups: groups,
	Measure: []comparison.Quantity{
		bench.Number(jain, "", func(t *bench.Trial) float64 { mean, _ := t.Fairness(groups, step); return mean }),
		bench.Number(unfair, "", func(t *bench.Trial) float64 { _, p5 := t.Fairness(groups, step); return p5 }),
		bench.Number(queue95, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(0, over(t), 0.95) }),
		bench.Number(longest, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(0, over(t), 1) }),
		bench.Number(used, plots.InBitsPerSecond, func(t *bench.Trial) float64 { return t.Sent(0, over(t)) }),
	},
}

const step = 200 * unit.Microsecond

// over returns when the last flow but one has ended: until then they share.
func over(t *bench.Trial) unit.Time {
	last, before := unit.Time(0), unit.Time(0)
	for _, g := range groups {
		if x := t.Over(g); x > last {
			last, before = x, last
		} else {
			before = max(before, x)
		}
	}
	return before
}

func check(rows []comparison.Row) []figure.Finding {
	of := bench.Of(rows, name)
	return []figure.Finding{
		figure.Above("HPCC's Jain index is above 0.95 on the mean", of(bench.HPCC, jain), 0.95),
		figure.Above("over PINT it is above 0.95, too", of(bench.PINT, jain), 0.95),
		figure.Below("DCQCN's Jain index is lower on the mean", of(bench.DCQCN, jain), of(bench.HPCC, jain), 1),
		figure.Below("HPCC's queue is at most a tenth of DCQCN's at p95", of(bench.HPCC, queue95), of(bench.DCQCN, queue95), 0.1),
	}
}

func tables(rows []comparison.Row) []figure.Table {
	return []figure.Table{bench.Lines(rows, name, "Jain index of the goodputs in intervals of 200 us in which at least two flows were under way; queue and throughput until all but one flow had ended.",
		figure.Value("Jain index", "", jain), figure.Value("p5", "", unfair), figure.Value("queue p95", "KB", queue95),
		figure.Value("longest", "KB", longest), figure.Value("throughput", "Gb/s", used))}
}
