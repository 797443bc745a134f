package sim

import (
	"context"
	"fmt"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Memory that a run needs in bytes, measured on all-to-all traffic of 1 byte in a fat tree of 1024 hosts,
// with all of 1 047 552 flows active at once: 0.59 GB.
const (
	flowMemory    = 440 // per active flow: sender, receiver, path, timer and a packet
	controlMemory = 900 // per active flow of more than one packet: path state, controller and telemetry
	recordMemory  = 100 // per flow that has ended
	hostMemory    = 64 << 10
)

// memoryKey is the key of the memory limit in a context.
type memoryKey struct{}

// WithMemoryLimit returns a context that limits the memory of the process during runs to a number of bytes;
// 0 for no limit. A run that needs more is refused, or stopped when it exceeds the limit. No result depends
// on the limit.
func WithMemoryLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// memoryLimit returns the limit in a context, or 0.
func memoryLimit(ctx context.Context) int64 {
	bytes, _ := ctx.Value(memoryKey{}).(int64)
	return bytes
}

// crowd finds the largest number of flows of a source with the same start.
type crowd struct {
	workloads.Source
	at      unit.Time
	here    int64
	most    int64
	longest unit.Bytes // largest flow
}

func (c *crowd) Next() (workloads.Flow, bool) {
	f, ok := c.Source.Next()
	if ok {
		if f.Start != c.at {
			c.at, c.here = f.Start, 0
		}
		if f.Task == 0 { // flows that wait for others start later
			c.here++
		}
		c.most = max(c.most, c.here)
		c.longest = max(c.longest, f.Size)
	}
	return f, ok
}

// memory estimates the bytes that a run needs at least, from its flows and the largest number that start together. The
// run may have more active flows at once. It may have fewer if many flows end before other flows of their host have
// sent anything.
func (s *Simulation) memory() int64 {
	each := int64(flowMemory)
	if s.longest > s.Scenario.Transport.FullPayload(s.Scenario.Overhead()) {
		each += controlMemory
	}
	return s.together*each + s.Workload.Stats.Flows*recordMemory + int64(len(s.hosts))*hostMemory
}

// slowest is a speed in packet-hops per core second. Few runs are slower.
const slowest = 2e6

// Needs of a process before a run.
const (
	startMemory  = 48 << 20
	startSeconds = 0.3
)

// Need estimates the memory of a run in bytes, and an upper bound of its core seconds if each packet travels to the
// farthest host and is acknowledged. It ignores retransmissions, telemetry, and the higher speed of an estimate.
func Need(ctx context.Context, sc scenario.Scenario) (memory int64, seconds float64, err error) {
	if err := sc.Validate(); err != nil {
		return 0, 0, err
	}
	s := &Simulation{Scenario: sc.Clone(), stop: ctx.Err}
	if err := s.buildGraph(); err != nil {
		return 0, 0, err
	}
	if err := s.buildWorkload(); err != nil {
		return 0, 0, err
	}
	payload := max(1, sc.Transport.FullPayload(sc.Overhead()))
	packets := int64(s.Workload.Stats.Bytes/payload) + s.Workload.Stats.Flows
	hops := 2 * packets * int64(farthest(s.Graph, s.Graph.Hosts()[0]))
	return s.memory() + startMemory, startSeconds + float64(hops)/slowest, nil
}

// farthest returns the distance of the farthest node in links.
func farthest(g *topo.Graph, from topo.NodeID) (links int) {
	next := make([][]topo.NodeID, len(g.Nodes))
	for _, l := range g.Links {
		next[l.A], next[l.B] = append(next[l.A], l.B), append(next[l.B], l.A)
	}
	seen := make([]bool, len(g.Nodes))
	seen[from] = true
	for here := []topo.NodeID{from}; ; links++ {
		var there []topo.NodeID
		for _, n := range here {
			for _, m := range next[n] {
				if !seen[m] {
					seen[m] = true
					there = append(there, m)
				}
			}
		}
		if here = there; len(here) == 0 {
			return links
		}
	}
}

// fits returns an error if the run needs more memory than the limit.
func (s *Simulation) fits(limit int64) error {
	need := s.memory()
	if limit == 0 || need <= limit {
		return nil
	}
	return fmt.Errorf("the run needs about %s of memory, but may take only %s (--memory-limit): it has %s, %d "+
		"of them with the same start time, on %d hosts",
		gigabytes(need), gigabytes(limit), number.Count(s.Workload.Stats.Flows, "flow"), s.together, len(s.hosts))
}

// full returns an error if the process holds more memory than the limit.
func full(limit int64) error {
	if limit == 0 {
		return nil
	}
	if used := store.UsedMemory(); used > limit {
		return fmt.Errorf("pintlab uses %s of memory, more than --memory-limit = %s",
			gigabytes(used), gigabytes(limit))
	}
	return nil
}

// gigabytes formats a size in GB, or in MB if it is small.
func gigabytes(n int64) string {
	if n < 1e8 {
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}
