package recovery

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

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
	minRTT     unit.Time // minimum over the whole flow; the RFC leaves the length of the filter open
	fack       int64
	reordering bool // reordering was detected
	mult       int64
	persist    int
	round      int64 // -1: none

	afterTimeout bool // data that was in flight at a timeout is not acknowledged yet

	forProbe   bool  // the sender's alarm is a probe timeout (PTO), not the reordering timer
	restart    bool  // sending the last segment restarted the probe timeout
	probeEnd   int64 // -1: no probe is in flight
	probeAgain bool
	sampled    bool // there was a round-trip sample since the last probe or the start

	// State of the current ACK.
	now      unit.Time
	echo     unit.Time // when the packet that the ACK answers was sent, to the nanosecond
	best     unit.Time // latest sending time of the segments that the ACK acknowledges
	bestLast int64
	any      bool
}

// reset begins a flow. Its first probe needs no round-trip sample: a real connection has a sample
// from its handshake, but flows here have no handshake. Without this probe the first timeout would
// come twice as late as without RACK-TLP, because the RTO is armed again when a probe is due (RFC
// 8985 §7.3).
func (r *rack) reset() {
	*r = rack{mult: 1, round: -1, probeEnd: -1, minRTT: unit.Never, sampled: true}
}

// begin implements step 1 of RFC 8985 §6.2, for an ACK that echoes the time stamp.
func (r *rack) begin(now unit.Time, stamp uint32, a *transport.Ack) {
	r.now, r.any = now, false
	r.echo = now/unit.Nanosecond*unit.Nanosecond - unit.Time(uint32(now/unit.Nanosecond)-stamp)*unit.Nanosecond
	if a.HasRTT {
		r.minRTT = min(r.minRTT, a.RTT)
		r.sampled = true
	}
}

// delivered implements steps 2 and 3 of RFC 8985 §6.2 for one segment. It updates which of the
// segments of the ACK was sent last, and detects reordering.
func (r *rack) delivered(i int64, g *Segment) {
	if i >= r.fack {
		r.fack = i + 1
	} else if g.state&segEver == 0 {
		r.reordering = true
	}
	if g.state&segEver != 0 && (g.Sent/unit.Nanosecond*unit.Nanosecond > r.echo || r.now-g.Sent < r.minRTT) {
		return // the earlier transmission may be the one that arrived
	}
	if !r.any || sentAfter(g.Sent, i, r.best, r.bestLast) {
		r.any, r.best, r.bestLast = true, g.Sent, i
	}
}

// sentAfter implements RACK_sent_after of RFC 8985 §6.2.
func sentAfter(t1 unit.Time, i1 int64, t2 unit.Time, i2 int64) bool {
	return t1 > t2 || t1 == t2 && i1 > i2
}

// rackTLP implements RACK. The state is in the rack of each flow.
type rackTLP struct{ selective }

func (x *rackTLP) Open(s *transport.Sender, _ *transport.Receiver) {
	f := x.open(s, true)
	if f.rack == nil {
		f.rack = &rack{}
	}
	f.rack.reset()
}

func (x *rackTLP) Pick(t *transport.Stack, s *transport.Sender) int64 {
	from, why := x.pick(t, s)
	x.flows[s.Slot].rack.restart = why == fresh
	return from
}

func (x *rackTLP) Sent(t *transport.Stack, s *transport.Sender, _ netsim.PacketID, _ *netsim.Packet) {
	x.scheduleProbe(t, s)
}

// Ack implements transport.SenderDriven by RFC 8985 §6.2 and §7.4. Function take does the middle
// part of §6.2.
func (x *rackTLP) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, id netsim.PacketID) (lost bool) {
	b := x.flows[s.Slot]
	r := b.rack
	r.begin(t.Engine().Now(), t.Engine().Packet(id).Sent, a)
	news, dup := x.take(t, s, b, a, id)
	ends := s.Una > s.Recover && (s.InRepair || r.afterTimeout)
	if ends {
		s.InRepair, r.afterTimeout = false, false
	}
	if r.any {
		r.rtt = r.now - r.best
		if sentAfter(r.best, r.bestLast, r.sent, r.last) {
			r.sent, r.last = r.best, r.bestLast
		}
	}
	if r.round >= 0 && s.Una >= r.round {
		r.round = -1
	}
	if twice := dup.To > 0; r.round < 0 && twice {
		r.round, r.persist = s.Nxt, 16
		r.mult++
	} else if ends {
		if r.persist--; r.persist <= 0 {
			r.mult = 1
		}
	}
	if !r.forProbe || a.Acked > 0 || news > 0 {
		s.Alarm = unit.Never
	}
	if x.probeRepaired(s, a, dup) && !s.InRepair && !r.afterTimeout {
		t.Lost(s, transport.Selective, s.Nxt-s.Una-s.Limited)
		lost = true
	}
	lost = x.rackLosses(t, s) || lost
	r.restart = a.Acked > 0
	x.scheduleProbe(t, s)
	return lost
}

// reorderingWindow implements the end of RACK_update_reo_wnd. It returns the reordering that RACK tolerates: a segment
// counts as lost if a segment sent later was acknowledged and this time has passed.
func (x *rackTLP) reorderingWindow(s *transport.Sender) unit.Time {
	r := x.flows[s.Slot].rack
	if !r.reordering && (s.InRepair || r.afterTimeout || x.flows[s.Slot].sacked >= int64(x.DupAcks)) ||
		r.minRTT == unit.Never {
		return 0
	}
	w := unit.Time(r.mult) * (r.minRTT / 4)
	if s.RTT.Sampled() {
		w = min(w, s.RTT.Smoothed)
	}
	return w
}

// rackLosses implements RACK_detect_loss_and_arm_timer, and starts fast recovery if a segment is
// lost. It reports whether fast recovery has started.
func (x *rackTLP) rackLosses(t *transport.Stack, s *transport.Sender) (lost bool) {
	b := x.flows[s.Slot]
	r := b.rack
	wait := r.rtt + x.reorderingWindow(s)
	now := t.Engine().Now()
	last := unit.Time(-1)
	for i := b.Oldest; i >= 0; {
		g := b.At(i)
		if !sentAfter(r.sent, r.last, g.Sent, i) {
			break
		}
		next := g.Next
		if g.Sent+wait <= now {
			b.Lose(i)
			lost = true
		} else {
			last = max(last, g.Sent+wait)
		}
		i = next
	}
	if last >= 0 {
		s.Alarm, r.forProbe = last, false
	}
	if !lost || s.InRepair || r.afterTimeout {
		return false
	}
	b.enterRecovery(t, s, transport.Selective)
	return true
}

// scheduleProbe implements RFC 8985 §7.2, after a transmission or an ACK, and updates the flow's
// timer.
func (x *rackTLP) scheduleProbe(t *transport.Stack, s *transport.Sender) {
	b := x.flows[s.Slot]
	r := b.rack
	if r.restart && !s.InRepair && !r.afterTimeout && b.sacked == 0 && s.Una < s.Nxt &&
		(r.forProbe || s.Alarm == unit.Never) {
		wait := unit.Second
		if s.RTT.Sampled() {
			wait = 2 * s.RTT.Smoothed
			if b.High-b.Low == 1 && x.AckDelay != unit.Never {
				wait += x.AckDelay
			}
		}
		s.Alarm, r.forProbe = min(t.Engine().Now()+wait, s.Deadline), true
	}
	t.Schedule(s)
}

// probeRepaired implements TLP_process_ack of RFC 8985 §7.4.1. It reports whether the outstanding
// probe has repaired a loss.
func (x *rackTLP) probeRepaired(s *transport.Sender, a *transport.Ack, dup transport.Span) bool {
	r := x.flows[s.Slot].rack
	switch {
	case r.probeEnd < 0 || a.Seq < r.probeEnd:
		return false
	case !r.probeAgain || dup.To == r.probeEnd: // the probe was new data, or it has also arrived
		r.probeEnd = -1
	case a.Seq > r.probeEnd:
		r.probeEnd = -1
		return true
	}
	return false
}

// Expire implements transport.Strategy. A segment or a probe is overdue.
func (x *rackTLP) Expire(t *transport.Stack, s *transport.Sender) {
	b := x.flows[s.Slot]
	r := b.rack
	s.Alarm = unit.Never
	if r.forProbe {
		if r.probeEnd < 0 && r.sampled { // RFC 8985 §7.3
			r.probeAgain = s.Nxt >= int64(s.Flow.Size)
			b.probe, r.probeEnd = b.High, s.Nxt
			if r.probeAgain {
				b.probe--
			} else {
				r.probeEnd += b.bytes(b.High)
			}
			r.sampled = false
		}
		t.Arm(s)
		t.Refresh(s)
	} else if x.rackLosses(t, s) {
		t.ReadController(s)
	} else {
		t.Refresh(s)
	}
	t.Schedule(s)
	t.Engine().Kick(s.Port)
}

// Timeout implements transport.SenderDriven. Segments that have been in flight for long enough are
// lost (RFC 8985 §6.3).
func (x *rackTLP) Timeout(t *transport.Stack, s *transport.Sender) {
	b := x.timedOut(s)
	s.Alarm, b.rack.afterTimeout = unit.Never, true
	wait := b.rack.rtt + x.reorderingWindow(s)
	for i := b.Oldest; i >= 0 && b.At(i).Sent+wait <= t.Engine().Now(); {
		next := b.At(i).Next
		b.Lose(i)
		i = next
	}
	b.Lose(b.Low)
}
