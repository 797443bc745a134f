package mice

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the benchmark.
var Figure = bench.Spec{
	Name:       "hpcc/elephant-mice",
	Title:      "Mice beside elephants: what the queue costs",
	Source:     "HPCC (SIGCOMM 2019) §5.2, Fig. 9e and 9f",
	Claim:      "Beside two long flows the queue is almost empty with HPCC, and mice take little longer than in an empty network; with DCQCN they wait in its queue.",
	Footnote:   "20 hosts around a switch, 25 Gb/s, 1 us per link; two long flows to one host, from 1 ms on 1 KB to it every 10 us from another one",
	Benchmarks: []bench.Benchmark{benchmark},
	Check:      check,
	Tables:     tables,
	Why: []string{
		"The paper's latencies are those of a testbed, with the time that NICs and hosts take; ours are of the network alone.",
		"A queue of one bandwidth-delay product is what two flows with such a window keep: with DCQCN+win, TIMELY+win and DCTCP mice wait for it, and not longer. Swift's queue is its target delay.",
	},
}.Figure()

const (
	name   = "mice of 1 KB beside two elephants"
	begins = unit.Millisecond
	end    = 7 * unit.Millisecond
)

// The quantities.
const (
	mice50   = "p50 of the mice"
	mice95   = "p95 of the mice"
	mice99   = "p99 of the mice"
	queue50  = "p50 of the queue"
	queue95  = "p95 of the queue"
	queue99  = "p99 of the queue"
	elephant = "goodput of the elephants"
)

var elephants = []bench.Group{bench.From("elephant 1", 0), bench.From("elephant 2", 1)}

var benchmark = bench.Benchmark{
	Case: name,
	Set: []string{
		"name=hpcc-elephant-mice", "topology={kind: star, hosts: 20, host_rate: 25Gbps}",
		"workload=[{kind: list, flows: [{src: 0, dst: 19, size: 1GB}, {src: 1, dst: 19, size: 1GB}]}, " +
			"{kind: incast, senders: 1, receiver: 19, size: 1KB, start: 1ms, repeat: interval, interval: 10us, duration: 5ms}]",
	},
	Port: "20-19", End: end, Period: 5 * unit.Microsecond, Looks: 20,
	Groups: elephants,
	Measure: []comparison.Quantity{
		fct(mice50, 0.50), fct(mice95, 0.95), fct(mice99, 0.99), queue(queue50, 0.50), queue(queue95, 0.95), queue(queue99, 0.99),
		bench.Number(elephant, plots.InBitsPerSecond, func(t *bench.Trial) float64 {
			return t.Goodput(elephants[0], begins, end) + t.Goodput(elephants[1], begins, end)
		}),
	},
}

func fct(name string, p float64) comparison.Quantity {
	return bench.Number(name, plots.InSeconds, func(t *bench.Trial) float64 { return stats.Percentile(t.FCT(bench.Incast("")), p) })
}

func queue(name string, p float64) comparison.Quantity {
	return bench.Number(name, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(begins, end, p) })
}

func check(rows []comparison.Row) []figure.Finding {
	of := bench.Of(rows, name)
	return []figure.Finding{
		figure.Below("at p95 mice take at most half as long with HPCC as with DCQCN", of(bench.HPCC, mice95), of(bench.DCQCN, mice95), 0.5),
		figure.Below("at p99 mice take at most half as long with HPCC as with DCQCN", of(bench.HPCC, mice99), of(bench.DCQCN, mice99), 0.5),
		figure.Below("over PINT mice take at most half as long at p95, too", of(bench.PINT, mice95), of(bench.DCQCN, mice95), 0.5),
		figure.Below("HPCC's queue is at most a tenth of DCQCN's at p95", of(bench.HPCC, queue95), of(bench.DCQCN, queue95), 0.1),
		figure.Below("a window alone leaves a longer queue at the median than HPCC does at p95", of(bench.HPCC, queue95), of(bench.DCQCNWin, queue50), 1),
	}
}

func tables(rows []comparison.Row) []figure.Table {
	return []figure.Table{bench.Lines(rows, name, "Completion times of the mice, queue in front of them, and goodput of both elephants together.",
		figure.Value("mice p50", "us", mice50), figure.Value("mice p95", "us", mice95), figure.Value("mice p99", "us", mice99),
		figure.Value("queue p50", "KB", queue50), figure.Value("queue p95", "KB", queue95), figure.Value("queue p99", "KB", queue99),
		figure.Value("elephants", "Gb/s", elephant))}
}
