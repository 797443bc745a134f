package csig

import (
	"encoding/binary"
	"sync/atomic"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// tap is CSIG at every switch. The tag of a packet is its digest.
type tap struct {
	format  *Format
	buckets Buckets
	signals [2]Signal
	initial [2]uint64 // tags that sources write into the packets of a flow alternately, one for each signal
	window  unit.Time
	ports   []port
	net     *netsim.Network
	legacy  []bool // whether each node lacks CSIG; nil if all know it
	strip   bool
	ignored int64 // tags that passed a legacy switch
}

// port is the state of an egress port.
type port struct {
	until   unit.Time  // end of the window
	before  unit.Bytes // bytes sent before the window
	free    [2]uint32  // codes of ABW and ABW/C in the previous window
	locator uint32
	rate    unit.Rate
}

// start initialises the port with an idle link.
func (p *port) start(rate unit.Rate, t *tap) {
	p.rate, p.until = rate, t.window
	p.measure(0, t)
}

// turn begins the window that contains now; sent is the number of bytes that the port has sent before now.
func (p *port) turn(now unit.Time, sent unit.Bytes, t *tap) {
	n := unit.Bytes(0)
	if now-p.until < t.window { // otherwise no packet left in the previous window
		n = sent - p.before
	}
	p.measure(n, t)
	p.before, p.until = sent, now-now%t.window+t.window
}

// measure computes the bandwidth that was left in a window in which the port sent n bytes.
func (p *port) measure(n unit.Bytes, t *tap) {
	if t.window != unit.Never {
		p.free = t.buckets.Free(p.rate, t.window, n)
	}
}

// Dequeue implements netsim.Tap. Packets of all kinds use bandwidth, but only data packets have tags.
func (t *tap) Dequeue(h *netsim.Hop) {
	p := &t.ports[h.Port]
	if h.Now >= p.until {
		p.turn(h.Now, h.Sent, t)
	}
	k := h.Packet
	if k.Kind != netsim.Data {
		return
	}
	if h.Number == 0 {
		k.Digest = t.initial[k.ID&1]
	}
	if k.Digest == 0 {
		return // a switch has removed the tag
	}
	if t.legacy != nil && t.legacy[h.Switch] {
		t.ignore(k)
		return
	}
	var value uint32
	switch s := Signal(t.format.signal.of(k.Digest)); s {
	case ABW, ABWShare:
		value = p.free[s]
	case Delay:
		value = t.buckets.Waited(Delay, h.Now-k.At)
	case Queue:
		value = t.buckets.Waited(Queue, p.rate.TxTime(h.Queue))
	}
	k.Digest = t.format.Update(k.Digest, value, p.locator)
}

// ignore handles a tag as a switch without CSIG does.
func (t *tap) ignore(k *netsim.Packet) {
	atomic.AddInt64(&t.ignored, 1)
	if t.strip {
		k.Digest = 0
		k.Size -= uint16(t.format.Size)
	}
}

// Show implements telemetry.Visible. A data packet has a tag before its EtherType, unless a switch has removed the
// tag. An acknowledgement returns the tag of its data packet.
func (t *tap) Show(f *telemetry.Frame) error {
	k := f.Packet
	tag := k.Digest
	if k.Kind == netsim.Data && k.Hop == 0 {
		tag = t.initial[k.ID&1] // the first switch writes it
	}
	if tag == 0 || k.Kind > netsim.Nack {
		return nil
	}
	b := binary.BigEndian.AppendUint64(nil, tag)[8-t.format.Size:]
	if k.Kind == netsim.Data {
		f.Tag = b
	} else {
		f.Block(telemetry.BlockCSIG, b)
	}
	return nil
}
