package wai

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
	Name:       "hpcc/wai",
	Title:      "Additive increase of HPCC: queue and fairness by number of flows",
	Source:     "HPCC (SIGCOMM 2019) §3.3 and §5",
	Claim:      "The queue stays empty while the increases of all flows together fit into what η leaves free, and grows beyond; a larger increase makes flows fair sooner.",
	Footnote:   "hosts around a switch, 100 Gb/s, 1 us per link; a flow of 1 GB joins every 20 us until there are 4, 16 or 32",
	Schemes:    schemes(),
	Benchmarks: benchmarks(),
	Check:      check,
	Tables:     tables,
	Why: []string{
		"A window is at least one packet and 32 packets are some 60 % of what the link holds: windows that are rounded up to packets leave a queue of a few of them whatever W_AI is.",
	},
}.Figure()

const (
	joins = 20 * unit.Microsecond
	end   = 4 * unit.Millisecond
	// settled is from when on queue and throughput are measured.
	settled = 2 * unit.Millisecond
	step    = 100 * unit.Microsecond
)

// The quantities.
const (
	queue95 = "p95 of the queue"
	jain    = "mean Jain index"
	used    = "throughput of the bottleneck"
)

var (
	flows     = []int{4, 16, 32}
	increases = []int{20, 80, 320, 1280} // W_AI in bytes
)

func name(n int) string { return figure.Count(n, "flow") }

func scheme(wai int) comparison.Scheme {
	return comparison.Scheme{Name: fmt.Sprintf("W_AI = %d B", wai), Set: []string{fmt.Sprintf("cc.w_ai=%dB", wai)}}
}

func schemes() (list []comparison.Scheme) {
	for _, w := range increases {
		list = append(list, scheme(w))
	}
	return list
}

func benchmarks() (list []bench.Benchmark) {
	for _, n := range flows {
		var each []bench.Group
		for i := range n {
			each = append(each, bench.From(fmt.Sprintf("flow %d", i+1), int32(i)))
		}
		list = append(list, bench.Benchmark{
			Case: name(n),
			Set: []string{
				"name=hpcc-wai", fmt.Sprintf("topology={kind: star, hosts: %d}", n+1),
				fmt.Sprintf("workload=[{kind: staircase, stairs: up, size: 1GB, senders: %d, receiver: %d, interval: %v}]", n, n, joins),
			},
			Port: fmt.Sprintf("%d-%d", n+1, n), End: end, Period: 10 * unit.Microsecond, Looks: 10,
			Groups: []bench.Group{each[0], each[n-1]},
			Measure: []comparison.Quantity{
				bench.Number(queue95, plots.InBytes, func(t *bench.Trial) float64 { return t.Queue(settled, end, 0.95) }),
				bench.Number(jain, "", func(t *bench.Trial) float64 { mean, _ := t.Fairness(each, step); return mean }),
				bench.Number(used, plots.InBitsPerSecond, func(t *bench.Trial) float64 { return t.Sent(settled, end) }),
			},
		})
	}
	return list
}

// headroom is W_init·(1-η), what all increases of a round trip may amount to (§3.3): 5 % of 100 Gb/s times
// 4.3 us, the base RTT.
const headroom = 2600

func check(rows []comparison.Row) []figure.Finding {
	var list []figure.Finding
	for _, n := range flows {
		of := bench.Of(rows, name(n))
		within, beyond := 0, 0 // the largest increase that fits, and the smallest that does not
		for _, w := range increases {
			if n*w <= headroom {
				within = w
			} else if beyond == 0 {
				beyond = w
			}
		}
		least, most := scheme(increases[0]), scheme(increases[len(increases)-1])
		list = append(list,
			figure.Below(fmt.Sprintf("%s: with %s, which fits, the queue is at most half of that with %s, which does not", name(n), scheme(within).Name, scheme(beyond).Name),
				of(scheme(within), queue95), of(scheme(beyond), queue95), 0.5),
			figure.Below(fmt.Sprintf("%s: they share less fairly with %s than with %s", name(n), least.Name, most.Name), of(least, jain), of(most, jain), 1),
		)
	}
	return list
}

func tables(rows []comparison.Row) []figure.Table {
	var list []figure.Table
	for _, n := range flows {
		list = append(list, bench.Lines(rows, name(n), fmt.Sprintf("%s; all increases together fit up to W_AI = %d B.", name(n), headroom/n),
			figure.Value("queue p95", "KB", queue95), figure.Value("Jain index", "", jain), figure.Value("throughput", "Gb/s", used)))
	}
	return list
}
