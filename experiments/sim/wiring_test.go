package sim

import (
	"context"
	"slices"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// crossings records the switch ports that each flow's data crosses, and when.
type crossings struct {
	seen map[uint64]map[netsim.PortID][]unit.Time
}

func (c *crossings) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind != netsim.Data {
		return
	}
	at := h.FlowKey()
	if c.seen[at] == nil {
		c.seen[at] = map[netsim.PortID][]unit.Time{}
	}
	c.seen[at][h.Port] = append(c.seen[at][h.Port], h.Now)
}

// Packets take the paths that WiringOf returns, before a link breaks, while it is down, and after its repair.
func TestWiringIsWhereThePacketsGo(t *testing.T) {
	sc, err := scenario.Parse([]byte(`
name: wiring
topology: {kind: leafspine, leaves: 3, spines: 3, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload:
  - {kind: poisson, sizes: websearch, load: 0.6, duration: 200us}
faults:
  - {kind: link-down, a: 12, b: 15, at: 100us, until: 300us}
  - {kind: link-down, a: 13, b: 16, at: 200us}
`), "wiring")
	if err != nil {
		t.Fatal(err)
	}
	c := &crossings{seen: map[uint64]map[netsim.PortID][]unit.Time{}}
	r, err := Run(context.Background(), sc, Options{Tap: func(*Simulation) (netsim.Tap, error) { return c, nil }})
	if err != nil {
		t.Fatal(err)
	}
	w, err := WiringOf(sc)
	if err != nil {
		t.Fatal(err)
	}
	if !w.Single || len(w.Routes) != 4 || w.Routes[1].At != 100*unit.Microsecond ||
		w.Routes[3].At != 300*unit.Microsecond {
		t.Fatalf("%v, %d sets of routes", w.Single, len(w.Routes))
	}
	moved := 0
	for f := range r.Flows.All() {
		x := transport.Flow{
			Src: netsim.NodeID(f.Src), Dst: netsim.NodeID(f.Dst), SrcPort: f.SrcPort, DstPort: f.DstPort,
		}
		var paths [][]netsim.PortID
		for _, routes := range w.Routes {
			paths = append(paths, x.Path(nil, routes.Table))
		}
		if !slices.Equal(paths[0], paths[2]) {
			moved++
		}
		for port, times := range c.seen[transport.FlowKey(sc.Seed, int32(f.ID))] {
			for _, at := range times {
				i := len(w.Routes) - 1
				for w.Routes[i].At > at {
					i--
				}
				// Packets in flight when routes change continue from where they are.
				if since := at - w.Routes[i].At; !slices.Contains(paths[i], port) &&
					(i == 0 || since > 20*unit.Microsecond) {
					t.Fatalf("flow %d at %v crosses port %v, which is not on its path %v", f.ID, at, port, paths[i])
				}
			}
		}
	}
	if moved < 3 || len(c.seen) < 8 {
		t.Errorf("the faults have moved %d flows, and packets of %d were seen, want some", moved, len(c.seen))
	}
}
