package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// faults is what breaks and is repaired in a run, in the order of time.
type faults struct {
	agenda []fault
	down   []bool // by link
	halted []topo.NodeID
}

type fault struct {
	at     unit.Time
	link   int // -1 for a host
	host   topo.NodeID
	broken bool
}

func (f *faults) next() unit.Time {
	if len(f.agenda) == 0 {
		return unit.Never
	}
	return f.agenda[0].at
}

// buildFaults turns the faults of the scenario into an agenda.
func (s *Simulation) buildFaults() error {
	s.faults.down = make([]bool, len(s.Graph.Links))
	for i, f := range s.Scenario.Faults {
		key := fmt.Sprintf("faults.%d", i)
		if !s.Scenario.Transport.Timer {
			return fmt.Errorf("%s: what it loses would never be sent again with transport.timer = false", key)
		}
		x := fault{at: f.At, link: -1, broken: true}
		switch f.Kind {
		case scenario.HostPause:
			if f.Host >= len(s.hosts) {
				return fmt.Errorf("%s.host = %d, want a host below %d", key, f.Host, len(s.hosts))
			}
			x.host = s.hosts[f.Host].Node
		case scenario.LinkDown:
			x.link = slices.IndexFunc(s.Graph.Links, func(l topo.Link) bool {
				return int(l.A) == f.A && int(l.B) == f.B || int(l.A) == f.B && int(l.B) == f.A
			})
			if x.link < 0 {
				return fmt.Errorf("%s: no link joins the nodes a = %d and b = %d", key, f.A, f.B)
			}
		default:
			return fmt.Errorf("%s.kind = %q is not built", key, f.Kind)
		}
		s.faults.agenda = append(s.faults.agenda, x)
		if f.Until != unit.Never {
			x.at, x.broken = f.Until, false
			s.faults.agenda = append(s.faults.agenda, x)
		}
	}
	slices.SortStableFunc(s.faults.agenda, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// strike carries out the faults that are due now. Routes follow a change of links
// at once, as if the control plane took no time.
func (s *Simulation) strike(now unit.Time) error {
	f := &s.faults
	if f.next() > now {
		return nil
	}
	s.Engine.Advance(now)
	rerouted := false
	for f.next() <= now {
		x := f.agenda[0]
		f.agenda = f.agenda[1:]
		if x.link < 0 {
			s.Engine.HaltHost(x.host, x.broken)
			f.halted = slices.DeleteFunc(f.halted, func(n topo.NodeID) bool { return n == x.host })
			if x.broken {
				f.halted = append(f.halted, x.host)
			}
			continue
		}
		s.Engine.SetLink(x.link, x.broken)
		f.down[x.link] = x.broken
		rerouted = true
	}
	if !rerouted {
		return nil
	}
	routes, err := route.NewExcluding(s.Graph, s.routeOptions, f.down)
	if err != nil {
		return err
	}
	s.Stack.SetRoutes(routes)
	return nil
}
