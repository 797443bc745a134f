//go:build invariants

package netsim

// Look checks the invariants of an engine.
func (e *Engine) Look() { e.s.audit.look(e.s) }

// Faults returns ways to break the state of an engine. Packets must wait at the port wait. On the link of the port way,
// packets must be in flight to a switch that has paused this port.
func Faults(wait, way PortID) map[string]func(*Engine) {
	queued := func(e *Engine) PacketID { return e.net.queue(wait, 3).head }
	flying := func(e *Engine) *mailbox {
		for w := range e.s.windows {
			if b := e.mailbox(int(e.ports[way].onward), w); b.block != nil {
				return b
			}
		}
		panic("nothing is on the way")
	}
	return map[string]func(*Engine){
		"a packet ends twice": func(e *Engine) { id := queued(e); e.release(id); e.release(id) },
		"a packet is lost":    func(e *Engine) { flying(e).left++ },
		"an arrival is late":  func(e *Engine) { b := flying(e); e.pkts[b.block.list[b.left].id].At++ },
		"a free packet waits": func(e *Engine) { e.release(queued(e)) },
		"flow miscounted":     func(e *Engine) { e.live[0]++ },
		"counters":            func(e *Engine) { e.count.Delivered++ },
		"queue bytes":         func(e *Engine) { e.ports[wait].queued-- },
		"classes":             func(e *Engine) { e.ports[wait].waiting = 1 << 5 },
		"asleep": func(e *Engine) {
			e.ports[wait].readySet = false
			e.s.domains[0].soon, e.s.domains[0].late = ring{}, nil
		},
		"memory of the switch": func(e *Engine) { e.net.buffers[e.ports[wait].node].Leave(0, 3, 1) },
		"pause forgotten":      func(e *Engine) { e.ports[way].paused = 0 },
		"time goes back":       func(e *Engine) { e.s.audit.at = e.s.start + 1; e.s.audit.tick(e.s) },
	}
}
