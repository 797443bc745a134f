//go:build invariants

package netsim

// Look has an engine check itself.
func (e *Engine) Look() { e.audit.look(e) }

// Faults returns ways to break an engine by hand. Each needs the state that its test has
// set up: packets that wait at the port wait, and packets in flight to a switch on the
// link way, which the peer has paused.
func Faults(wait, way PortID) map[string]func(*Engine) {
	queued := func(e *Engine) PacketID { return e.net.queue(wait, 3).head }
	return map[string]func(*Engine){
		"a packet ends twice":     func(e *Engine) { id := queued(e); e.release(id); e.release(id) },
		"a packet is lost":        func(e *Engine) { f := &e.ports[way].flight; f.head = e.pkts[f.head].next },
		"an arrival is forgotten": func(e *Engine) { e.q.Cancel(e.net.arrival(way)) },
		"links overtake":          func(e *Engine) { e.pkts[e.ports[way].flight.tail].At = 0 },
		"a free packet waits":     func(e *Engine) { e.release(queued(e)) },
		"flow miscounted":         func(e *Engine) { e.live[0]++ },
		"counters":                func(e *Engine) { e.count.Delivered++ },
		"queue bytes":             func(e *Engine) { e.ports[wait].queued-- },
		"classes":                 func(e *Engine) { e.ports[wait].waiting = 1 << 5 },
		"asleep":                  func(e *Engine) { e.ports[wait].readySet = false; e.q.Cancel(e.net.ready(wait)) },
		"memory of the switch":    func(e *Engine) { e.net.buffers[e.ports[wait].node].Leave(0, 3, 1) },
		"pause forgotten":         func(e *Engine) { e.ports[way].paused = 0 },
		"time goes back":          func(e *Engine) { e.audit.at = e.now + 1; e.audit.tick(e) },
	}
}
