package sim

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// faults is what breaks and is repaired in a run, in the order of time. What several
// faults have broken works again when the last of them is over.
type faults struct {
	agenda []fault
	links  []int // by link: faults that hold it down
	hosts  []int // by node: faults that keep it from sending
}

// down says which links are down.
func (f *faults) down() []bool {
	list := make([]bool, len(f.links))
	for i, n := range f.links {
		list[i] = n > 0
	}
	return list
}

// halted says which hosts send nothing.
func (f *faults) halted() []topo.NodeID {
	var list []topo.NodeID
	for i, n := range f.hosts {
		if n > 0 {
			list = append(list, topo.NodeID(i))
		}
	}
	return list
}

type fault struct {
	at     unit.Time
	link   int // -1 for a host
	host   topo.NodeID
	broken bool
	number int // in the scenario
}

// idle are the faults that have not begun, in the words of the scenario.
func (f *faults) idle() []string {
	var list []string
	for _, x := range f.agenda {
		if x.broken {
			list = append(list, fmt.Sprintf("faults.%d, at %v,", x.number, x.at))
		}
	}
	return list
}

func (f *faults) next() unit.Time {
	if len(f.agenda) == 0 {
		return unit.Never
	}
	return f.agenda[0].at
}

// buildFaults turns the faults of the scenario into an agenda.
func (s *Simulation) buildFaults() error {
	s.faults.links, s.faults.hosts = make([]int, len(s.Graph.Links)), make([]int, len(s.Graph.Nodes))
	for i, f := range s.Scenario.Faults {
		key := fmt.Sprintf("faults.%d", i)
		if !s.Scenario.Transport.Timer && !s.Scenario.Published() {
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
		if f.At > s.Scenario.Run.Until {
			return fmt.Errorf("%s.at = %v, after the end of the run at run.until = %v: it would have no effect", key, f.At, s.Scenario.Run.Until)
		}
		x.number = i
		s.faults.agenda = append(s.faults.agenda, x)
		if f.Until != unit.Never {
			x.at, x.broken = f.Until, false
			s.faults.agenda = append(s.faults.agenda, x)
		}
	}
	slices.SortStableFunc(s.faults.agenda, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// strike carries out the faults that are due now: what all that begin and end at one
// instant change together. Routes follow a change of links at once, as if the control
// plane took no time.
func (s *Simulation) strike(now unit.Time) error {
	f := &s.faults
	if f.next() > now {
		return nil
	}
	s.Engine.Advance(now)
	rerouted := false
	for f.next() <= now {
		at := f.next()
		down, halted := slices.Clone(f.links), slices.Clone(f.hosts)
		for f.next() == at {
			f.agenda[0].count(f)
			f.agenda = f.agenda[1:]
		}
		for i, before := range halted {
			if is := f.hosts[i] > 0; is != (before > 0) {
				s.Engine.HaltHost(topo.NodeID(i), is)
			}
		}
		for i, before := range down {
			if is := f.links[i] > 0; is != (before > 0) {
				s.Engine.SetLink(i, is)
				rerouted = true
			}
		}
	}
	if !rerouted {
		return nil
	}
	routes, err := route.NewExcluding(s.Graph, s.routeOptions, f.down())
	if err != nil {
		return err
	}
	s.routesNow = routes
	s.Stack.SetRoutes(routes)
	return nil
}

// count adds the fault to those that hold what it breaks, or takes it away.
func (x *fault) count(f *faults) {
	n := &f.hosts[x.host]
	if x.link >= 0 {
		n = &f.links[x.link]
	}
	if x.broken {
		*n++
	} else {
		*n--
	}
}
