// Package sketchint is SketchINT: INT whose records are compressed into sketches at the
// end hosts or at their switches, and a global analyzer that collects the sketches.
//
//	Yang et al., "SketchINT: Empowering INT with TowerSketch for Per-flow Per-switch
//	Measurement", sections III and V-B.
//
// # Parts
//
//	layer.go     the INT layer of a packet: 16 bits of hop count, 48 bits for each hop
//	group.go     the sketches of one agent and one period
//	shipment.go  a group as bytes, in jumbo frames of which some may be lost
//	monitor.go   switches, agents and analyzer in the simulated network
//	analyzer.go  the global tasks
//	truth.go     exact counts beside the sketches, to measure their errors
//
// Agents are at the hosts, or at the switches that connect hosts (§VI-A), where the INT layer then
// ends and hosts never see it. A pipeline cannot insert as CU does, so agents in switches have CM insertion.
//
// An agent has two groups: packets go into the active one while the idle one travels to the
// analyzer. They change places at the end of each period. What an agent has seen after the last whole period
// stays with it and is counted: a simulation ends with its last event, and nothing would carry the frames.
//
// # Lost reports
//
// Each agent numbers its frames, so the analyzer knows what is missing. A counter in a lost
// frame is read as overflowed: TowerSketch leaves it out, and the others still answer. Entries of
// the tables in a lost frame are lost. A frame that comes after the end of the next period is too late.
//
// # Differences from the SketchINT paper
//
//   - The simulator's switches have no latency of their own. Params.Pipeline is added to
//     the time in the queue, so that a latency is never zero.
//   - The SketchINT paper does not say which counters a bucket has. Here a bucket of the array with δ
//     bits has a frequency counter of δ bits and a latency counter of 32 bits, in ns, and
//     the average is taken from the bucket with the least frequency. With counters = apart it is as in the
//     code of the SketchINT paper: a sketch of packets by flow alone has a quarter of the memory, one of latencies by flow
//     and switch, with 24, 28 and 32 bits (CM: 32), the rest, and the average is the least sum over the least count.
//   - One hash table serves heavy hitters and heavy changes; its threshold is the smaller of
//     the two.
//   - An agent in a switch has one sketch of latencies, as one at a host; the SketchINT paper's pipeline has one for
//     each hop, since it can change a register once for each packet.
//   - Detours longer than any path of the unbroken network end without their last records.
package sketchint
