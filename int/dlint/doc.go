// Package dlint implements three ways to trace the paths of flows with a few bytes on a packet: DLINT, PLINT and CLINT.
// PINT is compared with them.
//
//	Papadopoulos, Papadimitriou, Papagianni, "Deterministic and Probabilistic P4-Enabled Lightweight In-Band
//	Network Telemetry", IEEE TNSM 2023 (DLINT, PLINT).
//	Papadopoulos, Papadimitriou, IEEE Access 2024, doi:10.1109/ACCESS.2024.3385674 (CLINT).
//
// The procedures follow the authors' P4 programs (github kpapd/LightINT, 3f9d44b).
//
// # DLINT
//
// A packet carries one value or a few, each the ID of a switch or a code (rules.go). Each switch has two bits of state
// for each direction of a flow. The first switch starts a cycle with INIT, the switches of the path then add their IDs,
// one after the other, and a RESET on a packet of the other direction ends the cycle. The state is in cells that a hash
// of the 5-tuple chooses, so that flows may share a cell and disturb each other.
//
// # CLINT
//
// CLINT has the rules of DLINT, but a controller assigns the cells. A switch reports a flow's first packet to it, and
// tracing begins when all switches of the path have an entry for the flow. A PREPARE finds this out.
//
// # PLINT
//
// Switches have no state. A packet carries the TTL that it began with and pairs of a switch and its hop. Hop i replaces
// each pair with probability 1/i, so that all hops are equally likely.
//
// # Choices
//
//   - The programs trace TCP only. Here all flows are traced, and also their ACKs. There is no handshake: the first
//     data packet of a flow, and each retransmission of it, stands for the SYN.
//   - With several values, a switch that an INIT makes ready adds its ID to the same packet, and a RESET leaves the
//     other values of its packet to IDs. With one value, a packet with RESET carries nothing else, as in the program.
//   - Sinks: the last switch reads the values before it removes them. With DLINT and CLINT a path begins with INIT, or
//     behind the last one, and ends with the sink's own ID. With PLINT it is known when each hop has a switch; a pair
//     or a length that contradicts what is known begins the path again. The authors evaluate captures instead.
//   - A change of a known path shows by the first ID that is not at its place, the place in the cycle or the hop of
//     PLINT. With change: path it shows only by a whole path that differs.
//   - As in the programs, only SYN and rule 6 repair a lost RESET; no timeout is published.
//   - CLINT's controller installs entries at intervals, without messages on the network, and never removes one: flows
//     that come when all cells are assigned are not traced. The programs act at ingress, here all do at egress.
//   - latency is ours: each ID also carries the time of the packet in the switch, 4 B in ns.
//   - PLINT's program for five values counts its header two bytes too short, which is left out.
package dlint
