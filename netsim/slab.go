package netsim

import (
	"pintlab/internal/invariants"
	"pintlab/internal/mem"
)

// Packet returns the packet with the given id. The pointer is valid until the next packet is made.
func (e *Engine) Packet(id PacketID) *Packet { return mem.At(e.pkts, id) }

// Telemetry returns the telemetry stack of the packet, oldest hop first. It is valid until the next
// packet is made.
func (e *Engine) Telemetry(id PacketID) []PortSample {
	hops := int(e.Packet(id).Hops)
	if hops == 0 || hops == unread {
		return nil
	}
	return e.stacks[int(id)*e.depth:][:hops]
}

// unread is the value of Packet.Hops for a packet whose telemetry is not stored because it will not
// be read.
const unread = 255

// Unread reports to the engine that the transport will not read the telemetry of a packet that it has made. If no sink,
// watcher or observer reads the telemetry either, the engine does not store it. The size of the packet on the wire does
// not change.
func (e *Engine) Unread(id PacketID) {
	if len(e.sinks)+len(e.watchers) == 0 && e.observer == nil {
		e.Packet(id).Hops = unread
	}
}

// Options returns the transport's part of a packet (Config.Options). In a new packet it holds the
// bytes of the previous packet in this slab entry. It is valid until the next packet is made.
func (e *Engine) Options(id PacketID) []byte {
	c := &e.net.cfg
	at := int(id)*e.net.aside + c.Cargo
	end := at + c.Options
	return e.cargos[at:end:end]
}

// Make makes a packet of the flow in a slot. It sets Flow and clears Digest, Hop, Hops, Flags and
// Path. The other fields keep the values of the previous packet in this slab entry, which depend on
// the number of engines.
func (e *Engine) Make(slot int32) PacketID {
	id := e.allocate()
	p := e.Packet(id)
	p.Flow, p.Digest, p.Hop, p.Hops, p.Flags, p.Path = slot, 0, 0, 0, 0, 0
	*mem.At(e.live, slot)++
	e.count.Injected++
	return id
}

// allocate takes an entry from the free list, or grows the slab.
func (e *Engine) allocate() PacketID {
	if e.free == NoPacket && e.s.pool != nil {
		e.s.stock(e)
	}
	id := e.free
	if id == NoPacket {
		id = PacketID(len(e.pkts))
		e.pkts = extended(e.pkts, int(id)+1, e.net.cfg.Crowd)
		if need := cap(e.pkts) * e.net.aside; len(e.cargos) < need {
			s := mem.Make[byte](need, need)
			copy(s, e.cargos)
			e.cargos = s
		}
	} else {
		e.free = e.Packet(id).next
		if e.spare--; e.spare < e.s.least {
			e.limit = 0
		}
		if invariants.Enabled {
			e.reuse(id)
		}
	}
	return id
}

// Free ends a packet that has been delivered.
func (e *Engine) Free(id PacketID) {
	e.count.Delivered++
	e.end(id)
}

// end ends a packet and returns its slab entry to the free list.
func (e *Engine) end(id PacketID) {
	if invariants.Enabled {
		e.s.audit.goodbye(e.Packet(id))
	}
	if k := e.Packet(id); k.Kind < Pause {
		*mem.At(e.live, k.Flow)--
	}
	e.release(id)
}

func (e *Engine) release(id PacketID) {
	if invariants.Enabled {
		e.poison(id)
	}
	e.Packet(id).next = e.free
	e.free = id
	e.spare++
}

// Reflect turns a delivered packet into a new one in the same slab entry, with the same telemetry.
// Receivers use it to echo a packet.
func (e *Engine) Reflect(id PacketID) {
	if invariants.Enabled {
		e.s.audit.goodbye(e.Packet(id))
	}
	e.count.Delivered++
	e.count.Injected++
	e.Packet(id).Hop = 0
}
