package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// turn is the position of a record in the order of reports.
type turn struct {
	at     unit.Time
	number int32
	record *Record
}

// open initialises a slot for a flow whose paths are in outbound and inbound.
func (s *shared) open(slot int32, f *Flow) {
	key := FlowKey(s.seed, f.Number)
	s.net.SetFlow(slot, key, s.outbound, s.inbound)
	s.net.SetFiveTuple(slot, f.FiveTuple())
	if s.alarms > 1 {
		s.stacks[0].e.CancelTimer(s.timers*slot + 1) // a delayed ACK of an earlier flow that has failed
	}
	r, x := s.receivers.at(slot), s.senders.at(slot)
	if r.disorder != nil {
		*r.disorder = disorder{gaps: r.gaps[:0]}
	}
	*r = Receiver{Port: s.inbound[0], disorder: r.disorder, delayed: r.delayed, Order: r.Order}
	c := x.course
	*x = Sender{
		Flow: *f, Slot: slot, Port: s.outbound[0], course: &s.single, used: true, ended: true,
		hops:     uint8(len(s.outbound) - 1),
		Deadline: unit.Never, Alarm: unit.Never, timerAt: unit.Never, ideal: s.ideal(f.Size, f.Src, f.Dst),
	}
	if c != nil && c != &s.single {
		x.course = c
		s.reset(c, key)
	} else if !s.waits || s.permutes != nil || s.entropic != nil {
		s.own(x)
	}
	if s.cfg.Probes {
		*s.probes.at(slot) = probe{}
	}
	s.strategy.Open(x, r)
	if s.permutes != nil {
		s.beginOrders(x, r)
	}
	if s.entropic != nil {
		if x.Entropy == nil {
			x.Entropy = &route.Entropy{}
		}
		s.entropic.Begin(x.Entropy, key)
	}
}

// ideal returns the ideal completion time of size bytes on the paths in outbound and inbound, or on all
// paths that a balancer may choose.
func (s *shared) ideal(size unit.Bytes, src, dst netsim.NodeID) unit.Time {
	if s.cfg.IdealFCT != nil {
		return s.cfg.IdealFCT(size, s.outbound, s.inbound)
	}
	outbound, inbound := s.stagesOf(&s.finders[0], s.outbound, dst), s.stagesOf(&s.finders[1], s.inbound, src)
	return ideal(s.net, &s.cfg, size, outbound, inbound)
}

// stagesOf returns the stages of the paths to a host. Without a balancer they are the ports of
// path.
func (s *shared) stagesOf(x *stageFinder, path []netsim.PortID, dst netsim.NodeID) []stage {
	if s.cfg.Balancer != nil && len(path) > 0 {
		return x.find(s.net, s.routes, path[0], dst)
	}
	x.found = x.found[:0]
	for _, p := range path {
		x.found = append(x.found, stage{fastest: p, delay: s.net.PortDelay(p)})
	}
	return x.found
}

// controller returns a controller for a new flow that takes a path.
func (s *shared) controller(outbound []netsim.PortID) Controller {
	if len(s.cfg.ByHost) > 0 {
		if f := s.cfg.ByHost[min(s.net.PortRate(outbound[0]), s.net.PortRate(outbound[len(outbound)-1]))]; f != nil {
			return f()
		}
	}
	if c := s.spare; c != nil {
		s.spare = nil
		return c
	}
	return s.factory()
}

// info returns the FlowInfo of a flow that takes the given paths.
func (s *shared) info(finder *stageFinder, f *Flow, key uint64, outbound, inbound []netsim.PortID) FlowInfo {
	c := &s.cfg
	rate := PathRate(s.net, outbound)
	if c.Spread {
		rate = rateOf(finder.find(s.net, s.routes, outbound[0], f.Dst))
	}
	info := FlowInfo{
		Number: f.Number, Key: key, Size: f.Size,
		Segment: c.Segment, Packet: c.PacketSize(c.Segment),
		LineRate: s.net.PortRate(outbound[0]), PathRate: rate, BaseRTT: BaseRTT(s.net, c, outbound, inbound),
		Hops: len(outbound) - 1,
	}
	if c.Tell != nil {
		c.Tell(&info)
	}
	return info
}

// Foresee returns the paths of a flow that has not started, and its ideal completion time. The
// paths are valid until the next call. They are empty if there is no path.
func (s *shared) Foresee(f *Flow) (outbound, inbound []netsim.PortID, ideal unit.Time) {
	s.findPaths(f)
	if len(s.outbound) == 0 || len(s.inbound) == 0 {
		return nil, nil, unit.Never
	}
	return s.outbound, s.inbound, s.ideal(f.Size, f.Src, f.Dst)
}

// slot returns a free slot or a new one. The slot of a failed flow becomes free only when the
// delayed ACK of this flow has been sent. Otherwise the number of slots would decide whether that
// ACK is sent.
func (s *shared) slot() int32 {
	if len(s.free) == 0 {
		for _, t := range s.stacks {
			t.retired = slices.DeleteFunc(t.retired, func(slot int32) bool {
				if s.live(slot) > 0 || s.receivers.at(slot).waiting {
					return false
				}
				s.free = append(s.free, slot)
				return true
			})
		}
	}
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	slot := s.senders.add()
	s.receivers.add()
	if s.cfg.Probes {
		s.probes.add()
	}
	for _, t := range s.stacks {
		t.e.GrowFlows(slot+1, s.timers)
	}
	return slot
}

// live returns the number of packets in flight of the flow in a slot.
func (s *shared) live(slot int32) int32 {
	var n int32
	for _, t := range s.stacks {
		n += t.e.Live(slot)
	}
	return n
}
