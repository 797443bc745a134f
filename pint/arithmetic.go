package pint

import "pintlab/netsim/unit"

// Arithmetic is how the switch computes at one egress port, for HPCC or PowerTCP over PINT:
// the utilisation U, or the power Γ, after each packet, and its code. approx.Exact and
// approx.ExactPower compute in float64; a bit-exact model of a programmable switch computes as
// its tables do. An Arithmetic holds no state. The port keeps U, so one Arithmetic can serve
// all ports of the same rate.
//
// U travels as a float64. A fixed-point register of up to 53 bits fits it exactly.
type Arithmetic interface {
	// Update returns U after one more packet left the port: tau after the packet before it
	// (unit.Never and u = 0 for the first one), with qlen bytes left in the queue and size
	// bytes on the wire. It is called once per dequeued packet of any kind, in the order of
	// time. For Γ, size is what arrived within tau, and there is no call if nothing arrived.
	Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64
	// Encode returns the code of u that a packet carries, greater for greater u under
	// the same word. word is uniform, derived from the packet.
	Encode(u float64, word uint64) uint32
}
