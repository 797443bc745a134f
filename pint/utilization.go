package pint

import (
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Utilization is the switch side of HPCC over PINT (§4.3, example 3): each egress
// port keeps U, and a packet carries the largest code of the ports that it has
// passed. It implements netsim.Tap.
type Utilization struct {
	ports []utilizationPort
	opt   UtilizationOptions
	place place
}

type utilizationPort struct {
	arith Arithmetic
	u     float64
	last  unit.Time
	size  unit.Bytes // of the last packet
	seen  bool
}

// UtilizationOptions are the choices of a Utilization.
type UtilizationOptions struct {
	Seed uint64
	// Carries says whether the packet with the given key carries the query; nil
	// means that every packet does. U is updated by every packet anyway.
	Carries func(key uint64) bool
	// Shift and Mask say where in the digest the code is.
	Shift uint
	Mask  uint64

	// DataOnly updates U only when a data packet leaves. The link time that acknowledgements
	// took is then lost, as in the published simulator.
	DataOnly bool
	// Previous charges an interval to the packet sent at its beginning instead of
	// the one at its end, and counts the time before the first packet as idle: also
	// the published simulator's way.
	Previous bool
}

// NewUtilization makes the tap for a network with the given number of ports. arith
// gives the arithmetic of each.
func NewUtilization(ports int, arith func(netsim.PortID) Arithmetic, o UtilizationOptions) *Utilization {
	t := &Utilization{
		ports: make([]utilizationPort, ports), opt: o,
		place: place{carries: o.Carries, shift: o.Shift, mask: o.Mask, salt: hash.Combine(hash.String("pint/utilization"), o.Seed)},
	}
	for i := range t.ports {
		t.ports[i].arith = arith(netsim.PortID(i))
	}
	return t
}

// U returns the utilisation that the switch holds for a port.
func (t *Utilization) U(p netsim.PortID) float64 { return t.ports[p].u }

// Dequeue updates U and writes it on data packets.
func (t *Utilization) Dequeue(h *netsim.Hop) {
	p, k := &t.ports[h.Port], h.Packet
	data := k.Kind == netsim.Data
	size := unit.Bytes(k.Size)
	if data || !t.opt.DataOnly {
		tau, charged := unit.Never, size
		if p.seen {
			tau = h.Now - p.last
		}
		if t.opt.Previous {
			tau, charged = h.Now-p.last, p.size
		}
		p.u = p.arith.Update(p.u, tau, h.Queue, charged)
	}
	p.last, p.size, p.seen = h.Now, size, true
	if !data {
		return
	}
	if word, ok := t.place.word(h); ok {
		t.place.raise(k, p.arith.Encode(p.u, word))
	}
}
