package netsim

import (
	"errors"
	"fmt"

	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// Trimming configures what a switch does with a data packet if the queue of its class is full. It
// cuts off the payload and forwards the headers in a separate class, so that the receiver learns of
// the loss at once. Handley et al., "Re-architecting datacenter networks and stacks for low latency
// and high performance", SIGCOMM 2017 (NDP), §3.1, after Cheng et al., "Catch the Whole Lot in an
// Action", NSDI 2014.
//
// The limits apply at every switch port to each class separately. They do not apply to reports of
// monitors, which have a separate class.
type Trimming struct {
	Queue   unit.Bytes // most queued bytes of a class of data, at least MaxPacket
	Class   uint8      // class of headers, 1 to 7; senders use it for acknowledgements and other control packets
	Headers unit.Bytes // most queued bytes of Class, at least MaxPacket
	// Tail is the probability that the last packet of a full queue is trimmed instead of the
	// arriving one. Without it, the same one of several synchronised senders may be trimmed again
	// and again.
	Tail float64
	// Return sends headers that find no room back to the source. Without it they are dropped.
	Return bool
	// Drop drops packets instead of trimming them. The limits stay the same.
	Drop bool
	// Sending counts the packet that a port is sending as waiting in its class, as uet-htsim does.
	Sending bool
	// Rate, if not 0, is the port rate for which Queue and Headers are given. Slower ports have
	// proportionally shorter queues.
	Rate unit.Rate
}

// validTrim returns an error if the settings of trimming are invalid.
func (c *Config) validTrim() error {
	t := c.Trim
	if t == nil {
		return nil
	}
	if c.Buffer.Lossless {
		return errors.New("trimming and PFC exclude each other: a port that pauses never runs out of room")
	}
	if t.Queue < c.MaxPacket || t.Headers < c.MaxPacket || t.Class < 1 || t.Class >= buffer.Classes || !(t.Tail >= 0 && t.Tail <= 1) {
		return fmt.Errorf("trimming %+v: want queues of at least %d bytes, a class from 1 to %d, a probability from 0 to 1", *t, c.MaxPacket, buffer.Classes-1)
	}
	return nil
}

// newLengths makes the counters for trimming.
func newLengths(c *Config, ports int) []int32 {
	if c.Trim == nil {
		return nil
	}
	return make([]int32, ports*buffer.Classes)
}

// length returns how many bytes of a class wait at a port.
func (n *Network) length(p PortID, class uint8) *int32 {
	return &n.lengths[int(class)*len(n.ports)+int(p)]
}

// held returns how many bytes of a class count as waiting at a port.
func (e *Engine) held(out PortID, class uint8) unit.Bytes {
	n := unit.Bytes(*e.net.length(out, class))
	if e.net.sending != nil && e.busy(&e.ports[out]) && e.net.sending[out]&15 == int32(class) {
		n += unit.Bytes(e.net.sending[out] >> 4)
	}
	return n
}

// most returns how many bytes of a class may wait at a port.
func (n *Network) most(out PortID, class uint8) unit.Bytes {
	t := n.cfg.Trim
	most := t.Queue
	if class == t.Class {
		most = t.Headers
	}
	if t.Rate == 0 {
		return most
	}
	r := n.PortRate(out)
	if r >= t.Rate {
		return most
	}
	return scale(most, r, t.Rate)
}

// roomy reports whether the queue of its class has room for a packet.
func (e *Engine) roomy(out PortID, k *Packet) bool {
	return e.held(out, k.Class)+unit.Bytes(k.Size) <= e.net.most(out, k.Class)
}

// fit makes room for a packet that leaves a switch on port out, or trims it. It returns the port on
// which the packet leaves, and whether the packet still exists.
func (e *Engine) fit(at NodeID, out PortID, id PacketID, k *Packet) (PortID, bool) {
	if e.roomy(out, k) {
		return out, true
	}
	t := e.net.cfg.Trim
	if k.Kind == Data && k.Payload > 0 { // neither trimmed nor without data from the start
		draw := hash.Combine(e.net.salt^uint64(out)^trimSalt, k.tie)
		if t.Tail > 0 && draw <= threshold(t.Tail) && e.trimTail(at, out, k) {
			return out, true
		}
		if t.Drop {
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
	if e.ports[out].toHost {
		k.Flags |= FlagAtHost
	}
	k.Class = e.net.cfg.Trim.Class
}

// giveBack sends headers of a data packet that find no room at port out back to their source. Other
// packets, and headers that find no room on the way back, are dropped.
func (e *Engine) giveBack(at NodeID, out PortID, id PacketID, k *Packet) (PortID, bool) {
	if t := e.net.cfg.Trim; t.Return && !t.Drop && k.Kind == Data {
		k.Kind = Returned
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
	o := &e.ports[out]
	f := e.net.queue(out, k.Class)
	id := f.tail
	if f.head == NoPacket || e.pkts[id].Kind != Data || e.pkts[id].Payload == 0 {
		return false
	}
	x := &e.pkts[id]
	if e.held(out, k.Class)-unit.Bytes(x.Size)+unit.Bytes(k.Size) > e.net.most(out, k.Class) {
		return false
	}
	*e.net.length(out, k.Class) -= int32(x.Size)
	o.queued -= int32(x.Size)
	if f.head == id {
		f.head = NoPacket
		o.waiting &^= 1 << k.Class
	} else {
		before := f.head
		for e.pkts[before].next != id {
			before = e.pkts[before].next
		}
		e.pkts[before].next, f.tail = NoPacket, before
	}
	b := e.net.buffers[at]
	b.Leave(int(x.ingress), int(x.Class), unit.Bytes(x.Size))
	if e.net.cfg.Trim.Drop {
		e.giveBack(at, out, id, x)
		return true
	}
	e.trim(out, id, x)
	to, ok := out, true
	if !e.roomy(out, x) {
		to, ok = e.giveBack(at, out, id, x)
	}
	if ok {
		b.Arrive(int(x.ingress), int(x.Class), unit.Bytes(x.Size)) // as a smaller packet
		e.enqueue(to, &e.ports[to], id, x)
		if to != out {
			e.prompt(to, &e.ports[to])
		}
	}
	return true
}

// auditTrimming checks that no queue of a switch exceeds its limit. Reports have a separate class
// without a limit here.
func (e *Engine) auditTrimming(pi PortID, p *port, class uint8, length int32) {
	t := e.net.cfg.Trim
	if p.atHost || class == 0 {
		return
	}
	f := e.net.queue(pi, class)
	if f.head == NoPacket || e.pkts[f.head].Kind == Mirrored {
		return
	}
	most := e.net.most(pi, class)
	invariants.Check(unit.Bytes(length) <= most, "port %d: %d bytes of class %d wait, %d may", pi, length, class, most)
	for id := f.head; id != NoPacket; id = e.pkts[id].next {
		k := &e.pkts[id]
		invariants.Check(k.Flags&FlagTrimmed == 0 || k.Kind > Data || class == t.Class, "port %d: the headers of packet %d wait in class %d", pi, id, class)
	}
}
