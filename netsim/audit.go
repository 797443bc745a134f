package netsim

import (
	"pintlab/internal/invariants"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// audit checks everything that an engine holds from time to time. It exists only in
// programs built with the tag invariants.
type audit struct {
	left int // events until the next look
	at   unit.Time
	// Payload that sources have sent, and what of it has been delivered, dropped, lost or
	// trimmed.
	sent, gone unit.Bytes
	seen       []bool  // by packet
	flows      []int32 // packets by flow slot
}

// Auditor is a Stack that can check itself. It is asked between events, of programs
// built with the tag invariants.
type Auditor interface {
	// Audit panics if an invariant is broken.
	Audit()
}

// freed is the kind of a packet that does not exist.
const freed Kind = 0xff

// poison overwrites a packet that has ended, so that code that still uses it fails.
func (e *Engine) poison(id PacketID) {
	k := &e.pkts[id]
	invariants.Check(k.Kind != freed, "packet %d ends twice", id)
	*k = Packet{
		Seq: -1 << 62, At: -1 << 62, Digest: 0xdead_dead_dead_dead, Flow: -1 << 30, ID: 0xdead_dead, Sent: 0xdead_dead,
		in: -1 << 30, Size: 0xdead, Payload: 0xdead, Hop: 0xdd, Hops: 0xdd, Kind: freed, Class: 0xdd, Flags: 0xdd, next: k.next,
	}
}

// reuse removes the mark of poison when the slab entry is taken again.
func (e *Engine) reuse(id PacketID) {
	k := &e.pkts[id]
	invariants.Check(k.Kind == freed, "packet %d, of kind %d, is in use and on the free list", id, k.Kind)
	k.Kind = Data
}

// tick is called between events. It calls look so rarely that the checks cost about as
// much as the events.
func (a *audit) tick(e *Engine) {
	now := e.q.Now()
	invariants.Check(now >= a.at, "time goes back from %v to %v", a.at, now)
	a.at = now
	if a.left--; a.left > 0 {
		return
	}
	a.look(e)
	a.left = max(64, len(e.ports)+len(e.pkts)/4)
}

// look checks what must hold between events.
func (a *audit) look(e *Engine) {
	a.packets(e)
	for pi := range e.ports {
		p := &e.ports[pi]
		if e.runs(p.node) {
			e.auditQueues(PortID(pi), p)
			if e.runs(p.peer) {
				e.auditPause(PortID(pi), p)
			}
		}
		if e.runs(p.peer) {
			e.auditFlight(PortID(pi))
		}
	}
	held := make([]unit.Bytes, len(e.net.buffers))
	for pi := range e.ports {
		p := &e.ports[pi]
		if p.atHost || !e.runs(p.node) {
			continue
		}
		e.each(PortID(pi), func(_ PacketID, k *Packet) {
			if k.Kind != Pause && k.Kind != Resume && k.Flags&flagOrigin == 0 {
				held[p.node] += unit.Bytes(k.Size)
			}
		})
	}
	for node, b := range e.net.buffers {
		if b == nil || !e.runs(NodeID(node)) {
			continue
		}
		// With KeepFlushed the memory also counts packets that a switch dropped because of
		// broken links.
		counted := b.Used() == held[node] || e.net.cfg.KeepFlushed && b.Used() > held[node]
		invariants.Check(counted, "switch %d holds %d bytes and has counted %d", node, held[node], b.Used())
		err := b.Check()
		invariants.Check(err == nil, "switch %d: %v", node, err)
	}
	if s, ok := e.stack.(Auditor); ok {
		s.Audit()
	}
}

// runs reports whether this engine runs a node.
func (e *Engine) runs(n NodeID) bool { return e.owner == nil || int(e.owner[n]) == e.self }

// each calls f for what waits at a port.
func (e *Engine) each(pi PortID, f func(PacketID, *Packet)) {
	for c := range buffer.Classes {
		for id := e.net.queue(pi, uint8(c)).head; id != NoPacket; id = e.pkts[id].next {
			f(id, &e.pkts[id])
		}
	}
}

// packets compares the free list, the queues and the links with the slab: every packet is
// in exactly one of them, and counted for its flow.
func (a *audit) packets(e *Engine) {
	a.seen = append(a.seen[:0], make([]bool, len(e.pkts))...)
	a.flows = append(a.flows[:0], make([]int32, len(e.live))...)
	free := 0
	for id := e.free; id != NoPacket; id = e.pkts[id].next {
		invariants.Check(!a.seen[id], "packet %d is on the free list twice", id)
		invariants.Check(e.pkts[id].Kind == freed, "packet %d on the free list is of kind %d", id, e.pkts[id].Kind)
		a.seen[id] = true
		free++
	}
	found := 0
	visit := func(id PacketID, k *Packet) {
		invariants.Check(!a.seen[id], "packet %d is in two places", id)
		a.seen[id] = true
		found++
		if k.Kind < Pause {
			a.flows[k.Flow]++
		}
	}
	for pi := range e.ports {
		if e.runs(e.ports[pi].node) {
			e.each(PortID(pi), visit)
		}
		if !e.runs(e.ports[pi].peer) {
			continue
		}
		for id := e.ports[pi].flight.head; id != NoPacket; id = e.pkts[id].next {
			visit(id, &e.pkts[id])
		}
	}
	all := len(e.pkts)
	if e.slab != nil {
		all = e.own
	}
	invariants.Check(free+found == all, "of %d packets %d are free and %d are somewhere", all, free, found)
	invariants.Check(free == e.spare, "%d packets are on the free list, %d by its count", free, e.spare)
	if e.owner == nil {
		invariants.Check(int64(found) == e.InFlight(), "%d packets exist, %d by the counters", found, e.InFlight())
	}
	if e.owner == nil {
		a.payload(e)
	}
	for _, sent := range e.gone {
		for _, slot := range sent {
			a.flows[slot]++
		}
	}
	for slot, n := range a.flows {
		invariants.Check(n == e.live[slot], "flow slot %d has %d packets and has counted %d", slot, n, e.live[slot])
	}
}

// welcome counts the payload that leaves its source.
func (a *audit) welcome(p *port, k *Packet) {
	if p.atHost && k.Kind == Data {
		a.sent += unit.Bytes(k.Payload)
	}
}

// goodbye counts the payload of a packet that has been delivered, dropped or lost.
func (a *audit) goodbye(k *Packet) {
	if k.Kind == Data {
		a.gone += unit.Bytes(k.Payload)
	}
}

// payload checks that the payload sent equals the payload in flight plus what was
// delivered, dropped, lost or trimmed. It must be called after packets.
func (a *audit) payload(e *Engine) {
	var here unit.Bytes
	for id := range e.pkts {
		k := &e.pkts[id]
		if k.Kind != Data {
			continue
		}
		here += unit.Bytes(k.Payload)
		invariants.Check(k.Flags&FlagTrimmed == 0 || k.Payload == 0, "packet %d is trimmed and carries %d bytes of payload", id, k.Payload)
	}
	invariants.Check(a.sent == a.gone+here, "of %d bytes of payload sent, %d have ended (%d of them trimmed) and %d are on the way", a.sent, a.gone, e.count.TrimmedBytes, here)
	invariants.Check(e.count.Returned <= e.count.Trimmed, "%d packets returned, %d trimmed", e.count.Returned, e.count.Trimmed)
}

// auditQueues checks the sending side of a port: its bytes, its classes, and that it is
// not idle while it could send.
func (e *Engine) auditQueues(pi PortID, p *port) {
	var bytes unit.Bytes
	var waiting uint8
	var lengths [buffer.Classes]int32
	e.each(pi, func(_ PacketID, k *Packet) {
		bytes += unit.Bytes(k.Size)
		lengths[k.Class] += int32(k.Size)
		waiting |= 1 << k.Class
	})
	invariants.Check(bytes == unit.Bytes(p.queued), "port %d holds %d bytes and has counted %d", pi, bytes, p.queued)
	invariants.Check(p.readySet == e.q.Pending(e.net.ready(pi)), "port %d: end of transmission pending %v, marked %v", pi, !p.readySet, p.readySet)
	for c := range uint8(buffer.Classes) {
		if e.net.lengths != nil {
			l := *e.net.length(pi, c)
			invariants.Check(l == lengths[c], "port %d class %d holds %d bytes and has counted %d", pi, c, lengths[c], l)
			e.auditTrimming(pi, p, c, l)
		}
		if e.net.deficits != nil {
			d := *e.net.deficit(pi, c)
			invariants.Check(d >= 0 && (d == 0 || waiting>>c&1 != 0), "port %d: class %d of those waiting %08b has a deficit of %d", pi, c, waiting, d)
		}
	}
	invariants.Check(waiting == p.waiting, "port %d has packets of the classes %08b and has marked %08b", pi, waiting, p.waiting)
	if p.atHost {
		return
	}
	invariants.Check(waiting&^p.paused == 0 || p.readySet, "port %d has packets to send and will not look", pi)
}

// auditFlight checks the receiving side of a link: first in, first out, and the first
// in the event queue.
func (e *Engine) auditFlight(pi PortID) {
	f := e.ports[pi].flight
	pending := e.q.Pending(e.net.arrival(pi))
	invariants.Check(pending == (f.head != NoPacket), "link %d: arrival pending %v, first packet %d", pi, pending, f.head)
	last := f.head
	for id := f.head; id != NoPacket; id = e.pkts[id].next {
		if id == f.head {
			invariants.Check(e.q.At(e.net.arrival(pi)) == e.pkts[id].At, "link %d: the first packet arrives at %v, its event is at %v", pi, e.pkts[id].At, e.q.At(e.net.arrival(pi)))
		}
		invariants.Check(e.pkts[id].At >= e.pkts[last].At, "link %d: a packet of %v is behind one of %v", pi, e.pkts[id].At, e.pkts[last].At)
		last = id
	}
	invariants.Check(f.head == NoPacket || f.tail == last, "link %d ends with packet %d, its tail is %d", pi, last, f.tail)
}

// auditPause checks that the sender on a link is paused exactly if the switch at the end
// has paused it, or that a PFC frame that will make it so is in flight. Frames are lost
// only where Config.Draws says so.
func (e *Engine) auditPause(pi PortID, p *port) {
	rev := pi ^ 1
	if p.toHost || e.net.infos[pi].down || e.net.infos[rev].down || e.net.cfg.Draws != nil {
		return
	}
	told := p.stopped()
	learn := func(id PacketID) {
		for ; id != NoPacket; id = e.pkts[id].next {
			switch k := &e.pkts[id]; {
			case k.Flags&flagBroken != 0:
			case k.Kind == Pause:
				told |= 1 << k.Flow
			case k.Kind == Resume:
				told &^= 1 << k.Flow
			}
		}
	}
	learn(e.ports[rev].flight.head)
	learn(e.net.queue(rev, 0).head)
	for c := range buffer.Classes {
		paused := e.net.buffers[p.peer].Paused(int(p.ingress), c)
		invariants.Check(paused == (told>>c&1 != 0), "port %d class %d: paused %v by the switch, %v by the frames", pi, c, paused, !paused)
	}
}
