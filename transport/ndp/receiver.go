package ndp

import (
	"encoding/binary"
	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// demand is the state of a flow at its receiver: the packets received and the packets pulled.
type demand struct {
	have    int64     // distinct bytes received
	end     int64     // bytes of the flow; 0 until its last packet arrives
	asked   int64     // PULLs sent
	wait    int64     // queued PULLs
	stirred unit.Time // time of the latest data or PULL
	tries   int       // successive PULLs without data
	timed   bool      // the timer is set
	class   uint8     // list of the pull queue
}

// missing returns the number of missing packets, or a very large number while the length of the flow is unknown.
func (h *hosts) missing(d *demand) int64 {
	if d.end == 0 {
		return 1 << 62
	}
	segment := int64(h.Segment)
	return (d.end - d.have + segment - 1) / segment
}

func (h *hosts) Due(p netsim.PortID) unit.Time { return h.queues.Due(p) }

func (h *hosts) Move(t *transport.Stack, r *transport.Receiver, slot int32) {
	if h.queues.Move(slot, r.Port) {
		t.Engine().Kick(r.Port)
	}
}

// TakeData handles a data packet, or its headers, at the destination. It answers at once and queues
// a PULL for another packet.
func (h *hosts) TakeData(t *transport.Stack, id netsim.PacketID, p *netsim.Packet) {
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

// keep records received data. It returns the first missing byte.
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

// demandMore queues a PULL after a packet. Once the receiver knows the length of the flow, it
// requests only missing packets. In the NDP paper the last packet removes all queued PULLs, even if
// earlier packets were trimmed.
func (h *hosts) demandMore(t *transport.Stack, d *demand, slot int32) {
	d.wait = min(d.wait+1, h.missing(d))
	switch {
	case d.wait == 0:
		h.queues.Remove(slot)
		if d.timed {
			d.timed = false
			t.CancelReceiverTimer(slot)
		}
	default:
		if _, queued := h.queues.Queued(slot); !queued {
			h.queues.Enter(slot, d.class, t.Engine().Now())
		}
	}
}

// Next implements transport.Pulling. It makes the PULL for the next flow of the round robin.
func (h *hosts) Next(t *transport.Stack, p netsim.PortID) netsim.PacketID {
	e := t.Engine()
	now := e.Now()
	slot, class, ok := h.queues.Take(e, p)
	if !ok {
		return netsim.NoPacket
	}
	d := &h.flows[slot].demand
	if d.wait--; d.wait > 0 {
		h.queues.Push(slot, class)
	} else if !d.timed {
		d.timed = true
		t.SetReceiverTimer(slot, now+h.backedOff(d.tries))
	}
	d.asked++
	d.stirred = now
	// PULLs leave at the rate at which full packets arrive on a full link (NDP §3.2.1).
	interval := e.Network().TxTime(p, h.PacketSize(h.Segment))
	h.queues.Wait(p, now, interval, interval)

	id := e.Make(slot)
	k := e.Packet(id)
	k.Kind, k.Class, k.Payload = netsim.Control, t.Sender(slot).Flow.Class, 0
	k.Seq, k.ID, k.Sent = d.asked, uint32(d.asked), uint32(now/unit.Nanosecond)
	k.Path = uint8(d.asked) // for switches that hash entropy values: the PULLs of a flow also use all paths
	t.Control(t.Receiver(slot), k, h.AckSize())
	return id
}

// Timer implements transport.ReceiverDriven. It repeats a PULL if all allowed PULLs have left and
// nothing has arrived for one timeout since then. The last PULL, or the packet that it requested,
// may be lost.
func (h *hosts) Timer(t *transport.Stack, slot int32) {
	d := &h.flows[slot].demand
	d.timed = false
	if d.wait > 0 || h.missing(d) == 0 || d.tries > h.MaxRetries {
		return // another PULL will set the timer, or no PULL is needed
	}
	if at := d.stirred + h.backedOff(d.tries); at > t.Engine().Now() {
		d.timed = true
		t.SetReceiverTimer(slot, at)
		return
	}
	d.tries++
	d.wait = 1
	h.queues.Enter(slot, d.class, t.Engine().Now())
	t.Engine().Kick(h.queues.Port(slot))
}

// AuditReceiver implements transport.ReceiverDriven. It also checks that a host's port is not idle
// while a PULL is due.
func (h *hosts) AuditReceiver(t *transport.Stack, s *transport.Sender, r *transport.Receiver) {
	d, n, size := &h.flows[s.Slot].demand, s.Flow.Number, int64(s.Flow.Size)
	port := h.queues.Port(s.Slot)
	_, queued := h.queues.Queued(s.Slot)
	invariants.Check(port == r.Port, "flow %d: PULLs leave by port %d, ACKs by %d", n, port, r.Port)
	invariants.Check(d.have >= r.Expected && d.have <= size,
		"flow %d of %d bytes: the receiver has %d, all up to %d", n, size, d.have, r.Expected)
	invariants.Check(queued == (d.wait > 0), "flow %d: %d PULLs wait, and it is in the queue: %v", n, d.wait, queued)
	invariants.Check(d.wait >= 0 && d.wait <= h.missing(d),
		"flow %d: %d PULLs wait for %d packets", n, d.wait, h.missing(d))
	if e := t.Engine(); queued && !e.Halted(port) && !e.WillKick(port) {
		at, ok := e.Wake(port)
		invariants.Check(ok && at <= h.queues.Due(port),
			"port %d: a PULL is due at %v, and nothing wakes the port until %v", port, h.queues.Due(port), at)
	}
}
