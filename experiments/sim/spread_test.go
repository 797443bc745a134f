package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// If links between switches are slower than the hosts' links, the rates of all paths add up to at most the rates of
// these links, and NDP reaches this sum. Every packet is full or the only packet of its flow, because a short packet
// could overtake others.
func TestSpreadFlowsAgainstAllPaths(t *testing.T) {
	for _, x := range []struct {
		fabric string
		limit  float64 // slowdown of a long flow
	}{
		{"spines: 4, fabric_rate: 40Gbps", 1.1},
		{"spines: 2, fabric_rate: 25Gbps", 1.1},
		{"spines: 3, fabric_rate: 400Gbps", 1.02},
	} {
		for _, balancing := range []string{"{kind: spray}", "{kind: spray, choice: round-robin}", "{kind: permute}"} {
			for _, size := range []string{"1B", "1000B", "8KB", "2MB"} {
				r, err := runText(t,
					fmt.Sprintf("topology: {kind: leafspine, leaves: 2, hosts_per_leaf: 2, host_rate: 100Gbps, %s}\n"+
						"workload: [{kind: list, flows: [{src: 0, dst: 2, size: %s}]}]\ntelemetry: {kind: none}\n"+
						"cc: {kind: ndp}\nnetwork: {balancing: %s}\n", x.fabric, size, balancing))
				if err != nil {
					t.Fatal(err)
				}
				f := r.Flows.At(0)
				slowdown := float64(f.FCT) / float64(f.Ideal)
				if f.Outcome != store.Finished || slowdown < 1 || size == "2MB" && slowdown > x.limit {
					t.Errorf("%s, %s, %s: %v, slowdown %.3f, want 1 to %v", x.fabric, balancing, size, f.Outcome,
						slowdown, x.limit)
				}
			}
		}
	}
}

// An NDP receiver with two links requests data at the rate of the link on which the data arrives. Flows whose hashes
// spread them over both links take as long as with a fixed rate, except for headers.
func TestPullsOfAHostWithTwoLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.txt")
	text := "6 2 8\n4 5\n"
	for h := range 4 {
		text += fmt.Sprintf("%d 4 25Gbps 1us 0\n%d 5 25Gbps 1us 0\n", h, h)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flows := ""
	for range 8 {
		flows += "{src: 0, dst: 1, size: 500KB}, "
	}
	var took [2]unit.Time
	for i, control := range []string{"fixed", "ndp"} {
		r, err := Run(context.Background(),
			parse(t, fmt.Sprintf("topology: {kind: file, path: %q}\nworkload: [{kind: list, flows: [%s]}]\n"+
				"telemetry: {kind: none}\ncc: {kind: %s}\n", path, flows, control)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for f := range r.Flows.All() {
			took[i] = max(took[i], f.FCT)
		}
	}
	if took[1] > took[0]*11/10 {
		t.Errorf("NDP takes %v, a fixed rate %v", took[1], took[0])
	}
}
