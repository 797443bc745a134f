package incast

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	"pintlab/experiments/measure/comparison"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Figure is the benchmark.
var Figure = bench.Spec{
	Name:   "hpcc/incast",
	Title:  "Incast on top of a long flow, 16:1 and 60:1",
	Source: "HPCC (SIGCOMM 2019) §5.2, Fig. 9c and 9d; the sizes are those of §5.1",
	Claim: "HPCC drains the queue of an incast at once and keeps it short, without losing throughput; DCQCN and TIMELY, which limit " +
		"rates but not bytes in flight, fill it and pause the network.",
	Footnote:   "hosts around a switch, 100 Gb/s, 1 us per link; a long flow from 0 on, 500 KB from each of 16 or 60 others at 500 us",
	Benchmarks: []bench.Benchmark{of(16, 2*unit.Millisecond), of(60, 5*unit.Millisecond)},
	Check:      check,
	Tables:     tables,
	Why: []string{
		"The paper's is a testbed at 25 Gb/s with seven senders beside the long flow; ours has the fan-ins of its simulations.",
		"A window is one packet at least, so that 61 of HPCC's flows keep a queue of as many packets: no window can be smaller.",
		"Switches have 32 MB of memory here and pause when a port's share is used up; DCQCN's peak is below that.",
	},
}.Figure()

const (
	begins = 500 * unit.Microsecond // the incast
	// empty is a queue that counts as drained: two bandwidth-delay products.
	empty = 100 * unit.KB
	// settled is when a queue should be short again.
	settled = begins + 400*unit.Microsecond
)

// The quantities.
const (
	longest = "longest queue"
	drained = "time until the queue is drained"
	later   = "p95 of the queue 400 us after the start"
	pauses  = "pause frames"
	last    = "completion time of the last flow"
	used    = "throughput of the bottleneck"
)

var burst = bench.Incast("incast")

// name names the incast of n hosts.
func name(n int) string { return fmt.Sprintf("%d:1", n) }

// of makes the incast of n hosts: host n sends the long flow, host n+1 receives.
func of(n int, end unit.Time) bench.Benchmark {
	return bench.Benchmark{
		Case: name(n),
		Set: []string{
			"name=hpcc-incast", fmt.Sprintf("topology={kind: star, hosts: %d}", n+2),
			fmt.Sprintf("workload=[{kind: list, flows: [{src: %d, dst: %d, size: 1GB}]}, {kind: incast, senders: %d, receiver: %d, size: 500KB, start: %v}]", n, n+1, n, n+1, begins),
		},
		Port: fmt.Sprintf("%d-%d", n+2, n+1), End: end, Period: 5 * unit.Microsecond, Looks: int(end / (250 * unit.Microsecond)),
		Groups: []bench.Group{bench.From("long flow", int32(n)), burst},
		Measure: []comparison.Quantity{
			bench.Number(longest, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(begins, t.Over(burst), 1) }),
			bench.Number(drained, plots.InSeconds, func(t *bench.Trial) float64 { return t.Drained(begins, empty).Seconds() }),
			bench.Number(later, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(settled, t.Over(burst), 0.95) }),
			bench.Number(pauses, "", func(t *bench.Trial) float64 { return float64(t.Pauses) }),
			bench.Number(last, plots.InSeconds, func(t *bench.Trial) float64 { return (t.Over(burst) - begins).Seconds() }),
			bench.Number(used, plots.InBitsPerSecond, func(t *bench.Trial) float64 { return t.Sent(begins, t.Over(burst)) }),
		},
	}
}

func check(rows []comparison.Row) []figure.Finding {
	var list []figure.Finding
	for _, n := range []int{16, 60} {
		of := bench.Of(rows, name(n))
		list = append(list,
			figure.Below(name(n)+": HPCC drains the queue in half the time of DCQCN", of(bench.HPCC, drained), of(bench.DCQCN, drained), 0.5),
			figure.Below(name(n)+": over PINT HPCC drains it in half the time of DCQCN, too", of(bench.PINT, drained), of(bench.DCQCN, drained), 0.5),
			figure.Below(name(n)+": later HPCC's queue is at most a tenth of DCQCN's", of(bench.HPCC, later), of(bench.DCQCN, later), 0.1),
			figure.Below(name(n)+": the last flow ends sooner with HPCC than with DCQCN", of(bench.HPCC, last), of(bench.DCQCN, last), 1),
			figure.Below(name(n)+": a window alone leaves a longer queue than HPCC does", of(bench.HPCC, later), of(bench.DCQCNWin, later), 1),
		)
	}
	of := bench.Of(rows, name(60))
	return append(list, figure.Below(name(60)+": HPCC pauses nothing where TIMELY does", of(bench.HPCC, pauses), of(bench.Timely, pauses), 0.5))
}

func tables(rows []comparison.Row) []figure.Table {
	var list []figure.Table
	for _, n := range []int{16, 60} {
		list = append(list, bench.Lines(rows, name(n), fmt.Sprintf("%s: queue of the receiver's port, time until it is at most %v again, its p95 from 400 us after the start until the last flow has ended, pause frames, the last flow's end, and throughput until then.", name(n), empty),
			figure.Value("longest queue", "KB", longest), figure.Value("drained after", "us", drained), figure.Value("p95 later", "KB", later),
			figure.Value("pause frames", "", pauses), figure.Value("last flow", "us", last), figure.Value("throughput", "Gb/s", used)))
	}
	return list
}
