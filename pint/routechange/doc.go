// Package routechange notices that a flow has changed its path, and separates the
// packets of flows that use several paths at once.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 7, "Tracing flows with multipath routing".
//
// # Where each part is
//
//	monitor.go   is a digest consistent with what is known of the path?
//	chance.go    how likely a change is noticed, per packet and after n packets
//	tracker.go   decodes a path, watches it, and starts again when it changes (flowlets)
//	checksum.go  a path checksum on packets, and a decoder per checksum
//
// # What a digest can show
//
// A digest whose acting hops are all known has one value that is consistent with the
// path. A Baseline packet has one acting hop: if that hop's switch changed, the digest is
// another one with probability 1 − 2^-q, q its bits, as the PINT paper says. XOR packets
// show a change too, if no unknown hop acts and a changed one does. A digest that the
// path explains is never taken for a change, so there are no false alarms as long as
// digests arrive as they were written.
//
// # Differences from the PINT paper
//
//   - The PINT paper considers Baseline packets only; XOR packets are used as well.
//   - It proposes the checksum in half a sentence. Here every hop XORs in a hash of
//     (switch, hop number), which does not depend on the packet: packets over the same
//     path carry the same checksum, two given paths share one of s bits with probability
//     2^-s. In a plan it is the aggregation checksum of switch_id (package query).
package routechange
