package uet

import (
	"math/bits"

	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// source is the state of the sender of a flow. Segment.Epoch of the Board counts the
// retransmissions of a segment.
type source struct {
	recovery.Board
	flight int64 // bytes in flight, on the wire
	heard  int64 // bytes that the receiver has, according to its last ACK

	// RCCC: credit is how many bytes may be sent, and pulled is the number of the last PULL. The
	// sender speculates until the first packet from the receiver arrives.
	credit, pulled int64
	speculates     bool

	wished   unit.Time // time of the last RTS
	timedOut unit.Time // time of the last timeout that counts
	sleek
}

// quantum is the unit of PULLs in bytes (§7).
const (
	quantumBits = 8
	quantum     = 1 << quantumBits
)

func (h *hosts) Begin(_ *transport.Stack, s *transport.Sender) {
	h.flows[s.Slot].credit = h.mostCredit(s)
}

// mostCredit returns the largest credit of a flow. It follows from cc.base_rtt, not from measured
// RTTs.
func (h *hosts) mostCredit(s *transport.Sender) int64 {
	return int64(h.MaxWindow * float64(h.line(s).In(h.BaseRTT)))
}

func (h *hosts) line(s *transport.Sender) unit.Rate { return s.Controller().Rate() }

// choose returns the segment that is sent next; ok is false if there is none.
func (b *source) choose(s *transport.Sender) (i int64, ok bool) {
	if b.LostOut > 0 {
		return b.Lost(), true
	}
	return b.High, s.Nxt < int64(s.Flow.Size)
}

// may reports whether credit and window allow a segment to be sent.
func (h *hosts) may(s *transport.Sender, b *source, i int64) bool {
	if h.byCredit && b.credit <= 0 {
		return false
	}
	return !h.byWindow || b.Flight == 0 || b.flight+h.wire(s, i) <= s.Window || b.inRepair && b.LostOut > 0
}

func (h *hosts) State(s *transport.Sender) transport.EntryState {
	b := &h.flows[s.Slot].source
	switch i, ok := b.choose(s); {
	case !ok:
		return transport.Idle
	case !h.may(s, b, i):
		return transport.Blocked
	}
	return transport.Ready
}

func (h *hosts) Pick(t *transport.Stack, s *transport.Sender) int64 {
	b := &h.flows[s.Slot].source
	i, _ := b.choose(s)
	b.Transmit(i, t.Engine().Now(), true)
	b.flight += h.wire(s, i)
	b.credit -= h.wire(s, i)
	return i * int64(h.Segment)
}

func (h *hosts) Sent(t *transport.Stack, s *transport.Sender, id netsim.PacketID, p *netsim.Packet) {
	b := &h.flows[s.Slot].source
	r := request{target: h.target(t, s, b)}
	if p.Flags&netsim.FlagRetx != 0 {
		b.At(b.Index(p.Seq)).Epoch++
		r.kind = ask
	}
	if s.Nxt >= int64(s.Flow.Size) || h.byCredit && b.credit <= 0 || h.byWindow && b.flight+int64(p.Size) >= s.Window {
		r.kind = ask
	}
	r.write(t.Engine().Options(id))
	h.await(t, s, b)
}

// target returns the PULL number that the sender requests (§7).
func (h *hosts) target(t *transport.Stack, s *transport.Sender, b *source) int64 {
	if !h.byCredit {
		return 0
	}
	left := int64(s.Flow.Size) - s.Nxt
	segments := (left + int64(h.Segment) - 1) / int64(h.Segment)
	fresh := left + segments*h.header
	w := fresh + h.waiting(b)
	if h.byWindow {
		w = min(w, s.Window+h.packet)
	}
	w = min(w, s.Controller().(*sender).most) - b.credit
	if b.speculates && fresh > 0 {
		w = max(w, h.packet)
	}
	if n := int64(t.Ready(s.Port)); n > 1 {
		w /= n
	}
	return b.pulled + (w+quantum-1)>>quantumBits // rounded up, also below zero
}

// waiting returns the bytes on the wire of segments that wait for retransmission.
func (h *hosts) waiting(b *source) int64 { return b.Unsent + b.LostOut*h.header }

// settle ends speculation, because a packet from the receiver has arrived.
func (b *source) settle() {
	if b.speculates {
		b.speculates, b.credit = false, min(b.credit, 0)
	}
}

// takePull handles a PULL.
func (h *hosts) takePull(s *transport.Sender, b *source, number int64) {
	if number > b.pulled {
		b.credit = min(b.credit+(number-b.pulled)*quantum, h.mostCredit(s))
		b.pulled = number
	}
}

// sample returns the RTT measured by an answer about a segment. ok is false unless the segment is
// in flight and the answer is about its last transmission.
func (b *source) sample(now unit.Time, i int64, again bool) (rtt unit.Time, ok bool) {
	if i < b.Low || i >= b.High {
		return 0, false
	}
	g := b.At(i)
	ok = g.InFlight() && (g.Epoch == 0 && !again || g.Epoch == 1 && again)
	return now - g.Sent, ok
}

// takeAck handles an ACK (§5).
func (h *hosts) takeAck(t *transport.Stack, s *transport.Sender, b *source, p *netsim.Packet, x answer) {
	now := t.Engine().Now()
	a := transport.Ack{Seq: p.Seq, Marked: p.Flags&netsim.FlagEcho != 0,
		FlowKey: t.Engine().Network().FlowKey(s.Slot), ID: p.ID}
	if more := x.got - b.heard; more > 0 {
		a.Acked = unit.Bytes(more)
		b.heard = x.got
		b.flight -= more
	}
	if x.kind < rts {
		a.RTT, a.HasRTT = b.sample(now, int64(x.segment), x.again)
	}
	a.Flight, a.Next = unit.Bytes(b.flight), s.Nxt
	waited := h.waiting(b)
	if t.Acknowledge(s, p.Seq) > 0 {
		s.Tries = 0
		b.Acknowledge(b.Index(s.Una)) // then choose never returns the last segment again
	}
	for m, i := x.bitmap, int64(x.base); m != 0; {
		skip := bits.TrailingZeros64(m)
		run := bits.TrailingZeros64(^(m >> skip))
		i += int64(skip)
		if b.Sack(i, i+int64(run)) > 0 {
			s.Tries = 0
		}
		i += int64(run)
		m = m >> skip >> run
	}
	b.flight += waited - h.waiting(b)
	s.Hear(now, p)
	t.Answer(s, a)
	b.settle()
	if s.Una >= int64(s.Flow.Size) {
		t.End(s, transport.Finished)
		return
	}
	if h.Sleek {
		h.followSleek(s, b, &x, now)
	}
	h.await(t, s, b)
}

// takeNack handles a NACK for a trimmed packet, or returned headers.
func (h *hosts) takeNack(t *transport.Stack, s *transport.Sender, b *source, p *netsim.Packet, i int64) {
	b.settle()
	if i < b.Low || i >= b.High || !b.At(i).InFlight() {
		return
	}
	now := t.Engine().Now()
	size := h.wire(s, i)
	a := transport.Ack{
		Seq: s.Una, Nack: true, Acked: unit.Bytes(size), Flight: unit.Bytes(b.flight), Next: s.Nxt,
		Marked: p.Flags&netsim.FlagEcho != 0, AtHost: p.Flags&netsim.FlagAtHost != 0, RTT: now - b.At(i).Sent,
		HasRTT: p.Kind == netsim.Nack,
	}
	t.Answer(s, a)
	b.Lose(i)
	b.flight -= size
	if s.Entropy != nil {
		if a.AtHost {
			s.Hear(now, p)
		} else {
			s.Entropy.Hear(now, p.Path, route.Trimmed)
		}
	}
	h.await(t, s, b)
}

// await sets the timeout for the segment that has been in flight longest. A flow with nothing in
// flight waits for PULLs, for as long as flows of a large incast may have to wait. SLEEK has its
// own timeout.
func (h *hosts) await(t *transport.Stack, s *transport.Sender, b *source) {
	now := t.Engine().Now()
	s.Alarm = now + h.RTOMax
	if b.Flight > 0 {
		s.Alarm = b.At(b.Oldest).Sent + h.RTOInitial
		if s.Alarm <= now && b.inRepair {
			s.Alarm = now + h.RTOInitial
		}
	}
	s.Alarm = max(now, min(s.Alarm, b.probeAt()))
	t.Schedule(s)
}

// Expire implements transport.Strategy (§5). A segment has been in flight for a timeout.
func (h *hosts) Expire(t *transport.Stack, s *transport.Sender) {
	b, now := &h.flows[s.Slot].source, t.Engine().Now()
	if b.probeAt() <= now {
		h.sendProbe(t, s, b, now)
	}
	if b.inRepair && b.Flight > 0 && b.At(b.Oldest).Sent+2*h.RTOInitial <= now {
		b.inRepair = false // the retransmissions are lost, too
	}
	if late := b.Flight > 0 && b.At(b.Oldest).Sent+h.RTOInitial <= now && !b.inRepair; late ||
		b.Flight == 0 && s.Alarm <= now && b.probeAt() > now {
		// A burst of packets that were all sent before the last timeout counts as one timeout.
		if !late || b.At(b.Oldest).Sent >= b.timedOut {
			if int(s.Tries) >= h.MaxRetries {
				t.End(s, transport.Failed)
				return
			}
			s.Tries++
			s.Timeouts++
			b.timedOut = now
		}
		if late {
			h.timeOut(t, s, b, now)
		} else { // the PULL is lost or far away
			h.wish(t, s, b, now)
		}
	}
	h.await(t, s, b)
	t.Refresh(s)
	t.Engine().Kick(s.Port)
}

// timeOut marks the oldest segment as lost.
func (h *hosts) timeOut(t *transport.Stack, s *transport.Sender, b *source, now unit.Time) {
	i := b.Oldest
	size := h.wire(s, i)
	if s.Entropy != nil {
		s.Entropy.Hear(now, 0, route.TimedOut)
	}
	had := b.LostOut > 0
	b.Lose(i)
	b.flight -= size
	t.Lost(s, transport.Timeout, size)
	t.ReadController(s)
	if h.byCredit && (had || b.credit <= 0) || !h.may(s, b, i) {
		h.wish(t, s, b, now)
	}
}

// wish sends an RTS, at most one per base RTT. An RTS is a header without data. The receiver
// acknowledges the RTS and pulls.
func (h *hosts) wish(t *transport.Stack, s *transport.Sender, b *source, now unit.Time) {
	if b.wished >= 0 && now-b.wished < h.BaseRTT {
		return
	}
	b.wished = now
	h.sendHeader(t, s, b, rts, uint8(h.AckClass))
}

// sendHeader sends a packet without data. An RTS has the class of ACKs, a probe of SLEEK the class
// of data.
func (h *hosts) sendHeader(t *transport.Stack, s *transport.Sender, b *source, kind, class uint8) {
	e := t.Engine()
	id := e.Make(s.Slot)
	p := e.Packet(id)
	now := e.Now()
	p.Kind, p.Class, p.Seq, p.ID, p.Sent, p.Payload = netsim.Data, class, s.Nxt, uint32(b.High),
		uint32(now/unit.Nanosecond), 0
	p.Size = uint16(h.AckSize())
	if s.Order != nil {
		p.Path = s.Order.Next()
	} else if s.Entropy != nil {
		p.Path = s.Entropy.Next(now)
	}
	request{target: h.target(t, s, b), kind: kind}.write(e.Options(id))
	e.Reply(s.Port, id)
	e.Kick(s.Port)
}

func (h *hosts) Audit(s *transport.Sender) {
	b := &h.flows[s.Slot].source
	b.Board.Audit(s.Flow.Number, s.Una, s.Nxt)
	invariants.Check(s.Una == s.Nxt || s.Alarm != unit.Never,
		"flow %d has %d bytes out and no timeout", s.Flow.Number, s.Nxt-s.Una)
	invariants.Check(b.heard <= int64(s.Flow.Size)+b.High*h.header,
		"flow %d: %d bytes have come, of %d", s.Flow.Number, b.heard, s.Flow.Size)
}
