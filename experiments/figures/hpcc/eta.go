package hpcc

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

const (
	etaBurst   = 500 * unit.Microsecond
	etaSettled = 1500 * unit.Microsecond
	etaEnd     = 3 * unit.Millisecond
)

// Eta shows how HPCC's target utilisation η and its maxStage change throughput and queue (§3.3).
//
// The HPCC paper has η = 95 % and takes it for the price of an empty queue; the authors' project page
// (hpcc-group.github.io) says that 99 % is no worse for queues and better for throughput. After maxStage round
// trips of additive increase a flow divides by the utilisation though that is below η.
var Eta = spec{
	name: "hpcc/eta",
	schemes: []study.Scheme{
		eta("0.9", 0), eta("0.95", 0), eta("0.99", 0), eta("1", 0), eta("0.9", 5), eta("0.95", 5), eta("0.99", 5),
		eta("1", 5),
	},
	benchmarks: []benchmark{{
		name: "8 long flows and an incast of 15",
		set: []string{
			"name=hpcc-eta", "topology={kind: star, hosts: 17}",
			"workload=[{kind: staircase, stairs: up, size: 1GB, senders: 8, receiver: 16, interval: 20us}, " +
				"{kind: incast, senders: 15, receiver: 16, size: 100KB, start: 500us}]",
		},
		port: "17-16", end: etaEnd, period: 5 * unit.Microsecond, looks: 10,
		groups: []Group{{"long flows", func(f *store.FlowRecord) bool { return f.Class == 0 }}, Incast("incast")},
		measure: []quantity{
			{longest, "longest queue", "KB", func(t *Trial) float64 { return t.Queue(etaBurst, etaEnd, 1) }},
			{queue50, "queue p50", "KB", func(t *Trial) float64 { return t.Queue(etaSettled, etaEnd, 0.50) }},
			{queue99, "queue p99", "KB", func(t *Trial) float64 { return t.Queue(etaSettled, etaEnd, 0.99) }},
			{used, "throughput", "Gb/s", func(t *Trial) float64 { return t.Sent(etaSettled, etaEnd) }},
		},
	}},
	check: func(rows finder) (list []figure.Finding) {
		of := rows.of("8 long flows and an incast of 15")
		const packets = 8 * 1090 // one of each long flow, in bytes
		limit := study.Row{Scheme: "a packet of each flow", Unit: plots.InBytes,
			Sized: stats.Whole(stats.Number{Value: packets, Lo: packets + 1, Hi: packets + 1})}
		for _, stage := range []int{0, 5} {
			at := fmt.Sprintf("maxStage = %d: ", stage)
			low, usual, high, full := eta("0.9", stage), eta("0.95", stage), eta("0.99", stage), eta("1", stage)
			list = append(list,
				figure.Below(at+"throughput is higher with η = 0.95 than with 0.9", of(low, used), of(usual, used), 1),
				figure.Below(at+"throughput is higher with η = 0.99 than with 0.95", of(usual, used), of(high, used),
					1),
				figure.Below(at+"with η = 0.99 the p99 of the queue is at most a packet of each flow",
					of(high, queue99), limit, 1),
				figure.Below(at+"the p99 of the queue is shorter with η = 0.95 than with 1", of(usual, queue99),
					of(full, queue99), 1),
			)
		}
		return list
	},
}.figure()

func eta(target string, stage int) study.Scheme {
	return study.Scheme{Name: fmt.Sprintf("η = %s, maxStage = %d", target, stage),
		Set: []string{"cc.eta=" + target, fmt.Sprintf("cc.max_stage=%d", stage)}}
}
