package netsim

import (
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// Tap sees every packet that leaves an egress queue of a switch. It may change the packet's
// telemetry: Packet.Digest, the stack, and their size on the wire (Packet.Size). It is called after
// the packet has left the queue and before its transmission begins.
//
// With Config.Divide or several workers, a tap may keep state per switch and no other state. Calls for
// different switches are not in the order of time, and several workers make them.
type Tap interface {
	Dequeue(h *Hop)
}

// tapList calls several taps in order.
type tapList []Tap

func (l tapList) Dequeue(h *Hop) {
	for _, t := range l {
		t.Dequeue(h)
	}
}

// Stamp is a Tap whose work may be limited to pushing the state of the port onto the stack of each data packet. If
// Exact reports that the work is limited to this, and there is no other Tap, the engine writes most entries itself.
type Stamp interface {
	Tap
	Exact() bool
}

// Discards is a Tap that also sees the packets that end in a switch, because a port has no room for them or its link is
// broken, or because the switch has no path for them.
type Discards interface {
	Tap
	// Discard sees a packet before it ends. Hop.Port is the port that refuses it, or NoPort; Queue and Sent are 0.
	Discard(h *Hop)
}

// discard shows the taps a packet that ends in a switch. Reports are not shown: a tap may be sending one.
func (e *Engine) discard(at NodeID, out PortID, id PacketID) {
	k := e.Packet(id)
	if len(e.discards) == 0 || k.Kind >= Pause {
		return
	}
	h := &e.hop
	h.Now, h.Switch, h.Port = e.now, at, out
	h.Number, h.Queue, h.Sent = int(k.Hop), 0, 0
	h.Packet, h.id, h.keyed = k, id, false
	if e.net.room > 0 {
		h.cargo = e.cargo(id)
	}
	for _, t := range e.discards {
		t.Discard(h)
	}
}

// Sink sees every data packet that reaches its destination host, before the transport does. p and
// stack are valid during the call only.
//
// Several workers call the same sink at the same time, for the hosts of different domains (NewEngine). A sink may keep
// state per host, or per flow at its receiver. Other state must be safe to share. Calls for one host come in the order
// of time, with any number of workers. If the network is one domain, all calls come in this order.
type Sink interface {
	Deliver(now unit.Time, host NodeID, p *Packet, stack []PortSample)
}

// Hop describes a packet at a switch for a Tap. It is valid during the call only.
type Hop struct {
	Now    unit.Time // when the packet left the queue
	Switch NodeID
	Port   PortID     // egress
	Number int        // number of switches passed before this one
	Queue  unit.Bytes // bytes left in the port's queues, all classes
	Sent   unit.Bytes // bytes sent by the port before this packet, all kinds
	Packet *Packet    // Packet.At is the time of its arrival at the switch

	engine *Engine
	id     PacketID
	cargo  []byte
	key    uint64 // result of Key, kept after the first call
	keyed  bool
}

// Push appends an entry to the packet's telemetry stack. It reports false, and
// does nothing, if the stack is full (Config.StackDepth).
func (h *Hop) Push(s PortSample) bool {
	e, p := h.engine, h.Packet
	if int(p.Hops) >= e.depth {
		return p.Hops == unread && int(p.Hop) < e.depth
	}
	at := int(h.id)*e.depth + int(p.Hops)
	if at >= len(e.stacks) {
		e.growStacks()
	}
	e.stacks[at] = s
	p.Hops++
	return true
}

// growStacks makes room for the telemetry of all packets. No memory is used before the first entry.
func (e *Engine) growStacks() {
	need := cap(e.pkts) * e.depth
	s := mem.Make[PortSample](need, need)
	copy(s, e.stacks)
	e.stacks = s
}

// Rate returns the rate of the egress link.
func (h *Hop) Rate() unit.Rate { return h.engine.net.infos[h.Port].rate }

// Key returns the packet's identifier for global hashes.
func (h *Hop) Key() uint64 {
	if !h.keyed {
		h.key, h.keyed = PacketKey(h.FlowKey(), h.Packet.ID), true
	}
	return h.key
}

// From returns the port on which the previous node sent the packet: the other end of the ingress
// port. It is NoPort if the packet is not on the path of its flow: after a route change, behind a
// switch that forwards wrongly, and with per-packet balancing.
func (h *Hop) From() PortID {
	n := h.engine.net
	if h.Number >= n.followed {
		return NoPort
	}
	at := int(h.Packet.Flow)*2*n.stride + h.Number
	if h.Packet.Kind != Data {
		at += n.stride
	}
	if from := n.paths[at]; from != NoPort && n.ports[from].peer == h.Switch {
		return from
	}
	return NoPort
}

// FlowKey identifies the flow of the packet.
func (h *Hop) FlowKey() uint64 { return mem.At(h.engine.net.flows, h.Packet.Flow).key }
