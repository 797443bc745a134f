package hpcc

import (
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

const (
	miceBegin = unit.Millisecond
	miceEnd   = 7 * unit.Millisecond
	mice95    = "p95 of the mice"
	mice99    = "p99 of the mice"
)

var elephants = []Group{From("elephant 1", 0), From("elephant 2", 1)}

// Mice measures the latency of flows of 1 KB that share a link with two long flows (§5.2, Fig. 9e and 9f).
var Mice = spec{
	name: "hpcc/elephant-mice",
	benchmarks: []benchmark{{
		name: "mice of 1 KB beside two elephants",
		set: []string{
			"name=hpcc-elephant-mice", "topology={kind: star, hosts: 20, host_rate: 25Gbps}",
			"workload=[{kind: list, flows: [{src: 0, dst: 19, size: 1GB}, {src: 1, dst: 19, size: 1GB}]}, " +
				"{kind: incast, senders: 1, receiver: 19, size: 1KB, start: 1ms, repeat: interval, interval: " +
				"10us, duration: 5ms}]",
		},
		port: "20-19", end: miceEnd, period: 5 * unit.Microsecond, looks: 20,
		groups: elephants,
		measure: []quantity{
			{"p50 of the mice", "mice p50", "us", miceFCT(0.50)}, {mice95, "mice p95", "us", miceFCT(0.95)},
			{mice99, "mice p99", "us", miceFCT(0.99)},
			{queue50, "queue p50", "KB", miceQueue(0.50)}, {queue95, "queue p95", "KB", miceQueue(0.95)},
			{queue99, "queue p99", "KB", miceQueue(0.99)},
			{"goodput of the elephants", "elephants", "Gb/s", func(t *Trial) float64 {
				return t.Goodput(elephants[0], miceBegin, miceEnd) + t.Goodput(elephants[1], miceBegin, miceEnd)
			}},
		},
	}},
}.figure()

func miceFCT(p float64) func(*Trial) float64 {
	return func(t *Trial) float64 { return stats.Percentile(t.FCT(Incast("")), p) }
}

func miceQueue(p float64) func(*Trial) float64 {
	return func(t *Trial) float64 { return t.Queue(miceBegin, miceEnd, p) }
}
