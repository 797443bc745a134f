package pint

import (
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Power is the switch side of PowerTCP over PINT. Each egress port stores Γ, the power of its link
// averaged over T. A packet carries the largest code of the ports on its path. Power implements
// netsim.Tap.
//
// The current is measured between departures. Arrivals are the change of the queue plus the
// departing packet. An interval without arrivals is added to the next interval with arrivals, as in
// a sender that reads INT (package powertcp). While a queue drains, such a wait counts as at most
// PowerOptions.Drain. In this time, senders with more bytes in flight than their window send
// nothing. If Γ decayed, their windows would grow at once.
type Power struct {
	ports    []powerPort
	drain    unit.Time
	position position
}

type powerPort struct {
	arith Arithmetic
	p     float64
	last  unit.Time  // time of the last arrival
	queue unit.Bytes // queue after the last packet has left
	seen  bool
}

// PowerOptions are the settings of a Power.
type PowerOptions struct {
	Seed uint64
	// Drain is the longest wait that counts while a queue drains. Package deploy sets an eighth of
	// T.
	Drain unit.Time
	// Carries reports whether the packet with this key carries the query; nil means that every
	// packet does. Every packet updates Γ in any case.
	Carries func(key uint64) bool
	Mask    uint64 // mask of the code in the digest
}

// NewPower makes the tap for a network with this number of ports. arith returns the arithmetic of
// each port. The tap passes the arrived bytes to Update instead of a packet's size.
func NewPower(ports int, arith func(netsim.PortID) Arithmetic, o PowerOptions) *Power {
	t := &Power{
		ports: make([]powerPort, ports), drain: o.Drain,
		position: position{carries: o.Carries, mask: o.Mask, salt: hash.Combine(hash.String("pint/power"), o.Seed)},
	}
	for i := range t.ports {
		t.ports[i].arith = arith(netsim.PortID(i))
	}
	return t
}

// Dequeue updates Γ and writes it on data packets.
func (t *Power) Dequeue(h *netsim.Hop) {
	p, k := &t.ports[h.Port], h.Packet
	if came := h.Queue - p.queue + unit.Bytes(k.Size); came > 0 {
		tau := unit.Never
		if p.seen {
			tau = h.Now - p.last
			if p.queue > 0 {
				tau = min(tau, t.drain)
			}
		}
		p.p = p.arith.Update(p.p, tau, h.Queue, came)
		p.last, p.seen = h.Now, true
	}
	p.queue = h.Queue
	if k.Kind != netsim.Data {
		return
	}
	if word, ok := t.position.word(h); ok {
		t.position.raise(k, p.arith.Encode(p.p, word))
	}
}
