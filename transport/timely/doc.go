// Package timely is TIMELY, congestion control from round-trip times.
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
//	T_low    Params.Low          below it the rate rises
//	T_high   Params.High         above it the rate falls, whatever the gradient
//	minRTT   Params.MinRTT       by which the gradient is normalised
//	N        Params.HyperAfter   completions in a row with a gradient of 0 or less after
//	                             which hyper increase adds 5·δ
//	RTT_ref  Params.Reference    RTT that patched TIMELY settles at
//
// # Variants
//
// Variant paper is Algorithm 1, run once for each completion of Segment acknowledged bytes
// (16 KB; the TIMELY paper's messages are 16 to 64 KB). Variant patched takes the place of its last
// two cases: with weight w(g) = 0 below g = −1/4, 1 above 1/4 and 2g + 1/2 between, the new
// rate is δ·(1−w) + rate·(1 − β·w·(RTT − RTT_ref)/RTT_ref).
//
// What differs from the papers:
//
//   - A flow begins at line rate. The TIMELY paper's NIC divides the line by its number of flows,
//     of which a controller knows nothing.
//   - RTT is that of the last packet of a segment, from the start of its transmission to
//     the arrival of its ACK; the TIMELY paper takes the time to send the segment off the time of a
//     completion, which comes to the same.
//
// Variant ns3 is what the published HPCC simulator has (CC_MODE 7): an update for each
// window of data instead of for each segment, hyper increase with an amount of its own,
// after five increases in a row of either kind, and increases for RTTs below T_low among
// them. There is a window as well if Params.Window says so.
package timely
