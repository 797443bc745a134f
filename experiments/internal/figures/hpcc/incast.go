package hpcc

import (
	"fmt"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

const (
	drainedTo = 100 * unit.KB // a queue of up to two bandwidth-delay products counts as drained

	drained = "time until the queue is drained"
	later   = "p95 of the queue 400 µs after the start"
	pauses  = "pause frames"
	last    = "completion time of the last flow"
)

// IncastFigure measures an incast at a port that also carries a long flow (§5.2, Fig. 9c and 9d). As in the
// simulations of the HPCC paper (§5.1), each sender of an incast sends 500 KB. There are 16 or 60 senders.
var IncastFigure = spec{
	name:       "hpcc/incast",
	benchmarks: []benchmark{incast(16, 2*unit.Millisecond), incast(60, 5*unit.Millisecond)},
}.figure()

// incast returns a benchmark with an incast at 500 us. Hosts 0 to n-1 send the flows of the incast, host n sends the
// long flow, and host n+1 receives all flows. The flows of the incast are listed, because a workload of kind incast
// could draw the sender of the long flow as a sender of the incast.
func incast(n int, end unit.Time) benchmark {
	const begins = 500 * unit.Microsecond
	const settled = begins + 400*unit.Microsecond // time until which a queue should be short again
	burst := Group{"incast", func(f *store.FlowRecord) bool { return f.Src < int32(n) }}
	flows := fmt.Sprintf("{src: %d, dst: %d, size: 1GB}", n, n+1)
	for i := range n {
		flows += fmt.Sprintf(", {src: %d, dst: %d, size: 500KB, start: %v}", i, n+1, begins)
	}
	at := fmt.Sprintf("%d:1", n)
	return benchmark{
		name: at,
		set: []string{
			"name=hpcc-incast", fmt.Sprintf("topology={kind: star, hosts: %d}", n+2),
			"workload=[{kind: list, flows: [" + flows + "]}]",
		},
		port: fmt.Sprintf("%d-%d", n+2, n+1), end: end, period: 5 * unit.Microsecond,
		looks:   int(end / (250 * unit.Microsecond)),
		groups:  []Group{From("long flow", int32(n)), burst},
		caption: []any{at, drainedTo},
		measure: []quantity{
			{longest, "longest queue", "KB", func(t *Trial) float64 { return t.Queue(begins, t.Over(burst), 1) }},
			{drained, "drained after", "us", func(t *Trial) float64 { return t.Drained(begins, drainedTo).Seconds() }},
			{later, "p95 later", "KB", func(t *Trial) float64 { return t.Queue(settled, t.Over(burst), 0.95) }},
			{pauses, "pause frames", "", func(t *Trial) float64 { return float64(t.Pauses) }},
			{last, "last flow", "us", func(t *Trial) float64 { return (t.Over(burst) - begins).Seconds() }},
			{used, "throughput", "Gb/s", func(t *Trial) float64 { return t.Sent(begins, t.Over(burst)) }},
		},
	}
}
