package recovery

import (
	"cmp"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// selective implements the methods that strategies with selective acknowledgements share.
type selective struct {
	plain
	flows   []*flow // by slot
	rescues bool    // apply rules 3 and 4 of NextSeg
}

// flow is the per-segment state of both ends of a flow.
type flow struct {
	Board
	urgent bool  // the next lost segment is sent even if the window is full
	probe  int64 // this segment is sent next, even if the window is full; -1: none
	sent   int64 // HighRxt of RFC 6675: one above the highest segment retransmitted in this recovery
	rescue int64 // RescueRxt: no rescue until all segments up to this one are acknowledged

	// at the receiver: one byte of each of the latest spans beyond gaps, latest first; 0 if there are fewer
	recent [mostBlocks + 1]int64
}

// open initialises a slot.
func (x *selective) open(s *transport.Sender, timed bool) *flow {
	for int(s.Slot) >= len(x.flows) {
		x.flows = append(x.flows, &flow{})
	}
	f := x.flows[s.Slot]
	*f = flow{Board: f.Board, probe: -1}
	f.Reset(x.Segment, s.Flow.Size, timed)
	return f
}

func (x *selective) Open(s *transport.Sender, _ *transport.Receiver) { x.open(s, false) }

// choice is the reason why a segment is sent.
type choice uint8

const (
	nothing   choice = iota
	probing          // a loss probe (RFC 8985 §7.3)
	repairing        // a lost segment: rule 1 of NextSeg (RFC 6675 §4)
	fresh            // a new segment: rule 2
	hasty            // a segment above it has arrived: rule 3
	rescuing         // the last segment in flight: rule 4
)

// choose returns the segment that is sent next, ignoring the window: NextSeg of RFC 6675 §4. Only
// the recovery of RFC 6675 uses rules 3 and 4.
func (x *selective) choose(s *transport.Sender, b *flow) (int64, choice) {
	switch {
	case b.probe >= 0:
		return b.probe, probing
	case b.LostOut > 0:
		return b.Lost(), repairing
	case s.Nxt < int64(s.Flow.Size):
		return b.High, fresh
	case !s.InRepair || !x.rescues:
		return -1, nothing
	}
	if i := b.unsacked(max(b.Low, b.sent), b.top); i < b.top {
		return i, hasty
	}
	if b.Low <= b.rescue {
		return -1, nothing
	}
	i := b.High - 1
	for b.At(i).Sacked() {
		i--
	}
	return i, rescuing
}

// State implements transport.Strategy. Bytes in flight are counted by the "pipe" of RFC 6675.
func (x *selective) State(s *transport.Sender) transport.EntryState {
	b := x.flows[s.Slot]
	switch i, c := x.choose(s, b); {
	case c == nothing:
		return transport.Idle
	case c == probing || c == repairing && b.urgent:
		return transport.Ready
	default:
		return x.allows(s, b.Flight, b.bytes(i))
	}
}

func (x *selective) Pick(t *transport.Stack, s *transport.Sender) int64 {
	from, _ := x.pick(t, s)
	return from
}

// pick selects the segment that is sent next. It returns the first byte of the segment and the reason.
func (x *selective) pick(t *transport.Stack, s *transport.Sender) (int64, choice) {
	b := x.flows[s.Slot]
	i, c := x.choose(s, b)
	switch c {
	case probing:
		b.probe = -1
	case repairing, hasty:
		b.urgent = false
		b.sent = max(b.sent, i+1)
	case rescuing:
		b.rescue = b.segmentsOf(s.Recover + 1)
	case fresh:
		if b.sacked > 0 && !s.InRepair { // limited transmit, RFC 6675 §5 step 3
			n := b.bytes(i)
			s.Limited += min(n, max(0, s.Nxt+n-s.Una-s.Window))
		}
	}
	b.Transmit(i, t.Engine().Now(), c != rescuing)
	return i * b.size, c
}

// take updates the board from an ACK. It returns the number of newly sacked segments, and the bytes
// that the ACK reports as duplicates.
func (x *selective) take(
	t *transport.Stack, s *transport.Sender, b *flow, a *transport.Ack, id netsim.PacketID,
) (news int, dup transport.Span) {
	b.Acknowledge(b.Index(s.Una))
	if b.probe < b.Low {
		b.probe = -1
	}
	if b.LostOut == 0 {
		b.urgent = false
	}
	o := options(t.Engine().Options(id))
	var all [mostBlocks]transport.Span
	list := all[:0]
	for i := range int(o[0]) {
		if d := o.block(i); i == 0 && o[1] != 0 {
			dup = d
		} else {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(x, y transport.Span) int { return cmp.Compare(x.From, y.From) })
	for _, d := range list {
		news += b.Sack(b.Index(d.From), b.segmentsOf(d.To))
	}
	if b.sacked == 0 {
		s.Limited = 0
	}
	if a.Acked > 0 {
		s.Dups = 0
	}
	if s.InRepair {
		a.Phase = transport.Repair
	}
	return news, dup
}

// counted handles an ACK and detects losses by the number of segments that have overtaken others
// (RFC 6675, IRN). If it detects a loss outside a recovery, it begins a recovery of the given kind and returns true.
func (x *selective) counted(
	t *transport.Stack, s *transport.Sender, a *transport.Ack, id netsim.PacketID, kind transport.LossKind,
) (lost bool) {
	b := x.flows[s.Slot]
	news, _ := x.take(t, s, b, a, id)
	if s.Una > s.Recover {
		s.InRepair = false
	}
	b.advance(x.DupAcks)
	if s.InRepair || s.Una <= s.Recover || s.Una == s.Nxt {
		return false
	}
	if news > 0 {
		s.Dups++
	}
	if int(s.Dups) < x.DupAcks && b.At(b.Low).state&segLost == 0 {
		return false
	}
	b.Lose(b.Low)
	b.enterRecovery(t, s, kind)
	return true
}

// enterRecovery implements RFC 6675 §5 step 4, and the same step of RACK and IRN: it reduces the
// window and sends a lost segment at once.
func (b *flow) enterRecovery(t *transport.Stack, s *transport.Sender, kind transport.LossKind) {
	flight := s.Nxt - s.Una - s.Limited
	b.urgent, b.sent, b.rescue = true, b.Low, b.Low+1
	s.InRepair, s.Dups, s.Recover = true, 0, s.Top-1
	t.Lost(s, kind, flight)
}

// timedOut ends a recovery at a timeout.
func (x *selective) timedOut(s *transport.Sender) *flow {
	b := x.flows[s.Slot]
	b.probe, b.urgent = -1, false
	s.Recover, s.InRepair, s.Dups = s.Top-1, false, 0
	return b
}

func (x *selective) Gap(
	_ *transport.Stack, r *transport.Receiver, slot int32, d transport.Span,
) (netsim.Kind, bool, bool) {
	twice := !r.Keep(d)
	recent := &x.flows[slot].recent
	copy(recent[1:], recent[:mostBlocks])
	recent[0] = d.From
	return netsim.Ack, twice, true
}

// Tell implements transport.SenderDriven. If the ACK answers duplicate data, the first block is
// this data (RFC 2883). Then come the block of the latest data and the blocks that earlier ACKs
// reported (RFC 2018 §4).
func (x *selective) Tell(
	t *transport.Stack, r *transport.Receiver, id netsim.PacketID, d transport.Span, twice bool,
) unit.Bytes {
	o := options(t.Engine().Options(id))
	o.clear()
	if twice {
		o.put(d)
		o[1] = 1
	}
	for _, seq := range x.flows[t.Engine().Packet(id).Flow].recent {
		if g, ok := r.Within(seq); ok && o[0] < mostBlocks && !o.has(g) {
			o.put(g)
		}
	}
	return blockBytes(int(o[0]))
}

func (x *selective) Audit(s *transport.Sender) { x.flows[s.Slot].Audit(s.Flow.Number, s.Una, s.Nxt) }

// sack implements SACK.
type sack struct{ selective }

func (x *sack) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, id netsim.PacketID) (lost bool) {
	return x.counted(t, s, a, id, transport.Selective)
}

// Timeout implements transport.SenderDriven. All segments that are in flight and not sacked are
// lost (RFC 6675 §5.1).
func (x *sack) Timeout(_ *transport.Stack, s *transport.Sender) {
	b := x.timedOut(s)
	b.loseAll(b.High)
	b.sent = b.Low
}
