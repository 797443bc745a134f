package netsim

import (
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// Kick makes a host's port send if it is free. A waiting acknowledgement goes first, otherwise a packet from the stack.
// The stack calls Kick whenever a packet may have become sendable.
func (e *Engine) Kick(pi PortID) {
	p := e.port(pi)
	if e.busy(p) {
		if e.arbiter != nil {
			e.arbiter.Offer(pi)
		}
		e.settle(pi, p)
		return
	}
	if p.special&faulty != 0 && e.net.infos[pi].halted {
		return
	}
	id, yields := NoPacket, false
	if e.arbiter != nil {
		e.arbiter.Offer(pi)
		yields = p.waiting&^p.paused != 0 && e.arbiter.Yields(pi)
	}
	if !yields {
		id = e.acknowledgement(pi, p)
	}
	if id == NoPacket {
		id = e.stack.Next(pi)
		p = e.port(pi)
		if id == NoPacket && yields {
			id = e.acknowledgement(pi, p)
		}
		if id == NoPacket {
			return
		}
	}
	k := e.Packet(id)
	if k.Flags&flagOrigin != 0 {
		e.leaveOrigin(pi, k)
	}
	k.way = e.net.begin(k) + 1
	e.transmit(pi, p, id, k)
	e.settle(pi, p)
}

// settle schedules the next kick of a busy host port. The kick is due at the end of the transmission, or later if
// pacing holds back all waiting packets.
func (e *Engine) settle(pi PortID, p *port) {
	if p.readySet {
		return
	}
	due := unit.Time(0)
	if p.waiting&^p.paused == 0 {
		due = e.stack.Due(pi)
	}
	switch {
	case due <= p.busyUntil:
		p.readySet = true
		e.setReady(pi, p)
	case due != unit.Never:
		if at, ok := e.Wake(pi); !ok || due < at {
			e.WakeAt(pi, due)
		}
	}
}

// acknowledgement removes a waiting acknowledgement from a host's port. It returns NoPacket if none
// waits or their classes are paused.
func (e *Engine) acknowledgement(pi PortID, p *port) PacketID {
	if p.waiting&^p.paused == 0 {
		return NoPacket
	}
	return e.take(pi, p)
}

// Arbiter shares the ports of hosts between queued packets (Reply) and packets of Stack.Next. Without an arbiter,
// queued packets go first.
type Arbiter interface {
	// Offer calls Reply for the packets that are due at a port, which may be sending. If a packet will be due later,
	// Offer requests a wake-up.
	Offer(PortID)
	// Yields reports whether Stack.Next comes before the packets queued at a free port. It is
	// called only if a packet is queued.
	Yields(PortID) bool
}

// Arbitrate sets the arbiter of the hosts.
func (e *Engine) Arbitrate(a Arbiter) { e.arbiter = a }

// Busy reports whether a port is sending. Tests of stacks use it.
func (e *Engine) Busy(pi PortID) bool { return e.busy(e.port(pi)) }

// WillKick reports whether a port is kicked when its transmission ends.
func (e *Engine) WillKick(pi PortID) bool { return e.port(pi).readySet }

// Halted reports whether a host sends nothing (HaltHost).
func (e *Engine) Halted(pi PortID) bool { return e.net.infos[pi].halted }

// Paused reports whether the peer of the port has paused the class.
func (e *Engine) Paused(pi PortID, class uint8) bool { return e.port(pi).stopped()>>class&1 != 0 }

// Reply queues an acknowledgement at a host's port. Kick sends it.
func (e *Engine) Reply(pi PortID, id PacketID) { e.enqueue(pi, e.port(pi), id, e.Packet(id)) }

// Answer does the work of Reply and Kick. A port that is idle sends the acknowledgement directly.
func (e *Engine) Answer(pi PortID, id PacketID) {
	p := e.port(pi)
	if e.arbiter != nil || p.waiting|p.paused|p.special&faulty != 0 || e.busy(p) {
		e.Reply(pi, id)
		e.Kick(pi)
		return
	}
	k := e.Packet(id)
	if k.Class != 0 {
		p.served = k.Class
	}
	k.way = e.net.begin(k) + 1
	e.transmit(pi, p, id, k)
	e.settle(pi, p)
}

// PathEnds returns the ports on which the source of the flow in a slot sends data
// and its destination sends acknowledgements.
func (e *Engine) PathEnds(slot int32) (data, ack PortID) {
	at := int(slot) * 2 * e.net.stride
	return e.net.paths[at], e.net.paths[at+e.net.stride]
}

// Order returns the tie of an event that is scheduled now: the next number of the
// scheduling order with Ties FIFO, else a hash of key and time.
func (e *Engine) Order(key uint64, at unit.Time) uint64 {
	if e.fifo {
		e.seq++
		return e.seq
	}
	return hash.Combine(key, uint64(at))
}

// Wake returns the time of a port's wake-up; ok is false if it has none.
func (e *Engine) Wake(pi PortID) (at unit.Time, ok bool) {
	at = mem.At(e.s.wakes, pi).at
	return at, at != unit.Never
}

// WakeAt replaces the wake-up of a port: the port is kicked at that time.
func (e *Engine) WakeAt(pi PortID, at unit.Time) {
	dom := e.port(pi).domain
	e.s.cancelWake(dom, pi)
	e.s.pushSoon(dom, e.s.wakes[pi].set(e.net.wake(pi), at, e.Order(e.net.salt^uint64(pi), at)))
}

// StartAt schedules a call of Stack.Start at the given time with the given tie (see Order). It
// replaces a pending call. The network must be one domain.
func (e *Engine) StartAt(at unit.Time, tie uint64) {
	p := &e.s.domains[0]
	p.start.at, p.hosted = unit.Never, false
	e.s.push(0, p.start.set(e.net.starter(), at, tie))
}

// Starting returns the time of the call of Stack.Start that StartAt has scheduled; ok is false if
// none is pending.
func (e *Engine) Starting() (at unit.Time, ok bool) {
	at = e.s.domains[0].start.at
	return at, at != unit.Never
}

// SetTimer schedules a call of Stack.Timer(id) at the given time. The timer must not be set. The timer belongs to the
// host of port pi. key identifies the owner of the timer in the order of simultaneous events.
func (e *Engine) SetTimer(pi PortID, id int32, at unit.Time, key uint64) {
	e.s.push(e.port(pi).domain, e.s.alarms[id].set(e.net.timer(id), at, e.Order(key, at)))
}

// FetchTimer prefetches the memory that SetTimer and CancelTimer use. The timer need not exist yet.
func (e *Engine) FetchTimer(id int32) {
	if a := e.s.alarms; int(id) < cap(a) {
		mem.PrefetchWrite(unsafe.Pointer(&a[:cap(a)][id]))
	}
}

// CancelTimer ends a timer if it is set.
func (e *Engine) CancelTimer(id int32) { e.s.alarms[id].clear() }

// Peek returns the time of the next event, Never if there is none.
func (e *Engine) Peek() unit.Time { return e.s.peek() }

// Ordered reports whether simultaneous events run in the order of scheduling.
func (e *Engine) Ordered() bool { return e.fifo }

// Divided reports whether events of different nodes may run out of the order of time
// (Config.Divide).
func (e *Engine) Divided() bool { return e.s.divided }
