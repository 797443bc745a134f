package protocols_test

import (
	"fmt"
	"slices"

	"pintlab/experiments/protocols"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
)

// A program adds its own protocols to the standard set.
func ExampleSet() {
	set := protocols.Standard()
	set.AddNetwork(new(topo.Star), "ring", "my ring")
	set.AddTelemetry(new(telemetry.Bytes), "mine", "Mine", "my telemetry system")
	fmt.Println(slices.Contains(set.Networks.Names(), "ring"), set.Telemetry.Title("mine"))
	// Output: true Mine
}
