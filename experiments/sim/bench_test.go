package sim

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/workloads"
)

// measure runs a scenario b.N times. It reports packet-hops per second of processor time (user and system, including
// set-up and garbage collection), and events and allocations per packet-hop. With -short, flows arrive for a tenth of
// the time.
func measure(b *testing.B, sc scenario.Scenario) {
	b.Helper()
	if p, ok := sc.Workload[0].Params.(*workloads.PoissonTraffic); ok && testing.Short() {
		p.Duration /= 10
	}
	var hops, events int64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := store.ThisUsage().CPUSeconds
	for range b.N {
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			b.Fatal(err)
		}
		hops += r.Counters.PacketHops
		events += r.Counters.Events
	}
	cpu = store.ThisUsage().CPUSeconds - cpu
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(hops)/cpu/1e6, "Mhops/cpu-s")
	b.ReportMetric(float64(events)/float64(hops), "events/hop")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(hops), "allocs/hop")
	b.ReportMetric(float64(hops)/float64(b.N), "hops")
	b.ReportMetric(0, "ns/op")
}

func preset(b *testing.B, name string, set ...string) scenario.Scenario {
	b.Helper()
	sc, err := scenario.Open(name)
	if err == nil {
		err = sc.Set(set...)
	}
	if err != nil {
		b.Fatal(err)
	}
	return sc
}

// The cases on which simulators are compared; see docs/large-runs.md.
func BenchmarkCase(b *testing.B) {
	for _, name := range []string{
		"fat320-web", "fat320-web-pint", "fat320-web-reno",
		"fat320-hadoop", "fat320-hadoop-pint", "fat320-hadoop-reno",
		"perm128", "incast16",
	} {
		b.Run(name, func(b *testing.B) { measure(b, preset(b, name)) })
	}
}

// Cost of a packet-hop against the size of the network. Each run has about the same number of
// packet-hops.
func BenchmarkHosts(b *testing.B) {
	for _, k := range []int{4, 8, 16, 20, 32} {
		hosts := k * k * k / 4
		us := max(20, 200_000/hosts)
		b.Run(fmt.Sprintf("%d", hosts), func(b *testing.B) {
			measure(b, preset(b, "fat320-web", "topology.kind=fattree", fmt.Sprintf("topology.k=%d", k),
				"workload.0.load=0.3", fmt.Sprintf("workload.0.duration=%dus", us)))
		})
	}
}

// Cost of a packet-hop against load.
func BenchmarkLoad(b *testing.B) {
	for _, load := range []string{"0.1", "0.3", "0.5", "0.7", "0.9"} {
		b.Run(load, func(b *testing.B) {
			measure(b, preset(b, "fat320-web", "workload.0.load="+load, "workload.0.duration=200us"))
		})
	}
}

// Cost of a packet-hop against the number of flows that share a host.
func BenchmarkFlows(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			text := "topology: {kind: star, hosts: 17}\nworkload:\n"
			for i := range n {
				text += fmt.Sprintf("  - {kind: list, flows: [{src: 0, dst: %d, size: %dB}]}\n", 1+i%16, 20_000_000/n)
			}
			text += "cc: {kind: hpcc}\ntelemetry: {kind: int}\n"
			sc, err := scenario.Parse([]byte(text), "bench")
			if err != nil {
				b.Fatal(err)
			}
			measure(b, sc)
		})
	}
}

// One run on several engines.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			sc := preset(b, "fat320-web", "workload.0.duration=500us")
			sc.Run.Workers = n
			for b.Loop() {
				if _, err := Run(context.Background(), sc, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Many flows of one byte start at once, from every host of a fat tree to every other host: 16 256 flows among 128
// hosts, and without -short 1 047 552 among 1024.
func BenchmarkShortFlows(b *testing.B) {
	for _, k := range []int{8, 16} {
		if k == 16 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprintf("%d", k*k*k/4), func(b *testing.B) {
			measure(b,
				preset(b, "solo", fmt.Sprintf("topology={kind: fattree, k: %d}", k),
					"workload=[{kind: alltoall, size: 1B}]"))
		})
	}
}

// All telemetry systems run on one network together, and each runs alone. INT and PINT with 8 bits report one packet in
// 256. With -short, only the runs without a system and with all of them remain.
func BenchmarkTogether(b *testing.B) {
	systems := []struct{ name, monitor string }{
		{"passport", "{kind: int, mode: passport, share: 0.00390625, collector: 1}"},
		{"postcard", "{kind: int, mode: postcard, share: 0.00390625, collector: 2}"},
		{"pint", "{kind: pint}"},
		{"pint-8", "{kind: pint, plan: combined-8, record: collector, share: 0.00390625, collector: 3}"},
		{"sketchint", "{kind: sketchint, period: 100ms, collector: 4}"},
		{"lightguardian", "{kind: lightguardian, collector: 5}"},
		{"fridges", "{kind: rtt, exact: false}"},
	}
	var all []string
	for _, s := range systems {
		all = append(all, s.monitor)
	}
	run := func(name string, monitors ...string) {
		b.Run(name, func(b *testing.B) {
			measure(b, preset(b, "fat320-web", "workload.0.duration=400us", attached(monitors...)))
		})
	}
	run("none")
	run("all", all...)
	if testing.Short() {
		return
	}
	for _, s := range systems {
		run(s.name, s.monitor)
	}
}
