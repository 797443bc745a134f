// Package timely implements TIMELY, a congestion control that reacts to round-trip times.
//
//	Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter",
//	SIGCOMM 2015, Algorithm 1 and §4.3.
//	Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
//	CoNEXT 2016, §4.3 (patched TIMELY).
//
// # Symbols
//
//	paper    here                meaning
//	α        Params.Alpha        weight of the newest difference of RTTs
//	β        Params.Beta         multiplicative decrease
//	δ        Params.RateAI       additive increase
//	T_low    Params.Low          below it the rate increases
//	T_high   Params.High         above it the rate decreases, whatever the gradient
//	minRTT   Params.MinRTT       by which the gradient is normalised
//	N        Params.HyperAfter   completions in a row with a gradient of 0 or less after
//	                             which hyper increase adds 5·δ
//	RTT_ref  Params.Reference    RTT that patched TIMELY settles at
//
// # Variants
//
// Variant paper is Algorithm 1. It runs once per Segment acknowledged bytes (16 KB; the messages of
// the TIMELY paper have 16 to 64 KB). Variant patched replaces its last two cases. With weight w(g)
// = 0 below g = −1/4, 1 above 1/4 and 2g + 1/2 between, the new rate is δ·(1−w) + rate·(1 −
// β·w·(RTT − RTT_ref)/RTT_ref).
//
// The differences from the papers are:
//
//   - A flow begins at line rate. The NIC of the TIMELY paper divides the line rate by its number
//     of flows. A controller here does not know this number.
//   - RTT is measured on the last packet of a segment, from the start of its transmission to the
//     arrival of its ACK. The TIMELY paper subtracts the time to send the segment from its
//     completion time, which is the same.
//
// Variant ns3 is the TIMELY of the published HPCC simulator (CC_MODE 7). It updates the rate once
// per window of data instead of once per segment. Hyper increase has its own step and begins after
// five successive increases of any kind, including those for RTTs below T_low. Params.Window adds a
// window.
package timely
