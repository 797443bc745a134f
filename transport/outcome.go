package transport

import (
	"cmp"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// ended is a record that is reported at the end of the window.
type ended struct {
	at unit.Time
	Record
}

// End closes a flow. The slot of the flow becomes free when the last packet of the flow has left
// the network.
func (t *Stack) End(s *Sender, o Outcome) {
	s.ended = true
	t.active--
	t.leave(s)
	t.e.CancelTimer(t.timers * s.Slot)
	for i := t.alarms; i < t.timers; i++ {
		t.e.CancelTimer(t.timers*s.Slot + i)
	}
	s.timerAt = unit.Never
	t.retired = append(t.retired, s.Slot)
	t.report(s.record(o, t.e.Now()))
	if t.waits && s.course != &t.single {
		t.idle = append(t.idle, s.course)
		s.course = &t.single
	}
	if t.cfg.Follower != nil && o == Finished {
		t.cfg.Follower.Sent(t, s.Flow.Number)
	}
}

// report passes a record to done: at once if all events run in the order of time, otherwise after
// the window.
func (t *Stack) report(r Record) {
	if !t.e.Divided() {
		t.record = r // a local variable would escape to the heap
		t.done(&t.record)
		return
	}
	*t.ended.at(t.ended.add()) = ended{t.e.Now(), r}
}

// record returns the record of a flow that ends at the given time.
func (s *Sender) record(o Outcome, now unit.Time) Record {
	r := Record{
		Flow: s.Flow, Outcome: o, FCT: unit.Never, Ended: unit.Never, Ideal: s.ideal, Acked: unit.Bytes(s.Una),
		Packets: s.sent, Retx: s.retx, Timeouts: s.Timeouts, Hops: s.hops,
	}
	switch o {
	case Finished:
		r.FCT, r.Ended = now-s.Flow.Start, now
	case Failed:
		r.Ended = now
	}
	return r
}

// Close calls done with the given outcome for every flow that has started and not ended, in the
// order of flow numbers.
func (s *shared) Close(o Outcome) {
	s.Settle()
	for _, x := range s.underway() {
		r := s.look(&x, o)
		if x.slot >= 0 {
			s.senders.at(x.slot).ended = true
		}
		s.done(&r)
	}
}

// Underway calls f with the current record of every flow that has started and not ended, in the
// order of flow numbers. No engine may run.
func (s *shared) Underway(f func(*Record)) {
	for _, x := range s.underway() {
		r := s.look(&x, Unfinished)
		f(&r)
	}
}

// look returns the record of an active flow.
func (s *shared) look(x *openFlow, o Outcome) Record {
	if x.slot >= 0 {
		return s.senders.at(x.slot).record(o, 0)
	}
	f := x.waiting.flow(x.src)
	s.findPaths(&f)
	return Record{Flow: f, Outcome: o, FCT: unit.Never, Ended: unit.Never, Ideal: s.ideal(f.Size, f.Src, f.Dst),
		Hops: uint8(len(s.outbound) - 1)}
}

// Oldest returns the active flow that started first, and the number of its acknowledged bytes.
func (s *shared) Oldest() (f Flow, acked unit.Bytes, ok bool) {
	open := s.underway()
	if len(open) == 0 {
		return Flow{}, 0, false
	}
	x := open[0]
	if x.slot < 0 {
		return x.waiting.flow(x.src), 0, true
	}
	first := s.senders.at(x.slot)
	return first.Flow, unit.Bytes(first.Una), true
}

// FlowState is the state of an active flow.
type FlowState struct {
	Flow
	Delivered unit.Bytes // received without gaps from the first byte on, at the destination; at least Acked
	Acked     unit.Bytes
	Flight    unit.Bytes // sent and unacknowledged
	Window    unit.Bytes
	Rate      unit.Rate // pacing
	Load      float64   // the controller's estimate of the path's utilisation; NaN if there is none
}

// Inspect calls f for each active flow. No engine may run.
func (s *shared) Inspect(f func(FlowState)) {
	for _, o := range s.underway() {
		var st FlowState
		var ctrl Controller
		if o.slot >= 0 {
			x := s.senders.at(o.slot)
			ctrl = x.ctrl
			st = FlowState{
				Flow: x.Flow, Delivered: unit.Bytes(s.receivers.at(o.slot).Expected), Acked: unit.Bytes(x.Una),
				Flight: unit.Bytes(x.Nxt - x.Una), Window: unit.Bytes(x.Window), Rate: x.rate,
			}
		} else {
			st.Flow = o.waiting.flow(o.src)
		}
		if ctrl == nil { // use what a new controller returns
			s.findPaths(&st.Flow)
			c := s.unused()
			if c.ctrl == nil || len(s.cfg.ByHost) > 0 {
				c.ctrl = s.controller(s.outbound)
			}
			ctrl = c.ctrl
			ctrl.Start(st.Start, s.info(&s.finders[0], &st.Flow, FlowKey(s.seed, st.Number), s.outbound, s.inbound))
			st.Window, st.Rate = ctrl.Window(), ctrl.Rate()
		}
		st.Load = math.NaN()
		if c, ok := ctrl.(Loaded); ok {
			st.Load = c.Load()
		}
		f(st)
	}
}

// openFlow is a flow that has started and not ended.
type openFlow struct {
	number  int32
	slot    int32 // -1 for a waiting flow
	src     netsim.NodeID
	waiting *waitingFlow
}

// underway returns the flows that have started and not ended, in the order of their numbers.
func (s *shared) underway() []openFlow {
	var list []openFlow
	for slot := range s.senders.n {
		if x := s.senders.at(slot); x.used && !x.ended {
			list = append(list, openFlow{number: x.Flow.Number, slot: slot})
		}
	}
	for p := range s.rounds {
		n := &s.rounds[p]
		src, _ := s.net.PortEnds(n.Port)
		n.waiting.each(func(w *waitingFlow) {
			list = append(list, openFlow{w.number, -1, src, w})
		})
	}
	slices.SortFunc(list, func(a, b openFlow) int { return cmp.Compare(a.number, b.number) })
	return list
}
