package scenario

import (
	"fmt"

	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/workloads"
)

// Source is one origin of flows.
//
// Flows have the destination port 100, those of an incast 200; a file says its own.
type Source struct {
	// Where the flows come from.
	schema.Choice
}

// Catalogue is part of schema: the kinds of traffic.
func (Source) Catalogue() schema.Catalogue { return protocols.Traffic() }

// Traffic is the parameters of the chosen one.
func (s Source) Traffic() workloads.Traffic { return s.Params.(workloads.Traffic) }

// FromFile says whether a file holds the flows, and which.
func (s Source) FromFile() (path string, ok bool) {
	f, ok := s.Params.(*workloads.FileTraffic)
	if !ok {
		return "", false
	}
	return f.Path, true
}

func (s *Scenario) checkWorkload(c *schema.Checker) {
	hosts := s.Topology.Generator().Count()
	for i, src := range s.Workload {
		at := fmt.Sprintf("workload.%d.", i)
		t := src.Traffic()
		t.Check(c, at, hosts)
		if p, ok := t.(*workloads.PoissonTraffic); ok {
			if wire := p.Load * s.wireShare(); wire >= 1 {
				c.Fail(at+"load", fmt.Sprintf("impossible: headers and telemetry make it %.3f of the link; want less than %.3f", wire, 1/s.wireShare()))
			}
		}
	}
}
