package transport

import (
	"slices"

	"pintlab/internal/mem"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Round holds the flows that share a host's port.
type Round struct {
	Port    netsim.PortID
	Entries []Entry
	Last    int // index of the entry served last, -1 if there is none

	ready   int // entries that are Ready
	ended   int // entries that are Ended and not removed yet
	excess  int // entries that scans have read, less fewEntries for each scan
	queue   *queue
	trees   *trees
	planted bool // trees is up to date
	waiting waitingRoom
	senders *slab[Sender]
}

// mark sets the state of an entry.
func (r *Round) mark(at int32, s EntryState) {
	x := mem.At(r.Entries, at)
	if x.State == s {
		return
	}
	if x.State == Ready {
		r.ready--
	}
	if s == Ready {
		r.ready++
		if r.queue != nil {
			r.queue.join(at)
		}
	}
	x.State = s
	r.moved(at)
}

// queue is the order in which flows of an Arbitrated became Ready. A flow that is no longer Ready
// keeps its place until a flow behind it is served. If it becomes Ready after that, it joins at the
// end.
type queue struct {
	tickets       []uint64 // by entry
	given, called uint64   // the last ticket issued, and the ticket of the flow served last
	turn          int      // position in the cycle of control packets and data, while both wait
}

// join puts an entry at the end of the queue, unless it is in the queue.
func (q *queue) join(at int32) {
	if q.tickets[at] <= q.called {
		q.given++
		q.tickets[at] = q.given
	}
}

// call removes an entry from the queue, if the round has a queue. After its packet the flow joins
// again at the end.
func (r *Round) call(at int32) {
	if r.queue != nil {
		r.queue.called = r.queue.tickets[at]
		r.mark(at, Blocked)
	}
}

// precedes reports whether one entry is served before another: by class if strict, then by ticket.
func (r *Round) precedes(at, other int, strict bool) bool {
	if a, b := r.Entries[at].Class, r.Entries[other].Class; strict && a != b {
		return a > b
	}
	return r.queue != nil && r.queue.tickets[at] < r.queue.tickets[other]
}

// Entry holds the fields that a scan of a round reads.
type Entry struct {
	Avail unit.Time // pacing: earliest time to send
	State EntryState
	Class uint8
	slot  int32
}

// EntryState states whether a flow can send.
type EntryState uint8

// The states of an entry.
const (
	Ready   EntryState = iota // has data to send
	Blocked                   // has data to send, but the window is full
	Idle                      // has sent all its data
	Ended                     // finished or failed
)

// Discipline replaces round robin among the flows of a host. It keeps no state outside the rounds,
// because several engines call it in parallel.
type Discipline interface {
	// Next returns the index of the entry that a free port serves now. If there is none, Next
	// returns -1. It then schedules a wake-up if an entry will be due later.
	Next(e *netsim.Engine, r *Round) int
	// Due returns the earliest time at which Next may find an entry, like netsim.Stack.Due.
	Due(r *Round) unit.Time
	// Paced is called after each call of the controller of the flow at index i. The call may have
	// changed the entry's Avail.
	Paced(e *netsim.Engine, r *Round, i int)
	// End is called when the flow at index i has ended. The entry stays until Sweep.
	End(r *Round, i int)
}

// Sweep removes the entries of ended flows, beginning at index at. It returns the new index of the entry that was at
// index keep. It does not change Last.
func (r *Round) Sweep(at, keep int) int {
	to, kept := at, keep
	for i := at; i < len(r.Entries); i++ {
		x := r.Entries[i]
		if x.State == Ended {
			continue
		}
		if i == keep {
			kept = to
		}
		if i != to {
			r.Entries[to] = x
			if r.queue != nil {
				r.queue.tickets[to] = r.queue.tickets[i]
			}
			r.senders.at(x.slot).entry = int32(to)
		}
		to++
	}
	r.Entries = r.Entries[:to]
	if r.queue != nil {
		r.queue.tickets = r.queue.tickets[:to]
	}
	return kept
}

// round returns the round of a port of a host.
func (s *shared) round(p netsim.PortID) *Round { return mem.At(s.rounds, p) }

// Ready returns the number of flows that could send at a port of a host.
func (t *Stack) Ready(p netsim.PortID) int { return t.round(p).ready }

func (t *Stack) Due(p netsim.PortID) unit.Time {
	n := t.round(p)
	if t.cfg.Discipline != nil {
		return t.cfg.Discipline.Due(n)
	}
	if !n.waiting.empty() {
		return t.e.Now()
	}
	due := unit.Never
	if t.pulling != nil {
		due = t.pulling.Due(p)
	}
	now := t.e.Now()
	if n.planted {
		if next := n.trees.least(n.trees.used); n.queue == nil || next == unit.Never {
			return min(due, next)
		}
		return now
	}
	// Any entry that is due by now suffices. The next entry is the most likely one.
	i := n.Last
	for left := n.ready; left > 0; {
		if i++; i >= len(n.Entries) {
			i = 0
		}
		r := mem.At(n.Entries, i)
		if r.State != Ready {
			continue
		}
		if r.Avail <= now {
			due = r.Avail
			break
		}
		due = min(due, r.Avail)
		left--
	}
	if len(n.Entries) > fewEntries {
		t.scanned(n, i)
	}
	return due
}

// scanned counts the entries that a scan has read: those from the one behind Round.Last up to index i. If scans read
// many entries, it plants trees. It does not plant trees for a queue with paced flows, because a tree has one key.
func (t *Stack) scanned(n *Round, i int) {
	if n.ready == 0 {
		return
	}
	read := i - n.Last
	if read <= 0 {
		read += len(n.Entries)
	}
	n.excess = max(0, n.excess+read-fewEntries)
	if n.excess > 2*len(n.Entries) && (n.queue == nil || !t.cfg.Pacing) {
		n.plant()
	}
}

// Next implements netsim.Stack. It searches the round from the flow behind the one that was served
// last. It serves the first flow that has data to send, is due and is not paused. If no flow is due
// yet, it schedules a wake-up of the port for the earliest flow.
func (t *Stack) Next(p netsim.PortID) netsim.PacketID {
	n := t.round(p)
	if t.pulling != nil {
		if id := t.pulling.Next(t, p); id != netsim.NoPacket {
			return id
		}
	}
	if t.cfg.Discipline != nil {
		if len(n.Entries) == 0 {
			return netsim.NoPacket
		}
		i := t.cfg.Discipline.Next(t.e, n)
		if i < 0 {
			return netsim.NoPacket
		}
		n.Last = i
		return t.emit(n.Entries[i].slot)
	}
	if n.planted {
		return t.search(p, n)
	}
	now := t.e.Now()
	due := unit.Never
	best := -1 // with Config.Strict or a queue
	i, left, wait := n.Last, n.ready, !n.waiting.empty()
	for left > 0 || wait {
		if i++; i >= len(n.Entries) || left == 0 {
			if wait { // waiting flows are served at this point of the round
				if slot, ok := t.callUp(p); ok {
					n.Last = len(n.Entries) - 1
					return t.emit(slot)
				}
				wait = false
			}
			if i = -1; left == 0 {
				break
			}
			continue
		}
		r := mem.At(n.Entries, i)
		if r.State != Ready {
			continue
		}
		left--
		if t.e.Paused(p, r.Class) {
			continue
		}
		if r.Avail > now {
			due = min(due, r.Avail)
			continue
		}
		if t.cfg.Strict || n.queue != nil {
			if best < 0 || n.precedes(i, best, t.cfg.Strict) {
				best = i
			}
			continue
		}
		if len(n.Entries) > fewEntries {
			t.scanned(n, i)
		}
		n.Last = i
		return t.emit(r.slot)
	}
	if len(n.Entries) > fewEntries {
		t.scanned(n, i)
	}
	if best >= 0 {
		n.Last = best
		n.call(int32(best))
		return t.emit(n.Entries[best].slot)
	}
	t.wake(p, due)
	return netsim.NoPacket
}

// wake makes sure that a port wakes by a time.
func (t *Stack) wake(p netsim.PortID, due unit.Time) {
	if due != unit.Never {
		if at, ok := t.e.Wake(p); !ok || due < at {
			t.e.WakeAt(p, due)
		}
	}
}

// search is Next for a round with trees.
func (t *Stack) search(p netsim.PortID, n *Round) netsim.PacketID {
	now, i := t.e.Now(), -1
	classes := uint8(0)
	for c := range uint8(8) {
		if n.trees.used>>c&1 != 0 && !t.e.Paused(p, c) {
			classes |= 1 << c
		}
	}
	if t.cfg.Strict {
		i = n.pickStrict(classes, now)
	} else if i = n.pick(classes, now); i <= n.Last && !n.waiting.empty() {
		// Waiting flows come behind the last entry of the round.
		if slot, ok := t.callUp(p); ok {
			n.Last = len(n.Entries) - 1
			return t.emit(slot)
		}
	}
	if i >= 0 {
		n.Last = i
		n.call(int32(i))
		return t.emit(n.Entries[i].slot)
	}
	t.wake(p, n.trees.least(classes))
	return netsim.NoPacket
}

// Offer implements netsim.Arbiter.
func (t *Stack) Offer(p netsim.PortID) { t.shares.Offer(t, p) }

// Yields implements netsim.Arbiter: while control packets and data both wait, one data packet
// follows every Controls control packets.
func (t *Stack) Yields(p netsim.PortID) bool {
	n := t.round(p)
	if n.ready == 0 {
		return false
	}
	n.queue.turn = (n.queue.turn + 1) % (t.shares.Controls() + 1)
	return n.queue.turn == 0
}

// join adds an entry for a flow at the end of the round.
func (t *Stack) join(s *Sender) {
	n := t.round(s.Port)
	s.entry = int32(len(n.Entries))
	if len(n.Entries) == cap(n.Entries) {
		n.Entries = slices.Grow(n.Entries, 1+n.waiting.begun)
	}
	n.Entries = append(n.Entries, Entry{Avail: t.e.Now(), slot: s.Slot, Class: s.Flow.Class})
	n.ready++
	if n.queue != nil {
		n.queue.tickets = append(n.queue.tickets, 0)
		n.queue.join(s.entry)
	}
	n.moved(s.entry)
	t.Refresh(s)
}

// leave ends the entry of a flow.
func (t *Stack) leave(s *Sender) {
	n, at := t.round(s.Port), int(s.entry)
	n.mark(s.entry, Ended)
	if t.cfg.Discipline != nil {
		t.cfg.Discipline.End(n, at)
		return
	}
	n.ended++
	if 2*n.ended > len(n.Entries) {
		n.tidy()
	}
}

// tidy removes the entries of ended flows. It is called only when there are so many such entries
// that the cost per entry is small. Afterwards Next continues behind the entry that was served last,
// even if tidy has removed that entry.
func (r *Round) tidy() {
	last := -1 // the scan begins at 0
	for i := 0; i <= r.Last; i++ {
		if r.Entries[i].State != Ended {
			last++
		}
	}
	r.Sweep(0, 0)
	r.Last, r.ended = last, 0
	r.planted, r.excess = false, 0
}
