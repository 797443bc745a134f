package netsim

// sendPause pauses or resumes a class on port in: it sends a frame to the node that sends on this port. The frame goes
// out on the reverse port, in class 0, and uses no switch memory.
func (e *Engine) sendPause(in PortID, class uint8, kind Kind) {
	id := e.allocate()
	e.count.Injected++
	k := e.Packet(id)
	k.Kind, k.Class, k.Flow = kind, 0, int32(class)
	k.Size, k.Payload = uint16(e.net.cfg.PFC.Frame), 0
	k.Digest, k.Hop, k.Hops, k.Flags = 0, 0, 0, 0
	if kind == Pause {
		e.count.Pauses++
	}
	if e.net.cfg.Draws != nil {
		e.net.cfg.Draws.Frame()
	}
	out := in ^ 1
	e.enqueue(out, e.port(out), id, k)
	e.prompt(out, e.port(out))
}

// pauseFrame handles a PFC frame that arrives on port pi. The frame pauses or resumes a class on the reverse port.
func (e *Engine) pauseFrame(pi PortID, id PacketID, k *Packet) {
	bit := uint8(1) << k.Flow
	kind := k.Kind
	e.Free(id)
	if e.net.cfg.OnPFC != nil {
		e.net.cfg.OnPFC(e.now, pi, kind)
	}
	rev := pi ^ 1
	p := e.port(rev)
	if kind == Pause {
		info := &e.net.infos[rev]
		if p.stopped() == 0 {
			info.pausedAt = e.now
		}
		if p.atHost && e.net.cfg.FreeAcks {
			p.held |= bit
		} else {
			p.paused |= bit
		}
		info.pauses++
		return
	}
	e.unpause(rev, bit)
	if p.atHost {
		e.Kick(rev)
	} else {
		e.prompt(rev, p)
	}
}

// unpause lets a port send classes again.
func (e *Engine) unpause(pi PortID, classes uint8) {
	p := e.port(pi)
	if p.stopped() == 0 {
		return
	}
	p.paused &^= classes
	if p.held &^= classes; p.stopped() == 0 {
		info := &e.net.infos[pi]
		info.pausedIn += e.now - info.pausedAt
	}
}
