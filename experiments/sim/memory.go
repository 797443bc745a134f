package sim

import (
	"context"
	"fmt"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// What a run needs, measured on all-to-all traffic of 1 byte in a fat tree of 1024 hosts, where
// all of 1 047 552 flows are under way at once: 0.59 GB.
const (
	flowMemory    = 440 // bytes of a flow under way: sender, receiver, path, timer, a packet
	controlMemory = 900 // of its course, its controller and telemetry, which flows of one packet go without
	recordMemory  = 100 // of one that has ended
	hostMemory    = 64 << 10
)

// memoryKey is where a context has the limit of memory.
type memoryKey struct{}

// WithMemoryLimit returns a context for runs of a process that may hold this many bytes; 0 for no
// limit. A run that needs more is refused, or stopped when it shows. No result depends on
// it: like an end of time, it belongs to the process and not to a run.
func WithMemoryLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// memoryLimit returns the limit of a context; 0 if it has none.
func memoryLimit(ctx context.Context) int64 {
	bytes, _ := ctx.Value(memoryKey{}).(int64)
	return bytes
}

// crowd counts the flows of a source that start at the same instant.
type crowd struct {
	workloads.Source
	at      unit.Time
	here    int64
	most    int64
	longest unit.Bytes // of all flows
}

func (c *crowd) Next() (workloads.Flow, bool) {
	f, ok := c.Source.Next()
	if ok {
		if f.Start != c.at {
			c.at, c.here = f.Start, 0
		}
		if f.Task == 0 { // those that wait for others start later, nobody knows when
			c.here++
		}
		c.most = max(c.most, c.here)
		c.longest = max(c.longest, f.Size)
	}
	return f, ok
}

// memory estimates how many bytes a run needs at least, from what is known before it: its
// flows, and how many of them are under way at once because they start together. How many
// more there will be at once the run itself shows; fewer, if many end before the others of
// their host have sent anything.
func (s *Simulation) memory() int64 {
	each := int64(flowMemory)
	if s.longest > s.Scenario.Transport.FullPayload(s.Scenario.Telemetry.Overhead()) {
		each += controlMemory
	}
	return s.together*each + s.Workload.Stats.Flows*recordMemory + int64(len(s.hosts))*hostMemory
}

// slowest is a speed, in packet-hops per second of a core, that few runs fall below.
const slowest = 2e6

// What a process takes before a run.
const (
	startMemory  = 48 << 20
	startSeconds = 0.3
)

// Need estimates before a run how much memory it takes, and how many seconds of a processor core at most if each packet goes as far
// as to the farthest host and is acknowledged. Packets sent again and telemetry are not in it, nor is an estimate faster.
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
	packets := s.Workload.Stats.Bytes/max(1, sc.Transport.FullPayload(sc.Telemetry.Overhead())) + unit.Bytes(s.Workload.Stats.Flows)
	return s.memory() + startMemory, startSeconds + float64(2*int64(packets)*int64(farthest(s.Graph, s.Graph.Hosts()[0])))/slowest, nil
}

// farthest returns how many links the farthest node is away.
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

// fits refuses a run that cannot have the memory that it needs.
func (s *Simulation) fits(limit int64) error {
	need := s.memory()
	if limit == 0 || need <= limit {
		return nil
	}
	return fmt.Errorf("the run needs about %s of memory and may take %s (--memory-limit): %d flows, of which %d start at the same time, on %d hosts",
		gigabytes(need), gigabytes(limit), s.Workload.Stats.Flows, s.together, len(s.hosts))
}

// full says that the process has more memory than the run may take.
func full(limit int64) error {
	if limit == 0 {
		return nil
	}
	if used := store.UsedMemory(); used > limit {
		return fmt.Errorf("pintlab holds %s of memory, more than --memory-limit = %s", gigabytes(used), gigabytes(limit))
	}
	return nil
}

// gigabytes returns a size as people read it: in GB, or in MB if it is small.
func gigabytes(n int64) string {
	if n < 1e8 {
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}
