package hpcc

import (
	"pintlab/netsim/unit"
)

const shareStep = 200 * unit.Microsecond // length of the intervals of the Jain index

var sharing = []Group{From("flow 1", 0), From("flow 2", 1), From("flow 3", 2), From("flow 4", 3)}

var joinAndLeave = benchmark{
	name: "four flows join and leave",
	set: []string{
		"name=hpcc-fairness", "topology={kind: star, hosts: 5, host_rate: 25Gbps}",
		"workload=[{kind: staircase, senders: 4, receiver: 4, interval: 2ms, shared_rate: 22Gbps}]",
	},
	port: "5-4", end: 18 * unit.Millisecond, period: 10 * unit.Microsecond, looks: 20,
	groups: sharing,
	measure: []quantity{
		{jain, "Jain index", "", func(t *Trial) float64 { mean, _ := t.Fairness(sharing, shareStep); return mean }},
		{"p5 of the Jain index", "p5", "",
			func(t *Trial) float64 { _, p5 := t.Fairness(sharing, shareStep); return p5 }},
		{queue95, "queue p95", "KB", func(t *Trial) float64 { return t.Queue(0, shared(t), 0.95) }},
		{longest, "longest", "KB", func(t *Trial) float64 { return t.Queue(0, shared(t), 1) }},
		{used, "throughput", "Gb/s", func(t *Trial) float64 { return t.Sent(0, shared(t)) }},
	},
}

// Fairness shows how four flows share a link while they join and leave (§5.2, Fig. 9g and 9h).
var Fairness = spec{
	name:       "hpcc/fairness",
	benchmarks: []benchmark{joinAndLeave},
}.figure()

// shared returns the time from which on only one flow is left. Until then, several flows share the link.
func shared(t *Trial) unit.Time {
	last, before := unit.Time(0), unit.Time(0)
	for _, g := range sharing {
		if x := t.Over(g); x > last {
			last, before = x, last
		} else {
			before = max(before, x)
		}
	}
	return before
}
