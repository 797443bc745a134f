package transport

import (
	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Audit implements netsim.Auditor. It checks the invariants of all flows.
func (t *Stack) Audit() {
	active := 0
	for slot := range t.senders.n {
		s := t.senders.at(slot)
		if !s.used {
			continue
		}
		if !s.ended {
			active++
			t.auditSender(slot, s)
		}
		t.auditReceiver(slot, s)
	}
	for p := range t.rounds {
		t.rounds[p].waiting.each(func(*waitingFlow) { active++ })
	}
	invariants.Check(active == t.Active(), "%d flows are active, %d by the count", active, t.Active())
	for p := range t.rounds {
		t.auditRound(netsim.PortID(p))
	}
}

func (t *Stack) auditSender(slot int32, s *Sender) {
	f := &s.Flow
	invariants.Check(0 <= s.Una && s.Una <= s.Nxt && s.Nxt <= s.Top && s.Top <= int64(f.Size),
		"flow %d of %d bytes: %d acknowledged, %d next, %d sent at most", f.Number, f.Size, s.Una, s.Nxt, s.Top)
	invariants.Check(s.Una < int64(f.Size), "flow %d has everything acknowledged and goes on", f.Number)
	invariants.Check(s.Window >= 1 && (s.rate > 0 || s.ctrl == nil),
		"flow %d: window %d, rate %v", f.Number, s.Window, s.rate)
	invariants.Check(s.retx <= s.sent, "flow %d: %d packets, %d of them again", f.Number, s.sent, s.retx)
	r := &t.round(s.Port).Entries[s.entry]
	invariants.Check(r.slot == slot, "flow %d has the entry of slot %d", f.Number, r.slot)
	invariants.Check(r.State == t.strategy.State(s),
		"flow %d is in state %d and marked %d", f.Number, t.strategy.State(s), r.State)
	t.strategy.Audit(s)
	if t.timed {
		invariants.Check(s.Una == s.Nxt || s.Deadline != unit.Never,
			"flow %d has %d bytes out and no timeout", f.Number, s.Nxt-s.Una)
		invariants.Check(s.Deadline == unit.Never || s.timerAt <= s.Deadline,
			"flow %d times out at %v, its timer is set to %v", f.Number, s.Deadline, s.timerAt)
		invariants.Check(s.RTT.RTO > 0 && s.RTT.RTO <= t.cfg.RTOMax, "flow %d: timeout of %v", f.Number, s.RTT.RTO)
	}
}

func (t *Stack) auditReceiver(slot int32, s *Sender) {
	f, r := &s.Flow, t.receivers.at(slot)
	invariants.Check(0 <= r.Expected && r.Expected <= int64(f.Size),
		"flow %d of %d bytes: the receiver has %d", f.Number, f.Size, r.Expected)
	invariants.Check(s.Una <= r.Expected && r.Expected <= s.Top,
		"flow %d: %d bytes acknowledged, %d received, %d sent", f.Number, s.Una, r.Expected, s.Top)
	if t.driven != nil {
		t.driven.AuditReceiver(t, s, r)
	}
	last := r.Expected
	for _, g := range r.beyond() {
		invariants.Check(g.From > last && g.To > g.From && g.To <= int64(f.Size),
			"flow %d: the receiver has all up to %d and then %v", f.Number, r.Expected, r.gaps)
		last = g.To
	}
}

// auditRound checks that a host's port is not idle while a flow could send. It checks nothing if
// the transport has a Discipline, because a Discipline follows its own rule.
func (t *Stack) auditRound(p netsim.PortID) {
	if t.cfg.Discipline != nil {
		return
	}
	n := t.round(p)
	if !n.waiting.empty() && t.mayCall(p) && !t.e.Halted(p) && !t.e.WillKick(p) {
		_, ok := t.e.Wake(p)
		invariants.Check(ok, "port %d: a flow waits for its first turn, and nothing wakes the port", p)
	}
	for i := range n.Entries {
		r := &n.Entries[i]
		if n.planted {
			key, tree := n.key(int32(i)), &n.trees.byClass[r.Class]
			invariants.Check(tree.first(i, key-1) != i && (key == unit.Never || tree.first(i, key) == i),
				"port %d: entry %d has the key %v, and its tree another one", p, i, key)
		}
		if r.State != Ready || t.e.Paused(p, r.Class) || t.e.Halted(p) || t.e.WillKick(p) {
			continue
		}
		at, ok := t.e.Wake(p)
		invariants.Check(ok && at <= r.Avail,
			"port %d: flow %d may send at %v, and nothing wakes the port until %v",
			p, t.senders.at(r.slot).Flow.Number, r.Avail, at)
	}
}
