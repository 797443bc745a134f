// Package routechange detects that a flow has changed its path, and separates the packets of flows
// that use several paths at the same time.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 7, "Tracing flows with multipath routing".
//
// # Where each part is
//
//	monitor.go   compares a digest with the known path
//	chance.go    probability of detection, per packet and after n packets
//	tracker.go   decodes a path, watches it, and starts again after a change (flowlets)
//	checksum.go  a path checksum on packets, and a decoder per checksum
//
// # What a digest can reveal
//
// If all acting hops of a digest are known, exactly one digest is consistent with the path. A
// Baseline packet has one acting hop. If that hop's switch changed, the digest differs with
// probability 1 − 2^-q for q bits, as the PINT paper says. XOR packets also reveal a change, if no
// unknown hop acts and a changed hop acts. A digest that the path explains never counts as a
// change, so there are no false alarms as long as digests are not corrupted.
//
// # Differences from the PINT paper
//
//   - The PINT paper considers only Baseline packets; this package also uses XOR packets.
//   - The PINT paper mentions the checksum in half a sentence. Here every hop XORs in a hash of
//     (switch, hop number), which does not depend on the packet. So packets over the same path
//     carry the same checksum, and two given paths have the same s-bit checksum with probability
//     2^-s. In a plan, this checksum is the aggregation checksum of switch_id (package query).
package routechange
