package sim

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim/telemetry"
)

const guarded = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.4, duration: 400us}]
run: {until: 400us}
monitors: [{kind: lightguardian, interval: 100us, quiet: 20us, carry: 0.2, delay_buckets: 512,
  interval_buckets: 256, last: true, bytes: true, truth: true}]
`

// numbers returns the numbers of a column and skips empty cells.
func numbers(t *testing.T, x telemetry.Table, column string) []float64 {
	t.Helper()
	var list []float64
	for i, h := range x.Head {
		if h != column {
			continue
		}
		for _, row := range x.Rows {
			if row[i] == "" {
				continue
			}
			n, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, n)
		}
		return list
	}
	t.Fatalf("no column %s in %v", column, x.Head)
	return nil
}

// Sketchlets that travelled through the network report the counts of the switches, for every way to choose and name
// sketchlets. With some twenty flows in 512 buckets, nearly all valid answers are exact. The share of valid answers
// agrees with Theorem 6.1 within five standard deviations of its binomial distribution.
func TestSketchletsSayWhatSwitchesCounted(t *testing.T) {
	for i, set := range [][]string{
		nil, {"monitors.0.id=array", "monitors.0.k=3"}, {"monitors.0.selection=random"},
		{"monitors.0.selection=round-robin"},
	} {
		r := monitored(t, guarded, set...)
		for _, row := range table(t, r, 0, "switches").Rows {
			want := "leaf" // nodes 16 to 19
			if row[1] >= "20" {
				want = "spine"
			}
			if row[2] != want {
				t.Errorf("%v: switch %s is in the layer %s, want %s", set, row[1], row[2], want)
			}
		}
		e := table(t, r, 0, "errors")
		flows, valid, expected, size, gaps := numbers(t, e, "flows"), numbers(t, e, "valid"), numbers(t, e,
			"valid_expected"), numbers(t, e, "are_size"), numbers(t, e, "are_longest")
		if len(flows) < 12 {
			t.Fatalf("%v: %d rows of errors", set, len(flows))
		}
		asked, answered, want, variance := 0.0, 0.0, 0.0, 0.0
		for k, n := range flows {
			asked += n
			answered += n * valid[k]
			want += n * expected[k]
			variance += n * expected[k] * (1 - expected[k])
		}
		if d := answered - want; d*d > 25*variance {
			t.Errorf("%v: of %v flows %v have a valid size, want %v", set, asked, answered, want)
		}
		exact := 0
		for _, x := range size {
			if x == 0 {
				exact++
			}
		}
		if exact < len(size)*2/3 || i < 3 && len(gaps) == 0 { // round robin does not cover the gaps
			t.Errorf("%v: sizes are exact in %d of %d sketches", set, exact, len(size))
		}
		for _, x := range numbers(t, e, "aae_last_s") {
			if x < 0 || x > 100e-6 {
				t.Errorf("%v: last arrivals are %v s late on average", set, x)
			}
		}
		cost, analyzer, hosts := table(t, r, 0, "cost"), table(t, r, 0, "analyzer"), table(t, r, 0, "hosts")
		carried, taken := total(t, cost, "carried"), total(t, hosts, "sketchlets")
		received := total(t, analyzer, "new") + total(t, analyzer, "duplicate") + total(t, analyzer, "stale")
		if received == 0 || received > taken || taken > carried {
			t.Errorf("%v: %d sketchlets carried, %d taken off, %d received", set, carried, taken, received)
		}
		bad := total(t, analyzer, "unknown_device") + total(t, analyzer, "unknown_id") +
			total(t, analyzer, "corrupt_length") + total(t, analyzer, "late_datagrams")
		if bad > 0 {
			t.Errorf("%v: %d bad sketchlets from the network itself", set, bad)
		}
	}
}

// The analyzer misses the sketchlets of lost packets. All flows finish, because hosts remove the sketchlets from the
// packets that arrive.
func TestSketchletsOfLostPackets(t *testing.T) {
	const lossy = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: alltoall, size: 200KB}]
network: {buffer: 100KB, pfc: {enabled: false}}
transport: {kind: newreno}
cc: {kind: reno}
telemetry: {kind: none}
monitors: [{kind: lightguardian, interval: 50us, quiet: 10us, carry: 0.2, delay_buckets: 512,
  interval_buckets: 256}]
`
	r := monitored(t, lossy)
	if r.Counters.Dropped == 0 {
		t.Fatal("no packet was dropped: the test shows nothing")
	}
	cost, hosts := table(t, r, 0, "cost"), table(t, r, 0, "hosts")
	if carried, taken := total(t, cost, "carried"), total(t, hosts, "sketchlets"); taken >= carried ||
		taken < carried*8/10 {
		t.Errorf("%d sketchlets carried, %d taken off", carried, taken)
	}
	if r.Summary.Finished != 240 {
		t.Errorf("%d flows finished, want 240", r.Summary.Finished)
	}
}

// With local analysis every host keeps the sketchlets of its own packets and sends none. Local and global analysis
// together give the same results as each alone.
func TestLocalAnalysis(t *testing.T) {
	local := monitored(t, guarded, "monitors.0.analysis=local")
	if local.Counters.Reports != 0 {
		t.Errorf("%d datagrams in local analysis", local.Counters.Reports)
	}
	both := monitored(t, guarded, "monitors.0.analysis=both")
	global := monitored(t, guarded)
	for _, name := range []string{"analyzer", "errors", "switches"} {
		if diff := cmp.Diff(table(t, global, 0, name), table(t, both, 0, name)); diff != "" {
			t.Errorf("%s with and without local analysis:\n%s", name, diff)
		}
	}
	received := total(t, table(t, local, 0, "local"), "received")
	if taken := total(t, table(t, local, 0, "hosts"), "sketchlets"); received == 0 || received > taken {
		t.Errorf("hosts have %d different sketchlets of %d", received, taken)
	}
}

// Results and tables do not depend on the number of workers.
func TestLightGuardianOnSeveralEngines(t *testing.T) {
	one, many := monitored(t, guarded, "monitors.0.analysis=both"), monitored(t, guarded, "monitors.0.analysis=both",
		"run.workers=2")
	if many.Summary.Fingerprint != one.Summary.Fingerprint {
		t.Errorf("fingerprint %s, with one %s", many.Summary.Fingerprint, one.Summary.Fingerprint)
	}
	if diff := cmp.Diff(one.Monitors, many.Monitors); diff != "" {
		t.Error(diff)
	}
}

func TestLightGuardianRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"monitors.0.quiet=100us", "want less than interval"},
		{"monitors.0.poll=30us", "want a divisor of interval"},
		{"monitors.0.batch=374", "want at most 373, the number of sketchlets that fit"},
		{"monitors.0.delay_2=50ns", "want delay_1 < delay_2 < delay_3, but delay_2 = 50ns"},
		{"monitors.0.interval_buckets=0", "the interval part has no buckets"},
		{"monitors.0.interval=10s", "a clock of 32 bits with this unit wraps within interval"},
		{"monitors.0.selection=random monitors.0.k=2", "no effect"},
		{"monitors.0.selection=round-robin monitors.0.id=array", "no effect"},
		{"monitors.0.analysis=local monitors.0.collector=3", "no effect"},
		{"monitors.0.collector=99", "collector = 99: want the node number of a host, 0 to 15"},
		{"monitors.0.carry=0", "want >= 1e-9"},
		{"monitors.0.delay_arrays=9", "want >= 1 and <= 8"},
	} {
		sc, err := scenario.Parse([]byte(guarded), "test")
		if err != nil {
			t.Fatal(err)
		}
		if sc, err = sc.With(strings.Fields(c.set)...); err == nil {
			_, err = Run(t.Context(), sc, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// Between two hosts of a rack INT adds 24 B to each packet, and a sketchlet adds the same to every second packet. With
// some 9000 packets the share is within 0.03 (five standard deviations). The quiet part of an interval does not count.
func TestCostAtHosts(t *testing.T) {
	const rack = `
topology: {kind: star, hosts: 2, host_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 1, size: 12MB}]}]
transport: {kind: newreno, mtu: 1000B}
cc: {kind: fixed, rate: 90Gbps}
telemetry: {kind: none}
monitors: [{kind: lightguardian, interval: 200us, quiet: 50us, carry: 0.5, delay_buckets: 512, interval_buckets: 0}]
run: {until: 1ms}
`
	cost := table(t, monitored(t, rack), 0, "cost")
	own, ofINT := numbers(t, cost, "host_bps")[0], numbers(t, cost, "int_host_bps")[0]
	if share := own / ofINT; math.Abs(share-0.5) > 0.03 {
		t.Errorf("%v of INT's bytes", share)
	}
	if x := ofINT * 1000 / 24; math.Abs(x/90e9-1) > 0.05 { // the rate of the packets
		t.Errorf("INT at %v b/s on packets of 1000 B", ofINT)
	}
}
