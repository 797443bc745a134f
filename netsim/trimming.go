package netsim

import (
	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// trimming handles a data packet if the queue of its class is full. The switch cuts off the
// payload and forwards the headers in a separate class, so that the receiver learns of the loss at once.
// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high performance",
// SIGCOMM 2017 (NDP), §3.1, after Cheng et al., "Catch the Whole Lot in an Action", NSDI 2014.
//
// The limits apply at every switch port to each class separately. They do not apply to reports of
// monitors, which have a separate class.
type trimming struct {
	Trimming
	class uint8 // class of headers
	drops bool  // packets are dropped instead; the limits stay the same
}

// trims sets the trimming of a network.
func (n *Network) trims() {
	t := &trimming{Trimming: n.cfg.Trimming, class: n.cfg.HeaderClass}
	t.drops = t.Action == "drop"
	n.trimming = t
	if t.Sending {
		n.sending = make([]int32, len(n.ports))
	}
}

// limits returns how many bytes may wait at a port of this rate, in a class of data and in the class of headers.
func (t *trimming) limits(rate unit.Rate, maxPacket unit.Bytes) (queue, headers unit.Bytes) {
	queue, headers = t.Limits(maxPacket)
	if t.AtRate > rate {
		queue, headers = scale(queue, rate, t.AtRate), scale(headers, rate, t.AtRate)
	}
	return queue, headers
}

// room returns how many more bytes of a class may wait at a port.
func (e *Engine) room(out PortID, o *port, class uint8) unit.Bytes {
	n := e.net.most(o, class) - unit.Bytes(e.net.queue(out, class).bytes)
	if e.net.sending != nil && e.busy(o) {
		if x := *mem.At(e.net.sending, out); x&15 == int32(class) {
			n -= unit.Bytes(x >> 4)
		}
	}
	return n
}

// most returns how many bytes of a class may wait at a port.
func (n *Network) most(o *port, class uint8) unit.Bytes {
	l := mem.At(n.lines, o.line)
	if class == n.trimming.class {
		return l.headers
	}
	return l.queue
}

// roomy reports whether the queue of the packet's class has room for the packet.
func (e *Engine) roomy(out PortID, k *Packet) bool {
	return unit.Bytes(k.Size) <= e.room(out, e.port(out), k.Class)
}

// fit handles a packet for which port out has no room: it makes room or trims the packet. It returns the port on which
// the packet leaves the switch, and whether the packet still exists.
func (e *Engine) fit(at NodeID, out PortID, id PacketID, k *Packet) (PortID, bool) {
	t := e.net.trimming
	if k.Kind == Data && k.Payload > 0 { // the packet carries data and is not trimmed yet
		draw := hash.Combine(e.net.salt^uint64(out)^trimSalt, k.tie)
		if t.Tail > 0 && draw <= threshold(t.Tail) && e.trimTail(at, out, k) {
			return out, true
		}
		if t.drops {
			return e.giveBack(at, out, id, k)
		}
		e.trim(out, id, k)
		if e.roomy(out, k) {
			return out, true
		}
	}
	return e.giveBack(at, out, id, k)
}

const trimSalt = 0x1f83_d9ab_fb41_bd6b

// trim cuts the payload off a packet for which port out has no room.
func (e *Engine) trim(out PortID, id PacketID, k *Packet) {
	if e.net.infos[out].observed {
		e.observe(out, id, Trimmed)
	}
	e.count.Trimmed++
	e.count.TrimmedBytes += unit.Bytes(k.Payload)
	if invariants.Enabled {
		e.s.audit.goodbye(k)
	}
	k.Size -= k.Payload
	k.Payload = 0
	k.Flags = k.Flags&^FlagAtHost | FlagTrimmed
	if e.port(out).toHost {
		k.Flags |= FlagAtHost
	}
	k.Class = e.net.trimming.class
}

// giveBack sends headers of a data packet that find no room at port out back to their source. Other
// packets, and headers that find no room on the way back, are dropped.
func (e *Engine) giveBack(at NodeID, out PortID, id PacketID, k *Packet) (PortID, bool) {
	if t := e.net.trimming; t.Return && !t.drops && k.Kind == Data {
		k.Kind = Returned
		k.way = e.net.begin(k) + 1
		if back, ok := e.stack.Reroute(at, k); ok && e.roomy(back, k) {
			e.count.Returned++
			return back, true
		}
	}
	e.refuse(out, id)
	return NoPort, false
}

// trimTail trims the last waiting packet in the class of an arriving packet, if the arriving packet
// then has room. The trimmed headers join the queue of their class.
func (e *Engine) trimTail(at NodeID, out PortID, k *Packet) bool {
	o := e.port(out)
	f := e.net.queue(out, k.Class)
	id := f.tail
	if f.head == NoPacket || e.Packet(id).Kind != Data || e.Packet(id).Payload == 0 {
		return false
	}
	x := e.Packet(id)
	if unit.Bytes(k.Size)-unit.Bytes(x.Size) > e.room(out, o, k.Class) {
		return false
	}
	f.bytes -= int32(x.Size)
	o.queued -= int32(x.Size)
	if f.head == id {
		f.head = NoPacket
		o.waiting &^= 1 << k.Class
	} else {
		before := f.head
		for e.Packet(before).next != id {
			before = e.Packet(before).next
		}
		e.Packet(before).next, f.tail = NoPacket, before
	}
	b := e.net.buffers[at]
	b.Leave(int(x.ingress), int(x.Class), unit.Bytes(x.Size))
	if e.net.trimming.drops {
		e.giveBack(at, out, id, x)
		return true
	}
	e.trim(out, id, x)
	to, ok := out, true
	if !e.roomy(out, x) {
		to, ok = e.giveBack(at, out, id, x)
	}
	if ok {
		b.Arrive(int(x.ingress), int(x.Class), unit.Bytes(x.Size)) // the packet is admitted with its smaller size
		e.enqueue(to, e.port(to), id, x)
		if to != out {
			e.prompt(to, e.port(to))
		}
	}
	return true
}

// auditTrimming checks that no queue of a switch exceeds its limit. Reports have a separate class
// without a limit here.
func (e *Engine) auditTrimming(pi PortID, p *port, class uint8, length int32) {
	t := e.net.trimming
	if p.atHost || class == 0 {
		return
	}
	f := e.net.queue(pi, class)
	if f.head == NoPacket || e.Packet(f.head).Kind == Mirrored {
		return
	}
	most := e.net.most(p, class)
	invariants.Check(unit.Bytes(length) <= most, "port %d: %d bytes of class %d wait, %d may", pi, length, class, most)
	for id := f.head; id != NoPacket; id = e.Packet(id).next {
		k := e.Packet(id)
		invariants.Check(k.Flags&FlagTrimmed == 0 || k.Kind > Data || class == t.class,
			"port %d: the headers of packet %d wait in class %d", pi, id, class)
	}
}
