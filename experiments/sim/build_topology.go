package sim

import (
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/netsim/topo"
	"pintlab/transport/ns3"
)

// BuildGraph makes the network of a scenario.
func BuildGraph(t scenario.Topology) (*topo.Graph, error) {
	switch t.Kind {
	case scenario.FatTree320, scenario.Clos64:
		c := topo.DefaultFatTree320()
		if t.Kind == scenario.Clos64 {
			c = topo.DefaultClos64()
		}
		c.HostRate, c.FabricRate, c.Delay = t.HostRate, t.FabricRate, t.LinkDelay
		return c.Build()
	case scenario.FatTree:
		c := topo.DefaultKAry()
		c.K, c.HostRate, c.FabricRate, c.Delay = t.K, t.HostRate, t.FabricRate, t.LinkDelay
		return c.Build()
	case scenario.LeafSpine:
		c := topo.DefaultLeafSpine()
		c.Leaves, c.Spines, c.HostsPerLeaf = t.Leaves, t.Spines, t.HostsPerLeaf
		c.HostRate, c.FabricRate, c.Delay = t.HostRate, t.FabricRate, t.LinkDelay
		return c.Build()
	case scenario.Dumbbell:
		c := topo.DefaultDumbbell()
		c.Left, c.Right, c.HostRate, c.BottleneckRate, c.Delay = t.Left, t.Right, t.HostRate, t.BottleneckRate, t.LinkDelay
		return c.Build()
	case scenario.Star:
		c := topo.DefaultStar()
		c.Hosts, c.Rate, c.Delay = t.Hosts, t.HostRate, t.LinkDelay
		return c.Build()
	case scenario.Chain:
		c := topo.DefaultChain()
		c.Switches, c.HostsPerSwitch, c.EndsOnly = t.Switches, t.HostsPerSwitch, t.EndsOnly
		c.HostRate, c.FabricRate, c.Delay = t.HostRate, t.FabricRate, t.LinkDelay
		return c.Build()
	case scenario.TopologyFile:
		f, err := input.Open(t.Path, input.Map)
		if err != nil {
			return nil, fmt.Errorf("topology.path: %w", err)
		}
		defer f.Close()
		return topo.ReadTopology(f, t.Path)
	}
	return nil, fmt.Errorf("topology.kind = %q is not built", t.Kind)
}

func (s *Simulation) buildGraph() error {
	g, err := BuildGraph(s.Scenario.Topology)
	if err != nil {
		return err
	}
	if s.Scenario.Published() {
		s.draws = ns3.NewDraws(g, s.Scenario.Network.LinkErrorRate)
	}
	if p := s.Scenario.Network.LinkErrorRate; p > 0 {
		for i := range g.Links {
			if g.Links[i].ErrorRate == 0 {
				g.Links[i].ErrorRate = p
			}
		}
	}
	s.Graph = g
	return nil
}
