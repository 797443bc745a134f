package recovery

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// irn implements IRN.
type irn struct {
	selective
	limit int64 // most bytes in flight; 0 for any number
}

// State implements transport.Strategy. The window and the cap limit only first transmissions. Both
// apply to the distance between the last packet sent and the last packet acknowledged.
func (x *irn) State(s *transport.Sender) transport.EntryState {
	b := x.flows[s.Slot]
	i, c := x.choose(s, b)
	flight := s.Nxt - s.Una
	switch {
	case c == nothing:
		return transport.Idle
	case c == repairing:
		return transport.Ready
	case x.limit > 0 && flight >= x.limit:
		return transport.Blocked
	}
	return x.allows(s, flight, b.bytes(i))
}

// Wait implements transport.SenderDriven. It returns RTO_low while few packets are in flight, and
// RTO_high otherwise.
func (x *irn) Wait(s *transport.Sender) unit.Time {
	if s.Nxt-s.Una < int64(x.RTOLowPackets)*int64(x.Segment) {
		return x.RTOLow
	}
	return x.RTOHigh
}

func (x *irn) Gap(_ *transport.Stack, r *transport.Receiver, _ int32, d transport.Span) (netsim.Kind, bool, bool) {
	return netsim.Nack, !r.Keep(d), true
}

// Tell implements transport.SenderDriven. A NACK names the packet that triggered it.
func (x *irn) Tell(t *transport.Stack, _ *transport.Receiver, id netsim.PacketID, d transport.Span, _ bool) unit.Bytes {
	o := options(t.Engine().Options(id))
	o.clear()
	if t.Engine().Packet(id).Kind != netsim.Nack {
		return 0
	}
	o.put(d)
	return nameBytes
}

func (x *irn) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, id netsim.PacketID) (lost bool) {
	return x.counted(t, s, a, id, transport.Gap)
}

// Timeout implements transport.SenderDriven. It marks the first segment as lost, and also all
// segments below any segment that has arrived.
func (x *irn) Timeout(_ *transport.Stack, s *transport.Sender) {
	b := x.timedOut(s)
	b.loseAll(b.top)
	b.Lose(b.Low)
	s.InRepair = true
}
