package transport

import (
	"encoding/binary"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// answerRoom is the memory in which an ACK or NACK of NDP names the packet that has come,
// by its first byte.
const answerRoom = 8

// allowance is what a sender of NDP may send.
type allowance struct {
	credit int64 // packets that the flow may send now: the rest of the first window, and pulled ones
	pulled int64 // the highest counter of a PULL
	heard  int64 // ACKs and NACKs; the receiver sends a PULL for each

	timedOut unit.Time // last timeout that counts
}

// beginPulled gives a flow its first window.
func (t *Stack) beginPulled(s *sender) {
	segment := int64(t.cfg.Segment)
	s.board.credit = max(1, (min(s.window, int64(s.flow.Size))+segment-1)/segment)
	t.refresh(s)
}

// spend subtracts a packet that is sent from the credit of the flow.
func (t *Stack) spend(s *sender, slot int32) {
	s.board.credit--
	t.rounds[s.port].mark(s.entry, t.stateOf(s))
	if s.deadline > t.e.Now()+s.rtt.rto {
		t.arm(s, slot)
	}
}

// deliverPulled does what Deliver does, with NDP.
func (t *Stack) deliverPulled(id netsim.PacketID, p *netsim.Packet) {
	if p.Kind == netsim.Data {
		t.takePulled(t.receivers.at(p.Flow), id, p)
		return
	}
	s := t.senders.at(p.Flow)
	if s.ended {
		t.e.Free(id)
		return
	}
	switch p.Kind {
	case netsim.Pull:
		t.takePull(s, p)
	case netsim.Returned:
		t.takeReturned(s, p)
	default:
		t.takeAnswer(s, id, p)
	}
	t.e.Free(id)
	t.refresh(s)
	t.e.Kick(s.port)
}

// takePull handles a PULL: the sender may send as many packets more as the counter
// is above the highest one so far, so that a PULL that was lost or overtaken costs nothing
// (NDP §3.2.1). Credit for which there is nothing to send stays: the PULL may have overtaken
// a NACK.
func (t *Stack) takePull(s *sender, p *netsim.Packet) {
	b := s.board
	if more := p.Seq - b.pulled; more > 0 {
		b.pulled = p.Seq
		b.credit += more
	}
}

// takeAnswer handles an ACK or NACK.
func (t *Stack) takeAnswer(s *sender, id netsim.PacketID, p *netsim.Packet) {
	b := s.board
	b.heard++
	i := int64(binary.LittleEndian.Uint64(t.e.Options(id))) / b.size
	if t.cfg.Penalty != nil {
		s.tellPaths(p, i)
	}
	if p.Seq > s.una {
		t.acked += p.Seq - s.una
		s.una = p.Seq
		b.acknowledge(s.una / b.size)
		s.tries, s.rtt.rto = 0, t.cfg.RTOInitial
	}
	if s.una >= int64(s.flow.Size) {
		t.end(s, p.Flow, Finished)
		return
	}
	switch {
	case i < b.low:
	case p.Kind == netsim.Nack:
		b.lose(i)
	case b.sack(i, i+1) > 0:
		s.tries, s.rtt.rto = 0, t.cfg.RTOInitial
	}
	t.await(s)
}

// tellPaths passes an answer about segment i to the order of paths, before the board records it.
// Each segment that has come counts as an ACK for the path that it was sent on last.
func (s *sender) tellPaths(p *netsim.Packet, i int64) {
	b := s.board
	for k := b.low; k < p.Seq/b.size; k++ {
		s.came(k)
	}
	switch {
	case i < max(b.low, p.Seq/b.size):
	case p.Kind == netsim.Nack:
		s.nacked(i)
	default:
		s.came(i)
	}
}

// came reports a segment that has arrived, unless the board already knows.
func (s *sender) came(i int64) {
	if g := s.board.at(i); g.state&segSacked == 0 {
		s.order.Answer(g.path, g.epoch, true)
	}
}

// nacked reports a segment that has been trimmed. A returned header counts as one trimmed packet.
func (s *sender) nacked(i int64) {
	g := s.board.at(i)
	s.order.Answer(g.path, g.epoch, false)
}

// await postpones the timeout of a flow that has nothing in flight and waits for a PULL.
func (t *Stack) await(s *sender) {
	if s.board.flight == 0 {
		s.deadline = t.e.Now() + t.cfg.RTOMax
	}
}

// takeReturned handles headers that a switch has sent back. The packet is sent again when
// it is pulled. It is sent at once only if no PULL will come: nothing is in flight, and
// every answer has been followed by its PULL. So an incast that fills the queues of
// headers does not repeat itself (NDP §3.2.4).
func (t *Stack) takeReturned(s *sender, p *netsim.Packet) {
	b := s.board
	i := p.Seq / b.size
	if i < b.low {
		return
	}
	if t.cfg.Penalty != nil {
		s.nacked(i)
	}
	b.lose(i)
	if b.flight == 0 && b.credit <= 0 && b.heard <= b.pulled {
		b.credit = 1
	}
	t.await(s)
}

// overdue returns when a packet in flight counts as lost. After a timeout the next one is doubled
// for packets sent since, not for those that were in flight.
func (t *Stack) overdue(s *sender, i int64) unit.Time {
	rto, g := s.rtt.rto, s.board.at(i)
	if g.sent < s.board.timedOut {
		rto = max(rto/2, t.cfg.RTOInitial)
	}
	return g.sent + rto
}

// pulledTimer handles the timeout of a flow. Packets without an answer for that long are lost and
// sent again at once; a burst of them counts as one timeout. If nothing is in flight, no PULL has
// come for very long, and one packet is sent without a PULL.
func (t *Stack) pulledTimer(s *sender, slot int32) {
	b, now := s.board, t.e.Now()
	if b.flight > 0 {
		if due := t.overdue(s, b.oldest); due > now {
			s.deadline = due
			t.setTimer(s, slot)
			return
		}
	}
	counts := b.flight == 0 || b.at(b.oldest).sent >= b.timedOut
	if counts && int(s.tries) >= t.cfg.MaxTimeouts {
		t.end(s, slot, Failed)
		return
	}
	if b.flight == 0 {
		b.credit = max(b.credit, 1)
	}
	for i := b.oldest; i >= 0 && t.overdue(s, i) <= now; {
		g := b.at(i)
		next := g.next
		if t.cfg.Penalty != nil {
			s.order.Lose(g.path, g.epoch)
		}
		b.lose(i)
		b.credit++
		i = next
	}
	if counts {
		s.tries++
		s.timeouts++
		s.rtt.backOff(&t.cfg)
		b.timedOut = now
	}
	s.deadline = now + t.cfg.RTOMax
	if b.flight > 0 {
		s.deadline = max(now, t.overdue(s, b.oldest))
	}
	t.setTimer(s, slot)
	t.refresh(s)
	t.e.Kick(s.port)
}

// sentAgain returns how long a wait for a timeout is after so many in a row.
func (c *Config) sentAgain(tries int) unit.Time {
	wait := c.RTOInitial
	for ; tries > 0 && wait < c.RTOMax; tries-- {
		wait *= 2
	}
	return min(wait, c.RTOMax)
}
