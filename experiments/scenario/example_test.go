package scenario_test

import (
	"fmt"
	"log"

	"pintlab/experiments/scenario"
	"pintlab/netsim/topo"
)

// A scenario sets only some keys. All other keys have their defaults.
func ExampleParse() {
	rack, err := scenario.Parse([]byte(`
topology: {kind: star, hosts: 17}
workload: [{kind: incast, senders: 16, size: 500KB}]
cc: {kind: swift}
`), "rack.yaml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rack.CC.Kind, "over", rack.Telemetry.Kind, "with a seed of", rack.Seed)

	faster, err := rack.With("topology.host_rate=400Gbps", "seed=7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(faster.Topology.Params.(*topo.Star).Rate, "with a seed of", faster.Seed)
	// Output:
	// swift over none with a seed of 1
	// 400Gbps with a seed of 7
}

// An error names the key, the wrong value and the accepted values.
func ExampleScenario_Set() {
	sc := scenario.Default()
	fmt.Println(sc.Set("cc.eta=1.5"))
	// Output: --set cc.eta=1.5: cc.eta: 1.5: want > 0 and <= 1
}
