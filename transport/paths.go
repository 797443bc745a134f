package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
)

// beginOrders makes the orders in which the two ends of a flow use its paths. The first port of
// either way does not change: paths are counted from the switch behind it.
func (s *shared) beginOrders(x *sender, r *receiver) {
	if x.order == nil {
		x.order, r.order = &route.Order{}, &route.Order{}
	}
	_, first := s.net.PortEnds(x.port)
	s.permutes.Begin(x.order, x.key, s.routes.Paths(first, x.flow.Dst))
	if s.cfg.Penalty != nil {
		x.order.Penalise(s.cfg.Penalty)
	}
	_, first = s.net.PortEnds(r.port)
	s.permutes.Begin(r.order, ^x.key, s.routes.Paths(first, x.flow.Src))
}

// along returns the next port on the path that the packet's sender has chosen; ok is false if
// the path does not cross the switch.
func (t *Stack) along(at netsim.NodeID, p *netsim.Packet, dst netsim.NodeID) (out netsim.PortID, ok bool) {
	x := t.senders.at(p.Flow)
	port := x.port
	if p.Kind != netsim.Data {
		port = t.receivers.at(p.Flow).port
	}
	_, first := t.net.PortEnds(port)
	// A packet can name 256 paths. Flows with more paths use different subsets.
	return t.routes.Along(at, first, dst, uint(x.key>>48)+uint(p.Path))
}
