package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/transport/ns3"
)

func (s *Simulation) buildGraph() error {
	if s.part != nil {
		s.Graph = s.part.Graph
		return nil
	}
	g, err := s.Scenario.Topology.Generator().Build()
	if err != nil {
		return err
	}
	if s.Scenario.Published() {
		s.draws = ns3.NewDraws(g, s.Scenario.Network.LinkErrorRate)
	}
	if p := s.Scenario.Network.LinkErrorRate; p > 0 {
		for i := range g.Links {
			g.Links[i].ErrorRate = cmp.Or(g.Links[i].ErrorRate, p)
		}
	}
	if hosts := g.Hosts(); len(hosts) > 0 && slices.Contains(s.Scenario.Run.Outputs, scenario.OutputFCT) &&
		hosts[len(hosts)-1] > math.MaxUint16 {
		return fmt.Errorf("run.outputs: %s has no addresses for host numbers above %d, but this network has a host "+
			"%d: leave this output out", scenario.OutputFCT, math.MaxUint16, hosts[len(hosts)-1])
	}
	s.Graph = g
	return nil
}
