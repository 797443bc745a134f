package netsim

import (
	"math/bits"
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// busy reports whether the port is still sending. At the exact end of a transmission the order of
// simultaneous events decides.
func (e *Engine) busy(p *port) bool {
	return e.now < p.busyUntil || e.now == p.busyUntil && e.tie < p.readyTie
}

// port returns the state of a port.
func (e *Engine) port(p PortID) *port { return mem.At(e.ports, p) }

// transmit puts a packet on the wire.
func (e *Engine) transmit(pi PortID, p *port, id PacketID, k *Packet) {
	if invariants.Enabled {
		invariants.Check(!e.busy(p), "port %d begins to send before it has ended", pi)
		e.s.audit.welcome(p, k)
	}
	n, s, size := e.net, e.s, k.Size
	e.count.PacketHops++
	p.count++
	p.sent += unit.Bytes(size)
	l := mem.At(n.lines, p.line)
	end := e.now + *mem.At(l.tx, size)
	p.busyUntil = end
	p.readyTie = hash.Mix64(n.salt + uint64(pi)<<40 + uint64(p.count))
	k.tie = p.readyTie * 0x9e3779b97f4a7c15
	at, order := end+l.delay, k.tie
	if p.special != 0 {
		at, order = e.unusual(pi, p, id, k, at)
	}
	k.At = at
	off := at - s.next
	if b := mem.At(e.following, p.onward); uint64(off) < uint64(s.span) && b.left != 0 {
		b.left--
		b.block.list[b.left%blockSize] = arrival{s.key(off, order), pi, id} // put, inlined
	} else {
		e.launch(pi, p, id, at, order)
	}
	p.readySet = p.waiting&^p.paused != 0
	if p.readySet {
		e.setReady(pi, p)
	}
}

// unusual returns the arrival time and order of a packet that a port with a bit in port.special begins to send now. at
// is the arrival time on a normal port.
func (e *Engine) unusual(pi PortID, p *port, id PacketID, k *Packet, at unit.Time) (unit.Time, uint64) {
	if e.fifo {
		p.readyTie, k.tie = e.seq+1, e.seq+2
		e.seq += 2
	}
	order := k.tie
	if e.net.cfg.HopCost != nil {
		at, order = e.costly(pi, p, k, at)
	}
	if p.special&faulty != 0 {
		if e.net.infos[pi].observed {
			e.observe(pi, id, Sent)
		}
		at, order = e.slowed(pi, p, k, at, order)
	}
	return at, order
}

// setReady schedules an event for the end of a port's transmission.
func (e *Engine) setReady(pi PortID, p *port) {
	e.s.pushSoon(p.domain, due{p.busyUntil, p.readyTie, e.net.ready(pi), 0})
}

// costly adds the time that telemetry bits take at the switch interfaces of the link to the arrival time. It also
// returns the order of the packet among simultaneous arrivals. No packet overtakes another one.
func (e *Engine) costly(pi PortID, p *port, k *Packet, at unit.Time) (arrives unit.Time, order uint64) {
	info := &e.net.infos[pi]
	cost := e.net.cfg.HopCost(info.rate, k)
	if !p.atHost {
		at += cost
	}
	if !p.toHost {
		at += cost
	}
	order = k.tie
	if at <= info.last { // the packet arrives directly behind the previous one
		at, order = info.last, e.s.after(order, info.lastOrder)
	}
	info.last, info.lastOrder = at, order
	return at, order
}

// arrive hands a packet to the node at the end of its link.
func (e *Engine) arrive(pi PortID, id PacketID, k *Packet) {
	p := e.port(pi)
	out := NoPort
	if p.special&faulty != 0 {
		var ended bool
		if out, ended = e.failed(pi, p, id, k); ended {
			return
		}
	}
	switch {
	case k.Kind >= Pause:
		if k.Kind == Mirrored {
			e.reportArrives(pi, p, id, k, out)
		} else {
			e.pauseFrame(pi, id, k)
		}
	case p.toHost:
		if k.Kind == Data {
			for _, s := range e.sinks {
				s.Deliver(e.now, p.peer, k, e.Telemetry(id))
			}
			if len(e.watchers) > 0 {
				e.arrived(p.peer, id)
			}
		}
		e.stack.Deliver(p.peer, id)
	default:
		if out == NoPort {
			out = e.net.onward(k)
		}
		if e.leads(p, out) {
			e.forward(pi, p, id, k, out)
		} else {
			e.detour(pi, p, id, k)
		}
	}
}

// fetchAside prefetches the memory that a packet has in addition to its slab entry.
func (e *Engine) fetchAside(id PacketID) {
	mem.PrefetchLines(unsafe.Pointer(&e.cargos[int(id)*e.net.aside]), e.net.room)
}

// onward returns the next port on the path of a packet, NoPort if it has none.
func (n *Network) onward(k *Packet) PortID {
	if int(k.Hop)+1 >= n.followed {
		return NoPort
	}
	return *mem.At(n.paths, k.ahead())
}

// begin returns the index in paths of the first port of a packet's path.
func (n *Network) begin(k *Packet) int32 {
	way := 2 * k.Flow
	if k.Kind != Data {
		way++
	}
	return way * int32(n.stride)
}

// ahead returns the index in paths of the next port of a packet.
func (k *Packet) ahead() int { return int(k.way) + int(k.Hop) }

// leads reports whether a port is a working port of the switch to which p sends.
func (e *Engine) leads(p *port, out PortID) bool {
	if out == NoPort {
		return false
	}
	o := e.port(out)
	return o.node == p.peer && (o.special&faulty == 0 || !e.net.infos[out].down)
}

// detour sends a packet that has arrived at a switch by port pi to a port that the stack chooses. The packet is not on
// its path.
func (e *Engine) detour(pi PortID, p *port, id PacketID, k *Packet) {
	out, ok := e.stack.Reroute(p.peer, k)
	if !ok {
		e.discard(p.peer, NoPort, id)
		e.count.Dropped++
		e.net.losses[pi].Unrouted++
		e.end(id)
		return
	}
	e.forward(pi, p, id, k, out)
}

// forward sends a packet on port out of a switch. The packet has arrived at this switch by port pi.
func (e *Engine) forward(pi PortID, p *port, id PacketID, k *Packet, out PortID) {
	o := e.port(out)
	idle := o.waiting|o.paused == 0 && !e.busy(o)
	if idle && e.net.memory(p.peer).Pass(int(p.ingress), int(k.Class), unit.Bytes(k.Size)) {
		o.served = k.Class
		e.dispatch(out, o, id, k)
		return
	}
	e.keep(pi, p, id, k, out)
}

// keep admits a packet, which has arrived by port pi, to the memory of a switch, or drops the packet. It sends an
// admitted packet on port out when the packet's turn comes.
func (e *Engine) keep(pi PortID, p *port, id PacketID, k *Packet, out PortID) {
	o := e.port(out)
	if e.net.trimming != nil && unit.Bytes(k.Size) > e.room(out, o, k.Class) {
		var ok bool
		if out, ok = e.fit(p.peer, out, id, k); !ok {
			return
		}
		k, o = e.Packet(id), e.port(out) // the slab may have grown
	}
	admitted, pause := e.net.memory(p.peer).Enter(
		int(p.ingress), int(k.Class), unit.Bytes(k.Size), unit.Bytes(o.queued))
	if !admitted {
		e.refuse(out, id)
		return
	}
	k.ingress = p.ingress
	if pause {
		e.sendPause(pi, k.Class, Pause)
		k = e.Packet(id)
	}
	if o.waiting|o.paused == 0 && !e.busy(o) {
		o.served = k.Class
		e.depart(out, o, id, k)
		return
	}
	e.enqueue(out, o, id, k)
	e.prompt(out, o)
}

// refuse drops a packet for which a port has no room.
func (e *Engine) refuse(out PortID, id PacketID) {
	info := &e.net.infos[out]
	if info.observed {
		e.observe(out, id, Refused)
	}
	e.discard(e.ports[out].node, out, id)
	info.drops++
	e.count.Dropped++
	e.end(id)
}

// enqueue appends a packet to the queue of its class at a port.
func (e *Engine) enqueue(pi PortID, p *port, id PacketID, k *Packet) {
	f := e.net.queue(pi, k.Class)
	k.next = NoPacket
	if f.head == NoPacket {
		f.head = id
		p.waiting |= 1 << (k.Class & 7)
	} else {
		e.Packet(f.tail).next = id
	}
	f.tail = id
	f.bytes += int32(k.Size)
	p.queued += int32(k.Size)
}

// dequeue removes the first packet of a class from the queue of a port.
func (e *Engine) dequeue(pi PortID, p *port, class uint8) PacketID {
	f := e.net.queue(pi, class)
	id := f.head
	k := e.Packet(id)
	f.head = k.next
	if f.head == NoPacket {
		p.waiting &^= 1 << (class & 7)
		e.net.emptied(pi, class)
	} else {
		mem.PrefetchWrite(unsafe.Pointer(e.Packet(f.head)))
		if e.net.room > 0 {
			e.fetchAside(f.head)
		}
	}
	f.bytes -= int32(k.Size)
	p.queued -= int32(k.Size)
	return id
}

// prompt starts a transmission at a switch port where a packet waits: now, or when the current transmission ends.
func (e *Engine) prompt(pi PortID, p *port) {
	if p.readySet || p.waiting&^p.paused == 0 {
		return
	}
	if e.busy(p) {
		p.readySet = true
		e.setReady(pi, p)
		return
	}
	id := e.take(pi, p)
	e.depart(pi, p, id, e.Packet(id))
}

// readyPort handles the end of a transmission at a port where a packet may wait.
func (e *Engine) readyPort(pi PortID) {
	p := e.port(pi)
	p.readySet = false
	if p.atHost {
		e.Kick(pi)
	} else if p.waiting&^p.paused != 0 {
		id := e.take(pi, p)
		e.depart(pi, p, id, e.Packet(id))
	}
}

// take chooses the class that a port serves next, and removes the first packet of this class from the queue.
func (e *Engine) take(pi PortID, p *port) PacketID {
	ready := p.waiting &^ p.paused
	var class uint8
	if e.net.scheduling == roundRobin {
		class = pick(ready, p.served)
	} else {
		class = e.choose(pi, p, ready)
	}
	if class != 0 {
		p.served = class
	}
	return e.dequeue(pi, p, class)
}

// depart releases the switch memory of a packet and sends it.
func (e *Engine) depart(pi PortID, p *port, id PacketID, k *Packet) {
	if k.Flags&flagOrigin != 0 {
		e.leaveOrigin(pi, k)
	} else if k.Kind < Pause || k.Kind == Mirrored {
		resume := e.net.memory(p.node).Leave(int(k.ingress), int(k.Class), unit.Bytes(k.Size))
		if e.net.cfg.ECN.Enabled {
			e.mark(pi, p, k)
		}
		if resume {
			in, class := e.net.entries[p.node][k.ingress], k.Class
			if in^1 == pi {
				// On a detour, a packet can leave on the link by which it came in. The PFC frame leaves by the same
				// port, so the packet goes first.
				e.dispatch(pi, p, id, k)
				e.sendPause(in, class, Resume)
				return
			}
			e.sendPause(in, class, Resume)
			k = e.Packet(id)
		}
	}
	e.dispatch(pi, p, id, k)
}

// dispatch shows the taps a packet that has left a switch's queue, and begins its transmission.
func (e *Engine) dispatch(pi PortID, p *port, id PacketID, k *Packet) {
	if e.shown && !(e.stamps && e.stamp(pi, p, id, k)) {
		if e.net.sending != nil {
			*mem.At(e.net.sending, pi) = int32(k.Size)<<4 | int32(k.Class)
		}
		if e.tap != nil {
			h := &e.hop
			h.Now, h.Switch, h.Port = e.now, p.node, pi
			h.Number, h.Queue, h.Sent = int(k.Hop), unit.Bytes(p.queued), p.sent
			h.Packet, h.id, h.keyed = k, id, false
			if e.net.room > 0 {
				h.cargo = e.cargo(id)
			}
			if e.tap.Dequeue(h); len(e.reported) > 0 {
				e.afterReports(pi, p, id)
				return
			}
		}
	}
	k.Hop++
	e.transmit(pi, p, id, k)
}

// stamp writes the entry that the only tap, a Stamp, would push. It returns false if there is no room for the entry:
// the tap decides then.
func (e *Engine) stamp(pi PortID, p *port, id PacketID, k *Packet) bool {
	if k.Kind != Data {
		return true
	}
	at := int(id)*e.depth + int(k.Hops)
	if int(k.Hops) >= e.depth || at >= len(e.stacks) {
		return false
	}
	*mem.At(e.stacks, at) = PortSample{TS: e.now, Sent: p.sent, Queue: p.queued, Port: pi}
	k.Hops++
	return true
}

// mark sets CE by the rule of Config.ECN. The draw is a hash, so that it does not depend on other
// ports.
func (e *Engine) mark(pi PortID, p *port, k *Packet) {
	info := mem.At(e.net.infos, pi)
	queued := unit.Bytes(p.queued)
	if queued <= info.ecnMin {
		return
	}
	if t := e.net.trimming; t != nil { // with trimming, each class has its own queue
		if k.Class == t.class {
			return
		}
		queued = unit.Bytes(e.net.queue(pi, k.Class).bytes)
	}
	if queued <= info.ecnMin {
		return
	}
	if d := e.net.cfg.Draws; queued <= info.ecnMax && d != nil {
		if !d.Mark(queued, info.ecnMin, info.ecnMax, e.net.cfg.ECN.PMax) {
			return
		}
	} else if queued <= info.ecnMax {
		share := float64(queued-info.ecnMin) / float64(info.ecnMax-info.ecnMin)
		draw := hash.Combine(e.net.salt^uint64(pi), uint64(p.sent))
		if hash.Unit(draw) >= share*e.net.cfg.ECN.PMax {
			return
		}
	}
	info.marks++
	k.Flags |= FlagCE
}

// lost reports whether a link loses the packet. If so, it ends the packet. Without Config.Draws, PFC frames are not
// lost to bit errors, only to a link that is down.
func (e *Engine) lost(pi PortID, id PacketID, k *Packet) bool {
	info := &e.net.infos[pi]
	if info.down || k.Flags&flagBroken != 0 {
		e.net.losses[pi].Broken++
	} else {
		switch d := e.net.cfg.Draws; {
		case info.loss == 0:
			return false
		case d != nil:
			if !d.Lose(pi) {
				return false
			}
		case k.Kind == Pause || k.Kind == Resume || hash.Combine(e.net.salt^uint64(pi), k.tie) >= info.loss:
			return false
		}
		e.net.losses[pi].Errors++
	}
	e.count.Lost++
	e.end(id)
	return true
}

// pick chooses among the ready classes: class 0 has strict priority; the others are served round
// robin, starting after the class served last.
func pick(ready, served uint8) uint8 {
	if ready&1 != 0 {
		return 0
	}
	if after := ready & uint8(uint(0xfe)<<(served&7)); after != 0 {
		return uint8(bits.TrailingZeros8(after))
	}
	return uint8(bits.TrailingZeros8(ready))
}
