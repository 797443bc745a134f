package sim_test

import (
	"context"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
)

// Nine hosts send 60 KB each to one host, and later one of them sends 1000 bytes. In the same class the short flow
// waits behind the others. In a separate class, chosen by size, and with strict priority it takes hardly longer than
// alone; its ACK also has a separate class.
func TestShortFlowsOfAHigherClassDoNotWait(t *testing.T) {
	const text = `
topology: {kind: star, hosts: 11}
workload:
  - {kind: incast, senders: 9, receiver: 10, size: 60KB}
  - {kind: list, flows: [{src: 9, dst: 10, size: 1000B, start: 20us}]}
cc: {kind: fixed}
telemetry: {kind: none}
`
	for _, tt := range []struct {
		more     string
		slowdown float64 // at least or at most
		least    bool
	}{
		{"", 3, true},
		{"transport: {size_classes: [10KB=5], ack_class: 7}\nnetwork: {scheduling: {kind: strict}}\n", 1.1, false},
		{"transport: {size_classes: [10KB=5]}\nnetwork: {scheduling: {kind: drr}}\n", 1.2, false},
	} {
		sc, err := scenario.Parse([]byte(text+tt.more), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(context.Background(), sc, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for f := range r.Flows.All() {
			if f.Size != 1000 {
				continue
			}
			slowdown := float64(f.FCT) / float64(f.Ideal)
			if tt.least && slowdown < tt.slowdown || !tt.least && slowdown > tt.slowdown {
				t.Errorf("%q: a slowdown of %.2f, bound %v", tt.more, slowdown, tt.slowdown)
			}
		}
	}
}
