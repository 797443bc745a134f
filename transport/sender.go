package transport

import (
	"fmt"

	"pintlab/internal/mem"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Sender is the source of one flow. A Sender occupies two cache lines, and its course occupies two
// more.
type Sender struct {
	Una      int64     // first byte not acknowledged
	Nxt      int64     // first byte to send next
	Top      int64     // first byte never sent
	Deadline unit.Time // when the retransmission timer expires; Never if no data is in flight
	timerAt  unit.Time // time of the timer's event, Never if there is none
	Alarm    unit.Time // when the alarm of the Strategy is due; Never if there is none; see Stack.Schedule
	ideal    unit.Time
	*course

	Flow     Flow
	Port     netsim.PortID
	entry    int32 // index in the port's round
	Slot     int32
	sent     uint32
	hops     uint8
	used     bool   // the slot belongs or belonged to a flow
	ended    bool   // the flow has ended or not begun
	Again    bool   // for the Strategy: send the first unacknowledged segment, ignoring the window
	wire     uint16 // size of the last packet
	InRepair bool   // for the Strategy: the flow is in fast recovery
	answered bool   // the next new packet reports the reaction to a mark
}

// course holds what a sender learns about the network. All flows of a single packet share
// shared.single, which never changes. Such a flow gets its own course when an event other than its
// end happens. If senders choose paths, every flow has its own course.
type course struct {
	ctrl   Controller // nil for a flow that has not needed one
	Window int64      // window in bytes
	rate   unit.Rate
	paid   unit.Time // pacing time of the last packet
	RTT    RTT

	key      uint64
	retx     uint32
	Timeouts uint32
	Tries    int32          // successive timeouts
	Dups     int32          // for the Strategy: successive duplicate ACKs
	cut      int64          // the controller has reacted to marks of packets sent before this byte
	Limited  int64          // for the Strategy: bytes sent beyond the window by limited transmit
	Recover  int64          // for the Strategy: highest byte sent when the loss was detected (RFC 6582)
	alarms   *alarms        // alarms of ctrl; nil if it is not Timed
	Order    *route.Order   // order of the paths; nil unless senders choose paths
	Entropy  *route.Entropy // entropy values; nil unless senders choose them
}

// own gives a flow its own course.
func (s *shared) own(x *Sender) {
	if x.course != &s.single {
		return
	}
	x.course = s.unused()
	s.idle = s.idle[:len(s.idle)-1]
	s.reset(x.course, s.net.FlowKey(x.Slot))
}

// reset initialises a course for a flow that begins. It keeps the controller, unless controllers
// depend on hosts.
func (s *shared) reset(c *course, key uint64) {
	was := *c
	*c = s.single
	c.ctrl, c.alarms, c.Order, c.Entropy, c.key = was.ctrl, was.alarms, was.Order, was.Entropy, key
	if len(s.cfg.ByHost) > 0 {
		c.ctrl = nil
	}
}

// unused returns the last course of the idle list and leaves it there.
func (s *shared) unused() *course {
	if len(s.idle) == 0 {
		s.idle = append(s.idle, s.courses.at(s.courses.add()))
	}
	return s.idle[len(s.idle)-1]
}

// Refresh updates the flow's entry in the round of its port from Strategy.State.
func (t *Stack) Refresh(s *Sender) {
	if !s.ended {
		t.round(s.Port).mark(s.entry, t.strategy.State(s))
	}
}

// ReadController reads window and rate from the controller. A new rate changes the time at which
// the next packet is due, as if the last packet had been sent at the new rate.
func (t *Stack) ReadController(s *Sender) {
	window, rate := limits(s.ctrl, s.ctrl.Window(), s.ctrl.Rate())
	s.Window = window
	if rate != s.rate {
		s.rate = rate
		if s.wire > 0 {
			paid := t.pace(s)
			t.postpone(s, paid-s.paid)
			s.paid = paid
		}
	}
	if t.cfg.Discipline != nil && s.wire > 0 {
		t.cfg.Discipline.Paced(t.e, t.round(s.Port), int(s.entry))
	}
	t.Refresh(s)
}

// limits returns the window and the rate that a controller has returned. It panics if one of them is below 1.
func limits(c Controller, window unit.Bytes, rate unit.Rate) (int64, unit.Rate) {
	if window < 1 || rate < 1 {
		refuse(c, window, rate)
	}
	return int64(window), rate
}

// refuse is not inlined, so that limits is.
//
//go:noinline
func refuse(c Controller, window unit.Bytes, rate unit.Rate) {
	panic(fmt.Sprintf("transport: the controller %T returns a window of %d bytes and a rate of %d bit/s; "+
		"want at least 1 of each", c, window, rate))
}

// postpone shifts the time at which the flow is due. If the flow is then due before the wake-up of
// the port, the wake-up also moves.
func (t *Stack) postpone(s *Sender, shift unit.Time) {
	n := t.round(s.Port)
	r := mem.At(n.Entries, s.entry)
	r.Avail += shift
	n.moved(s.entry)
	if t.cfg.Discipline != nil {
		return
	}
	if at, ok := t.e.Wake(s.Port); ok && r.Avail < at {
		t.e.WakeAt(s.Port, max(r.Avail, t.e.Now()))
	}
}

// pace returns how long the last packet takes at the current rate. At line rate pace returns 0
// unless Config.PaceAtLine is set, because the port itself limits the flow.
func (t *Stack) pace(s *Sender) unit.Time {
	if s.ctrl == nil || !t.cfg.Pacing || s.rate >= t.net.PortRate(s.Port) && !t.cfg.PaceAtLine {
		return 0
	}
	return t.cfg.Pace(s.rate, unit.Bytes(s.wire))
}

// emit makes the next packet of a flow.
func (t *Stack) emit(slot int32) netsim.PacketID {
	id := t.e.Make(slot)
	s, p := t.senders.at(slot), t.e.Packet(id)
	now := t.e.Now()
	from := t.strategy.Pick(t, s)
	n := min(int64(t.cfg.Segment), int64(s.Flow.Size)-from)
	p.Kind, p.Class = netsim.Data, s.Flow.Class
	p.Seq, p.ID, p.Payload = from, s.sent, uint16(n)
	p.Size = uint16(t.cfg.PacketSize(unit.Bytes(n)))
	p.Sent = uint32(now / unit.Nanosecond)
	if s.Order != nil {
		p.Path = s.Order.Next()
	} else if s.Entropy != nil {
		p.Path = s.Entropy.Next(now)
	}
	if s.ctrl == nil { // the ACK will end the flow
		t.e.Unread(id)
	}
	if from+n == int64(s.Flow.Size) {
		p.Flags |= netsim.FlagLast
		if t.cfg.Follower != nil && from >= s.Top {
			t.cfg.Follower.Left(t, s.Flow.Number)
		}
	}
	if from < s.Top {
		p.Flags |= netsim.FlagRetx
		s.retx++
	} else if s.answered {
		p.Flags |= netsim.FlagCWR
		s.answered = false
	}
	s.sent++
	s.wire = p.Size
	s.Nxt = max(s.Nxt, from+n)
	s.Top = max(s.Top, s.Nxt)
	paid := t.pace(s)
	if s.course != &t.single {
		s.paid = paid
	}
	round := t.round(s.Port)
	mem.At(round.Entries, s.entry).Avail = now + paid
	round.mark(s.entry, t.strategy.State(s))
	round.moved(s.entry)
	if s.Deadline == unit.Never && t.timed {
		t.Arm(s)
	}
	t.strategy.Sent(t, s, id, p)
	if t.cfg.Probes {
		t.probe(s)
	}
	return id
}

// Arm restarts the retransmission timer (RFC 6298 §5.1, 5.3).
func (t *Stack) Arm(s *Sender) {
	s.Deadline = t.e.Now() + t.sends.Wait(s)
	t.Schedule(s)
}

// due returns the earlier of the retransmission timer and the strategy's alarm.
func (s *Sender) due() unit.Time { return min(s.Deadline, s.Alarm) }

// Schedule moves the event of the flow's timer after a change of Deadline or Alarm. An event that
// is early enough stays, because it checks both times again.
func (t *Stack) Schedule(s *Sender) {
	if s.timerAt > s.due() {
		t.setTimer(s)
	}
}

// setTimer moves the timer's event to the time that due returns.
func (t *Stack) setTimer(s *Sender) {
	if s.timerAt != unit.Never {
		t.e.CancelTimer(t.timers * s.Slot)
	}
	s.timerAt = s.due()
	t.e.SetTimer(s.Port, t.timers*s.Slot, s.timerAt, t.net.FlowKey(s.Slot))
}

// senderTimer handles the retransmission timer (RFC 6298 §5.4 to 5.6) and the strategy's alarm.
func (t *Stack) senderTimer(slot int32) {
	s := t.senders.at(slot)
	s.timerAt = unit.Never
	now := t.e.Now()
	if s.ended || s.due() == unit.Never {
		return
	}
	if s.due() > now {
		t.setTimer(s)
		return
	}
	t.needControl(s)
	if s.Alarm <= now {
		t.strategy.Expire(t, s)
		return
	}
	s.Deadline = unit.Never
	if s.Una == s.Nxt {
		return
	}
	if int(s.Tries) >= t.cfg.MaxRetries {
		t.End(s, Failed)
		return
	}
	loss := Loss{Kind: Timeout, Seq: s.Una, Flight: unit.Bytes(s.Nxt - s.Una), Again: s.Tries > 0}
	s.Tries++
	s.Timeouts++
	s.RTT.backOff(&t.cfg)
	if s.Entropy != nil {
		s.Entropy.Hear(now, 0, route.TimedOut)
	}
	t.sends.Timeout(t, s)
	s.cut = s.Top
	s.ctrl.OnLoss(now, loss)
	t.ReadController(s)
	t.Arm(s)
	t.e.Kick(s.Port)
}

// Hear passes the mark in an ACK to the choice of entropy values.
func (s *Sender) Hear(now unit.Time, p *netsim.Packet) {
	if s.Entropy == nil {
		return
	}
	f := route.Good
	if p.Flags&netsim.FlagEcho != 0 {
		f = route.Marked
	}
	s.Entropy.Hear(now, p.Path, f)
}

// Answer passes an acknowledgement to the controller of a flow. A ReceiverDriven calls it.
func (t *Stack) Answer(s *Sender, a Ack) {
	t.ack = a
	now := t.e.Now()
	set := s.ctrl.OnAck(now, &t.ack)
	if t.cfg.Trace != nil {
		t.tracer.Ack(now, s.ctrl, &s.Flow, &t.ack, set)
	}
	if set {
		t.ReadController(s)
	}
}

// Controller returns the controller of the flow.
func (s *Sender) Controller() Controller { return s.ctrl }

// takeAck handles an ACK or NACK at the source.
func (t *Stack) takeAck(s *Sender, id netsim.PacketID, p *netsim.Packet) {
	if s.ended {
		t.e.Free(id)
		return
	}
	n := t.Acknowledge(s, p.Seq)
	finished, lost := s.Una >= int64(s.Flow.Size), false
	if finished && !t.cfg.LastAck {
		t.End(s, Finished)
		t.e.Free(id)
		t.e.Kick(s.Port)
		return
	}
	t.needControl(s)
	now := t.e.Now()
	a := &t.ack
	*a = Ack{}
	a.Seq, a.Nack, a.Marked = p.Seq, p.Kind == netsim.Nack, p.Flags&netsim.FlagEcho != 0
	a.Hops, a.Digest, a.ID, a.FlowKey = t.e.Telemetry(id), p.Digest, p.ID, s.key
	if p.Flags&flagNoSample == 0 {
		a.HasRTT = true
		a.RTT = unit.Time(uint32(now/unit.Nanosecond)-p.Sent) * unit.Nanosecond
	}
	s.Hear(now, p)
	if n > 0 {
		a.Acked = unit.Bytes(n)
		s.Tries = 0
		if t.timed {
			if a.HasRTT {
				s.RTT.take(a.RTT, &t.cfg)
			}
			if s.Una == s.Nxt {
				s.Deadline = unit.Never
			} else {
				t.Arm(s)
			}
		}
	}
	if !finished {
		lost = t.sends.Ack(t, s, a, id)
	}
	if a.Marked && a.Seq > s.cut {
		a.Congested, s.cut = true, s.Top
		s.answered = t.latches
	}
	a.Next = s.Nxt
	a.Flight = unit.Bytes(s.Nxt - s.Una)
	set := s.ctrl.OnAck(now, a)
	if t.cfg.Trace != nil {
		t.tracer.Ack(now, s.ctrl, &s.Flow, a, set)
	}
	if set || lost {
		t.ReadController(s)
	} else {
		t.Refresh(s)
	}
	if finished {
		t.End(s, Finished)
	}
	t.e.Free(id)
	t.e.Kick(s.Port)
}
