package hpcc

import (
	"fmt"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// headroom is W_init·(1−η) in bytes, the largest amount by which all windows together may increase in a round trip
// (§3.3). W_init is 52 KB, the product of 100 Gb/s and the base RTT, and 1−η is 5 %. As in the published simulator, the
// base RTT of 4.16 us consists of the delays of four links and of the time to send a payload of 1000 B on two of them.
const headroom = 2600

var (
	joining   = []int{4, 16, 32}         // flows
	increases = []int{20, 80, 320, 1280} // W_AI in bytes
)

// WAI shows how the additive increase W_AI of HPCC changes queue and fairness, for several numbers of flows.
var WAI = spec{
	name:       "hpcc/wai",
	schemes:    lists.Map(increases, wai),
	benchmarks: lists.Map(joining, joins),
}.figure()

func wai(bytes int) study.Scheme {
	return study.Scheme{Name: fmt.Sprintf("W_AI = %d B", bytes), Set: []string{fmt.Sprintf("cc.w_ai=%dB", bytes)}}
}

// joins returns a benchmark with n flows. One joins every 20 us. Queue and throughput are measured from 2 ms on.
func joins(n int) benchmark {
	const settled, end = 2 * unit.Millisecond, 4 * unit.Millisecond
	var flows []Group
	for i := range n {
		flows = append(flows, From(fmt.Sprintf("flow %d", i+1), int32(i)))
	}
	return benchmark{
		name: figure.Count(n, "flow"),
		set: []string{
			"name=hpcc-wai", fmt.Sprintf("topology={kind: star, hosts: %d}", n+1),
			fmt.Sprintf("workload=[{kind: staircase, stairs: up, size: 1GB, senders: %d, receiver: %d, interval: %v}]",
				n, n, 20*unit.Microsecond),
		},
		port: fmt.Sprintf("%d-%d", n+1, n), end: end, period: 10 * unit.Microsecond, looks: 10,
		groups:  []Group{flows[0], flows[n-1]},
		caption: []any{figure.Count(n, "flow"), headroom / n},
		measure: []quantity{
			{queue95, "queue p95", "KB", func(t *Trial) float64 { return t.Queue(settled, end, 0.95) }},
			{jain, "Jain index", "",
				func(t *Trial) float64 { mean, _ := t.Fairness(flows, 100*unit.Microsecond); return mean }},
			{used, "throughput", "Gb/s", func(t *Trial) float64 { return t.Sent(settled, end) }},
		},
	}
}
