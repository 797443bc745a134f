package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// flagNoSample marks an ACK that was sent by a timer, so that its time stamp is old.
const flagNoSample uint8 = 1 << 7

// Receiver is the destination of one flow. It fits into a cache line.
type Receiver struct {
	Expected  int64 // first missing byte
	Port      netsim.PortID
	unacked   int32        // in-order packets since the last ACK
	waiting   bool         // the delayed-ACK timer is set
	echo      bool         // the next ACK reports marked packets
	*disorder              // nil while all data arrived in order
	delayed   *delayed     // nil while no ACK has been delayed
	Order     *route.Order // order of the paths of ACKs; nil unless senders choose paths
}

// disorder holds the state that a receiver needs after the first out-of-order packet.
type disorder struct {
	gaps     []Span
	reported bool
	nackSeq  int64 // last gap reported
	nackTime unit.Time
}

// beyond returns the data received beyond gaps.
func (d *disorder) beyond() []Span {
	if d == nil {
		return nil
	}
	return d.gaps
}

// disordered returns the out-of-order state and makes it if necessary.
func (r *Receiver) disordered() *disorder {
	if r.disorder == nil {
		r.disorder = &disorder{}
	}
	return r.disorder
}

// Report reports whether a NACK for the current gap is due, because no NACK was sent during the
// last interval. If so, it records the NACK.
func (r *Receiver) Report(now, interval unit.Time) bool {
	d := r.disordered()
	if d.reported && d.nackSeq == r.Expected && now < d.nackTime+interval {
		return false
	}
	d.reported, d.nackSeq, d.nackTime = true, r.Expected, now
	return true
}

// delayed holds those fields of the last packet that a delayed ACK copies.
type delayed struct {
	class     uint8
	path      uint8
	stamp     uint32
	packet    uint32
	telemetry int32 // bytes
	digest    uint64
}

// Span is the byte range [From, To) of a flow.
type Span struct{ From, To int64 }

// takeData handles a data packet at the destination.
func (t *Stack) takeData(r *Receiver, id netsim.PacketID, p *netsim.Packet) {
	if p.Payload == 0 {
		t.answerProbe(r, id, p)
		return
	}
	changed := false
	if !t.exactMarks {
		r.echo = r.echo || p.Flags&netsim.FlagCE != 0
	} else {
		changed = t.takeMark(r, p)
		p = t.e.Packet(id) // the slab may have grown
	}
	d := Span{p.Seq, p.Seq + int64(p.Payload)}
	now, twice := true, false // acknowledge at once; all of the data is a duplicate
	kind := netsim.Ack
	switch {
	case d.From == r.Expected:
		r.Expected = d.To
		r.unacked++
		filled := r.Fill()
		t.Arrived(r, p.Flow)
		now = filled || changed || int(r.unacked) >= t.cfg.AckEvery || p.Flags&netsim.FlagLast != 0 ||
			len(r.beyond()) > 0
	case d.To > r.Expected && d.From < r.Expected: // part of it is new, after a change of segment boundaries
		r.Expected = d.To
		r.Fill()
		t.Arrived(r, p.Flow)
	case d.From < r.Expected:
		if t.cfg.Duplicates == "ignore" {
			t.e.Free(id)
			return
		}
		twice = true
	default:
		var answer bool
		if kind, twice, answer = t.sends.Gap(t, r, p.Flow, d); !answer {
			t.e.Free(id)
			return
		}
	}
	if !now {
		t.delay(r, p)
		t.e.Free(id)
		return
	}
	t.e.Reflect(id)
	telemetry := unit.Bytes(p.Size) - unit.Bytes(p.Payload) - t.cfg.Header
	t.acknowledge(r, id, p, kind, telemetry, d, twice)
}

// takeMark implements the values change and latch of the key transport.mark_echo. It decides how the
// mark of a packet, or its absence, changes later ACKs. It reports whether the packet must be
// acknowledged at once.
func (t *Stack) takeMark(r *Receiver, p *netsim.Packet) (now bool) {
	ce := p.Flags&netsim.FlagCE != 0
	if t.latches {
		// A mark on the same packet that carries the sender's CWR is a new mark.
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

// acknowledge turns a packet into an ACK and sends it back. d is the data that the ACK answers; d
// is empty for a delayed ACK.
func (t *Stack) acknowledge(
	r *Receiver, id netsim.PacketID, p *netsim.Packet, kind netsim.Kind, telemetry unit.Bytes, d Span, twice bool,
) {
	r.unacked = 0
	p.Kind, p.Seq, p.Payload = kind, r.Expected, 0
	options := unit.Bytes(0)
	if t.tells {
		options = t.sends.Tell(t, r, id, d, twice)
	}
	t.Control(r, p, t.cfg.ackSize(telemetry, options))
	p.Flags &= flagNoSample
	if r.echo {
		p.Flags |= netsim.FlagEcho
		r.echo = t.exactMarks
	}
	if r.waiting {
		r.waiting = false
		t.e.CancelTimer(t.timers*p.Flow + 1)
	}
	t.e.Answer(r.Port, id)
}

// Control sets the fields that are the same in all packets of a receiver.
func (t *Stack) Control(r *Receiver, p *netsim.Packet, size unit.Bytes) {
	p.Size = uint16(size)
	if t.cfg.AckClass != 0 {
		p.Class = uint8(t.cfg.AckClass)
	}
	if r.Order != nil {
		p.Path = r.Order.Next()
	}
}

// delay stores the fields for a delayed ACK and sets its timer.
func (t *Stack) delay(r *Receiver, p *netsim.Packet) {
	if t.cfg.AckDelay == unit.Never {
		return
	}
	if r.delayed == nil {
		r.delayed = &delayed{}
	}
	*r.delayed = delayed{
		class: p.Class, path: p.Path, stamp: p.Sent, packet: p.ID, digest: p.Digest,
		telemetry: int32(p.Size) - int32(p.Payload) - int32(t.cfg.Header),
	}
	if !r.waiting {
		r.waiting = true
		t.e.SetTimer(r.Port, t.timers*p.Flow+1, t.e.Now()+t.cfg.AckDelay, ^t.net.FlowKey(p.Flow))
	}
}

// receiverTimer sends the ACK whose delay has ended.
func (t *Stack) receiverTimer(slot int32) {
	r := t.receivers.at(slot)
	r.waiting = false
	if r.unacked > 0 {
		t.late(r, slot)
	}
}

// late sends a delayed ACK.
func (t *Stack) late(r *Receiver, slot int32) {
	id := t.e.Make(slot)
	p := t.e.Packet(id)
	d := r.delayed
	p.Class, p.Path = d.class, d.path
	p.Sent, p.ID, p.Digest = d.stamp, d.packet, d.digest
	p.Flags = flagNoSample
	t.acknowledge(r, id, p, netsim.Ack, unit.Bytes(d.telemetry), Span{}, false)
}

// Keep stores out-of-order data. It reports whether any of it is new.
func (r *Receiver) Keep(s Span) bool {
	d := r.disordered()
	switch n := len(d.gaps); { // usually s is beyond all other spans
	case n == 0 || d.gaps[n-1].To < s.From:
		d.gaps = append(d.gaps, s)
		return true
	case d.gaps[n-1].To == s.From:
		d.gaps[n-1].To = s.To
		return true
	}
	i := ending(d.gaps, s.From)
	if i < len(d.gaps) && d.gaps[i].From <= s.From && s.To <= d.gaps[i].To {
		return false
	}
	j := i
	for ; j < len(d.gaps) && d.gaps[j].From <= s.To; j++ {
		s.From, s.To = min(s.From, d.gaps[j].From), max(s.To, d.gaps[j].To)
	}
	d.gaps = slices.Replace(d.gaps, i, j, s)
	return true
}

// Fill advances past stored out-of-order data. It reports whether it has advanced.
func (r *Receiver) Fill() bool {
	d, n := r.disorder, 0
	if d == nil {
		return false
	}
	for n < len(d.gaps) && d.gaps[n].From <= r.Expected {
		r.Expected = max(r.Expected, d.gaps[n].To)
		n++
	}
	d.gaps = d.gaps[:copy(d.gaps, d.gaps[n:])]
	return n > 0
}

// Hold sets whether a ReceiverDriven still needs the slot of the flow, even after the flow has
// ended.
func (r *Receiver) Hold(needs bool) { r.waiting = needs }

// From returns the spans received beyond gaps that end behind byte seq. The slice is valid until
// more data arrives.
func (r *Receiver) From(seq int64) []Span {
	gaps := r.beyond()
	return gaps[ending(gaps, seq+1):]
}

// ending returns the index of the first span that ends at a byte or behind it. It calls no closure, to be fast: if
// packets take several paths, most of them arrive out of order.
func ending(spans []Span, at int64) int {
	i, j := 0, len(spans)
	for i < j {
		if mid := int(uint(i+j) / 2); spans[mid].To < at {
			i = mid + 1
		} else {
			j = mid
		}
	}
	return i
}

// Within returns the span of data beyond a gap that contains a byte.
func (r *Receiver) Within(seq int64) (Span, bool) {
	all := r.beyond()
	if n := len(all); n == 0 || all[n-1].To <= seq { // the common case
		return Span{}, false
	}
	if gaps := r.From(seq); gaps[0].From <= seq {
		return gaps[0], true
	}
	return Span{}, false
}
