package transport

import (
	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Audit implements netsim.Auditor: it checks the invariants of flows that start or end at
// this stack's hosts.
func (t *Stack) Audit() {
	active := 0
	for slot := range t.senders.n {
		s := t.senders.at(slot)
		if !s.used {
			continue
		}
		if here := t.here(s.flow.Src); here && !s.ended {
			active++
			t.auditSender(slot, s)
		}
		if t.here(s.flow.Dst) {
			t.auditReceiver(slot, s)
		}
	}
	for p := range t.rounds {
		t.rounds[p].waiting.each(func(*waitingFlow) { active++ })
	}
	invariants.Check(active == t.active, "%d flows are active, %d by the count", active, t.active)
	for p := range t.rounds {
		if from, _ := t.net.PortEnds(netsim.PortID(p)); t.here(from) {
			t.auditRound(netsim.PortID(p))
			if t.pulls != nil {
				t.auditPulls(netsim.PortID(p))
			}
		}
	}
}

// here reports whether this stack serves a host.
func (t *Stack) here(n netsim.NodeID) bool { return t.stacks[t.owner(n)] == t }

func (t *Stack) auditSender(slot int32, s *sender) {
	f := &s.flow
	invariants.Check(0 <= s.una && s.una <= s.nxt && s.nxt <= s.top && s.top <= int64(f.Size),
		"flow %d of %d bytes: %d acknowledged, %d next, %d sent at most", f.Number, f.Size, s.una, s.nxt, s.top)
	invariants.Check(s.una < int64(f.Size), "flow %d has everything acknowledged and goes on", f.Number)
	invariants.Check(s.window >= 1 && (s.rate > 0 || s.ctrl == nil), "flow %d: window %d, rate %v", f.Number, s.window, s.rate)
	invariants.Check(s.retx <= s.sent, "flow %d: %d packets, %d of them again", f.Number, s.sent, s.retx)
	r := &t.rounds[s.port].Entries[s.entry]
	invariants.Check(r.slot == slot, "flow %d has the entry of slot %d", f.Number, r.slot)
	invariants.Check(r.State == t.stateOf(s), "flow %d is in state %d and marked %d", f.Number, t.stateOf(s), r.State)
	if t.selective {
		s.board.audit(f.Number, s.una, s.nxt)
	}
	if t.cfg.RTOMin > 0 {
		invariants.Check(s.una == s.nxt || s.deadline != unit.Never, "flow %d has %d bytes out and no timeout", f.Number, s.nxt-s.una)
		invariants.Check(s.deadline == unit.Never || s.timerAt <= s.deadline, "flow %d times out at %v, its timer is set to %v", f.Number, s.deadline, s.timerAt)
		invariants.Check(s.rtt.rto > 0 && s.rtt.rto <= t.cfg.RTOMax, "flow %d: timeout of %v", f.Number, s.rtt.rto)
	}
}

// audit counts what the board has counted.
func (b *board) audit(flow int32, una, nxt int64) {
	var flight, sacked, above, lost, listed int64
	for i := b.low; i < b.high; i++ {
		st := b.at(i).state
		flight += st.weight() * b.bytes(i)
		if st&segSacked != 0 {
			sacked++
			if i >= b.frontier {
				above++
			}
			invariants.Check(i < b.top, "flow %d: segment %d is sacked, the highest by the count is below %d", flow, i, b.top)
		} else if i < b.frontier {
			invariants.Check(st&segLost != 0, "flow %d: segment %d is below the frontier %d and not lost", flow, i, b.frontier)
		}
		if st.waits() {
			lost++
			invariants.Check(i >= b.scan, "flow %d: segment %d waits, and is not looked for below %d", flow, i, b.scan)
		}
		if b.timed && st.weight() > 0 {
			listed++
		}
	}
	for i := b.oldest; b.timed && i >= 0; i = b.at(i).next {
		listed--
	}
	invariants.Check(b.low == una/b.size && b.high == b.segmentsOf(nxt), "flow %d: segments %d to %d, bytes %d to %d", flow, b.low, b.high, una, nxt)
	invariants.Check(flight == b.flight && sacked == b.sacked && above == b.above && lost == b.lostOut && listed == 0,
		"flow %d: in flight %d, sacked %d, above %d, lost %d, off the list %d; counted %d, %d, %d, %d", flow, flight, sacked, above, lost, listed, b.flight, b.sacked, b.above, b.lostOut)
}

func (t *Stack) auditReceiver(slot int32, s *sender) {
	f, r := &s.flow, t.receivers.at(slot)
	invariants.Check(0 <= r.expected && r.expected <= int64(f.Size), "flow %d of %d bytes: the receiver has %d", f.Number, f.Size, r.expected)
	if t.here(f.Src) { // or the sender may be ahead of the receiver's clock
		invariants.Check(s.una <= r.expected && r.expected <= s.top, "flow %d: %d bytes acknowledged, %d received, %d sent", f.Number, s.una, r.expected, s.top)
	}
	if t.pulls != nil {
		t.auditDemand(f, r)
	}
	last := r.expected
	for _, g := range r.beyond() {
		invariants.Check(g.from > last && g.to > g.from && g.to <= int64(f.Size), "flow %d: the receiver has all up to %d and then %v", f.Number, r.expected, r.gaps)
		last = g.to
	}
}

// auditDemand checks what a receiver of NDP asks for.
func (t *Stack) auditDemand(f *Flow, r *receiver) {
	d := r.demand
	invariants.Check(d.have >= r.expected && d.have <= int64(f.Size), "flow %d of %d bytes: the receiver has %d, all up to %d", f.Number, f.Size, d.have, r.expected)
	invariants.Check(d.queued == (d.wait > 0), "flow %d: %d PULLs wait, and it is in the queue: %v", f.Number, d.wait, d.queued)
	invariants.Check(d.wait >= 0 && d.wait <= d.missing(int64(t.cfg.Segment)), "flow %d: %d PULLs wait for %d packets", f.Number, d.wait, d.missing(int64(t.cfg.Segment)))
}

// auditPulls checks that a host's port is not idle while a PULL is due.
func (t *Stack) auditPulls(p netsim.PortID) {
	q := &t.pulls[p]
	if q.classes == 0 || t.e.Halted(p) || t.e.WillKick(p) {
		return
	}
	at, ok := t.e.Wake(p)
	invariants.Check(ok && at <= q.due, "port %d: a PULL is due at %v, and nothing wakes the port until %v", p, q.due, at)
}

// auditRound checks that a host's port is not idle while a flow could send. It checks
// nothing with a Discipline, which has its own rule.
func (t *Stack) auditRound(p netsim.PortID) {
	if t.cfg.Discipline != nil {
		return
	}
	n := &t.rounds[p]
	if !n.waiting.empty() && t.mayCall(p) && !t.e.Halted(p) && !t.e.WillKick(p) {
		_, ok := t.e.Wake(p)
		invariants.Check(ok, "port %d: a flow waits for its first turn, and nothing wakes the port", p)
	}
	for i := range n.Entries {
		r := &n.Entries[i]
		if r.State != Ready || t.e.Paused(p, r.Class) || t.e.Halted(p) || t.e.WillKick(p) {
			continue
		}
		at, ok := t.e.Wake(p)
		invariants.Check(ok && at <= r.Avail, "port %d: flow %d may send at %v, and nothing wakes the port until %v", p, t.senders.at(r.slot).flow.Number, r.Avail, at)
	}
}
