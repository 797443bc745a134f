package sim

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim/telemetry"
)

// rttCell returns a number from a row of a table, or NaN if the cell is empty.
func rttCell(t *testing.T, x telemetry.Table, row int, column string) float64 {
	t.Helper()
	for i, h := range x.Head {
		if h != column {
			continue
		}
		if x.Rows[row][i] == "" {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(x.Rows[row][i], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Fatalf("no column %s in %v", column, x.Head)
	return 0
}

// One flow has a window of one packet, so that no queue forms. The round trip behind the only switch consists of a link
// of 1 us in both directions, 84 ns for a segment of 1048 B at 100 Gb/s, and 5 ns for an ACK of 60 B, which leaves the
// switch at once.
func TestRoundTripOfOneFlow(t *testing.T) {
	r := monitored(t, `
topology: {kind: dumbbell, left: 1, right: 1, host_rate: 100Gbps, link_delay: 1us}
workload: [{kind: list, flows: [{src: 0, dst: 1, size: 100KB}]}]
cc: {kind: fixed, window: 1000B}
telemetry: {kind: none}
monitors: [{kind: rtt, switch: 3}]
`)
	x := table(t, r, 0, "percentiles")
	if len(x.Rows) != 1 || rttCell(t, x, 0, "segments") != 100 || rttCell(t, x, 0, "samples") != 100 ||
		rttCell(t, x, 0, "pairs") != 100 {
		t.Fatalf("%v: %v", x.Head, x.Rows)
	}
	want := 2e-6 + 8*(1048+60)/100e9
	for _, c := range []string{"p50_s", "p50_true_s", "p99_s"} {
		if got := rttCell(t, x, 0, c); math.Abs(got/want-1) > 0.011 { // the width of a bin
			t.Errorf("%s = %v, want %v", c, got, want)
		}
	}
}

const busy = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.6, duration: 10ms}]
cc: {kind: reno}
transport: {kind: newreno, pacing: false}
telemetry: {kind: none}
monitors: [{kind: rtt, entries: 65536}, {kind: rtt, entries: 1024, probability: 0.25}]
`

// Fridges with room for all segments measure the true round trips; small fridges estimate them closely. The run is
// deterministic.
func TestRoundTrips(t *testing.T) {
	r := monitored(t, busy)
	large, small := table(t, r, 0, "percentiles"), table(t, r, 1, "percentiles")
	if len(large.Rows) != 4 {
		t.Fatalf("%d switches, want 4", len(large.Rows))
	}
	tested := 0
	for i := range large.Rows {
		pairs := rttCell(t, large, i, "pairs")
		if pairs < 1000 {
			continue
		}
		tested++
		if got := rttCell(t, large, i, "estimated_pairs"); math.Abs(got/pairs-1) > 0.02 {
			t.Errorf("row %d: %v pairs in a large fridge, truly %v", i, got, pairs)
		}
		for _, p := range []string{"p50", "p95", "p99"} {
			truth := rttCell(t, large, i, p+"_true_s")
			if got := rttCell(t, large, i, p+"_s"); math.Abs(math.Log2(got/truth)) > 0.03 {
				t.Errorf("row %d: a large fridge has %s = %v, truly %v", i, p, got, truth)
			}
			low, high := rttCell(t, small, i, p+"_low_s"), rttCell(t, small, i, p+"_high_s")
			if got := rttCell(t, small, i, p+"_s"); !(low <= got && got <= high) ||
				math.Abs(math.Log2(got/truth)) > 0.3 {
				t.Errorf("row %d: a small fridge has %s = %v (%v to %v), truly %v", i, p, got, low, high, truth)
			}
		}
		if lost := rttCell(t, small, i, "lost"); lost == 0 {
			t.Errorf("row %d: the small fridge lost nothing", i)
		}
	}
	if tested < 3 {
		t.Errorf("only %d switches have 1000 pairs", tested)
	}
	if cdf := table(t, r, 1, "cdf"); len(cdf.Rows) != 4*99 {
		t.Errorf("%d points of CDFs, want %d", len(cdf.Rows), 4*99)
	}
}

// Senders that use the round trips of their switches finish their flows, with the same result on any number of engines.
// The estimates are near the senders' own measurements: within 2 % on the mean where an estimate exists. An estimate
// for a whole switch differs more, because it mixes destinations.
func TestSendersReadRoundTripsOfTheirSwitch(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.5, duration: 5ms}]
cc: {kind: swift, signal: switch, base_target: 50us}
telemetry: {kind: rtt, entries: 4096}
`
	one, two := monitored(t, text), monitored(t, text, "run.workers=2")
	whole := monitored(t, text, "telemetry.of=switch")
	if one.Summary.Finished != one.Summary.Flows || one.Summary.Flows < 10 {
		t.Errorf("%d of %d flows have finished", one.Summary.Finished, one.Summary.Flows)
	}
	if diff := cmp.Diff(one.TelemetryTables, two.TelemetryTables); diff != "" ||
		one.Summary.Fingerprint != two.Summary.Fingerprint {
		t.Errorf("two engines differ from one: %s", diff)
	}
	if len(one.TelemetryTables) != 1 || len(one.TelemetryTables[0].Rows) != 2 {
		t.Fatalf("tables %v, want one of both leaves: spines have no hosts", one.TelemetryTables)
	}
	for i := range 2 {
		x := one.TelemetryTables[0]
		estimated, measured, apart := rttCell(t, x, i, "estimate_mean_s"), rttCell(t, x, i, "true_mean_s"), rttCell(t,
			x, i, "error_mean")
		if acks := rttCell(t, x, i, "acks"); acks < 1000 || rttCell(t, x, i, "with_estimate") < 0.99*acks ||
			rttCell(t, x, i, "packets") != acks {
			t.Errorf("leaf %d: %v", i, x.Rows[i])
		}
		if math.Abs(estimated/measured-1) > 0.02 || apart > 0.1 {
			t.Errorf("leaf %d: %v s estimated, %v s measured, error %v", i, estimated, measured, apart)
		}
		if got := rttCell(t, whole.TelemetryTables[0], i, "error_mean"); got < 2*apart {
			t.Errorf("leaf %d: error %v with one estimate, %v with one for each destination", i, got, apart)
		}
	}
}

func TestRoundTripsOnSeveralEngines(t *testing.T) {
	one, two := monitored(t, busy), monitored(t, busy, "run.workers=2")
	for i := range one.Monitors {
		for k, x := range one.Monitors[i].Tables {
			for j, row := range x.Rows {
				for c := range row {
					if got := two.Monitors[i].Tables[k].Rows[j][c]; got != row[c] {
						t.Fatalf("monitor %d, table %s, row %d: %s on two engines, %s on one", i, x.Name, j, got,
							row[c])
					}
				}
			}
		}
	}
}
