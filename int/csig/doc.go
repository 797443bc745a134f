// Package csig is CSIG, congestion signalling in band: a tag of fixed size that keeps the worst hop of a path.
// Every switch compares the value in the tag with its own. If its own is worse, it writes that value and a
// locator of the hop. The receiver reflects the tag to the sender.
//
//	Ravi, Dukkipati, Mehta, Kumar, "Congestion Signaling (CSIG)", draft-ravi-ippm-csig-01, 2024.
//	"Congestion Signaling SAI Specification", UEC Management WG, SAI 1.18, 2025.
//	CsigTestUtils of FBOSS: an encoder and decoder of the compact tag.
//
// # Tags
//
// The fields are listed from the most significant bit on. The compact layout is FBOSS's. The wide layout is
// from UEC's SAI specification, as secondary sources describe it:
//
//	compact, 4 B   type 16   T 3    R 1    S 5   LM 7
//	wide, 8 B      type 16   LM 16  T 4    S 20  R 8
//
// T is the signal: 0 min(ABW), 1 min(ABW/C), 2 max(PD), 3 max(nQD). S is the bucket of the value, LM the
// locator. Sources write the best value: all ones of available bandwidth, 0 of delay and queue. R is 0.
//
// # Signals
//
// A port counts the bytes that it sends in each window. All windows of the network have the same length. ABW is
// the rate that its link left unused in the last full window, ABW/C the share of the link's rate. PD is the
// time from the arrival of the packet to its departure. nQD is the time that the link needs to send the queue
// behind the packet. The value of a bucket is its lower bound for ABW and its upper bound for a delay, so no
// value is better than the truth.
//
// # Who reads it
//
// HPCC reads 1 − ABW/C as the utilisation of the busiest link. This is at most 1, because unlike the
// utilisation of INT and PINT it includes no queue. HPCC therefore divides an overloaded path's window by 1/η
// at most. Swift and TIMELY read max(PD) or nQD in place of the queueing delay of the round trip (cc.signal:
// hop). With signal: alternate, the packets of a flow carry ABW/C and PD in turn. CSIG carries neither the
// utilisation of each hop nor PowerTCP's power. No control reads min(ABW), because the tag does not carry the
// rate of that link.
//
// # Choices
//
// The sources leave open the bounds of the buckets (Params), the meaning of a locator, whether to use windows
// or averages (here consecutive windows), the second EtherType, and how a sender reacts. A switch that does not
// know CSIG either strips the tag or forwards it unchanged. In the second case, the tag does not show that this
// hop is missing. Without a tag the sender learns nothing. It does not assume that the path is idle. Reflection
// adds the size of the tag to ACKs.
package csig
