package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// sender is the source of one flow: four cache lines. What a flow without losses needs comes first.
type sender struct {
	una      int64      // first byte not acknowledged
	nxt      int64      // first byte to send next
	top      int64      // first byte never sent
	window   int64      // bytes
	deadline unit.Time  // of the retransmission timer, Never if nothing is in flight
	timerAt  unit.Time  // when its event comes, Never if there is none
	ctrl     Controller // nil for a flow of a single packet that has not needed one

	flow     Flow
	key      uint64
	port     netsim.PortID
	entry    int32 // index in the port's round
	hops     uint8
	used     bool   // the slot has been given to a flow
	ended    bool   // or not begun
	again    bool   // send the first unacknowledged segment, whatever the window
	wire     uint16 // size of the last packet
	inRepair bool   // fast recovery
	answered bool   // the next new packet says that a mark was answered

	ideal    unit.Time
	sent     uint32
	retx     uint32
	timeouts uint32
	tries    int32 // timeouts in a row
	rtt      rtt
	dups     int32 // duplicate ACKs in a row
	rate     unit.Rate

	line    unit.Rate
	paid    unit.Time    // time that pacing counted for the last packet
	alarms  *alarms      // of ctrl; nil if it is not Timed
	board   *board       // nil without selective acknowledgements
	order   *route.Order // of its paths; nil unless senders choose them
	limited int64        // bytes sent beyond the window since the first of them
	recover int64        // RFC 6582: highest byte sent when the loss was found
	cut     int64        // marks of what was sent before this byte have been answered
}

// stateOf reports whether the flow has something to send.
func (t *Stack) stateOf(s *sender) EntryState {
	if t.selective {
		return t.stateSelective(s)
	}
	switch {
	case s.again:
		return Ready
	case s.nxt >= int64(s.flow.Size):
		return Idle
	}
	flight := s.nxt - s.una
	if t.cfg.Overshoot {
		if flight >= s.window {
			return Blocked
		}
		return Ready
	}
	if !s.inRepair && int(s.dups) < t.cfg.DupThreshold && s.nxt == s.top {
		flight -= int64(s.dups) * int64(t.cfg.Segment) // limited transmit of new data, RFC 3042
	}
	// A flow with nothing in flight sends a packet however small the window is.
	if flight > 0 && flight+min(int64(t.cfg.Segment), int64(s.flow.Size)-s.nxt) > s.window {
		return Blocked
	}
	return Ready
}

// refresh brings the flow's entry up to date.
func (t *Stack) refresh(s *sender) {
	if !s.ended {
		t.rounds[s.port].mark(s.entry, t.stateOf(s))
	}
}

// readController reads window and rate from the controller. A new rate moves the time at
// which the next packet is due, as if the last packet had been sent at the new rate.
func (t *Stack) readController(s *sender) {
	s.window = max(1, int64(s.ctrl.Window()))
	if rate := s.ctrl.Rate(); rate != s.rate {
		s.rate = rate
		if s.wire > 0 {
			paid := t.pace(s)
			t.postpone(s, paid-s.paid)
			s.paid = paid
		}
	}
	if t.cfg.Discipline != nil && s.wire > 0 {
		t.cfg.Discipline.Paced(t.e, &t.rounds[s.port], int(s.entry))
	}
	t.refresh(s)
}

// postpone moves the time at which the flow is due. If that is now before the
// wake-up of the port, the wake-up moves too.
func (t *Stack) postpone(s *sender, shift unit.Time) {
	r := &t.rounds[s.port].Entries[s.entry]
	r.Avail += shift
	if t.cfg.Discipline != nil {
		return
	}
	if at, ok := t.e.Wake(s.port); ok && r.Avail < at {
		t.e.WakeAt(s.port, max(r.Avail, t.e.Now()))
	}
}

// pace returns how long the last packet takes at the present rate. At line rate it is 0,
// because the port itself limits the flow, unless Config.PaceAtLine is set.
func (t *Stack) pace(s *sender) unit.Time {
	if s.ctrl == nil || t.cfg.Unpaced || s.rate >= s.line && !t.cfg.PaceAtLine {
		return 0
	}
	return t.cfg.Pace(s.rate, unit.Bytes(s.wire))
}

// emit makes the next packet of a flow.
func (t *Stack) emit(slot int32) netsim.PacketID {
	id := t.e.Make(slot)
	s, p := t.senders.at(slot), t.e.Packet(id)
	now := t.e.Now()
	from := s.nxt
	if t.selective {
		from = t.pickSegment(s)
	} else if s.again {
		from = s.una
	}
	n := min(int64(t.cfg.Segment), int64(s.flow.Size)-from)
	p.Kind, p.Class = netsim.Data, s.flow.Class
	p.Seq, p.ID, p.Payload = from, s.sent, uint16(n)
	p.Size = uint16(t.cfg.PacketSize(unit.Bytes(n)))
	p.Sent = uint32(now / unit.Nanosecond)
	if s.order != nil {
		p.Path = s.order.Next()
		if t.cfg.Penalty != nil {
			g := s.board.at(from / s.board.size)
			g.path, g.epoch = p.Path, s.order.Epoch()
		}
	}
	if from+n == int64(s.flow.Size) {
		p.Flags |= netsim.FlagLast
	}
	if from < s.top {
		p.Flags |= netsim.FlagRetx
		s.retx++
	} else if s.answered {
		p.Flags |= netsim.FlagCWR
		s.answered = false
	}
	s.sent++
	s.wire = p.Size
	if t.selective {
		s.nxt = max(s.nxt, from+n)
	} else if s.again {
		s.again = false
		s.nxt = max(s.nxt, from+n)
	} else {
		s.nxt += n
		if s.dups > 0 && !s.inRepair {
			s.limited += min(n, max(0, s.nxt-s.una-s.window))
		}
	}
	s.top = max(s.top, s.nxt)
	s.paid = t.pace(s)
	round := &t.rounds[s.port]
	round.Entries[s.entry].Avail = now + s.paid
	round.mark(s.entry, t.stateOf(s))
	if s.deadline == unit.Never && t.cfg.RTOMin > 0 {
		t.arm(s, slot)
	}
	if t.pulls != nil {
		t.spend(s, slot)
	}
	if t.cfg.Recovery == RACK {
		t.scheduleProbe(s, slot)
	}
	return id
}

// arm restarts the retransmission timer (RFC 6298 §5.1, 5.3). Its event stays where it is
// if it is early enough, because the event checks the deadline.
func (t *Stack) arm(s *sender, slot int32) {
	s.deadline = t.e.Now() + t.timeout(s)
	if s.timerAt > t.due(s) {
		t.setTimer(s, slot)
	}
}

// timeout returns the time after which the retransmission timer expires.
func (t *Stack) timeout(s *sender) unit.Time {
	if t.cfg.Recovery != IRN {
		return s.rtt.rto
	}
	if s.nxt-s.una < int64(t.cfg.FewPackets)*int64(t.cfg.Segment) {
		return t.cfg.RTOMin
	}
	return t.cfg.RTOMax
}

// due returns the earlier of the deadlines of the retransmission timer and of RACK.
func (t *Stack) due(s *sender) unit.Time {
	if t.cfg.Recovery == RACK {
		return min(s.deadline, s.board.rack.alarm)
	}
	return s.deadline
}

// setTimer moves the timer's event to the time that due returns.
func (t *Stack) setTimer(s *sender, slot int32) {
	if s.timerAt != unit.Never {
		t.e.CancelTimer(t.timers * slot)
	}
	s.timerAt = t.due(s)
	t.e.SetTimer(t.timers*slot, s.timerAt, s.key)
}

// senderTimer handles the retransmission timer (RFC 6298 §5.4 to 5.6).
func (t *Stack) senderTimer(slot int32) {
	s := t.senders.at(slot)
	s.timerAt = unit.Never
	now := t.e.Now()
	if s.ended || t.due(s) == unit.Never {
		return
	}
	if t.due(s) > now {
		t.setTimer(s, slot)
		return
	}
	t.needControl(s, slot)
	if t.cfg.Recovery == RACK && s.board.rack.alarm <= now {
		t.rackAlarm(s, slot)
		return
	}
	if t.pulls != nil {
		t.pulledTimer(s, slot)
		return
	}
	s.deadline = unit.Never
	if s.una == s.nxt {
		return
	}
	if int(s.tries) >= t.cfg.MaxTimeouts {
		t.end(s, slot, Failed)
		return
	}
	loss := Loss{Kind: Timeout, Seq: s.una, Flight: unit.Bytes(s.nxt - s.una), Again: s.tries > 0}
	s.tries++
	s.timeouts++
	s.rtt.backOff(&t.cfg)
	s.recover = s.top - 1
	s.inRepair, s.again, s.dups = false, false, 0
	if t.selective {
		t.loseByTimeout(s)
	} else {
		s.nxt = s.una
	}
	s.cut = s.top
	s.ctrl.OnLoss(now, loss)
	t.readController(s)
	t.arm(s, slot)
	t.e.Kick(s.port)
}

// takeAck handles an ACK or NACK at the source.
func (t *Stack) takeAck(s *sender, id netsim.PacketID, p *netsim.Packet) {
	slot := p.Flow
	if s.ended {
		t.e.Free(id)
		return
	}
	now := t.e.Now()
	a := &t.ack
	*a = Ack{
		Seq: p.Seq, Nack: p.Kind == netsim.Nack, Marked: p.Flags&netsim.FlagEcho != 0,
		Hops: t.e.Telemetry(id), Digest: p.Digest, ID: p.ID, FlowKey: s.key,
	}
	if p.Flags&flagNoSample == 0 {
		a.HasRTT = true
		a.RTT = unit.Time(uint32(now/unit.Nanosecond)-p.Sent) * unit.Nanosecond
	}
	if p.Seq > s.una {
		a.Acked = unit.Bytes(p.Seq - s.una)
		t.acked += int64(a.Acked)
		s.una = p.Seq
		s.nxt = max(s.nxt, s.una)
		s.again = false // it has arrived meanwhile
		s.tries = 0
		if t.cfg.RTOMin > 0 {
			if a.HasRTT && t.cfg.Recovery != IRN {
				s.rtt.take(a.RTT, &t.cfg)
			}
			if s.una == s.nxt {
				s.deadline = unit.Never
			} else {
				t.arm(s, slot)
			}
		}
	}
	finished, lost := s.una >= int64(s.flow.Size), false
	if finished {
		if !t.cfg.LastAck {
			t.end(s, slot, Finished)
			t.e.Free(id)
			t.e.Kick(s.port)
			return
		}
	} else {
		t.needControl(s, slot)
		if t.selective {
			lost = t.repairSelective(s, a, id, p)
		} else {
			lost = t.repair(s, a)
		}
	}
	if a.Marked && a.Seq > s.cut {
		a.Congested, s.cut = true, s.top
		s.answered = t.cfg.Marks == EchoLatch
	}
	a.Next = s.nxt
	a.Flight = unit.Bytes(s.nxt - s.una)
	set := s.ctrl.OnAck(now, a)
	if t.cfg.Trace != nil {
		t.tracer.Ack(now, s.ctrl, &s.flow, a, set)
	}
	if set || lost {
		t.readController(s)
	} else {
		t.refresh(s)
	}
	if finished {
		t.end(s, slot, Finished)
	}
	t.e.Free(id)
	t.e.Kick(s.port)
}

// repair detects and repairs losses from what an ACK says. It reports whether it
// has found a loss.
func (t *Stack) repair(s *sender, a *Ack) (lost bool) {
	if a.Seq < s.una {
		return false // overtaken on another path
	}
	if t.cfg.Recovery == GoBackN {
		if !a.Nack || s.nxt == s.una {
			return false
		}
		s.ctrl.OnLoss(t.e.Now(), Loss{Kind: Gap, Seq: s.una, Flight: unit.Bytes(s.nxt - s.una)})
		s.nxt = s.una
		s.cut = s.top
		return true
	}
	if a.Acked == 0 {
		if s.nxt == s.una {
			return false // nothing is in flight: an ACK of something sent twice
		}
		if s.dups == 0 {
			s.limited = 0
		}
		s.dups++
		switch {
		case s.inRepair:
			a.Phase = Duplicate
		case int(s.dups) == t.cfg.DupThreshold && s.una-1 > s.recover:
			t.fastRetransmit(s)
			return true
		}
		return false
	}
	s.dups = 0
	if !s.inRepair {
		return false
	}
	if s.una > s.recover || t.cfg.Recovery == Reno {
		s.inRepair = false
		a.Phase = Exit
		return false
	}
	// RFC 6582 §3.2 step 3, partial acknowledgement: the next hole is lost too.
	a.Phase = Partial
	s.again = true
	return false
}

// fastRetransmit implements RFC 5681 §3.2 step 2 and 3 with the check of RFC 6582 §3.2
// step 2 already made. What limited transmit has sent does not count as in flight. Reno
// does not remember up to which byte it recovers, so it may find another loss at once.
func (t *Stack) fastRetransmit(s *sender) {
	loss := Loss{Kind: FastRetransmit, Seq: s.una, Flight: unit.Bytes(s.nxt - s.una - s.limited)}
	s.cut = s.top
	if t.cfg.Recovery != Reno {
		s.recover = s.top - 1
	}
	if t.cfg.Recovery == Tahoe {
		s.nxt = s.una
		s.dups = 0
		loss.Kind = Timeout // Tahoe knows one reaction only
		s.ctrl.OnLoss(t.e.Now(), loss)
		return
	}
	s.inRepair = true
	s.again = true
	s.ctrl.OnLoss(t.e.Now(), loss)
}
