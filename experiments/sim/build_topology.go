package sim

import (
	"cmp"

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
	s.Graph = g
	return nil
}
