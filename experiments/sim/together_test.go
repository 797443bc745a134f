package sim

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/internal/invariants"
)

// everySystem lists monitors of all kinds; INT, which feeds HPCC, runs in addition.
var everySystem = []string{
	"{kind: int, mode: passport, share: 0.5}",
	"{kind: int, mode: postcard, share: 0.25, collector: 7}",
	"{kind: pint}",
	"{kind: pint, plan: combined-8, record: collector, collector: 5}",
	"{kind: lightguardian, interval: 100us, quiet: 20us, truth: true, collector: 2}",
	"{kind: sketchint, period: 100us, memory: 2KB, latency_memory: 4KB, table: 32, hitter: 20, change: 10, " +
		"truth: true}",
	"{kind: rtt}",
}

const togetherText = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.4, duration: 250us}]
`

func attached(monitors ...string) string { return "monitors=[" + strings.Join(monitors, ", ") + "]" }

// If all systems run together without their costs, packets move as in a run without monitors, and each system has the
// same results as alone.
func TestTogetherAsAlone(t *testing.T) {
	const free = "run.monitor_cost=none"
	bare := monitored(t, togetherText)
	all := monitored(t, togetherText, attached(everySystem...), free)
	sameRun := func(what string, x *Result) {
		if x.Summary.Fingerprint != bare.Summary.Fingerprint || x.Counters.PacketHops != bare.Counters.PacketHops ||
			x.Counters.Events != bare.Counters.Events && x.Counters.Reports == 0 {
			t.Errorf("%s: fingerprint %s, %d packet-hops; without monitors %s, %d", what, x.Summary.Fingerprint,
				x.Counters.PacketHops, bare.Summary.Fingerprint, bare.Counters.PacketHops)
		}
	}
	sameRun("all", all)
	for i, m := range everySystem {
		alone := monitored(t, togetherText, attached(m), free)
		sameRun(m, alone)
		rows := 0
		for _, x := range alone.Monitors[0].Tables {
			rows += len(x.Rows)
		}
		if rows < 4 {
			t.Errorf("%s: only %d rows of results", m, rows)
		}
		if diff := cmp.Diff(alone.Monitors[0], all.Monitors[i]); diff != "" {
			t.Errorf("%s:\n%s", m, diff)
		}
	}
}

// Monitors that add no bytes to links have the same results with and without their cost, alone and together.
func TestTogetherWithoutBytes(t *testing.T) {
	list := []string{"{kind: pint, wire_bytes: 0B}", "{kind: pint, plan: combined-8, wire_bytes: 0B}", "{kind: rtt}"}
	all := monitored(t, togetherText, attached(list...))
	for i, m := range list {
		if alone := monitored(t, togetherText, attached(m)); alone.Summary.Fingerprint != all.Summary.Fingerprint ||
			cmp.Diff(alone.Monitors[0], all.Monitors[i]) != "" {
			t.Errorf("%s: not as in a run of its own", m)
		}
	}
}

// The bytes of a monitor delay traffic as much as any other bytes: PINT's two bytes as a monitor cost as much as two
// bytes of telemetry.
func TestBytesOfMonitorsCount(t *testing.T) {
	const cc = "cc={kind: timely}"
	print := func(set ...string) string {
		return monitored(t, togetherText, append([]string{cc}, set...)...).Summary.Fingerprint
	}
	bytes := print("telemetry={kind: bytes, bytes: 2B}", attached("{kind: rtt}"))
	if with := print("telemetry={kind: none}", attached("{kind: pint}", "{kind: rtt}")); with != bytes {
		t.Errorf("fingerprint %s with two bytes of a monitor, %s with two of telemetry", with, bytes)
	}
	if without := print("telemetry={kind: none}", attached("{kind: rtt}")); without == bytes {
		t.Error("two bytes make no difference: the test shows nothing")
	}
}

// Once their flows are known and slabs have grown, all systems together allocate nothing for
// packets of 16 flows that do not end.
func TestTogetherAllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("needs a build without the checks of invariants, which allocate")
	}
	sc, err := scenario.Parse([]byte(`
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: permutation, size: 1GB}]
run: {until: 600us}
`), "test")
	if err == nil {
		sc, err = sc.With(
			strings.NewReplacer(", truth: true", "", "kind: rtt",
				"kind: rtt, exact: false").Replace(attached(everySystem...)))
	}
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	var mallocs []uint64
	var hops []int64
	_, err = Run(context.Background(), sc, Options{Progress: func(p Progress) {
		runtime.ReadMemStats(&m)
		mallocs, hops = append(mallocs, m.Mallocs), append(hops, p.Counters.PacketHops)
	}})
	if err != nil {
		t.Fatal(err)
	}
	// Samples are 20 µs apart. The remaining allocations are rows of results, which LightGuardian adds at every poll of
	// 10 µs and SketchINT at the end of its period. Half of the samples include no such end.
	var new []uint64
	for i := len(mallocs) / 2; i < len(mallocs)-1; i++ {
		if hops[i]-hops[i-1] < 5000 {
			t.Fatalf("only %d packet-hops in 20 µs", hops[i]-hops[i-1])
		}
		new = append(new, mallocs[i]-mallocs[i-1])
	}
	slices.Sort(new)
	if median := new[len(new)/2]; median > 50 {
		t.Errorf("%d allocations in 20 µs with 5000 packet-hops or more", median)
	}
}
