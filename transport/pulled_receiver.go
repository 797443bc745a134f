package transport

import (
	"encoding/binary"
	"math/bits"

	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// demand is the state of a receiver of NDP: what it has received of a flow and what it
// has pulled.
type demand struct {
	have    int64     // bytes that have come, once each
	end     int64     // bytes of the flow; 0 until its last packet has come
	asked   int64     // PULLs sent
	wait    int64     // PULLs that wait
	stirred unit.Time // when data came or a PULL was sent
	tries   int       // PULLs in a row that nothing has followed
	timed   bool      // the timer is set

	queued     bool
	class      uint8 // list of the pull queue
	next, prev int32 // slots in it, -1 for none
}

// missing returns the number of packets that have not come, as far as the receiver knows.
func (d *demand) missing(segment int64) int64 {
	if d.end == 0 {
		return 1 << 62
	}
	return (d.end - d.have + segment - 1) / segment
}

// pullQueue holds the PULLs that wait at a port of a host, for all flows that it receives. It
// serves the flows by round robin, so that their shares of the link are equal. PULLs leave at
// the pace at which full packets arrive on a full link (NDP §3.2.1).
type pullQueue struct {
	head, tail [buffer.Classes]int32 // slots; -1 for none
	classes    uint8                 // lists that are not empty, a bit each
	due        unit.Time             // not before
	interval   unit.Time
}

// newPulls makes the pull queues of all ports.
func newPulls(n *netsim.Network, c *Config) []pullQueue {
	q := make([]pullQueue, n.Ports())
	for p := range q {
		q[p].interval = n.TxTime(netsim.PortID(p), c.PacketSize(c.Segment))
		for i := range q[p].head {
			q[p].head[i], q[p].tail[i] = -1, -1
		}
	}
	return q
}

// next returns when a PULL may leave, Never if none waits.
func (q *pullQueue) next() unit.Time {
	if q.classes == 0 {
		return unit.Never
	}
	return q.due
}

// push puts a flow at the end of the queue.
func (s *shared) push(q *pullQueue, slot int32) {
	d := s.receivers.at(slot).demand
	last := q.tail[d.class]
	d.queued, d.next, d.prev = true, -1, last
	if last < 0 {
		q.head[d.class] = slot
		q.classes |= 1 << d.class
	} else {
		s.receivers.at(last).demand.next = slot
	}
	q.tail[d.class] = slot
}

// remove takes a flow out of the queue.
func (s *shared) remove(q *pullQueue, d *demand) {
	if d.prev < 0 {
		q.head[d.class] = d.next
	} else {
		s.receivers.at(d.prev).demand.next = d.next
	}
	if d.next < 0 {
		q.tail[d.class] = d.prev
	} else {
		s.receivers.at(d.next).demand.prev = d.prev
	}
	if q.head[d.class] < 0 {
		q.classes &^= 1 << d.class
	}
	d.queued = false
}

// resetDemand clears the state of the flow that used the receiver before.
func (s *shared) resetDemand(r *receiver) {
	if r.demand == nil {
		r.demand = &demand{}
	}
	if r.queued {
		s.remove(&s.pulls[r.port], r.demand)
	}
	*r.demand = demand{}
}

// moveDemand makes a receiver send its PULLs through another port.
func (s *shared) moveDemand(slot int32, port netsim.PortID) {
	r := s.receivers.at(slot)
	if !r.queued {
		return
	}
	s.remove(&s.pulls[r.port], r.demand)
	s.push(&s.pulls[port], slot)
	s.stacks[s.owner(s.senders.at(slot).flow.Dst)].e.Kick(port)
}

// takePulled handles a data packet, or its headers, at the destination: it answers at
// once, and puts a PULL for another packet into the queue.
func (t *Stack) takePulled(r *receiver, id netsim.PacketID, p *netsim.Packet) {
	slot, seq, d := p.Flow, p.Seq, r.demand
	kind := netsim.Ack
	if p.Flags&netsim.FlagTrimmed == 0 {
		t.keepPulled(r, p)
	} else if !r.has(seq) {
		kind = netsim.Nack
	}
	t.demandMore(r, slot)
	t.e.Reflect(id)
	binary.LittleEndian.PutUint64(t.e.Options(id), uint64(seq))
	p.Kind, p.Seq, p.Payload, p.Flags = kind, r.expected, 0, 0
	t.control(r, p)
	d.stirred, d.tries = t.e.Now(), 0
	t.e.Reply(r.port, id)
	t.e.Kick(r.port)
}

// control fills in the fields that ACKs, NACKs and PULLs have in common.
func (t *Stack) control(r *receiver, p *netsim.Packet) {
	p.Size = uint16(t.cfg.AckSize())
	if t.cfg.AckClass != 0 {
		p.Class = t.cfg.AckClass
	}
	if r.order != nil {
		p.Path = r.order.Next()
	}
}

// keepPulled records data that has come.
func (t *Stack) keepPulled(r *receiver, p *netsim.Packet) {
	d, end := r.demand, p.Seq+int64(p.Payload)
	switch {
	case p.Seq == r.expected:
		r.expected = end
		d.have += int64(p.Payload)
		r.fill()
	case p.Seq > r.expected && r.keep(span{p.Seq, end}):
		d.have += int64(p.Payload)
	}
	if p.Flags&netsim.FlagLast != 0 {
		d.end = end
	}
}

// has reports whether a byte has come.
func (r *receiver) has(seq int64) bool {
	_, beyond := r.within(seq)
	return seq < r.expected || beyond
}

// demandMore adds a PULL for a packet that has come. Once the receiver knows how long the flow is
// it asks for no more than what is missing; in the paper the last packet ends all PULLs that
// wait, whether or not packets before it have been trimmed.
func (t *Stack) demandMore(r *receiver, slot int32) {
	d, q := r.demand, &t.pulls[r.port]
	d.wait = min(d.wait+1, d.missing(int64(t.cfg.Segment)))
	switch {
	case d.wait == 0:
		if d.queued {
			t.remove(q, d)
		}
		if d.timed {
			d.timed = false
			t.e.CancelTimer(t.timers*slot + 1)
		}
	case !d.queued:
		t.enter(q, d, slot)
	}
}

// enter puts a flow into the pull queue. A queue that was empty earns no credit for the
// idle time.
func (t *Stack) enter(q *pullQueue, d *demand, slot int32) {
	if q.classes == 0 {
		q.due = max(q.due, t.e.Now())
	}
	if t.cfg.PullByClass {
		d.class = t.senders.at(slot).flow.Class
	}
	t.push(q, slot)
}

// pull makes the PULL that leaves a port now, for the next flow of the round robin. If none is
// due, it schedules a wake-up of the port.
func (t *Stack) pull(p netsim.PortID) netsim.PacketID {
	q, now := &t.pulls[p], t.e.Now()
	if q.classes == 0 {
		return netsim.NoPacket
	}
	if q.due > now {
		if at, ok := t.e.Wake(p); !ok || q.due < at {
			t.e.WakeAt(p, q.due)
		}
		return netsim.NoPacket
	}
	slot := q.head[bits.Len8(q.classes)-1]
	r := t.receivers.at(slot)
	d := r.demand
	t.remove(q, d)
	if d.wait--; d.wait > 0 {
		t.push(q, slot)
	} else if !d.timed {
		d.timed = true
		t.e.SetTimer(t.timers*slot+1, now+t.cfg.sentAgain(d.tries), ^t.net.FlowKey(slot))
	}
	d.asked++
	d.stirred = now
	// If a PULL had to wait for a packet that was being sent, the next one leaves earlier by that
	// time.
	q.due = max(q.due, now-q.interval) + q.interval

	id := t.e.Make(slot)
	k := t.e.Packet(id)
	k.Kind, k.Class, k.Payload = netsim.Pull, t.senders.at(slot).flow.Class, 0
	k.Seq, k.ID, k.Sent = d.asked, uint32(d.asked), uint32(now/unit.Nanosecond)
	t.control(r, k)
	return id
}

// demandTimer sends a PULL again if nothing has come for a timeout although the receiver
// has pulled all that it may: the last PULL, or the packet that it asked for, may be lost.
func (t *Stack) demandTimer(slot int32) {
	r := t.receivers.at(slot)
	d := r.demand
	d.timed = false
	if d.wait > 0 || d.missing(int64(t.cfg.Segment)) == 0 || d.tries > t.cfg.MaxTimeouts {
		return // another PULL will set it, or none is needed
	}
	if at := d.stirred + t.cfg.sentAgain(d.tries); at > t.e.Now() {
		d.timed = true
		t.e.SetTimer(t.timers*slot+1, at, ^t.net.FlowKey(slot))
		return
	}
	d.tries++
	d.wait = 1
	t.enter(&t.pulls[r.port], d, slot)
	t.e.Kick(r.port)
}
