package hpcc

import (
	"fmt"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

const (
	etaBurst   = 500 * unit.Microsecond
	etaSettled = 1500 * unit.Microsecond
	etaEnd     = 3 * unit.Millisecond
)

// Eta shows how the target utilisation η and maxStage of HPCC change throughput and queue (§3.3).
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
}.figure()

func eta(target string, stage int) study.Scheme {
	return study.Scheme{Name: fmt.Sprintf("η = %s, maxStage = %d", target, stage),
		Set: []string{"cc.eta=" + target, fmt.Sprintf("cc.max_stage=%d", stage)}}
}
