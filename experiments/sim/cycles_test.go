package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pintlab/netsim/unit"
)

// Telemetry costs a clock cycle for every started word, at both interfaces of a switch (PINT §2). Words have 64 B and
// take 3 ns at 100 Gb/s; they have 128 B and take 2.56 ns at 400 Gb/s. A packet between hosts, over two leaves and a
// spine, passes two interfaces of the first rate and four of the second. Its ACK has no telemetry cost.
func TestTelemetryCycles(t *testing.T) {
	const text = "topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 1, host_rate: 100Gbps, " +
		"fabric_rate: %s}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1000B}]}]\ncc: {kind: %s}\ntelemetry: {%s}\n" +
		"network: {telemetry_cycles: %v}\n"
	for _, tt := range []struct {
		cc, telemetry string
		want          unit.Time
	}{
		// 1 B: one word at each interface
		{"hpcc", "kind: pint", 2*3000 + 4*2560},
		{"hpcc", "kind: int", 2*3000 + 4*2560}, // 42 B
		// 68 B: two words of 64 B
		{"hpcc", "kind: int, format: standard", 4*3000 + 4*2560},
		// three words, and two of 128 B
		{"reno}\ntransport: {kind: newreno, pacing: false", "kind: bytes, bytes: 129B", 6*3000 + 8*2560},
	} {
		var fct [2]unit.Time
		for i, on := range []bool{false, true} {
			r, err := runText(t, fmt.Sprintf(text, "400Gbps", tt.cc, tt.telemetry, on))
			if err != nil {
				t.Fatal(err)
			}
			fct[i] = r.Flows.At(0).FCT
		}
		if got := fct[1] - fct[0]; got != tt.want*unit.Picosecond {
			t.Errorf("%s: %v more, want %v", tt.telemetry, got, tt.want*unit.Picosecond)
		}
	}
	sc := parse(t, fmt.Sprintf(text, "40Gbps", "hpcc", "kind: int", true))
	if _, err := Run(context.Background(), sc, Options{}); err == nil ||
		!strings.Contains(err.Error(), "network.telemetry_cycles: ") ||
		!strings.Contains(err.Error(), "known: 10Gbps, 100Gbps, 400Gbps") {
		t.Errorf("at 40 Gb/s: %v", err)
	}
}
