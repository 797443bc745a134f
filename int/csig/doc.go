// Package csig is CSIG, congestion signalling in band: a tag of fixed size that keeps the worst hop of a path. Every
// switch compares the value in the tag with its own and writes its own if that is worse, with a locator that says where.
// The receiver reflects the tag to the sender.
//
//	Ravi, Dukkipati, Mehta, Kumar, "Congestion Signaling (CSIG)", draft-ravi-ippm-csig-01, 2024.
//	"Congestion Signaling SAI Specification", UEC Management WG, SAI 1.18, 2025.
//	CsigTestUtils of FBOSS: an encoder and decoder of the compact tag.
//
// # Tags
//
// Bits, from the most significant on; the compact layout is that of FBOSS, the wide one that of UEC's SAI
// specification, as others describe it:
//
//	compact, 4 B   type 16   T 3    R 1    S 5   LM 7
//	wide, 8 B      type 16   LM 16  T 4    S 20  R 8
//
// T is the signal: 0 min(ABW), 1 min(ABW/C), 2 max(PD), 3 max(nQD). S is the bucket of the value, LM the locator. Sources
// write the best value: all ones of available bandwidth, 0 of delay and queue. R is 0.
//
// # Signals
//
// A port counts the bytes that it sends in windows of one length, the same in all of the network. ABW is what its link
// could have sent besides in the last full window, ABW/C the share of the link's rate. PD is the time from the
// arrival of the packet to its departure. nQD is the queue that the packet leaves behind, in the time that the link takes
// for it. A bucket stands for its lower bound of ABW and its upper bound of delay, so that no value is better than the truth.
//
// # Who reads it
//
// HPCC reads 1 − ABW/C as the utilisation of the busiest link. That is at most 1: unlike INT and PINT it has no queue in
// it, so HPCC divides an overloaded path's window by 1/η at most. Swift and TIMELY read max(PD) in place of the queueing
// delay of the round trip (cc.signal: hop), or nQD. The two alternate on the packets of a flow with signal: alternate. CSIG does not
// know the utilisation of each hop, nor PowerTCP's power. No control reads min(ABW), which does not say of which rate.
//
// # Choices
//
// The sources leave open: where the quanta lie (Params), what a locator says, windows or averages (windows that follow each
// other), the second EtherType, and how a sender reacts. A switch that does not know CSIG is invisible in the tag, or strips
// it; without a tag the sender learns nothing, which is not an idle path. Reflection costs the size of the tag in ACKs.
package csig
