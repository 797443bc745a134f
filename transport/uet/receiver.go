package uet

import (
	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// sink is the state of the receiver of a flow.
type sink struct {
	got      int64  // distinct bytes received, on the wire
	beyond   uint32 // segments received beyond a gap
	accepted uint16 // bytes since the last ACK; the counter of uet-htsim also has 16 bits
	asked    bool   // an ACK was requested before all gaps were closed

	pulled, target int64 // in quanta; see request
	path           uint8 // path of the last PULL
	idle           int32 // number of entries of the flow in the list of idle flows
}

// Lists of the pull queues (§7): idle holds flows whose demand is met, and active holds the other flows.
const (
	idle uint8 = iota
	active
)

// idleQuanta sets how long a receiver waits after a PULL that requests nothing.
const idleQuanta = 4

// mostCounted is the largest number of bytes that a receiver counts, with 16 bits.
const mostCounted = 0xffff

// TakeData implements transport.ReceiverDriven. A packet may consist of headers only (§4).
func (h *hosts) TakeData(t *transport.Stack, id netsim.PacketID, p *netsim.Packet) {
	e := t.Engine()
	slot := p.Flow
	r, d, q := t.Receiver(slot), &h.flows[slot].sink, readRequest(e.Options(id))
	trimmed := p.Flags&netsim.FlagTrimmed != 0
	if h.byCredit {
		h.want(t, d, slot, q, trimmed || q.kind == rts)
	}
	now := false
	switch _, came := r.Within(p.Seq); {
	case q.kind >= rts:
		now = true
	case p.Seq < r.Expected || came:
		now = true
		if !trimmed {
			d.accepted += p.Size
		}
	case trimmed:
		h.reply(t, r, id, p, netsim.Nack, p.Seq, p.Flags&netsim.FlagAtHost)
		return
	default:
		was := r.Expected
		now = d.keep(r, p, q.kind, uint16(h.Threshold), h.Threshold > mostCounted)
		if r.Expected > was {
			t.Arrived(r, slot)
		}
	}
	if !now {
		e.Free(id)
		e.Kick(r.Port) // for the PULL
		return
	}
	d.accepted = 0
	a := answer{
		segment: uint32(p.Seq / int64(h.Segment)), got: d.got, beyond: d.beyond,
		again: p.Flags&netsim.FlagRetx != 0, kind: q.kind,
	}
	expected := (r.Expected + int64(h.Segment) - 1) / int64(h.Segment)
	base := int64(a.segment)
	if p.Flags&netsim.FlagCE == 0 && q.kind == plain {
		base = max(base-63, expected+1)
	}
	a.base, a.bitmap = uint32(base), h.bitmap(r, base)
	h.reply(t, r, id, p, netsim.Ack, r.Expected, 0)
	a.write(e.Options(id))
}

// keep records new data. It reports whether the receiver answers at once.
func (d *sink) keep(r *transport.Receiver, p *netsim.Packet, kind uint8, threshold uint16, never bool) bool {
	now := d.got == 0 || kind == ask || p.Flags&netsim.FlagCE != 0
	d.asked = d.asked || kind == ask
	d.accepted += p.Size
	d.got += int64(p.Size)
	to := p.Seq + int64(p.Payload)
	if p.Seq == r.Expected {
		r.Expected = to
		if d.beyond > 0 {
			r.Fill()
			d.beyond -= uint32((r.Expected - to + int64(p.Payload) - 1) / int64(p.Payload))
		}
		if d.beyond == 0 && d.asked {
			now, d.asked = true, false
		}
	} else {
		r.Keep(transport.Span{From: p.Seq, To: to})
		d.beyond++
	}
	return now || d.accepted >= threshold && !never
}

// bitmap returns a bit for each of 64 segments, beginning with segment base. A bit is set if the receiver has the
// segment beyond a gap.
func (h *hosts) bitmap(r *transport.Receiver, base int64) (m uint64) {
	segment := int64(h.Segment)
	at, limit := base*segment, (base+64)*segment
	for _, s := range r.From(at) {
		if s.From >= limit {
			break
		}
		from := max(s.From, at) / segment
		upto := min((s.To+segment-1)/segment, base+64)
		m |= ^uint64(0) >> ((64 - (upto - from)) & 63) << ((from - base) & 63)
	}
	return m
}

// reply turns a packet into an answer and sends it.
func (h *hosts) reply(
	t *transport.Stack, r *transport.Receiver, id netsim.PacketID, p *netsim.Packet, kind netsim.Kind, seq int64,
	flags uint8,
) {
	e := t.Engine()
	e.Reflect(id)
	if p.Flags&netsim.FlagCE != 0 {
		flags |= netsim.FlagEcho
	}
	p.Kind, p.Seq, p.Payload, p.Flags = kind, seq, 0, flags
	t.Control(r, p, h.AckSize())
	e.Reply(r.Port, id)
	e.Kick(r.Port)
}

// want handles the PULL number that the sender requests. A larger target makes the flow active, and so does an urgent
// packet: a trimmed packet or an RTS.
func (h *hosts) want(t *transport.Stack, d *sink, slot int32, q request, urgent bool) {
	if q.target <= d.target && !urgent {
		return
	}
	d.target = max(d.target, q.target)
	switch list, queued := h.queues.Queued(slot); {
	case !queued:
		h.queues.Enter(slot, active, t.Engine().Now())
		t.Receiver(slot).Hold(true)
	case list != active:
		h.queues.Promote(slot, active)
	}
}

// Controls implements transport.Arbitrated (§3).
func (*hosts) Controls() int { return 10 }

// Offer implements transport.Arbitrated. It makes the PULLs that are due at a port.
func (h *hosts) Offer(t *transport.Stack, p netsim.PortID) {
	if !h.byCredit {
		return
	}
	for e := t.Engine(); ; {
		slot, list, ok := h.queues.Take(e, p)
		if !ok {
			return
		}
		e.Reply(p, h.pull(t, p, slot, list))
	}
}

// pull makes a PULL for a flow (§7). Idle flows get PULLs only if no flow is active, and only until
// the PULLs exceed the demand of the flow by the largest window.
func (h *hosts) pull(t *transport.Stack, p netsim.PortID, slot int32, list uint8) netsim.PacketID {
	e, d := t.Engine(), &h.flows[slot].sink
	rate := e.Network().PortRate(p)
	most := int64(h.Pull) / quantum
	ahead := int64(h.MaxWindow*float64(rate.In(h.BaseRTT))) / quantum
	if list == active {
		most = max(0, min(most, d.target-d.pulled))
	}
	d.pulled += most
	switch {
	case d.pulled < d.target:
		h.queues.Push(slot, active)
	case list == active && h.StalePulls:
		d.idle++
		h.queues.Push(slot, idle)
	case d.pulled-d.target < ahead:
		h.queues.Push(slot, idle)
	case d.idle > 1:
		d.idle--
		h.queues.Push(slot, idle)
	default:
		d.idle = 0
		t.Receiver(slot).Hold(false)
	}
	h.queues.Wait(p, e.Now(), h.pace(rate, most), 0)
	id := e.Make(slot)
	k := e.Packet(id)
	k.Kind, k.Class, k.Payload = netsim.Control, t.Sender(slot).Flow.Class, 0
	k.Seq, k.ID, k.Sent = d.pulled, uint32(d.pulled), uint32(e.Now()/unit.Nanosecond)
	d.path = (d.path + 1) & 127
	k.Path = d.path
	t.Control(t.Receiver(slot), k, h.AckSize())
	return id
}

// pace returns how long a receiver waits after a PULL for this many quanta.
func (h *hosts) pace(rate unit.Rate, quanta int64) unit.Time {
	if quanta == 0 {
		quanta = idleQuanta
	}
	return unit.Time(quanta) * unit.Time(float64(rate.TxTime(quantum))/h.PullShare)
}

// Timer implements transport.ReceiverDriven. Receivers have no timer.
func (*hosts) Timer(*transport.Stack, int32) {}

func (h *hosts) Move(t *transport.Stack, r *transport.Receiver, slot int32) {
	if h.queues.Move(slot, r.Port) {
		t.Engine().Kick(r.Port)
	}
}

func (h *hosts) AuditReceiver(_ *transport.Stack, s *transport.Sender, r *transport.Receiver) {
	d, n := &h.flows[s.Slot].sink, s.Flow.Number
	segments := (r.Expected + int64(h.Segment) - 1) / int64(h.Segment)
	invariants.Check(d.got >= r.Expected+segments*h.header,
		"flow %d: %d bytes on the wire have come, all %d of payload up to %d", n, d.got, segments, r.Expected)
	invariants.Check(h.queues.Port(s.Slot) == r.Port,
		"flow %d: PULLs leave by port %d, ACKs by %d", n, h.queues.Port(s.Slot), r.Port)
}
