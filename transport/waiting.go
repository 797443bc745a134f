package transport

import (
	"pintlab/internal/mem"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// waitingFlow describes a flow that has begun but not sent a packet. It occupies 32 bytes. Its
// source is the host of the port where it waits.
type waitingFlow struct {
	start   unit.Time
	size    unit.Bytes
	number  int32
	dst     netsim.NodeID
	srcPort uint16
	dstPort uint16
	class   uint8
}

// flow returns the full flow, given its source.
func (w *waitingFlow) flow(src netsim.NodeID) Flow {
	return Flow{Number: w.number, Src: src, Dst: w.dst, SrcPort: w.srcPort, DstPort: w.dstPort, Class: w.class,
		Size: w.size, Start: w.start}
}

// batch is a block of a waiting room, of 2 KiB.
type batch struct {
	next  *batch
	flows [63]waitingFlow
}

// waitingRoom is the queue of the flows of a port that have not sent a packet. Flows that have
// begun come first, then flows that begin later in this window. After its last entry, the round
// robin serves the flows that have begun.
type waitingRoom struct {
	first, last *batch
	read, write int    // indices in the first and the last batch
	later       *batch // batch of the first flow that has not begun; nil if there is none
	at          int    // index of that flow in later
	begun       int    // number of flows that have begun
	classes     uint8  // classes of the flows that have begun since the room was last empty, one bit per class
}

// empty reports whether no flow has begun.
func (r *waitingRoom) empty() bool { return r.begun == 0 }

// next returns the time at which the next flow begins, or Never if there is none.
func (r *waitingRoom) next() unit.Time {
	if r.later == nil {
		return unit.Never
	}
	return r.later.flows[r.at].start
}

// begin moves the next flow to the flows that have begun. There must be a next flow.
func (r *waitingRoom) begin() {
	r.classes |= 1 << r.later.flows[r.at].class
	r.begun++
	if r.at++; r.later == r.last && r.at == r.write {
		r.later = nil
	} else if r.at == len(r.later.flows) {
		r.later, r.at = r.later.next, 0
	}
}

// batches is the free list of batches.
type batches struct {
	free *batch
	made int
}

// take returns a batch from the free list. If the list is empty, take first allocates an eighth of
// the current number of batches at once, so that many batches lie in large pages.
func (s *batches) take() *batch {
	if s.free == nil {
		n := min(s.made/8+1, 1<<12)
		s.made += n
		made := mem.Make[batch](n, n)
		for i := range made {
			s.give(&made[i])
		}
	}
	b := s.free
	s.free, b.next = b.next, nil
	return b
}

// give returns a batch to the free list.
func (s *batches) give(b *batch) { b.next, s.free = s.free, b }

// add appends a flow.
func (r *waitingRoom) add(spare *batches, f *Flow) {
	if r.last == nil || r.write == len(r.last.flows) {
		b := spare.take()
		if r.last == nil {
			r.first, r.read = b, 0
		} else {
			r.last.next = b
		}
		r.last, r.write = b, 0
	}
	if r.later == nil {
		r.later, r.at = r.last, r.write
	}
	r.last.flows[r.write] = waitingFlow{f.Start, f.Size, f.Number, f.Dst, f.SrcPort, f.DstPort, f.Class}
	r.write++
}

// take removes the first flow, which must have begun.
func (r *waitingRoom) take(spare *batches) waitingFlow {
	b := r.first
	w := b.flows[r.read]
	r.read++
	if end := r.read == len(b.flows); end || b == r.last && r.read == r.write {
		r.first, r.read = b.next, 0
		spare.give(b)
		if r.first == nil {
			*r = waitingRoom{}
			return w
		}
	}
	if r.begun--; r.begun == 0 {
		r.classes = 0
	}
	return w
}

// each calls f for each flow that has begun.
func (r *waitingRoom) each(f func(*waitingFlow)) {
	b, i := r.first, r.read
	for range r.begun {
		if i == len(b.flows) {
			b, i = b.next, 0
		}
		f(&b.flows[i])
		i++
	}
}

// admit puts a flow that will begin into the queue of its port.
func (s *shared) admit(f *Flow) {
	tuple := f.FiveTuple()
	port, ok := s.routes.Pick(f.Src, f.Dst, tuple)
	if _, back := s.routes.Pick(f.Dst, f.Src, tuple.Reverse()); !ok || !back {
		s.unreachable(f)
		return
	}
	s.rounds[port].waiting.add(&s.stacks[0].batches, f)
}

// callUp gives entries to waiting flows of a port until one may send, and returns the slot of that
// flow; ok is false if no flow may send. The entries of the round may move.
func (t *Stack) callUp(p netsim.PortID) (slot int32, ok bool) {
	n := t.round(p)
	for !n.waiting.empty() && t.mayCall(p) {
		if slot := t.seat(n); !t.e.Paused(p, t.senders.at(slot).Flow.Class) {
			return slot, true
		}
	}
	return -1, false
}

// mayCall reports whether a waiting flow at a port may be of a class that is not paused.
func (t *Stack) mayCall(p netsim.PortID) bool {
	classes := t.round(p).waiting.classes
	for c := uint8(0); classes>>c != 0; c++ {
		if classes>>c&1 != 0 && !t.e.Paused(p, c) {
			return true
		}
	}
	return false
}

// seat gives the first waiting flow of a round a slot and an entry.
func (t *Stack) seat(n *Round) int32 {
	w := n.waiting.take(&t.batches)
	src, _ := t.net.PortEnds(n.Port)
	f := w.flow(src)
	t.fetchSlot()
	t.findPaths(&f)
	slot := t.slot()
	t.open(slot, &f)
	s := t.senders.at(slot)
	s.ended = false
	if f.Size > t.cfg.Segment || s.course != &t.single {
		t.direct(s)
	}
	t.join(s)
	return slot
}

// slotsAhead is how many slots in advance a slot is prefetched.
const slotsAhead = 3

// fetchSlot prefetches the memory of a slot that is likely to be used soon.
func (t *Stack) fetchSlot() {
	slot := t.senders.n + slotsAhead
	if n := len(t.free) - 1 - slotsAhead; n >= 0 {
		slot = t.free[n]
	}
	t.senders.fetch(slot)
	t.receivers.fetch(slot)
	t.net.FetchFlow(slot)
	t.e.FetchTimer(t.timers * slot)
}

// seatAll gives every waiting flow a slot, an entry and a controller.
func (t *Stack) seatAll() {
	for p := range t.rounds {
		for n := &t.rounds[p]; !n.waiting.empty(); {
			t.seat(n)
		}
	}
	for slot := range t.senders.n {
		if s := t.senders.at(slot); s.used && !s.ended {
			t.needControl(s)
		}
	}
}
