package experiments

import (
	"fmt"
	"strings"

	"pintlab/netsim"
)

// Diagnose says in words what is in the way: flows that wait, the fullest queues,
// paused ports and cycles of them.
func (s *Simulation) Diagnose() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d flows are active", s.Stack.Active())
	if f, acked, ok := s.Stack.Oldest(); ok {
		fmt.Fprintf(&b, "; the oldest is flow %d from %s to %s with %d of %d bytes acknowledged",
			f.Number, s.Graph.Label(f.Src), s.Graph.Label(f.Dst), acked, f.Size)
	}
	fullest := netsim.PortID(-1)
	paused := 0
	for p := range netsim.PortID(s.Net.Ports()) {
		if s.Net.PortPaused(p) {
			paused++
		}
		if q := s.Net.PortQueue(p); q > 0 && (fullest < 0 || q > s.Net.PortQueue(fullest)) {
			fullest = p
		}
	}
	if fullest >= 0 {
		fmt.Fprintf(&b, "; the fullest queue is %v at %s", s.Net.PortQueue(fullest), s.port(fullest))
	}
	if paused > 0 {
		fmt.Fprintf(&b, "; %d ports are paused", paused)
		if cycle := s.pauseCycle(); cycle != nil {
			names := make([]string, len(cycle))
			for i, n := range cycle {
				names[i] = s.Graph.Label(n)
			}
			fmt.Fprintf(&b, ", in a cycle: %s", strings.Join(names, " waits for "))
		}
	}
	return b.String()
}

func (s *Simulation) port(p netsim.PortID) string {
	from, to := s.Net.PortEnds(p)
	return fmt.Sprintf("%s towards %s", s.Graph.Label(from), s.Graph.Label(to))
}

// pauseCycle finds switches that wait for each other: a paused port from a to b
// is an arrow, and a cycle of arrows is a deadlock of PFC.
func (s *Simulation) pauseCycle() []netsim.NodeID {
	next := make([][]netsim.NodeID, len(s.Graph.Nodes))
	for p := range netsim.PortID(s.Net.Ports()) {
		if s.Net.PortPaused(p) {
			from, to := s.Net.PortEnds(p)
			next[from] = append(next[from], to)
		}
	}
	const (
		unseen = iota
		open
		closed
	)
	state := make([]uint8, len(next))
	var path []netsim.NodeID
	var visit func(n netsim.NodeID) []netsim.NodeID
	visit = func(n netsim.NodeID) []netsim.NodeID {
		state[n] = open
		path = append(path, n)
		for _, m := range next[n] {
			switch state[m] {
			case open:
				for i, k := range path {
					if k == m {
						return append(path[i:], m)
					}
				}
			case unseen:
				if c := visit(m); c != nil {
					return c
				}
			}
		}
		state[n] = closed
		path = path[:len(path)-1]
		return nil
	}
	for n := range next {
		if state[n] == unseen {
			if c := visit(netsim.NodeID(n)); c != nil {
				return c
			}
		}
	}
	return nil
}
