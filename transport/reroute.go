package transport

import (
	"cmp"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
)

// findPaths finds the ports that the packets of a flow cross, outbound and inbound. If the receiver of a ReceiverDriven
// has several links, it answers on the link on which data arrives, because it requests data at the rate of that link.
func (s *shared) findPaths(f *Flow) {
	tuple := f.FiveTuple()
	s.outbound = s.routes.Path(s.outbound[:0], f.Src, f.Dst, tuple)
	s.inbound = s.routes.Path(s.inbound[:0], f.Dst, f.Src, tuple.Reverse())
	if s.driven == nil || len(s.outbound) == 0 || len(s.inbound) == 0 {
		return
	}
	if in := s.outbound[len(s.outbound)-1].Reverse(); in != s.inbound[0] {
		s.inbound = s.routes.Path(append(s.inbound[:0], in), in.To(s.routes.Graph()), f.Src, tuple.Reverse())
	}
}

// SetRoutes moves every active flow to its path on the new routes. A flow that has no path any more
// keeps its old path and runs into timeouts.
func (s *shared) SetRoutes(routes *route.Table) {
	if s.waits { // waiting flows must learn from their paths at their start
		s.stacks[0].seatAll()
	}
	s.routes = routes
	// Flows that move to another port join its round in the order of flow numbers, because slots
	// depend on the number of workers.
	var slots []int32
	for slot := range s.senders.n {
		if s.senders.at(slot).used {
			slots = append(slots, slot)
		}
	}
	slices.SortFunc(slots, func(a, b int32) int {
		return cmp.Compare(s.senders.at(a).Flow.Number, s.senders.at(b).Flow.Number)
	})
	for _, slot := range slots {
		x := s.senders.at(slot)
		if s.findPaths(&x.Flow); len(s.outbound) > 0 && len(s.inbound) > 0 {
			s.net.SetFlow(slot, s.net.FlowKey(slot), s.outbound, s.inbound)
			r := s.receivers.at(slot)
			was := r.Port
			if r.Port = s.inbound[0]; s.driven != nil && r.Port != was {
				s.driven.Move(s.stacks[0], r, slot)
			}
			s.stacks[0].rehome(x, s.outbound[0])
			if s.permutes != nil {
				s.beginOrders(x, r)
			}
		}
	}
}

// rehome moves a flow to another port of its host.
func (t *Stack) rehome(s *Sender, port netsim.PortID) {
	if port == s.Port {
		return
	}
	if !s.ended {
		t.leave(s)
	}
	s.Port = port
	if !s.ended {
		t.join(s)
		t.e.Kick(port)
	}
}

// Reroute implements netsim.Stack. It chooses the next port on the current routes with the hash of
// the flow's path, or with the balancer.
func (t *Stack) Reroute(at netsim.NodeID, p *netsim.Packet) (out netsim.PortID, ok bool) {
	if t.cfg.Balancer == nil {
		f := &t.senders.at(p.Flow).Flow
		tuple, dst := f.FiveTuple(), f.Dst
		if p.Kind != netsim.Data {
			tuple, dst = tuple.Reverse(), f.Src
		}
		return t.routes.Pick(at, dst, tuple)
	}
	key, dst := t.net.DirectedKey(p) // in one cache line; the flow is in another
	if t.permutes != nil {
		if out, ok := t.along(at, p, dst); ok {
			return out, true
		}
	}
	next := t.routes.NextHops(at, dst)
	i := 0
	switch {
	case len(next) == 0:
		return netsim.NoPort, false
	case len(next) > 1:
		packet := uint64(p.ID)
		if t.entropic != nil {
			packet = uint64(p.Path)
		}
		i = t.cfg.Balancer.Choose(at, t.e.Now(), next, key, packet)
	}
	return next[i], true
}
