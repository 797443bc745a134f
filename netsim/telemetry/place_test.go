package telemetry

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
)

// Keys name hosts and switches by their node numbers, in any order of nodes in the topology.
func TestNodesOfKeys(t *testing.T) {
	p := &Place{Site: Site{Graph: &topo.Graph{Nodes: []topo.Node{{Kind: topo.Switch}, {Kind: topo.Switch},
		{Kind: topo.Host}, {Kind: topo.Host}}}}}
	if host, err := p.Host("collector", 3); host != 3 || err != nil {
		t.Errorf("host 3: %v, %v", host, err)
	}
	if at, err := p.Switch("switch", 1); at != 1 || err != nil {
		t.Errorf("switch 1: %v, %v", at, err)
	}
	for _, node := range []int{0, 4, -1} {
		if _, err := p.Host("collector", node); !errtest.Says(err, "collector = … host, 2 to 3") {
			t.Errorf("host %d: %v", node, err)
		}
	}
	if _, err := p.Switch("switch", 2); !errtest.Says(err, "switch = 2: … switch, 0 to 1") {
		t.Errorf("switch 2: %v", err)
	}
	p.Graph.Nodes = p.Graph.Nodes[2:]
	if _, err := p.Switch("switch", 0); !errtest.Says(err, "switch = 0: … no switch") {
		t.Errorf("without switches: %v", err)
	}
}
