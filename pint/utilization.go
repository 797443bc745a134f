package pint

import (
	"pintlab/internal/hash"
	"pintlab/internal/mem"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Utilization is the switch side of HPCC over PINT (§4.3, example 3). Each egress port stores U. A
// packet carries the largest code of the ports on its path. Utilization implements netsim.Tap.
type Utilization struct {
	ports    []utilizationPort
	opt      UtilizationOptions
	position position
}

type utilizationPort struct {
	arith Arithmetic
	u     float64
	last  unit.Time
	size  unit.Bytes // size of the last packet
	seen  bool
}

// UtilizationOptions are the settings of a Utilization.
type UtilizationOptions struct {
	Seed uint64
	// Carries reports whether the packet with this key carries the query; nil means that every
	// packet does. Every packet updates U in any case.
	Carries func(key uint64) bool
	// Shift and Mask give the position of the code in the digest.
	Shift uint
	Mask  uint64

	// DataOnly updates U only when a data packet leaves. Then U misses the link time of
	// acknowledgements, as in the published simulator.
	DataOnly bool
	// Previous charges an interval to the packet at its beginning instead of the packet at its end,
	// and counts the time before the first packet as idle, as in the published simulator.
	Previous bool
}

// NewUtilization makes the tap for a network with this number of ports. arith returns the
// arithmetic of each port.
func NewUtilization(ports int, arith func(netsim.PortID) Arithmetic, o UtilizationOptions) *Utilization {
	t := &Utilization{
		ports: make([]utilizationPort, ports), opt: o,
		position: position{
			carries: o.Carries, shift: o.Shift, mask: o.Mask,
			salt: hash.Combine(hash.String("pint/utilization"), o.Seed),
		},
	}
	for i := range t.ports {
		t.ports[i].arith = arith(netsim.PortID(i))
	}
	return t
}

// U returns the utilisation of a port as the switch stores it.
func (t *Utilization) U(p netsim.PortID) float64 { return t.ports[p].u }

// Dequeue updates U and writes it on data packets.
func (t *Utilization) Dequeue(h *netsim.Hop) {
	p, k := mem.At(t.ports, h.Port), h.Packet
	tau, charged := h.Now-p.last, unit.Bytes(k.Size)
	if t.opt.Previous {
		charged = p.size
	} else if !p.seen {
		tau = unit.Never
	}
	p.last, p.size, p.seen = h.Now, unit.Bytes(k.Size), true
	if k.Kind != netsim.Data {
		if !t.opt.DataOnly {
			p.u = p.arith.Update(p.u, tau, h.Queue, charged)
		}
		return
	}
	p.u = p.arith.Update(p.u, tau, h.Queue, charged)
	if word, ok := t.position.word(h); ok {
		t.position.raise(k, p.arith.Encode(p.u, word))
	}
}
