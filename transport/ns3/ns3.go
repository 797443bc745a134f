// Package ns3 reproduces the behaviour of the published HPCC and PINT simulator where that
// behaviour differs from our simulator and from the physics: the rounding of times, the completion
// time of a flow that is alone, the round of flows at a host (Rounds) and the order of starts
// (DelayStarts). Each of these implements an ordinary interface. Package pint/deploy contains the
// arithmetic of that simulator's switches.
//
// Format describes the file in which that simulator records a congestion control.
//
// Source: the HPCC-PINT artifact (github ProbabilisticINT/HPCC-PINT, commit
// 6ce45ef), as described in docs/trust.md.
package ns3

import (
	"math"
	"math/bits"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// floor converts a time in seconds as that simulator does: it truncates to 64.64 fixed point, then
// rounds down to whole nanoseconds. A whole number of nanoseconds often becomes one less.
func floor(seconds float64) unit.Time {
	whole := math.Floor(seconds)
	fraction := uint64((seconds - whole) * (1 << 32) * (1 << 32))
	hi, _ := bits.Mul64(fraction, 1_000_000_000)
	return (unit.Time(whole)*1_000_000_000 + unit.Time(hi)) * unit.Nanosecond
}

// TxTime returns the time to send n bytes, rounded by floor.
func TxTime(r unit.Rate, n unit.Bytes) unit.Time { return floor(float64(n) * 8 / float64(r)) }

// Start returns a start time in decimal seconds, rounded by floor.
func Start(t unit.Time) unit.Time { return floor(float64(t) / float64(unit.Second)) }

// PairOf returns the base RTT and the path rate that the simulator assumes for two hosts. Both
// values belong to the path through the first candidate at every node, whichever path a flow takes.
// The true values differ where equally short paths have unequal links.
func PairOf(n *netsim.Network, routes *route.Table, segment unit.Bytes, src, dst netsim.NodeID) (unit.Time, unit.Rate) {
	var path []netsim.PortID
	for at := src; at != dst; {
		p := routes.NextHops(at, dst)[0]
		path = append(path, p)
		at = p.To(routes.Graph())
	}
	return transport.PayloadRTT(n, segment, path, path), transport.PathRate(n, path)
}

// Standalone returns that simulator's completion time of a flow alone, in whole nanoseconds. It is
// the base RTT of the pair of hosts plus the time to send the flow with headers, but without
// telemetry, at the rate of the path. It counts one payload per link twice and ignores the time to
// send the ACK, so a flow can be faster than this time.
func Standalone(size, segment, header unit.Bytes, baseRTT unit.Time, rate unit.Rate) unit.Time {
	packets := (size + segment - 1) / segment
	wire := uint64(size+packets*header) * 8
	hi, lo := bits.Mul64(wire, 1_000_000_000)
	ns, _ := bits.Div64(hi, lo, uint64(rate))
	return unit.Time(baseRTT.Nanoseconds()+int64(ns)) * unit.Nanosecond
}

// FreePool returns the free part of a switch's shared memory as that simulator computes it: as an
// unsigned 32-bit difference. If headroom and reserves exceed the memory, the difference is huge,
// and no packet is ever paused or dropped.
func FreePool(pool, used unit.Bytes) unit.Bytes { return unit.Bytes(uint32(pool - used)) }
