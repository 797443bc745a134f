package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
)

// beginOrders initialises the orders in which both ends of a flow use its paths. The first port of
// either direction stays the same: paths are counted from the switch behind it.
func (s *shared) beginOrders(x *Sender, r *Receiver) {
	if x.Order == nil {
		x.Order = &route.Order{}
	}
	if r.Order == nil {
		r.Order = &route.Order{}
	}
	key := s.net.FlowKey(x.Slot)
	_, first := s.net.PortEnds(x.Port)
	s.permutes.Begin(x.Order, key, s.routes.Paths(first, x.Flow.Dst))
	if s.penalty != nil {
		x.Order.Penalise(s.penalty)
	}
	_, first = s.net.PortEnds(r.Port)
	s.permutes.Begin(r.Order, ^key, s.routes.Paths(first, x.Flow.Src))
}

// along returns the next port on the path that the packet's sender has chosen; ok is false if the
// path does not cross the switch.
func (t *Stack) along(at netsim.NodeID, p *netsim.Packet, dst netsim.NodeID) (out netsim.PortID, ok bool) {
	x := t.senders.at(p.Flow)
	port := x.Port
	if p.Kind != netsim.Data {
		port = t.receivers.at(p.Flow).Port
	}
	_, first := t.net.PortEnds(port)
	// A packet can select one of 256 paths. Flows with more paths use different subsets.
	return t.routes.Along(at, first, dst, uint(t.net.FlowKey(p.Flow)>>48)+uint(p.Path))
}
