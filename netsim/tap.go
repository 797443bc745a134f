package netsim

import (
	"pintlab/internal/hugepage"
	"pintlab/netsim/unit"
)

// Tap sees every packet that leaves an egress queue of a switch and may change
// its telemetry: Packet.Digest, the stack, and the bytes that they cost on the
// wire (Packet.Size). It is called after the packet has left the queue and before
// its transmission begins.
//
// With Config.Divide a tap may keep state for each port and no other state, because the calls
// for ports of different nodes are not in the order of time, and several workers make them.
type Tap interface {
	Dequeue(h *Hop)
}

// Sink sees every data packet that reaches its destination host, before the
// transport does. p and stack are good during the call only.
//
// Several workers call the same sink at the same time, for the hosts of different places
// (NewEngine): a sink may keep state for each host, or for each
// flow by its receiver, and nothing else that is not safe to share. The calls for one
// host come in the order of time, with any number of workers. With one place all calls do.
type Sink interface {
	Deliver(now unit.Time, host NodeID, p *Packet, stack []PortSample)
}

// Hop is a packet at a switch, as a Tap sees it. It is valid during the call only.
type Hop struct {
	Now    unit.Time // when the packet left the queue
	Switch NodeID
	Port   PortID     // egress
	Number int        // switches passed before this one
	Queue  unit.Bytes // left in the port's queues, all classes
	Sent   unit.Bytes // by the port before this packet, all kinds
	Packet *Packet    // Packet.At is when it came into the switch

	engine *Engine
	id     PacketID
	cargo  []byte
	key    uint64 // Key, once a tap has asked for it
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

// growStacks makes room for the telemetry of all packets. There is none before the first entry.
func (e *Engine) growStacks() {
	need := cap(e.pkts) * e.depth
	s := hugepage.Make[PortSample](need, need)
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

// From returns the port by which the node before sent the packet: the other end of the ingress
// port. It is NoPort if the packet is not on the path of its flow: after a change of routes,
// behind a switch that forwards wrongly, and with balancing by packet.
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
func (h *Hop) FlowKey() uint64 { return h.engine.net.flows[h.Packet.Flow].key }
