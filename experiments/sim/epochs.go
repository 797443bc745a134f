package sim

import (
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// epoch is a period in which neither the routes nor the wrong forwarding entries change.
type epoch struct {
	from   unit.Time
	routes *route.Table
	wrong  map[topo.NodeID][]netsim.Misforwarding // wrong entries, by switch
}

// beginEpoch begins an epoch. wrong are the switches whose entries may have changed.
func (f *faults) beginEpoch(from unit.Time, routes *route.Table, changed []*faultEffect) {
	last := &f.epochs[len(f.epochs)-1]
	x := epoch{from: from, routes: routes, wrong: map[topo.NodeID][]netsim.Misforwarding{}}
	for at := range last.wrong {
		x.wrong[at] = f.misforwarding(at)
	}
	for _, d := range changed {
		for at := range d.misforward {
			x.wrong[at] = f.misforwarding(at)
		}
	}
	if from == last.from {
		*last = x
	} else {
		f.epochs = append(f.epochs, x)
	}
}

// during returns the epochs that overlap a period.
func (f *faults) during(from, to unit.Time) []epoch {
	list := f.epochs
	for len(list) > 1 && list[1].from <= from {
		list = list[1:]
	}
	for len(list) > 1 && list[len(list)-1].from >= to {
		list = list[:len(list)-1]
	}
	return list
}

// Meets reports whether a fault lies on the path of a flow's data, and on the path of its ACKs, at a time at which both
// last. end is the end of the flow. Paths follow the routes of that time. A link that is down affects the flows that
// were under way on it, because routes avoid it from then on.
func (s *Simulation) Meets(fault int, f transport.Flow, end unit.Time) (data, acks bool) {
	x := &s.Scenario.Faults[fault]
	breaks := s.faults.breaks(fault)
	if x.At >= end || x.Until <= f.Start || breaks && x.At <= f.Start {
		return false, false
	}
	from, to := max(f.Start, x.At-1), min(end, x.Until) // packets of the old path meet the fault too
	if breaks {
		to = x.At
	}
	key := transport.FlowKey(s.Scenario.Seed, f.Number)
	for _, e := range s.faults.during(from, to) {
		reversed := reverse(f)
		outbound, inbound := f.Path(nil, e.routes), reversed.Path(nil, e.routes)
		data = data || len(outbound) > 0 && s.OnPath(fault, outbound, key)
		acks = acks || len(inbound) > 0 && s.OnPath(fault, inbound, key)
	}
	return data, acks
}

// PathAtStart returns the ports that the data of a flow crosses when it starts, or nothing if it has no path then.
func (s *Simulation) PathAtStart(f transport.Flow) []netsim.PortID {
	return f.Path(nil, s.faults.routesAt(f.Start))
}

// routesAt returns the routes of flows that start at a time.
func (f *faults) routesAt(t unit.Time) *route.Table { return f.during(t, t)[0].routes }

// pathIn returns the ports that the data packets of a flow cross in an epoch, each once, and whether these lead
// to the destination. Packets in a loop do not arrive.
func (s *Simulation) pathIn(f *transport.Flow, x *epoch) (ports []netsim.PortID, arrives bool) {
	if len(x.wrong) == 0 {
		ports = f.Path(nil, x.routes)
		return ports, len(ports) > 0
	}
	key, flow := f.FiveTuple(), transport.FlowKey(s.Scenario.Seed, f.Number)
	in := netsim.NoPort
	for at := f.Src; at != f.Dst; {
		out, ok := x.routes.Pick(at, f.Dst, key)
		for i := range x.wrong[at] {
			if w := &x.wrong[at][i]; w.Applies(f.Dst, in, flow) {
				out, ok = w.Out, w.Out != netsim.NoPort
				break
			}
		}
		if !ok || slices.Contains(ports, out) {
			return ports, false
		}
		ports = append(ports, out)
		in, at = out, out.To(s.Graph)
	}
	return ports, true
}

// setHops sets the number of switches on the path of a flow. If a wrong forwarding entry diverts
// the packets from their route when the flow starts, setHops counts the switches that the packets
// really pass.
func (s *Simulation) setHops(r *store.FlowRecord) {
	if x := &s.faults.during(r.Start, r.Start)[0]; len(x.wrong) > 0 && s.single() {
		f := flowOf(r)
		if ports, arrives := s.pathIn(&f, x); arrives {
			r.Hops = uint8(len(ports) - 1)
		}
	}
}
