package scenario

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/workloads"
)

// Source is a source of flows.
//
// Flows have the destination port 100, in an incast 200; a file sets it for each flow.
type Source struct {
	// Kind of traffic.
	schema.Choice
}

// Traffic returns the parameters of the chosen kind of traffic.
func (s Source) Traffic() workloads.Traffic { return s.Params.(workloads.Traffic) }

// FromFile returns the file that contains the flows. ok is false if no file contains them.
func (s Source) FromFile() (path string, ok bool) {
	f, ok := s.Params.(*workloads.FileTraffic)
	if !ok {
		return "", false
	}
	return f.Path, true
}

// SettleRails sets the number of rails for placements that take it from the network. It returns these settings.
func (s *Scenario) SettleRails() (list []schema.Settled) {
	rails, from := 8, "8, because topology.kind is not rail"
	if net, ok := s.Topology.Params.(*topo.Rail); ok {
		rails, from = net.Rails, "topology.rails"
	}
	for i, src := range s.Workload {
		if job, ok := src.Params.(interface {
			Settle(rails int, key, from string) (schema.Settled, bool)
		}); ok {
			if x, auto := job.Settle(rails, fmt.Sprintf("workload.%d.rails", i), from); auto {
				list = append(list, x)
			}
		}
	}
	return list
}

func (s *Scenario) checkWorkload(c *schema.Checker) {
	hosts := s.Topology.Generator().Count()
	settled := s.Clone()
	settled.SettleRails()
	for i, src := range settled.Workload {
		prefix := fmt.Sprintf("workload.%d.", i)
		src.Traffic().Check(c, prefix, hosts)
		if net, ok := s.Topology.Params.(*topo.Rail); ok {
			if job, ok := src.Params.(interface{ OnRails() int }); ok && job.OnRails() != 0 &&
				job.OnRails() != net.Rails {
				c.FailFor("topology.rails", prefix+"rails",
					fmt.Sprintf("want topology.rails = %d, the hosts of a server", net.Rails))
			}
		}
	}
	s.checkLoads(c)
}

// offered returns the load of a source as a share of the links of all hosts. It returns 0 if the source has no load.
func offered(src Source) float64 {
	switch p := src.Params.(type) {
	case *workloads.PoissonTraffic:
		return p.Load
	case *workloads.RackTraffic:
		return p.Load
	case *workloads.IncastTraffic:
		if p.Repeat == "load" {
			return p.Load
		}
	}
	return 0
}

// checkLoads reports loads that exceed a link, including headers and telemetry. It checks single sources and concurrent
// sources together.
func (s *Scenario) checkLoads(c *schema.Checker) {
	share := s.WireShare()
	for i, src := range s.Workload {
		if load := offered(src); load*share >= 1 {
			c.Fail(fmt.Sprintf("workload.%d.load", i),
				fmt.Sprintf("impossible: with headers and telemetry the load is %.3f of the link rate; want less "+
					"than %.3f",
					load*share, 1/share))
			return
		}
	}
	for _, first := range s.Workload {
		at, _ := first.Traffic().Span()
		sum, last, sources := 0.0, 0, 0
		for i, src := range s.Workload {
			start, duration := src.Traffic().Span()
			if load := offered(src); load > 0 && start <= at && at-start < duration {
				sum, last, sources = sum+load, i, sources+1
			}
		}
		if wire := sum * share; wire >= 1 && sources > 1 {
			c.Fail(fmt.Sprintf("workload.%d.load", last),
				fmt.Sprintf("impossible: the %d sources that send at %v add up to %.3f of the link rate, with "+
					"headers and telemetry %.3f; want less than %.3f in total", sources, at, sum, wire, 1/share))
			return
		}
	}
}
