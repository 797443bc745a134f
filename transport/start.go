package transport

import (
	"cmp"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// coming lists what starts in a domain.
type coming struct {
	ports   []netsim.PortID // ports of the hosts of the domain
	starts  []start         // flows with a slot, and delays, in the order of time
	started int             // number of starts that have happened
	asked   []Flow          // flows that the domain has launched, without a slot yet
}

// Start implements netsim.Stack. It starts the flows of a domain whose start time has come. If the
// run must end, the other flows start when the run continues.
func (t *Stack) Start() {
	now := t.e.Now()
	if t.e.Ordered() {
		if !t.prepare(now) || !t.startPrepared(now) {
			t.e.StartAt(now, 0)
			t.e.Halt()
		} else if t.more { // an event must be pending when the flow is due
			t.e.StartAt(t.upcoming.Start, t.e.Order(0, 0))
		}
		return
	}
	var ok bool
	if t.waits {
		ok = t.startWaiting(now)
	} else {
		ok = t.startPrepared(now)
	}
	if !ok {
		t.e.StartDomain(now)
		t.e.Halt()
	}
}

// startWaiting begins the waiting flows of the domain whose start time has come. It returns false if
// the run must end now.
func (t *Stack) startWaiting(now unit.Time) bool {
	next, n := unit.Never, 1
	for _, p := range t.coming[t.e.Here()].ports {
		room := &t.round(p).waiting
		for ; room.next() <= now; n++ {
			if t.stopped(n) {
				return false
			}
			room.begin()
			t.active++
			t.e.Kick(p)
		}
		next = min(next, room.next())
	}
	t.e.StartDomain(next)
	return true
}

// startPrepared starts the flows of the domain that prepare has prepared and whose start time has
// come. It returns false if the run must end now.
func (t *Stack) startPrepared(now unit.Time) bool {
	c := &t.coming[t.e.Here()]
	for n := 1; c.started < len(c.starts); n++ {
		x := c.starts[c.started]
		if x.at > now {
			t.e.StartDomain(x.at)
			return true
		}
		if t.stopped(n) {
			return false
		}
		c.started++
		if x.slot < 0 {
			t.cfg.Follower.Due(t, ^x.slot)
		} else {
			t.begin(x.slot)
		}
	}
	return true
}

// prepare handles each flow that starts up to the given time. The flow joins the queue of its port,
// or gets a slot, a path and an entry in the list of its domain. No engine may run, unless there is
// only one engine. It returns false if the run must end now.
func (s *shared) prepare(until unit.Time) bool {
	e := s.stacks[0].e
	s.admitAsked()
	for n := 1; s.more && s.upcoming.Start <= until; n++ {
		if s.stopped(n) {
			return false
		}
		f := s.upcoming
		s.fetch()
		if !e.Ordered() { // even if there is no path
			e.StartHost(f.Src, f.Start)
		}
		if s.waits {
			s.admit(&f)
			continue
		}
		s.enlist(&f)
	}
	return true
}

// enlist gives a flow a slot, a path and an entry in the list of its domain. It returns false if
// there is no path.
func (s *shared) enlist(f *Flow) bool {
	if s.findPaths(f); len(s.outbound) == 0 || len(s.inbound) == 0 {
		s.unreachable(f)
		return false
	}
	slot := s.slot()
	s.open(slot, f)
	if x := s.senders.at(slot); x.ctrl == nil {
		x.ctrl = s.controller(s.outbound)
	}
	s.coming[s.stacks[0].e.Domain(f.Src)].add(start{f.Start, slot})
	return true
}

func (s *shared) Before(until unit.Time) bool {
	if !s.prepare(until) {
		return false
	}
	next := unit.Never
	if s.more {
		next = s.upcoming.Start
	}
	s.stacks[0].e.BeginAt(next)
	return true
}

// Settle implements netsim.Windowed. It reports the flows that ended in the last window.
func (s *shared) Settle() {
	turns := s.turns[:0]
	for _, t := range s.stacks {
		for i := range t.ended.n {
			x := t.ended.at(i)
			turns = append(turns, turn{x.at, x.Number, &x.Record})
		}
		t.ended.clear()
	}
	s.turns = turns
	slices.SortFunc(turns, func(a, b turn) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(a.number, b.number)
	})
	for _, x := range turns {
		s.done(x.record)
	}
}

// unreachable reports a flow that has no path when it starts.
func (s *shared) unreachable(f *Flow) {
	r := Record{Flow: *f, Outcome: Unreachable, FCT: unit.Never, Ended: unit.Never, Ideal: unit.Never}
	if t := s.stacks[0]; t.e.Divided() {
		*t.ended.at(t.ended.add()) = ended{f.Start, r}
		return
	}
	s.done(&r)
}

// begin starts a flow that prepare has prepared.
func (t *Stack) begin(slot int32) {
	s := t.senders.at(slot)
	s.ended = false
	t.active++
	t.direct(s)
	t.join(s)
	if t.driven != nil {
		t.driven.Begin(t, s)
		t.Refresh(s)
	}
	t.e.Kick(s.Port)
}

// direct starts the controller of a flow, as at the start of the flow. It makes the controller if
// there is none.
func (t *Stack) direct(s *Sender) {
	t.own(s)
	outbound, inbound := t.net.FlowPaths(s.Slot)
	if s.ctrl == nil {
		s.ctrl = t.controller(outbound)
	}
	info := t.info(&t.finder, &s.Flow, s.key, outbound, inbound)
	info.Alarms = t.alarmsOf(s)
	s.ctrl.Start(s.Flow.Start, info)
	s.Window, s.rate = limits(s.ctrl, s.ctrl.Window(), s.ctrl.Rate())
}

// needControl makes sure that a flow has a controller. A flow of a single packet gets one only if something other than
// its end happens. Until then it is not paced.
func (t *Stack) needControl(s *Sender) {
	if s.ctrl != nil {
		return
	}
	t.direct(s)
	if s.wire > 0 {
		s.paid = t.pace(s)
		n := t.round(s.Port)
		n.Entries[s.entry].Avail += s.paid
		n.moved(s.entry)
	}
}
