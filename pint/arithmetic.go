package pint

import "pintlab/netsim/unit"

// Arithmetic is the computation of a switch at one egress port, for HPCC or PowerTCP over PINT: it
// updates the utilisation U, or the power Γ, after each packet, and encodes it. approx.Exact and
// approx.ExactPower compute in float64. A bit-exact model of a programmable switch computes with
// its tables. An Arithmetic holds no state; the port holds U. So one Arithmetic can serve all ports
// of the same rate.
//
// U is a float64, because a float64 represents a fixed-point register of up to 53 bits exactly.
type Arithmetic interface {
	// Update returns U after one more packet left the port. tau is the time since the previous
	// packet left (unit.Never and u = 0 for the first packet). qlen is the remaining queue and size
	// the packet's size on the wire, in bytes. Update is called once per dequeued packet of any
	// kind, in the order of time. For Γ, size is the number of bytes that arrived within tau, and
	// there is no call if none arrived.
	Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64
	// Encode returns the code of u that a packet carries. For the same word, the code increases
	// with u. word is uniform and derived from the packet.
	Encode(u float64, word uint64) uint32
}
