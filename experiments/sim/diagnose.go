package sim

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// diagnose describes what blocks the run: waiting flows, silent hosts, links that are down, the fullest queue, paused
// ports and cycles of paused ports.
func (s *Simulation) diagnose() string {
	var b strings.Builder
	b.WriteString(count(s.Stack.Active(), "flow is", "flows are") + " active")
	if f, acked, ok := s.Stack.Oldest(); ok {
		fmt.Fprintf(&b, "; the oldest is flow %d from %s to %s with %d of %s acknowledged",
			f.Number, s.Graph.Label(f.Src), s.Graph.Label(f.Dst), acked, number.Count(f.Size, "byte"))
	}
	for _, h := range s.faults.silent() {
		fmt.Fprintf(&b, "; %s sends nothing because of a fault in the scenario", s.Graph.Label(h))
	}
	for i, down := range s.faults.down() {
		if down {
			l := s.Graph.Links[i]
			fmt.Fprintf(&b, "; the link between %s and %s is down", s.Graph.Label(l.A), s.Graph.Label(l.B))
		}
	}
	for i, active := range s.faults.active {
		if kind := s.Scenario.Faults[i].Kind; active && kind != scenario.LinkDown && kind != scenario.HostPause {
			fmt.Fprintf(&b, "; faults.%d (%s) lasts", i, kind)
		}
	}
	fullest, first := netsim.PortID(-1), netsim.PortID(-1)
	paused := 0
	for p := range netsim.PortID(s.Net.Ports()) {
		if s.Net.PortPaused(p) {
			if paused == 0 {
				first = p
			}
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
		b.WriteString("; " + count(paused, "port is", "ports are") + " paused")
		if cycle := s.pauseCycle(); cycle != "" {
			b.WriteString(", in a cycle: " + cycle)
		} else {
			fmt.Fprintf(&b, ", such as %s", s.port(first))
		}
	}
	return b.String()
}

func (s *Simulation) port(p netsim.PortID) string {
	from, to := s.Net.PortEnds(p)
	return fmt.Sprintf("%s towards %s", s.Graph.Label(from), s.Graph.Label(to))
}

// deadlock returns the switches whose pauses keep packets in the network forever after all flows have
// ended, or "". Such packets are duplicates, or their flows have failed.
func (s *Simulation) deadlock() string {
	if s.Engine.Peek() != unit.Never || s.Engine.InFlight() == 0 || s.Stack.Active() > 0 {
		return ""
	}
	return s.pauseCycle()
}

// pauseCycle returns switches that wait for each other, as text, or "". A paused port from a to b is an
// edge of a graph. A cycle of this graph is a PFC deadlock.
func (s *Simulation) pauseCycle() string {
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
	var cycleFrom func(n netsim.NodeID) []netsim.NodeID
	cycleFrom = func(n netsim.NodeID) []netsim.NodeID {
		state[n], path = open, append(path, n)
		for _, m := range next[n] {
			switch state[m] {
			case open:
				return append(path[slices.Index(path, m):], m)
			case unseen:
				if cycle := cycleFrom(m); cycle != nil {
					return cycle
				}
			}
		}
		state[n], path = closed, path[:len(path)-1]
		return nil
	}
	for n := range next {
		if state[n] == unseen {
			if cycle := cycleFrom(netsim.NodeID(n)); cycle != nil {
				return strings.Join(lists.Map(cycle, s.Graph.Label), " waits for ")
			}
		}
	}
	return ""
}
