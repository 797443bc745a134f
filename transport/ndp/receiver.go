package ndp

import (
	"encoding/binary"
	"math/bits"

	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// demand holds what the receiver of a flow has received and pulled.
type demand struct {
	have    int64     // bytes that have come, once each
	end     int64     // bytes of the flow; 0 until its last packet has come
	asked   int64     // PULLs sent
	wait    int64     // PULLs that wait
	stirred unit.Time // when data came or a PULL was sent
	tries   int       // PULLs in a row that nothing has followed
	timed   bool      // the timer is set

	port       netsim.PortID
	queued     bool
	class      uint8 // list of the pull queue
	next, prev int32 // slots in it, -1 for none
}

// missing returns the number of packets that have not come, as far as the receiver knows.
func (h *hosts) missing(d *demand) int64 {
	if d.end == 0 {
		return 1 << 62
	}
	segment := int64(h.Segment)
	return (d.end - d.have + segment - 1) / segment
}

// queue holds the PULLs that wait at a port of a host, for all flows that it receives. It
// serves the flows by round robin, so that their shares of the link are equal. PULLs leave at
// the pace at which full packets arrive on a full link (NDP §3.2.1).
type queue struct {
	head, tail [buffer.Classes]int32 // slots; -1 for none
	classes    uint8                 // lists that are not empty, a bit each
	due        unit.Time             // not before
	interval   unit.Time
}

// newQueues makes the pull queues of all ports.
func newQueues(n *netsim.Network, c *transport.Config) []queue {
	q := make([]queue, n.Ports())
	for p := range q {
		q[p].interval = n.TxTime(netsim.PortID(p), c.PacketSize(c.Segment))
		for i := range q[p].head {
			q[p].head[i], q[p].tail[i] = -1, -1
		}
	}
	return q
}

// Due implements transport.ReceiverDriven.
func (h *hosts) Due(p netsim.PortID) unit.Time {
	q := &h.queues[p]
	if q.classes == 0 {
		return unit.Never
	}
	return q.due
}

// push puts a flow at the end of its queue.
func (h *hosts) push(d *demand, slot int32) {
	q := &h.queues[d.port]
	last := q.tail[d.class]
	d.queued, d.next, d.prev = true, -1, last
	if last < 0 {
		q.head[d.class] = slot
		q.classes |= 1 << d.class
	} else {
		h.flows[last].next = slot
	}
	q.tail[d.class] = slot
}

// remove takes a flow out of its queue.
func (h *hosts) remove(d *demand) {
	q := &h.queues[d.port]
	if d.prev < 0 {
		q.head[d.class] = d.next
	} else {
		h.flows[d.prev].next = d.next
	}
	if d.next < 0 {
		q.tail[d.class] = d.prev
	} else {
		h.flows[d.next].prev = d.prev
	}
	if q.head[d.class] < 0 {
		q.classes &^= 1 << d.class
	}
	d.queued = false
}

// Move implements transport.ReceiverDriven.
func (h *hosts) Move(t *transport.Stack, r *transport.Receiver, slot int32) {
	d := &h.flows[slot].demand
	if !d.queued {
		d.port = r.Port
		return
	}
	h.remove(d)
	d.port = r.Port
	h.push(d, slot)
	t.Engine().Kick(r.Port)
}

// takeData handles a data packet, or its headers, at the destination: it answers at
// once, and puts a PULL for another packet into the queue.
func (h *hosts) takeData(t *transport.Stack, id netsim.PacketID, p *netsim.Packet) {
	slot, seq := p.Flow, p.Seq
	r, d := t.Receiver(slot), &h.flows[slot].demand
	kind := netsim.Ack
	if p.Flags&netsim.FlagTrimmed == 0 {
		if was := r.Expected; d.keep(r, p) > was {
			t.Arrived(r, slot)
		}
	} else if _, came := r.Within(seq); seq >= r.Expected && !came {
		kind = netsim.Nack
	}
	h.demandMore(t, d, slot)
	t.Engine().Reflect(id)
	binary.LittleEndian.PutUint64(t.Engine().Options(id), uint64(seq))
	p.Kind, p.Seq, p.Payload, p.Flags = kind, r.Expected, 0, 0
	t.Control(r, p, h.AckSize())
	d.stirred, d.tries = t.Engine().Now(), 0
	t.Engine().Reply(r.Port, id)
	t.Engine().Kick(r.Port)
}

// keep records data that has come. It returns the first byte that has not.
func (d *demand) keep(r *transport.Receiver, p *netsim.Packet) int64 {
	end := p.Seq + int64(p.Payload)
	switch {
	case p.Seq == r.Expected:
		r.Expected = end
		d.have += int64(p.Payload)
		r.Fill()
	case p.Seq > r.Expected && r.Keep(transport.Span{From: p.Seq, To: end}):
		d.have += int64(p.Payload)
	}
	if p.Flags&netsim.FlagLast != 0 {
		d.end = end
	}
	return r.Expected
}

// demandMore adds a PULL for a packet that has come. Once the receiver knows how long the flow is
// it asks for no more than what is missing; in the NDP paper the last packet ends all PULLs that
// wait, whether or not packets before it have been trimmed.
func (h *hosts) demandMore(t *transport.Stack, d *demand, slot int32) {
	d.wait = min(d.wait+1, h.missing(d))
	switch {
	case d.wait == 0:
		if d.queued {
			h.remove(d)
		}
		if d.timed {
			d.timed = false
			t.CancelReceiverTimer(slot)
		}
	case !d.queued:
		h.enter(t, d, slot)
	}
}

// enter puts a flow into its pull queue. A queue that was empty earns no credit for the
// idle time.
func (h *hosts) enter(t *transport.Stack, d *demand, slot int32) {
	if q := &h.queues[d.port]; q.classes == 0 {
		q.due = max(q.due, t.Engine().Now())
	}
	h.push(d, slot)
}

// Next implements transport.ReceiverDriven: it makes the PULL for the next flow of the round robin.
func (h *hosts) Next(t *transport.Stack, p netsim.PortID) netsim.PacketID {
	q, e := &h.queues[p], t.Engine()
	now := e.Now()
	if q.classes == 0 {
		return netsim.NoPacket
	}
	if q.due > now {
		if at, ok := e.Wake(p); !ok || q.due < at {
			e.WakeAt(p, q.due)
		}
		return netsim.NoPacket
	}
	slot := q.head[bits.Len8(q.classes)-1]
	d := &h.flows[slot].demand
	h.remove(d)
	if d.wait--; d.wait > 0 {
		h.push(d, slot)
	} else if !d.timed {
		d.timed = true
		t.SetReceiverTimer(slot, now+h.backedOff(d.tries))
	}
	d.asked++
	d.stirred = now
	// If a PULL had to wait for a packet that was being sent, the next one leaves earlier by that
	// time.
	q.due = max(q.due, now-q.interval) + q.interval

	id := e.Make(slot)
	k := e.Packet(id)
	k.Kind, k.Class, k.Payload = netsim.Control, t.Sender(slot).Flow.Class, 0
	k.Seq, k.ID, k.Sent = d.asked, uint32(d.asked), uint32(now/unit.Nanosecond)
	t.Control(t.Receiver(slot), k, h.AckSize())
	return id
}

// Timer implements transport.ReceiverDriven: it sends a PULL again if nothing has come for a timeout although
// the receiver has pulled all that it may: the last PULL, or the packet that it asked for, may be lost.
func (h *hosts) Timer(t *transport.Stack, slot int32) {
	d := &h.flows[slot].demand
	d.timed = false
	if d.wait > 0 || h.missing(d) == 0 || d.tries > h.MaxTimeouts {
		return // another PULL will set it, or none is needed
	}
	if at := d.stirred + h.backedOff(d.tries); at > t.Engine().Now() {
		d.timed = true
		t.SetReceiverTimer(slot, at)
		return
	}
	d.tries++
	d.wait = 1
	h.enter(t, d, slot)
	t.Engine().Kick(d.port)
}

// AuditReceiver implements transport.ReceiverDriven: it also checks that a host's port is not idle while a PULL is due.
func (h *hosts) AuditReceiver(t *transport.Stack, s *transport.Sender, r *transport.Receiver) {
	d, n, size := &h.flows[s.Slot].demand, s.Flow.Number, int64(s.Flow.Size)
	invariants.Check(d.port == r.Port, "flow %d: PULLs leave by port %d, ACKs by %d", n, d.port, r.Port)
	invariants.Check(d.have >= r.Expected && d.have <= size, "flow %d of %d bytes: the receiver has %d, all up to %d", n, size, d.have, r.Expected)
	invariants.Check(d.queued == (d.wait > 0), "flow %d: %d PULLs wait, and it is in the queue: %v", n, d.wait, d.queued)
	invariants.Check(d.wait >= 0 && d.wait <= h.missing(d), "flow %d: %d PULLs wait for %d packets", n, d.wait, h.missing(d))
	if e := t.Engine(); d.queued && !e.Halted(d.port) && !e.WillKick(d.port) {
		at, ok := e.Wake(d.port)
		invariants.Check(ok && at <= h.queues[d.port].due, "port %d: a PULL is due at %v, and nothing wakes the port until %v", d.port, h.queues[d.port].due, at)
	}
}
