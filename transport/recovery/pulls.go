package recovery

// A receiver pulls the packets of its flows from the senders. Flows wait for their pull in queues.
// Each port of a host has a queue with a list for each class. The queue serves the flows of the
// highest class round robin, so that they get equal shares of the link.

import (
	"math/bits"

	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// Queues holds the queues of all ports. Several engines use them in parallel, each for its own
// hosts.
type Queues struct {
	ports []queue
	flows []entry // by slot
}

// queue holds the flows that wait at a port.
type queue struct {
	head, tail [buffer.Classes]int32 // slots; -1 for none
	classes    uint8                 // non-empty lists, a bit each
	due        unit.Time             // earliest time of the next pull
}

// entry is the place of a flow in a queue.
type entry struct {
	port       netsim.PortID
	queued     bool
	class      uint8
	next, prev int32 // slots, -1 for none
}

// New makes the queues of this many ports.
func New(ports int) Queues {
	q := Queues{ports: make([]queue, ports)}
	for p := range q.ports {
		for i := range q.ports[p].head {
			q.ports[p].head[i], q.ports[p].tail[i] = -1, -1
		}
	}
	return q
}

// Open initialises a slot for a flow that is received at a port. It is called while no engine runs,
// unless there is only one engine.
func (q *Queues) Open(slot int32, p netsim.PortID) {
	for int(slot) >= len(q.flows) {
		q.flows = append(q.flows, entry{})
	}
	q.Remove(slot)
	q.flows[slot].port = p
}

// Port returns the port at which a flow is received.
func (q *Queues) Port(slot int32) netsim.PortID { return q.flows[slot].port }

// Queued reports whether a flow waits, and in which class.
func (q *Queues) Queued(slot int32) (class uint8, ok bool) {
	f := &q.flows[slot]
	return f.class, f.queued
}

// Push puts a flow that does not wait at the end of the list of a class.
func (q *Queues) Push(slot int32, class uint8) {
	f := &q.flows[slot]
	p := &q.ports[f.port]
	last := p.tail[class]
	*f = entry{port: f.port, queued: true, class: class, next: -1, prev: last}
	if last < 0 {
		p.head[class] = slot
		p.classes |= 1 << class
	} else {
		q.flows[last].next = slot
	}
	p.tail[class] = slot
}

// Enter works like Push. It also ensures that a queue that was empty earns no credit for the idle
// time.
func (q *Queues) Enter(slot int32, class uint8, now unit.Time) {
	if p := &q.ports[q.flows[slot].port]; p.classes == 0 {
		p.due = max(p.due, now)
	}
	q.Push(slot, class)
}

// Remove removes a flow from its queue, if it waits.
func (q *Queues) Remove(slot int32) {
	f := &q.flows[slot]
	if !f.queued {
		return
	}
	p := &q.ports[f.port]
	if f.prev < 0 {
		p.head[f.class] = f.next
	} else {
		q.flows[f.prev].next = f.next
	}
	if f.next < 0 {
		p.tail[f.class] = f.prev
	} else {
		q.flows[f.next].prev = f.prev
	}
	if p.head[f.class] < 0 {
		p.classes &^= 1 << f.class
	}
	f.queued = false
}

// Promote moves a flow that waits to the end of the list of another class.
func (q *Queues) Promote(slot int32, class uint8) {
	q.Remove(slot)
	q.Push(slot, class)
}

// Move changes the port at which a flow is received. It reports whether the flow waits there.
func (q *Queues) Move(slot int32, p netsim.PortID) bool {
	f := &q.flows[slot]
	waits := f.queued
	q.Remove(slot)
	f.port = p
	if waits {
		q.Push(slot, f.class)
	}
	return waits
}

// Due returns the time of the next pull of a port, or Never if no flow waits.
func (q *Queues) Due(p netsim.PortID) unit.Time {
	if x := &q.ports[p]; x.classes != 0 {
		return x.due
	}
	return unit.Never
}

// Take removes from its queue the flow that a port pulls for now. If no flow is due, ok is false,
// and Take schedules a wake-up of the port for the time when a flow will be due.
func (q *Queues) Take(e *netsim.Engine, p netsim.PortID) (slot int32, class uint8, ok bool) {
	x := &q.ports[p]
	if x.classes == 0 {
		return -1, 0, false
	}
	if x.due > e.Now() {
		if at, ok := e.Wake(p); !ok || x.due < at {
			e.WakeAt(p, x.due)
		}
		return -1, 0, false
	}
	class = uint8(bits.Len8(x.classes) - 1)
	slot = x.head[class]
	q.Remove(slot)
	return slot, class, true
}

// Wait sets the time of the next pull of a port that has just pulled: an interval later. If the pull was late because
// the port was sending, the next one comes earlier by the same amount, but by at most slack.
func (q *Queues) Wait(p netsim.PortID, now, interval, slack unit.Time) {
	x := &q.ports[p]
	x.due = max(x.due, now-slack) + interval
}
