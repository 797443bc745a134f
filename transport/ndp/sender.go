package ndp

import (
	"encoding/binary"

	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// source is the state of the sender of a flow.
type source struct {
	recovery.Board
	credit int64 // packets that the flow may send now: what is left of the first window, and pulled packets
	pulled int64 // highest counter of a PULL
	heard  int64 // ACKs and NACKs received; the receiver sends a PULL for each

	rto      unit.Time // the current timeout
	timedOut unit.Time // latest timeout that counts
}

// Begin implements transport.ReceiverDriven. It grants the first window.
func (h *hosts) Begin(_ *transport.Stack, s *transport.Sender) {
	segment := int64(h.Segment)
	h.flows[s.Slot].credit = max(1, (min(s.Window, int64(s.Flow.Size))+segment-1)/segment)
}

// choose returns the segment that is sent next; ok is false if all have been sent and none is lost.
func (b *source) choose(s *transport.Sender) (i int64, ok bool) {
	if b.LostOut > 0 {
		return b.Lost(), true
	}
	return b.High, s.Nxt < int64(s.Flow.Size)
}

func (h *hosts) State(s *transport.Sender) transport.EntryState {
	b := &h.flows[s.Slot].source
	switch _, ok := b.choose(s); {
	case !ok:
		return transport.Idle
	case b.credit <= 0:
		return transport.Blocked
	}
	return transport.Ready
}

func (h *hosts) Pick(t *transport.Stack, s *transport.Sender) int64 {
	b := &h.flows[s.Slot].source
	i, _ := b.choose(s)
	b.Transmit(i, t.Engine().Now(), true)
	b.credit--
	return i * int64(h.Segment)
}

func (h *hosts) Sent(t *transport.Stack, s *transport.Sender, _ netsim.PacketID, p *netsim.Packet) {
	b := &h.flows[s.Slot].source
	if h.Avoid != nil {
		g := b.At(b.Index(p.Seq))
		g.Path, g.Epoch = p.Path, s.Order.Epoch()
	}
	if due := t.Engine().Now() + b.rto; s.Alarm > due {
		s.Alarm = due
		t.Schedule(s)
	}
}

// takePull handles a PULL. The difference between its counter and the highest earlier counter is
// the number of packets that the sender may send in addition. So lost or overtaken PULLs cost
// nothing (NDP §3.2.1). Unused credit stays, because the PULL may have overtaken a NACK.
func (b *source) takePull(p *netsim.Packet) {
	if more := p.Seq - b.pulled; more > 0 {
		b.pulled = p.Seq
		b.credit += more
	}
}

// takeAnswer handles an ACK or NACK.
func (h *hosts) takeAnswer(t *transport.Stack, s *transport.Sender, b *source, id netsim.PacketID, p *netsim.Packet) {
	b.heard++
	i := b.Index(int64(binary.LittleEndian.Uint64(t.Engine().Options(id))))
	if h.Avoid != nil {
		b.tellPaths(s, p, i)
	}
	progress := t.Acknowledge(s, p.Seq) > 0
	if progress {
		b.Acknowledge(b.Index(s.Una))
	}
	if s.Una >= int64(s.Flow.Size) {
		t.End(s, transport.Finished)
		return
	}
	switch {
	case i < b.Low:
	case p.Kind == netsim.Nack:
		b.Lose(i)
	case b.Sack(i, i+1) > 0:
		progress = true
	}
	if progress {
		s.Tries, b.rto = 0, h.RTOInitial
	}
	h.await(t, s, b)
}

// tellPaths passes an answer about segment i to the order of paths, before the board records the
// answer. Each segment that has arrived counts as an ACK for the path of its last transmission.
func (b *source) tellPaths(s *transport.Sender, p *netsim.Packet, i int64) {
	upto := b.Index(p.Seq)
	for k := b.Low; k < upto; k++ {
		b.answer(s, k, true)
	}
	if i >= max(b.Low, upto) {
		b.answer(s, i, p.Kind != netsim.Nack)
	}
}

// answer reports to the order of paths that a segment has arrived (came) or was trimmed. It does
// not report an arrival that the board has recorded before. A returned header counts as one trimmed
// packet.
func (b *source) answer(s *transport.Sender, i int64, came bool) {
	if g := b.At(i); !came || !g.Sacked() {
		s.Order.Answer(g.Path, g.Epoch, came)
	}
}

// await postpones the timeout of a flow that has nothing in flight and waits for a PULL.
func (h *hosts) await(t *transport.Stack, s *transport.Sender, b *source) {
	if b.Flight == 0 {
		s.Alarm = t.Engine().Now() + h.RTOMax
	}
}

// takeReturned handles headers that a switch has sent back. The packet is retransmitted when it is
// pulled. It is retransmitted at once only if no PULL will come: nothing is in flight, and the PULL
// of every answer has arrived. So an incast that fills the header queues does not repeat itself
// (NDP §3.2.4).
func (h *hosts) takeReturned(t *transport.Stack, s *transport.Sender, b *source, p *netsim.Packet) {
	i := b.Index(p.Seq)
	if i < b.Low {
		return
	}
	if h.Avoid != nil {
		b.answer(s, i, false)
	}
	b.Lose(i)
	if b.Flight == 0 && b.credit <= 0 && b.heard <= b.pulled {
		b.credit = 1
	}
	h.await(t, s, b)
}

// overdue returns the time at which a packet in flight counts as lost. A timeout doubles the
// timeout of packets that are sent later, but not of packets in flight.
func (h *hosts) overdue(b *source, i int64) unit.Time {
	rto, sent := b.rto, b.At(i).Sent
	if sent < b.timedOut {
		rto = max(rto/2, h.RTOInitial)
	}
	return sent + rto
}

// Expire implements transport.Strategy. Packets that have had no answer for one timeout count as
// lost and are retransmitted at once. Several such packets together count as one timeout. If
// nothing is in flight, then no PULL has come for very long, and one packet is sent without a PULL.
func (h *hosts) Expire(t *transport.Stack, s *transport.Sender) {
	b, now := &h.flows[s.Slot].source, t.Engine().Now()
	if b.Flight > 0 {
		if due := h.overdue(b, b.Oldest); due > now {
			s.Alarm = due
			t.Schedule(s)
			return
		}
	}
	counts := b.Flight == 0 || b.At(b.Oldest).Sent >= b.timedOut
	if counts && int(s.Tries) >= h.MaxRetries {
		t.End(s, transport.Failed)
		return
	}
	if b.Flight == 0 {
		b.credit = max(b.credit, 1)
	}
	for i := b.Oldest; i >= 0 && h.overdue(b, i) <= now; {
		g := b.At(i)
		next := g.Next
		if h.Avoid != nil {
			s.Order.Lose(g.Path, g.Epoch)
		}
		b.Lose(i)
		b.credit++
		i = next
	}
	if counts {
		s.Tries++
		s.Timeouts++
		b.rto = min(2*b.rto, h.RTOMax)
		b.timedOut = now
	}
	s.Alarm = now + h.RTOMax
	if b.Flight > 0 {
		s.Alarm = max(now, h.overdue(b, b.Oldest))
	}
	t.Schedule(s)
	t.Refresh(s)
	t.Engine().Kick(s.Port)
}

func (h *hosts) Audit(s *transport.Sender) {
	b := &h.flows[s.Slot].source
	b.Audit(s.Flow.Number, s.Una, s.Nxt)
	invariants.Check(s.Una == s.Nxt || s.Alarm != unit.Never,
		"flow %d has %d bytes out and no timeout", s.Flow.Number, s.Nxt-s.Una)
	invariants.Check(h.RTOInitial <= b.rto && b.rto <= h.RTOMax, "flow %d: timeout of %v", s.Flow.Number, b.rto)
}
