package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
)

// A control whose smallest rate is above the slowest link is as good as off; each control
// that has such a rate refuses it.
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
			sc, err := scenario.Parse(fmt.Appendf(nil, text, strings.HasPrefix(c.kind, "dc"), c.telemetry, c.kind, least), "test")
			if err != nil {
				t.Fatal(err)
			}
			_, err = Run(context.Background(), sc, Options{})
			return err
		}
		if err := run("10Gbps"); err != nil {
			t.Errorf("%s: %v", c.kind, err)
		}
		if err, want := run("11Gbps"), "cc.min_rate = 11Gbps: want at most 10Gbps"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c.kind, err, want)
		}
	}
}

// A balancer has no effect where there is one path, and says so.
func TestBalancerWithoutAChoice(t *testing.T) {
	for topology, silent := range map[string]bool{
		"{kind: star, hosts: 4}": false, "{kind: dumbbell}": false, "{kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2}": false,
		"{kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2}": true,
	} {
		r, err := runText(t, fmt.Sprintf("topology: %s\nworkload: [{kind: list, flows: [{src: 0, dst: 3, size: 10KB}]}]\nnetwork: {balancing: {kind: letflow}}\n", topology))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(r.Notes, "\n"), "warning: network.balancing.kind = letflow has no effect") == silent {
			t.Errorf("%s: notes %q", topology, r.Notes)
		}
	}
}
