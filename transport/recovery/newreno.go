package recovery

import (
	"pintlab/netsim"
	"pintlab/transport"
)

// newReno implements NewReno, Reno and Tahoe.
type newReno struct {
	plain
	kind Kind
}

func (x *newReno) State(s *transport.Sender) transport.EntryState {
	switch {
	case s.Again:
		return transport.Ready
	case s.Nxt >= int64(s.Flow.Size):
		return transport.Idle
	}
	flight := s.Nxt - s.Una
	if !x.overshoots && !s.InRepair && int(s.Dups) < x.DupAcks && s.Nxt == s.Top {
		flight -= int64(s.Dups) * int64(x.Segment) // limited transmit of new data, RFC 3042
	}
	return x.allows(s, flight, x.next(s))
}

func (x *newReno) Pick(_ *transport.Stack, s *transport.Sender) int64 {
	if s.Again {
		s.Again = false
		return s.Una
	}
	if s.Dups > 0 && !s.InRepair {
		n := x.next(s)
		s.Limited += min(n, max(0, s.Nxt+n-s.Una-s.Window))
	}
	return s.Nxt
}

func (x *newReno) Gap(_ *transport.Stack, r *transport.Receiver, _ int32, d transport.Span) (netsim.Kind, bool, bool) {
	return netsim.Ack, !r.Keep(d), true
}

func (x *newReno) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, _ netsim.PacketID) (lost bool) {
	if a.Acked == 0 {
		if a.Seq < s.Una || s.Nxt == s.Una {
			return false // the ACK was overtaken on another path, or nothing is in flight
		}
		if s.Dups == 0 {
			s.Limited = 0
		}
		s.Dups++
		switch {
		case s.InRepair:
			a.Phase = transport.Duplicate
		case int(s.Dups) == x.DupAcks && s.Una-1 > s.Recover:
			x.fastRetransmit(t, s)
			return true
		}
		return false
	}
	s.Again = false // the segment has arrived meanwhile
	s.Dups = 0
	switch {
	case !s.InRepair:
	case s.Una > s.Recover || x.kind == Reno:
		s.InRepair = false
		a.Phase = transport.Exit
	default: // RFC 6582 §3.2 step 3, partial acknowledgement: the next gap is also lost.
		s.Again = true
		a.Phase = transport.Partial
	}
	return false
}

// fastRetransmit implements RFC 5681 §3.2 steps 2 and 3; the check of RFC 6582 §3.2 step 2 was made
// before. Data sent by limited transmit does not count as in flight. Reno does not store up to
// which byte it recovers, so it may detect another loss at once.
func (x *newReno) fastRetransmit(t *transport.Stack, s *transport.Sender) {
	flight := s.Nxt - s.Una - s.Limited
	if x.kind != Reno {
		s.Recover = s.Top - 1
	}
	if x.kind == Tahoe {
		s.Nxt = s.Una
		s.Dups = 0
		t.Lost(s, transport.Timeout, flight) // Tahoe has only one reaction
		return
	}
	s.InRepair, s.Again = true, true
	t.Lost(s, transport.FastRetransmit, flight)
}

func (x *newReno) Timeout(_ *transport.Stack, s *transport.Sender) {
	s.Recover, s.Nxt = s.Top-1, s.Una
	s.InRepair, s.Again, s.Dups = false, false, 0
}
