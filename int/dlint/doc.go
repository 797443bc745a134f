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
// A packet carries one or a few values. Each value is the ID of a switch or a code (rules.go). Each switch has two bits
// of state for each direction of a flow. The first switch starts a cycle with INIT. Then the switches of the path add
// their IDs, one after the other. A RESET on a packet of the other direction ends the cycle. A hash of the 5-tuple
// chooses the cell that contains the state, so flows may share a cell and disturb each other.
//
// # CLINT
//
// CLINT has the rules of DLINT, but a controller assigns the cells. A switch reports a flow's first packet to the
// controller. Tracing begins when all switches of the path have an entry for the flow. The code PREPARE on a packet
// tests this.
//
// # PLINT
//
// Switches have no state. A packet carries its initial TTL, and pairs of a switch and its hop. Hop i replaces each pair
// with probability 1/i, so that all hops are equally likely, and a path of h switches takes h (1 + 1/2 + … + 1/h)
// packets on average: 275 for 59 switches. The authors' program rounds 1/i down to a whole percentage, so that some
// hops arrive less often: 59 switches take 335 packets, and no hop beyond the hundredth ever writes.
//
// # Choices
//
//   - The programs trace TCP only. Here all flows are traced, and also their ACKs. There is no handshake: the first
//     data packet of a flow, and each retransmission of it, stands for the SYN.
//   - With several values on a packet, a switch that INIT has made ready adds its ID to the same packet, and a packet
//     with RESET carries IDs in its other values. With one value, a packet with RESET carries nothing else, as in the
//     program.
//   - Sinks: the last switch reads the values before it removes them. With DLINT and CLINT a path begins with INIT, or
//     after the end of the previous path, and ends with the sink's own ID. With PLINT a path is known when the switch
//     of each hop is known. If a pair or a path length contradicts what is known, the path begins again. The authors
//     evaluate captures instead.
//   - The first ID at an unexpected place shows that a known path has changed. The place is the position in the cycle
//     or, with PLINT, the hop. With change: path, only a whole path that differs shows the change.
//   - As in the programs, only SYN and rule 6 repair a lost RESET; no timeout is published.
//   - CLINT's controller installs entries at intervals, without messages on the network, and never removes one: flows
//     that come when all cells are assigned are not traced. The programs act at ingress. Here all switches act at
//     egress.
//   - The key latency is our addition: each ID also carries the time of the packet in the switch, 4 B in ns.
//   - The authors' PLINT program for five values computes a header size that is two bytes too small. This error is not
//     repeated here.
package dlint
