package transport

import (
	"cmp"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// prepareBoard clears what the ends of a flow know of single segments.
func (s *shared) prepareBoard(x *sender, r *receiver) {
	if x.board == nil {
		x.board, r.selection = &board{}, &selection{}
	}
	x.board.reset(int64(s.cfg.Segment), int64(x.flow.Size), s.cfg.Recovery == RACK || s.cfg.Recovery == NDP)
	*r.selection = selection{}
}

// choice is why a segment is sent.
type choice uint8

const (
	nothing   choice = iota
	probing          // a loss probe (RFC 8985 §7.3)
	repairing        // it is lost: rule 1 of NextSeg (RFC 6675 §4)
	fresh            // it was never sent: rule 2
	hasty            // something above it has arrived: rule 3
	rescuing         // the end of what is out: rule 4
)

// choose returns the segment that goes next, whether or not the window lets it: NextSeg of
// RFC 6675 §4. Only that recovery has rules 3 and 4.
func (t *Stack) choose(s *sender) (int64, choice) {
	b := s.board
	switch {
	case b.probe >= 0:
		return b.probe, probing
	case b.lostOut > 0:
		return b.lost(), repairing
	case s.nxt < int64(s.flow.Size):
		return b.high, fresh
	case !s.inRepair || t.cfg.Recovery != SACK:
		return -1, nothing
	}
	if i := b.unsacked(max(b.low, b.sent), b.top); i < b.top {
		return i, hasty
	}
	if b.low <= b.rescue {
		return -1, nothing
	}
	i := b.high - 1
	for b.at(i).state&segSacked != 0 {
		i--
	}
	return i, rescuing
}

// stateSelective does what stateOf does, with selective acknowledgements. What counts as in flight is the
// "pipe" of RFC 6675; with IRN it is the distance between the last packet sent and the last acknowledged,
// because its window and cap bound first transmissions only.
func (t *Stack) stateSelective(s *sender) EntryState {
	b := s.board
	i, c := t.choose(s)
	flight := b.flight
	switch irn := t.cfg.Recovery == IRN; {
	case c == nothing:
		return Idle
	case t.pulls != nil:
		if b.credit <= 0 {
			return Blocked
		}
		return Ready
	case c == probing || c == repairing && (b.urgent || irn):
		return Ready
	case irn:
		flight = s.nxt - s.una
		if limit := int64(t.cfg.FlightCap); limit > 0 && flight >= limit {
			return Blocked
		}
	}
	if t.cfg.Overshoot {
		if flight >= s.window {
			return Blocked
		}
		return Ready
	}
	if flight > 0 && flight+b.bytes(i) > s.window {
		return Blocked
	}
	return Ready
}

// pickSegment takes the segment that goes next and returns its first byte.
func (t *Stack) pickSegment(s *sender) int64 {
	b := s.board
	i, c := t.choose(s)
	switch c {
	case probing:
		b.probe = -1
	case repairing, hasty:
		b.urgent = false
		b.sent = max(b.sent, i+1)
	case rescuing:
		b.rescue = b.segmentsOf(s.recover + 1)
	case fresh:
		if b.sacked > 0 && !s.inRepair { // limited transmit, RFC 6675 §5 step 3
			n := b.bytes(i)
			s.limited += min(n, max(0, s.nxt+n-s.una-s.window))
		}
	}
	b.rack.restart = c == fresh
	b.transmit(i, t.e.Now(), c != rescuing)
	return i * b.size
}

// segmentsOf returns the number of segments in so many bytes from the beginning of the flow.
func (b *board) segmentsOf(bytes int64) int64 { return (bytes + b.size - 1) / b.size }

// repairSelective does what repair does, with selective acknowledgements.
func (t *Stack) repairSelective(s *sender, a *Ack, id netsim.PacketID, p *netsim.Packet) (lost bool) {
	b := s.board
	rack := t.cfg.Recovery == RACK
	if rack {
		b.rack.begin(t.e.Now(), p.Sent, a)
	}
	news, dup := t.takeBlocks(s, id)
	if b.sacked == 0 {
		s.limited = 0
	}
	if a.Acked > 0 {
		s.dups = 0
	}
	if s.inRepair {
		a.Phase = Repair
	}
	ends := s.una > s.recover && (s.inRepair || b.rack.afterTimeout)
	if ends {
		s.inRepair, b.rack.afterTimeout = false, false
	}
	if rack {
		return t.rackAck(s, a, p.Flow, news, dup, ends)
	}
	b.advance(t.cfg.DupThreshold)
	if s.inRepair || s.una <= s.recover || s.una == s.nxt {
		return false
	}
	if news > 0 {
		s.dups++
	}
	if int(s.dups) < t.cfg.DupThreshold && b.at(b.low).state&segLost == 0 {
		return false
	}
	t.enterRecovery(s)
	return true
}

// takeBlocks brings the board up to date with an ACK. It returns how many segments are
// newly sacked, and which bytes have arrived twice, if the ACK says so.
func (t *Stack) takeBlocks(s *sender, id netsim.PacketID) (news int, dup span) {
	b := s.board
	b.acknowledge(s.una / b.size)
	o := t.e.Options(id)
	var all [mostBlocks]span
	list := all[:0]
	for i := range int(o[0]) {
		if x := block(o, i); i == 0 && o[1] != 0 {
			dup = x
		} else {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	for _, x := range list {
		news += b.sack(x.from/b.size, b.segmentsOf(x.to))
	}
	return news, dup
}

// enterRecovery implements RFC 6675 §5 step 4, and the same of RACK and IRN: it reduces the window
// and sends a lost segment at once. RACK knows which segments are lost; with the others it is the
// first one.
func (t *Stack) enterRecovery(s *sender) {
	b := s.board
	loss := Loss{Kind: Selective, Seq: s.una, Flight: unit.Bytes(s.nxt - s.una - s.limited)}
	if t.cfg.Recovery == IRN {
		loss.Kind = Gap
	}
	if t.cfg.Recovery != RACK {
		b.lose(b.low)
	}
	b.urgent, b.sent, b.rescue = true, b.low, b.low+1
	s.inRepair, s.dups = true, 0
	s.recover, s.cut = s.top-1, s.top
	s.ctrl.OnLoss(t.e.Now(), loss)
}

// loseByTimeout marks segments as lost after a timeout: with RFC 6675 all in flight and
// not sacked (§5.1), with IRN the first segment and those that later ones have overtaken,
// with RACK those that have been in flight for long enough (RFC 8985 §6.3).
func (t *Stack) loseByTimeout(s *sender) {
	b := s.board
	b.probe, b.urgent = -1, false
	switch t.cfg.Recovery {
	case SACK:
		b.loseAll(b.high)
		b.sent = b.low
	case IRN:
		b.loseAll(b.top)
		b.lose(b.low)
		s.inRepair = true
	case RACK:
		b.rack.alarm, b.rack.afterTimeout = unit.Never, true
		wait := b.rack.rtt + t.reorderingWindow(s)
		for i := b.oldest; i >= 0 && b.at(i).sent+wait <= t.e.Now(); {
			next := b.at(i).next
			b.lose(i)
			i = next
		}
		b.lose(b.low)
	}
}
