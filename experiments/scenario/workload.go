package scenario

import (
	"fmt"

	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
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
	impossible := false
	for i, src := range s.Workload {
		at := fmt.Sprintf("workload.%d.", i)
		t := src.Traffic()
		t.Check(c, at, hosts)
		if p, ok := t.(*workloads.PoissonTraffic); ok {
			if wire := p.Load * s.wireShare(); wire >= 1 {
				c.Fail(at+"load", fmt.Sprintf("impossible: headers and telemetry make it %.3f of the link; want less than %.3f", wire, 1/s.wireShare()))
				impossible = true
			}
		}
	}
	if !impossible {
		s.checkLoads(c)
	}
}

// checkLoads refuses sources that each have a possible load and together none.
func (s *Scenario) checkLoads(c *schema.Checker) {
	type span struct{ start, end unit.Time }
	spans := make([]span, len(s.Workload))
	loads := make([]float64, len(s.Workload))
	for i, src := range s.Workload {
		start, duration := src.Traffic().Span()
		end := unit.Never
		if duration < unit.Never-start {
			end = start + duration
		}
		spans[i] = span{start, end}
		switch p := src.Params.(type) {
		case *workloads.PoissonTraffic:
			loads[i] = p.Load
		case *workloads.IncastTraffic:
			if p.Repeat == "load" {
				loads[i] = p.Load
			}
		}
	}
	for _, at := range spans {
		sum, last, sources := 0.0, 0, 0
		for i, x := range spans {
			if loads[i] > 0 && x.start <= at.start && at.start < x.end {
				sum, last, sources = sum+loads[i], i, sources+1
			}
		}
		if wire := sum * s.wireShare(); wire >= 1 && sources > 1 {
			c.Fail(fmt.Sprintf("workload.%d.load", last), fmt.Sprintf("impossible: the %d sources that send at %v make %.3f of the link, with headers and telemetry %.3f; want less than %.3f together", sources, at.start, sum, wire, 1/s.wireShare()))
			return
		}
	}
}
