package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
)

// A control whose smallest rate is above the slowest link cannot act. Each control with a smallest rate refuses this.
func TestSmallestRateAboveSlowestLink(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 100Gbps, fabric_rate: 10Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 3, size: 10KB}]}]
network: {ecn: {enabled: %t}}
telemetry: {kind: %s}
cc: {kind: %s, min_rate: %s}
`
	for _, c := range []struct{ kind, telemetry string }{
		{"hpcc, form: rate", "int"}, {"dctcp, form: rate", "none"},
		{"dcqcn", "none"}, {"dcqcn, variant: ns3", "none"},
		{"timely", "none"}, {"timely, variant: ns3", "none"}, {"timely, variant: patched", "none"},
	} {
		run := func(least string) error {
			sc, err := scenario.Parse(
				fmt.Appendf(nil, text, strings.HasPrefix(c.kind, "dc"), c.telemetry, c.kind, least), "test")
			if err != nil {
				t.Fatal(err)
			}
			_, err = Run(context.Background(), sc, Options{})
			return err
		}
		if err := run("9999Mbps"); err != nil {
			t.Errorf("%s: %v", c.kind, err)
		}
		if err, want := run("10Gbps"), "cc.min_rate = 10Gbps: want less than 10Gbps"; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c.kind, err, want)
		}
	}
}

// A balancer has no effect with a single path, and a note reports it.
func TestBalancerWithoutAChoice(t *testing.T) {
	for topology, silent := range map[string]bool{
		"{kind: star, hosts: 4}": false, "{kind: dumbbell}": false,
		"{kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2}": false,
		"{kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2}": true,
	} {
		r, err := runText(t,
			fmt.Sprintf("topology: %s\nworkload: [{kind: list, flows: [{src: 0, dst: 3, size: 10KB}]}]\n"+
				"network: {balancing: {kind: letflow}}\n", topology))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(r.Notes, "\n"),
			"warning: network.balancing.kind = letflow has no effect") == silent {
			t.Errorf("%s: notes %q", topology, r.Notes)
		}
	}
}

// Marking thresholds that no queue can reach leave DCTCP without marks, and a note reports it. The
// ports of 10 Gb/s have a tenth of kmin.
func TestMarkingOutOfReach(t *testing.T) {
	const text = `
topology: {kind: star, hosts: 4, host_rate: 10Gbps}
workload: [{kind: incast, senders: 3, size: 10KB, receiver: 0}]
network: {%s, ecn: {enabled: true, kmin: 400KB}}
transport: {kind: newreno}
cc: {kind: dctcp}
telemetry: {kind: none}
`
	for limit, reached := range map[string]bool{
		"port_limit: 40KB": false, "port_limit: 41KB": true, "buffer: 32MB": true,
	} {
		r, err := runText(t, fmt.Sprintf(text, limit))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(r.Notes, "\n"),
			"warning: no packet can be marked: marking begins at a queue of 40KB at a port of 10Gbps") == reached {
			t.Errorf("%s: notes %q", limit, r.Notes)
		}
	}
}

// Thresholds are for ports of at_rate. If no port of a switch has this rate, a note states the threshold of the fastest
// ports.
func TestMarkingOfOtherRates(t *testing.T) {
	const text = "topology: {kind: star, hosts: 3, host_rate: 10Gbps}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 10KB}]}]\ncc: {kind: dcqcn}\n" +
		"telemetry: {kind: none}\nnetwork: {ecn: {enabled: true%s}}\n"
	for set, want := range map[string]string{
		", kmin: 50KB, kmax: 200KB": "network.ecn.kmin = 50KB is the threshold of ports of network.ecn.at_rate = " +
			"100Gbps, and thresholds are proportional to rates: a port of 10Gbps marks above 5KB",
		", kmin: 50KB, kmax: 200KB, at_rate: 10Gbps": "",
		"": "",
	} {
		r, err := runText(t, fmt.Sprintf(text, set))
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(r.Notes, "\n")
		if want == "" && strings.Contains(notes, "at_rate") || !strings.Contains(notes, want) {
			t.Errorf("%q: notes %q, want %q", set, r.Notes, want)
		}
	}
}

// A note reports settings without effect: marks that no control reads, an echo of these marks, and a marking
// probability with a step.
func TestMarksWithoutEffect(t *testing.T) {
	const text = "topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 2, size: 10KB}]}]\ntelemetry: {kind: none}\n"
	for set, want := range map[string]string{
		"network: {ecn: {enabled: true}}\ncc: {kind: " +
			"timely}\n": "cc.kind = timely with its settings reads no marks; the marks are only counted",
		"network: {ecn: {enabled: true}}\ncc: {kind: reno}\n" +
			"transport: {kind: newreno}\n": "cc.kind = reno with its settings reads no marks; the marks are only " +
			"counted",
		"network: {ecn: {enabled: true}}\ncc: {kind: reno}\n" +
			"transport: {kind: newreno, mark_echo: latch}\n": "reads no marks; the marks are only counted, and " +
			"transport.mark_echo has no effect",
		"network: {ecn: {enabled: true, pmax: 0.5}}\ncc: {kind: dctcp}\n" +
			"transport: {kind: newreno}\n": "network.ecn.pmax = 0.5 has no effect",
		"network: {ecn: {enabled: true, kmin: 10KB, kmax: 20KB, pmax: 0.5}}\ncc: {kind: reno, ecn: true}\n" +
			"transport: {kind: newreno}\n": "",
		"network: {ecn: {enabled: true}}\ncc: {kind: dcqcn}\n":                                                   "",
		"network: {ecn: {enabled: true}, balancing: {kind: reps}}\ncc: {kind: timely}\ntransport: {kind: irn}\n": "",
		"network: {balancing: {kind: bitmap}}\ncc: {kind: timely}\n" +
			"transport: {kind: irn}\n": "senders notice a slow path only by a loss",
	} {
		r, err := runText(t, text+set)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Notes, "\n"); want == "" && strings.Contains(got, Warning) ||
			!strings.Contains(got, want) {
			t.Errorf("%s: notes %q, want %q", set, r.Notes, want)
		}
	}
}

// A timer that expires while packets wait in a queue resends packets that were not lost, and a note reports
// it. Two flows of 10 packets share a link of 10 Mb/s, which takes 838 us for a packet of 1048 B; one of
// them waits longer than 1 ms for its first ACK.
func TestTimeoutsWithoutLoss(t *testing.T) {
	const text = "topology: {kind: dumbbell, bottleneck_rate: 10Mbps}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 2, size: 10KB}, {src: 1, dst: 3, size: 10KB}]}]\n" +
		"telemetry: {kind: none}\ncc: {kind: fixed}\ntransport: {rto_min: %[1]s, rto_initial: %[1]s}\n"
	for first, warns := range map[string]bool{"1ms": true, "50ms": false} {
		r, err := runText(t, fmt.Sprintf(text, first))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, "\n"), Warning+"no packet was lost, but "); got != warns {
			t.Errorf("rto_initial = %s: notes %q", first, r.Notes)
		}
	}
}

// TIMELY's bounds must not cross, because then its rate would have to rise and fall at the same round-trip time.
func TestCrossedBoundsOfTIMELY(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte("topology: {kind: star, hosts: 2}\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}]}]\n"+
			"cc: {kind: timely, t_low: 501us, t_high: 500us}\ntelemetry: {kind: none}\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), sc, Options{}); err == nil ||
		!strings.HasPrefix(err.Error(), "cc.t_low = 501us: want at most cc.t_high = 500us") {
		t.Errorf("error %v", err)
	}
}

// In the combined plan, one packet in sixteen has a digest of HPCC's query, so half of the flows of ten packets never
// see one.
func TestFlowsThatSeeNoDigestOfAPlan(t *testing.T) {
	const text = "topology: {kind: star, hosts: 4}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 10KB}, {src: 2, dst: 1, size: %s}]}]\n" +
		"telemetry: {kind: pint, plan: combined}\n"
	for size, want := range map[string]string{
		"15KB": "warning: share of the packets that carry the load query of telemetry.plan = 0.0625: " +
			"2 of 2 flows have fewer than 16 packets, so most of these flows never receive a digest: their " +
			"congestion control almost never acts",
		"16KB": "share of the packets that carry the load query of telemetry.plan = 0.0625: " +
			"1 of 2 flows has fewer than 16 packets, so most of these flows never receive a digest",
	} {
		r, err := runText(t, fmt.Sprintf(text, size))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(r.Notes, want) {
			t.Errorf("%s: notes %q, want %q", size, r.Notes, want)
		}
	}
}
