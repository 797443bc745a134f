package netsim

import (
	"cmp"
	"slices"
	"sync/atomic"

	"pintlab/internal/invariants"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// audit checks the state of the whole network from time to time. Only programs built with the tag invariants have an
// audit.
type audit struct {
	next int64 // number of events at which the next check is due
	at   unit.Time
	// sent is the payload that sources have sent. gone is the part of it that was delivered, dropped, lost or trimmed.
	sent, gone atomic.Int64
	seen       []bool       // by packet
	flows      []int32      // packets by flow slot
	links      [][]PacketID // packets on each link, in the order of arrival
	ends       []bool       // by port: whether an event for the end of its transmission is pending
}

// Auditor is a Stack that can check itself. Programs built with the tag invariants call Audit
// between events.
type Auditor interface {
	// Audit panics if an invariant is broken.
	Audit()
}

// freed is the kind of a packet on a free list.
const freed Kind = 0xff

// poison overwrites a packet that has ended, so that code fails if it still uses the packet.
func (e *Engine) poison(id PacketID) {
	k := &e.pkts[id]
	invariants.Check(k.Kind != freed, "packet %d ends twice", id)
	*k = Packet{
		Seq: -1 << 62, At: -1 << 62, Digest: 0xdead_dead_dead_dead, Flow: -1 << 30, ID: 0xdead_dead, Sent: 0xdead_dead,
		way: -1 << 30, Size: 0xdead, Payload: 0xdead, Hop: 0xdd, Hops: 0xdd, Kind: freed, Class: 0xdd, Flags: 0xdd,
		Path: 0xdd, next: k.next,
	}
}

// reuse checks that a slab entry is free and removes its poisoned kind.
func (e *Engine) reuse(id PacketID) {
	k := &e.pkts[id]
	invariants.Check(k.Kind == freed, "packet %d, of kind %d, is in use and on the free list", id, k.Kind)
	k.Kind = Data
}

// tick runs between windows. It calls look so rarely that the checks take about as much time as the events.
func (a *audit) tick(s *schedule) {
	now := s.start
	invariants.Check(now >= a.at, "time goes back from %v to %v", a.at, now)
	a.at = now
	e := s.engines[0]
	if s.events() < a.next {
		return
	}
	a.look(s)
	a.next = s.events() + int64(max(64, len(e.ports)+len(e.pkts)/4))
}

// look checks all invariants that hold between events.
func (a *audit) look(s *schedule) {
	a.packets(s)
	e := s.engines[0]
	a.onLinks(s)
	for pi := range e.ports {
		p := &e.ports[pi]
		e.auditQueues(PortID(pi), p)
		e.auditPause(PortID(pi), p)
	}
	held := make([]unit.Bytes, len(e.net.buffers))
	for pi := range e.ports {
		p := &e.ports[pi]
		if p.atHost {
			continue
		}
		e.each(PortID(pi), func(_ PacketID, k *Packet) {
			if k.Kind != Pause && k.Kind != Resume && k.Flags&flagOrigin == 0 {
				held[p.node] += unit.Bytes(k.Size)
			}
		})
	}
	for node, b := range e.net.buffers {
		if b == nil {
			continue
		}
		// With KeepFlushed the memory also counts packets that a switch dropped because of
		// broken links.
		counted := b.Used() == held[node] || e.net.cfg.KeepFlushed && b.Used() > held[node]
		invariants.Check(counted, "switch %d holds %d bytes and has counted %d", node, held[node], b.Used())
		err := b.Check()
		invariants.Check(err == nil, "switch %d: %v", node, err)
	}
	if t, ok := e.stack.(Auditor); ok {
		t.Audit()
	}
}

// each calls f for each packet that waits at a port.
func (e *Engine) each(pi PortID, f func(PacketID, *Packet)) {
	for c := range buffer.Classes {
		for id := e.net.queue(pi, uint8(c)).head; id != NoPacket; id = e.pkts[id].next {
			f(id, &e.pkts[id])
		}
	}
}

// packets checks that every packet of the slab is in exactly one free list, queue or link, and that the packet is
// counted for its flow.
func (a *audit) packets(s *schedule) {
	e := s.engines[0]
	a.seen = append(a.seen[:0], make([]bool, len(e.pkts))...)
	a.flows = append(a.flows[:0], make([]int32, len(e.live))...)
	free := 0
	for _, x := range s.engines {
		was := free
		for id := x.free; id != NoPacket; id = e.pkts[id].next {
			invariants.Check(!a.seen[id], "packet %d is on the free list twice", id)
			invariants.Check(e.pkts[id].Kind == freed, "packet %d on the free list is of kind %d", id, e.pkts[id].Kind)
			a.seen[id] = true
			free++
		}
		invariants.Check(free-was == x.spare, "%d packets are on the free list, %d by its count", free-was, x.spare)
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
		e.each(PortID(pi), visit)
	}
	s.arrivals(func(_ PortID, id PacketID, _ unit.Time) { visit(id, &e.pkts[id]) })
	invariants.Check(free+found == len(e.pkts), "of %d packets %d are free and %d are somewhere",
		len(e.pkts), free, found)
	exist := e.InFlight()
	invariants.Check(int64(found) == exist, "%d packets exist, %d by the counters", found, exist)
	a.payload(s)
	for slot, n := range a.flows {
		var live int32
		for _, x := range s.engines {
			live += x.live[slot]
		}
		invariants.Check(n == live, "flow slot %d has %d packets and has counted %d", slot, n, live)
	}
}

// onLinks checks that each packet on a link is scheduled for its arrival time. It also finds the
// ports whose end of transmission is scheduled.
func (a *audit) onLinks(s *schedule) {
	e := s.engines[0]
	a.links = make([][]PacketID, len(e.ports))
	s.arrivals(func(pi PortID, id PacketID, at unit.Time) {
		invariants.Check(e.pkts[id].At == at, "link %d: packet %d arrives at %v, its event is at %v",
			pi, id, e.pkts[id].At, at)
		a.links[pi] = append(a.links[pi], id)
	})
	for _, l := range a.links {
		slices.SortStableFunc(l, func(x, y PacketID) int { return cmp.Compare(e.pkts[x].At, e.pkts[y].At) })
	}
	a.ends = make([]bool, len(e.ports))
	n := slot(len(e.ports))
	for i := range s.domains {
		p := &s.domains[i]
		for _, x := range slices.Concat(p.soon.all(), p.late) {
			if x.slot >= n && x.slot < 2*n {
				invariants.Check(!a.ends[x.slot-n], "port %d: two ends of transmission are pending", x.slot-n)
				a.ends[x.slot-n] = true
			}
		}
	}
}

// welcome counts the payload that leaves its source.
func (a *audit) welcome(p *port, k *Packet) {
	if p.atHost && k.Kind == Data {
		a.sent.Add(int64(k.Payload))
	}
}

// goodbye counts the payload of a packet that has been delivered, dropped or lost.
func (a *audit) goodbye(k *Packet) {
	if k.Kind == Data {
		a.gone.Add(int64(k.Payload))
	}
}

// payload checks that the payload sent equals the payload in flight plus the payload delivered,
// dropped, lost or trimmed. It must be called after packets.
func (a *audit) payload(s *schedule) {
	e := s.engines[0]
	var here unit.Bytes
	for id := range e.pkts {
		k := &e.pkts[id]
		if k.Kind != Data {
			continue
		}
		here += unit.Bytes(k.Payload)
		invariants.Check(k.Flags&FlagTrimmed == 0 || k.Payload == 0,
			"packet %d is trimmed and carries %d bytes of payload", id, k.Payload)
	}
	count := e.Counters()
	sent, gone := unit.Bytes(a.sent.Load()), unit.Bytes(a.gone.Load())
	invariants.Check(sent == gone+here,
		"of %d bytes of payload sent, %d have ended (%d of them trimmed) and %d are on the way", sent, gone,
		count.TrimmedBytes, here)
	invariants.Check(count.Returned <= count.Trimmed, "%d packets returned, %d trimmed", count.Returned, count.Trimmed)
}

// auditQueues checks the queues of a port: their bytes, their classes, and that the port is not
// idle while it could send.
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
	invariants.Check(p.readySet == e.s.audit.ends[pi], "port %d: end of transmission pending %v, marked %v",
		pi, !p.readySet, p.readySet)
	for c := range uint8(buffer.Classes) {
		l := e.net.queue(pi, c).bytes
		invariants.Check(l == lengths[c], "port %d class %d holds %d bytes and has counted %d", pi, c, lengths[c], l)
		if e.net.trimming != nil {
			e.auditTrimming(pi, p, c, l)
		}
		if e.net.deficits != nil {
			d := *e.net.deficit(pi, c)
			invariants.Check(d >= 0 && (d == 0 || waiting>>c&1 != 0),
				"port %d: class %d of those waiting %08b has a deficit of %d", pi, c, waiting, d)
		}
	}
	invariants.Check(waiting == p.waiting, "port %d has packets of the classes %08b and has marked %08b",
		pi, waiting, p.waiting)
	if p.atHost {
		return
	}
	invariants.Check(waiting&^p.paused == 0 || p.readySet, "port %d has packets to send and will not look", pi)
}

// auditPause checks that the sender of a link agrees with the switch at its end about the paused classes, counting PFC
// frames in flight. It skips networks with Config.Draws, because only in these can bit errors destroy frames.
func (e *Engine) auditPause(pi PortID, p *port) {
	rev := pi ^ 1
	if p.toHost || e.net.infos[pi].down || e.net.infos[rev].down || e.net.cfg.Draws != nil {
		return
	}
	told := p.stopped()
	learn := func(k *Packet) {
		switch {
		case k.Flags&flagBroken != 0:
		case k.Kind == Pause:
			told |= 1 << k.Flow
		case k.Kind == Resume:
			told &^= 1 << k.Flow
		}
	}
	for _, id := range e.s.audit.links[rev] {
		learn(&e.pkts[id])
	}
	for id := e.net.queue(rev, 0).head; id != NoPacket; id = e.pkts[id].next {
		learn(&e.pkts[id])
	}
	for c := range buffer.Classes {
		paused := e.net.buffers[p.peer].Paused(int(p.ingress), c)
		invariants.Check(paused == (told>>c&1 != 0), "port %d class %d: paused %v by the switch, %v by the frames",
			pi, c, paused, !paused)
	}
}
