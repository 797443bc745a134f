// Package sketchint is SketchINT: end hosts, or the switches next to them, compress the records of
// INT into sketches, and a global analyzer collects the sketches.
//
//	Yang et al., "SketchINT: Empowering INT with TowerSketch for Per-flow Per-switch
//	Measurement", sections III and V-B.
//
// # Parts
//
//	layer.go     the INT layer of a packet: 16 bits of hop count, 48 bits for each hop, or 80 with drops
//	group.go     the sketches of one agent and one period
//	shipment.go  a group as bytes, in jumbo frames; some may be lost
//	monitor.go   switches, agents and analyzer in the simulated network
//	analyzer.go  the global tasks
//	drops.go     the packets that each switch drops
//	truth.go     exact counts in addition to the sketches, to measure their errors
//
// Agents are at the hosts, or at the switches that connect hosts (§VI-A). In switches, the INT layer
// ends there and hosts never see it; a pipeline cannot do CU insertion, so these agents use CM insertion.
//
// An agent has two groups. Packets go into the active group while the idle one travels to the
// analyzer. They swap at the end of each period. What an agent has seen after the last whole period
// stays with it and is counted, because the simulation ends with its last event and carries no more frames. A
// flow that starts two periods later lets the run collect it.
//
// # Lost reports
//
// Each agent numbers its frames, so the analyzer knows which are missing. It reads a counter in a
// missing frame as overflowed: TowerSketch ignores it, and the other counters still answer. Entries of
// the tables in a missing frame are lost. A frame that arrives after the end of the next period is too late.
//
// # Drops
//
// The SketchINT paper says in one clause that SketchINT also supports per-switch packet drops, as INT does (§V). It
// gives no field, no data structure and no number, and its published code has none. A record of its testbed has switch
// ID and latency (§VII-A), which is our default. With drops = true a record has 32 bits more: how many packets the
// switch has dropped since it started. Packets that a switch drops reach no agent, but later packets carry the
// counter. The counter belongs to a switch and not to a flow, so no sketch is needed: an agent stores the largest
// counter of each switch in 4 B, and ships these counters behind its tables. The analyzer takes the largest counter of
// all agents. The growth of this counter is the number of packets that the switch has dropped in the period. Drops
// after the last record of a period count in the next period. The same is true if the counters were in a lost frame.
//
// # Differences from the SketchINT paper
//
//   - The simulator's switches add no latency. Params.Pipeline is added to the time in the queue,
//     so that a latency is never zero.
//   - The SketchINT paper leaves open which counters a bucket has. Here a bucket of the array with δ bits has a
//     frequency counter of δ bits and a latency counter of 32 bits, in ns, and the bucket with the least frequency
//     gives the average. With counters = apart the memory is split as in the code of the SketchINT paper: a quarter for
//     a sketch of packets by flow, the rest for a sketch of latencies by flow and switch with 24, 28 and 32 bits (CM:
//     32). The average is the least sum divided by the least count.
//   - One hash table serves heavy hitters and heavy changes; its threshold is the smaller of
//     the two.
//   - An agent in a switch has one sketch of latencies, as at a host. The SketchINT paper's pipeline has one for each
//     hop (§VI-A: five), because a pipeline can change a register only once per packet. With latency_sketches = hops,
//     there is also a sketch for each hop, with an equal part of the memory. A flow's latency at a switch is then read
//     from the sketch of that switch's hop on the flow's path.
//   - A detour longer than any path of the unbroken network loses its last records.
package sketchint
