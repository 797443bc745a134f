package hpcc

import (
	"fmt"
	"strings"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

const (
	miceBegin = unit.Millisecond
	miceEnd   = 7 * unit.Millisecond
	mice95    = "p95 of the mice"
	mice99    = "p99 of the mice"
)

var (
	elephants = []Group{From("elephant 1", 0), From("elephant 2", 1)}
	mice      = Group{"mice", func(f *store.FlowRecord) bool { return f.Src >= int32(len(elephants)) }}
)

// Mice measures the latency of flows of 1 KB that share a link with two long flows (§5.2, Fig. 9e and 9f).
var Mice = spec{name: "hpcc/elephant-mice", benchmarks: []benchmark{miceBenchmark}}.figure()

var miceBenchmark = benchmark{
	name: "mice of 1 KB beside two elephants",
	set: []string{
		"name=hpcc-elephant-mice", "topology={kind: star, hosts: 20, host_rate: 25Gbps}",
		"workload=[{kind: list, flows: [{src: 0, dst: 19, size: 1GB}, {src: 1, dst: 19, size: 1GB}" + listMice() +
			"]}]",
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
}

// listMice returns the mice, one every 10 us for 5 ms. The hosts that send no elephant take turns, because a mouse that
// leaves a host with an elephant waits there, and not only in the queue of the switch.
func listMice() string {
	const first, senders, every, duration = 2, 17, 10 * unit.Microsecond, 5 * unit.Millisecond
	var list strings.Builder
	for i := range int(duration / every) {
		fmt.Fprintf(&list, ", {src: %d, dst: 19, size: 1KB, start: %v}", first+i%senders,
			miceBegin+unit.Time(i)*every)
	}
	return list.String()
}

func miceFCT(p float64) func(*Trial) float64 {
	return func(t *Trial) float64 { return stats.Percentile(t.FCT(mice), p) }
}

func miceQueue(p float64) func(*Trial) float64 {
	return func(t *Trial) float64 { return t.Queue(miceBegin, miceEnd, p) }
}
