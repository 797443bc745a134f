package sim

import (
	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Wiring is the network of a scenario and its routes as they change with faults. It depends on the scenario
// alone.
type Wiring struct {
	Graph  *topo.Graph
	Routes []routesFrom // in order of time, the first from 0
	Single bool         // with these routes, all packets of a flow take one path
}

// routesFrom contains the routes from a time on.
type routesFrom struct {
	At    unit.Time
	Table *route.Table
}

// WiringOf builds the network and its routes, without traffic.
func WiringOf(sc scenario.Scenario) (*Wiring, error) {
	s := &Simulation{Scenario: sc.Clone(), stop: func() error { return nil }}
	if err := s.buildGraph(); err != nil {
		return nil, err
	}
	var err error
	if s.hosts, err = workloads.HostsOf(s.Graph); err != nil {
		return nil, err
	}
	if _, err = s.configure(); err != nil {
		return nil, err
	}
	if err = s.buildFaults(); err != nil {
		return nil, err
	}
	w := &Wiring{Graph: s.Graph, Single: sc.Network.Balancing.Balancer().Splits() == route.Flows}
	w.Routes = append(w.Routes, routesFrom{Table: s.Routes})
	for f := &s.faults; f.next() != unit.Never; {
		at := f.next()
		moved := false
		for f.next() == at {
			moved = moved || len(f.apply(f.events[0]).down) > 0
			f.events = f.events[1:]
		}
		if !moved {
			continue
		}
		table, err := route.NewExcluding(s.Graph, s.routeOptions, f.down())
		if err != nil {
			return nil, err
		}
		w.Routes = append(w.Routes, routesFrom{At: at, Table: table})
	}
	return w, nil
}
