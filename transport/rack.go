package transport

import "pintlab/netsim/unit"

// rack is the state of RACK-TLP, RFC 8985, of a flow. In the names of the RFC:
//
//	sent, last    RACK.xmit_ts, RACK.end_seq (as a segment)
//	fack          RACK.fack (one above, as a segment)
//	mult, persist RACK.reo_wnd_mult, RACK.reo_wnd_persist
//	round         RACK.dsack_round
//	probeEnd      TLP.end_seq
//	probeAgain    TLP.is_retrans
type rack struct {
	sent       unit.Time
	last       int64
	rtt        unit.Time
	minRTT     unit.Time // of the flow; the RFC leaves the length of the filter open
	fack       int64
	reordering bool // seen
	mult       int64
	persist    int
	round      int64 // -1: none

	afterTimeout bool // what was in flight at a timeout is not acknowledged yet

	alarm      unit.Time // Never if there is none
	forProbe   bool      // the alarm is a probe timeout (PTO), else that of reordering
	restart    bool      // the last segment sent starts the probe timeout anew
	probeEnd   int64     // -1: none is out
	probeAgain bool
	sampled    bool // there was a round-trip sample since the last probe, or the start

	// Of the ACK at hand.
	now      unit.Time
	echo     unit.Time // when what it answers was sent, to the nanosecond
	best     unit.Time // the latest sending time among the segments that it acknowledges
	bestLast int64
	any      bool
}

// reset begins a flow. Its first probe needs no round-trip sample: a connection has taken one with
// its handshake, which flows do not have here. Without the probe the first timeout would come
// twice as late as without RACK-TLP, because the RTO is armed again when a probe is due (RFC 8985
// §7.3).
func (r *rack) reset() {
	*r = rack{mult: 1, round: -1, probeEnd: -1, alarm: unit.Never, minRTT: unit.Never, sampled: true}
}

// begin implements step 1 of RFC 8985 §6.2, for an ACK that echoes the time stamp.
func (r *rack) begin(now unit.Time, stamp uint32, a *Ack) {
	r.now, r.any = now, false
	r.echo = now/unit.Nanosecond*unit.Nanosecond - unit.Time(uint32(now/unit.Nanosecond)-stamp)*unit.Nanosecond
	if a.HasRTT {
		r.minRTT = min(r.minRTT, a.RTT)
		r.sampled = true
	}
}

// delivered implements steps 2 and 3 of RFC 8985 §6.2 for one segment: which was sent last of those
// that the ACK is about, and whether it was overtaken.
func (r *rack) delivered(i int64, g *segment) {
	if i >= r.fack {
		r.fack = i + 1
	} else if g.state&segEver == 0 {
		r.reordering = true
	}
	if g.state&segEver != 0 && (g.sent/unit.Nanosecond*unit.Nanosecond > r.echo || r.now-g.sent < r.minRTT) {
		return // it may be the transmission before that has arrived
	}
	if !r.any || sentAfter(g.sent, i, r.best, r.bestLast) {
		r.any, r.best, r.bestLast = true, g.sent, i
	}
}

// sentAfter implements RACK_sent_after of RFC 8985 §6.2.
func sentAfter(t1 unit.Time, i1 int64, t2 unit.Time, i2 int64) bool {
	return t1 > t2 || t1 == t2 && i1 > i2
}

// rackAck handles an ACK in RACK-TLP: the end of step 2, steps 4 and 5 of RFC 8985 §6.2, and
// §7.4. It reports whether it has found a loss.
func (t *Stack) rackAck(s *sender, a *Ack, slot int32, news int, dup span, ends bool) (lost bool) {
	b := s.board
	r := &b.rack
	if r.any {
		r.rtt = r.now - r.best
		if sentAfter(r.best, r.bestLast, r.sent, r.last) {
			r.sent, r.last = r.best, r.bestLast
		}
	}
	if r.round >= 0 && s.una >= r.round {
		r.round = -1
	}
	if twice := dup.to > 0; r.round < 0 && twice {
		r.round, r.persist = s.nxt, 16
		r.mult++
	} else if ends {
		if r.persist--; r.persist <= 0 {
			r.mult = 1
		}
	}
	if !r.forProbe || a.Acked > 0 || news > 0 {
		r.alarm = unit.Never
	}
	if t.probeRepaired(s, a, dup) && !s.inRepair && !r.afterTimeout {
		s.cut = s.top
		s.ctrl.OnLoss(r.now, Loss{Kind: Selective, Seq: s.una, Flight: unit.Bytes(s.nxt - s.una - s.limited)})
		lost = true
	}
	lost = t.rackLosses(s) || lost
	r.restart = a.Acked > 0
	t.scheduleProbe(s, slot)
	return lost
}

// reorderingWindow implements the end of RACK_update_reo_wnd: it returns how much later than
// a segment sent after it a segment may arrive.
func (t *Stack) reorderingWindow(s *sender) unit.Time {
	r := &s.board.rack
	if !r.reordering && (s.inRepair || r.afterTimeout || s.board.sacked >= int64(t.cfg.DupThreshold)) || r.minRTT == unit.Never {
		return 0
	}
	w := unit.Time(r.mult) * (r.minRTT / 4)
	if s.rtt.sampled() {
		w = min(w, s.rtt.smoothed)
	}
	return w
}

// rackLosses implements RACK_detect_loss_and_arm_timer, and the beginning of fast recovery if
// anything is lost. It reports whether that is so.
func (t *Stack) rackLosses(s *sender) (lost bool) {
	b := s.board
	r := &b.rack
	wait := r.rtt + t.reorderingWindow(s)
	now := t.e.Now()
	last := unit.Time(-1)
	for i := b.oldest; i >= 0; {
		g := b.at(i)
		if !sentAfter(r.sent, r.last, g.sent, i) {
			break
		}
		next := g.next
		if g.sent+wait <= now {
			b.lose(i)
			lost = true
		} else {
			last = max(last, g.sent+wait)
		}
		i = next
	}
	if last >= 0 {
		r.alarm, r.forProbe = last, false
	}
	if !lost || s.inRepair || r.afterTimeout {
		return false
	}
	t.enterRecovery(s)
	return true
}

// scheduleProbe implements RFC 8985 §7.2, after a transmission or an ACK, and sets the flow's
// timer to the next time at which something is due.
func (t *Stack) scheduleProbe(s *sender, slot int32) {
	b := s.board
	r := &b.rack
	if r.restart && !s.inRepair && !r.afterTimeout && b.sacked == 0 && s.una < s.nxt && (r.forProbe || r.alarm == unit.Never) {
		wait := unit.Second
		if s.rtt.sampled() {
			wait = 2 * s.rtt.smoothed
			if b.high-b.low == 1 {
				wait += t.cfg.DelayedAck
			}
		}
		r.alarm, r.forProbe = min(t.e.Now()+wait, s.deadline), true
	}
	if s.timerAt > t.due(s) {
		t.setTimer(s, slot)
	}
}

// probeRepaired implements TLP_process_ack of RFC 8985 §7.4.1. It reports whether the probe that was
// out has repaired a loss.
func (t *Stack) probeRepaired(s *sender, a *Ack, dup span) bool {
	r := &s.board.rack
	switch {
	case r.probeEnd < 0 || a.Seq < r.probeEnd:
		return false
	case !r.probeAgain || dup.to == r.probeEnd: // new data; or the probe has come as well
		r.probeEnd = -1
	case a.Seq > r.probeEnd:
		r.probeEnd = -1
		return true
	}
	return false
}

// rackAlarm acts when RACK's timer expires: a segment is overdue, or a probe is.
func (t *Stack) rackAlarm(s *sender, slot int32) {
	b := s.board
	r := &b.rack
	r.alarm = unit.Never
	if r.forProbe {
		if r.probeEnd < 0 && r.sampled { // RFC 8985 §7.3
			r.probeAgain = s.nxt >= int64(s.flow.Size)
			b.probe, r.probeEnd = b.high, s.nxt
			if r.probeAgain {
				b.probe--
			} else {
				r.probeEnd += b.bytes(b.high)
			}
			r.sampled = false
		}
		t.arm(s, slot)
		t.refresh(s)
	} else if t.rackLosses(s) {
		t.readController(s)
	} else {
		t.refresh(s)
	}
	if s.timerAt > t.due(s) {
		t.setTimer(s, slot)
	}
	t.e.Kick(s.port)
}
