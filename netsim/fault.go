package netsim

import (
	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// SetLink breaks or repairs a link. Packets on the wire of a broken link are lost, and so are packets put on it.
// Packets that wait at a switch for the broken link are dropped at once. Packets that arrive later for this link are
// dropped until Stack.Reroute returns another port. Each end forgets that the other end has paused it.
func (e *Engine) SetLink(link int, down bool) {
	for _, pi := range []PortID{PortID(2 * link), PortID(2*link + 1)} {
		e.breakFlight(pi)
		e.setPort(pi, down)
	}
	if !down {
		e.pauseAgain(PortID(2 * link))
		e.pauseAgain(PortID(2*link + 1))
	}
}

// breakFlight marks the packets on a link as lost.
func (e *Engine) breakFlight(pi PortID) {
	e.port(pi).special |= faulty
	e.s.arrivals(func(link PortID, id PacketID, _ unit.Time) {
		if link == pi {
			e.Packet(id).Flags |= flagBroken
		}
	})
}

// setPort breaks or repairs the sending end of a link.
func (e *Engine) setPort(pi PortID, down bool) {
	p := e.port(pi)
	p.special |= faulty // stays set, because the list of the link may still contain packets lost by the break
	e.net.infos[pi].down = down
	if !down {
		return
	}
	e.unpause(pi, ^uint8(0))
	if p.atHost {
		e.Kick(pi)
	} else {
		e.flush(pi, p)
	}
}

// pauseAgain repeats the PFC frames that the sender of a repaired link has missed.
func (e *Engine) pauseAgain(pi PortID) {
	p := e.port(pi)
	if p.toHost {
		return
	}
	for c := range buffer.Classes {
		if e.net.buffers[p.peer].Paused(int(p.ingress), c) {
			e.sendPause(pi, uint8(c), Pause)
		}
	}
}

// flush drops all packets that wait at a switch port.
func (e *Engine) flush(pi PortID, p *port) {
	for c := range buffer.Classes {
		for p.waiting>>c&1 != 0 {
			id := e.dequeue(pi, p, uint8(c))
			k := e.Packet(id)
			if k.Flags&flagOrigin != 0 {
				e.leaveOrigin(pi, k)
			} else if (k.Kind < Pause || k.Kind == Mirrored) && !e.net.cfg.KeepFlushed {
				if e.net.buffers[p.node].Leave(int(k.ingress), int(k.Class), unit.Bytes(k.Size)) {
					e.sendPause(e.net.entries[p.node][k.ingress], k.Class, Resume)
				}
			}
			e.net.losses[pi].Flushed++
			e.refuse(pi, id)
		}
	}
}

// HaltHost stops a host from sending, or lets it send again. The host still receives
// packets.
func (e *Engine) HaltHost(host NodeID, halted bool) {
	for pi := range e.ports {
		if p := &e.ports[pi]; p.atHost && p.node == host {
			p.special |= faulty
			e.net.infos[pi].halted = halted
			if !halted {
				e.Kick(PortID(pi))
			}
		}
	}
}
