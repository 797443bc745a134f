package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// flagNoSample marks an ACK that was sent by a timer, whose time stamp is old.
const flagNoSample uint8 = 1 << 7

// receiver is the destination of one flow: one cache line.
type receiver struct {
	expected   int64
	port       netsim.PortID
	unacked    int32        // packets in order since the last ACK
	waiting    bool         // the delayed-ACK timer is set
	echo       bool         // the next ACK says that packets were marked
	*disorder               // nil while all has come in order
	delayed    *delayed     // nil while no ACK has been delayed
	*selection              // nil without selective acknowledgements
	order      *route.Order // of the paths of ACKs; nil unless senders choose them
	*demand                 // nil without NDP
}

// disorder is what a receiver keeps once a packet has not come in order.
type disorder struct {
	gaps     []span
	nacked   bool
	nackSeq  int64 // last gap reported
	nackTime unit.Time
}

// beyond returns the data that has come beyond gaps.
func (d *disorder) beyond() []span {
	if d == nil {
		return nil
	}
	return d.gaps
}

// disordered returns where the receiver keeps what has not come in order.
func (r *receiver) disordered() *disorder {
	if r.disorder == nil {
		r.disorder = &disorder{}
	}
	return r.disorder
}

// delayed holds what a delayed ACK copies from the last packet.
type delayed struct {
	class     uint8
	stamp     uint32
	packet    uint32
	telemetry int32 // bytes
	digest    uint64
}

// span is data beyond a gap: the bytes [from, to).
type span struct{ from, to int64 }

// takeData handles a data packet at the destination.
func (t *Stack) takeData(r *receiver, id netsim.PacketID, p *netsim.Packet) {
	changed := false
	if t.cfg.Marks == EchoAny {
		r.echo = r.echo || p.Flags&netsim.FlagCE != 0
	} else {
		changed = t.takeMark(r, p)
		p = t.e.Packet(id) // the slab may have grown
	}
	end := p.Seq + int64(p.Payload)
	now := true // acknowledge at once
	kind := netsim.Ack
	switch {
	case p.Seq == r.expected:
		r.expected = end
		r.unacked++
		filled := r.fill()
		now = filled || changed || int(r.unacked) >= t.cfg.AckEvery || p.Flags&netsim.FlagLast != 0 || len(r.beyond()) > 0
	case p.Seq < r.expected:
		if end > r.expected { // part of it is new, after a change of segment borders
			r.expected = end
			r.fill()
		} else if t.cfg.IgnoreDuplicates {
			t.e.Free(id)
			return
		} else if t.selective {
			r.again = true
		}
	case t.cfg.Recovery == GoBackN:
		at, d := t.e.Now(), r.disordered()
		if d.nacked && d.nackSeq == r.expected && at < d.nackTime+t.cfg.NackInterval {
			t.e.Free(id)
			return
		}
		d.nacked, d.nackSeq, d.nackTime = true, r.expected, at
		kind = netsim.Nack
	default:
		again := !r.keep(span{p.Seq, end})
		if t.selective {
			r.note(span{p.Seq, end})
			r.again = again
			if t.cfg.Recovery == IRN {
				kind = netsim.Nack
			}
		}
	}
	if t.selective {
		r.last = span{p.Seq, end}
	}
	if !now {
		t.delay(r, p)
		t.e.Free(id)
		return
	}
	t.e.Reflect(id)
	telemetry := unit.Bytes(p.Size) - unit.Bytes(p.Payload) - t.cfg.Header
	t.acknowledge(r, id, p, kind, telemetry)
}

// takeMark implements EchoChange and EchoLatch: it decides how the mark of a packet, or its
// lack, changes later ACKs. It reports whether the packet must be acknowledged at once.
func (t *Stack) takeMark(r *receiver, p *netsim.Packet) (now bool) {
	ce := p.Flags&netsim.FlagCE != 0
	if t.cfg.Marks == EchoLatch {
		// A mark on the same packet that carries the sender's CWR is a new one.
		r.echo = ce || r.echo && p.Flags&netsim.FlagCWR == 0
		return false
	}
	if ce == r.echo {
		return false
	}
	if r.unacked > 0 {
		t.late(r, p.Flow)
	}
	r.echo = ce
	return true
}

// acknowledge makes the packet an ACK and sends it back.
func (t *Stack) acknowledge(r *receiver, id netsim.PacketID, p *netsim.Packet, kind netsim.Kind, telemetry unit.Bytes) {
	r.unacked = 0
	p.Kind, p.Seq, p.Payload = kind, r.expected, 0
	blocks := 0
	if t.selective {
		blocks = t.putBlocks(r, id, kind == netsim.Nack)
		r.again = false
	}
	p.Size = uint16(t.cfg.ackSize(telemetry, blocks))
	if t.cfg.AckClass != 0 {
		p.Class = t.cfg.AckClass
	}
	if r.order != nil {
		p.Path = r.order.Next()
	}
	p.Flags &= flagNoSample
	if r.echo {
		p.Flags |= netsim.FlagEcho
		r.echo = t.cfg.Marks != EchoAny
	}
	if r.waiting {
		r.waiting = false
		t.e.CancelTimer(t.timers*p.Flow + 1)
	}
	t.e.Reply(r.port, id)
	t.e.Kick(r.port)
}

// delay keeps what a delayed ACK needs and sets its timer.
func (t *Stack) delay(r *receiver, p *netsim.Packet) {
	if t.cfg.DelayedAck == 0 {
		return
	}
	if r.delayed == nil {
		r.delayed = &delayed{}
	}
	*r.delayed = delayed{
		class: p.Class, stamp: p.Sent, packet: p.ID, digest: p.Digest,
		telemetry: int32(p.Size) - int32(p.Payload) - int32(t.cfg.Header),
	}
	if !r.waiting {
		r.waiting = true
		t.e.SetTimer(t.timers*p.Flow+1, t.e.Now()+t.cfg.DelayedAck, ^t.net.FlowKey(p.Flow))
	}
}

// receiverTimer sends a delayed ACK.
func (t *Stack) receiverTimer(slot int32) {
	r := t.receivers.at(slot)
	r.waiting = false
	if r.unacked > 0 {
		t.late(r, slot)
	}
}

// late sends the ACK that was delayed.
func (t *Stack) late(r *receiver, slot int32) {
	id := t.e.Make(slot)
	p := t.e.Packet(id)
	d := r.delayed
	p.Class = d.class
	p.Sent, p.ID, p.Digest = d.stamp, d.packet, d.digest
	p.Flags = flagNoSample
	t.acknowledge(r, id, p, netsim.Ack, unit.Bytes(d.telemetry))
}

// keep adds out-of-order data. It reports whether any of it is new.
func (r *receiver) keep(s span) bool {
	d := r.disordered()
	i, _ := slices.BinarySearchFunc(d.gaps, s.from, func(g span, from int64) int {
		if g.to < from {
			return -1
		}
		return 1
	})
	if i < len(d.gaps) && d.gaps[i].from <= s.from && s.to <= d.gaps[i].to {
		return false
	}
	j := i
	for ; j < len(d.gaps) && d.gaps[j].from <= s.to; j++ {
		s.from, s.to = min(s.from, d.gaps[j].from), max(s.to, d.gaps[j].to)
	}
	d.gaps = slices.Replace(d.gaps, i, j, s)
	return true
}

// fill advances past out-of-order data that was kept. It reports whether there was any.
func (r *receiver) fill() bool {
	d, n := r.disorder, 0
	if d == nil {
		return false
	}
	for n < len(d.gaps) && d.gaps[n].from <= r.expected {
		r.expected = max(r.expected, d.gaps[n].to)
		n++
	}
	d.gaps = d.gaps[:copy(d.gaps, d.gaps[n:])]
	return n > 0
}
