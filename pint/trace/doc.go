// Package trace finds the path of a flow from the digests of its packets: path tracing as in PINT,
// the schemes that PINT is compared with, and a decoder that uses the map of the network.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 6.3.
//	Savage et al., "Practical Network Support for IP Traceback", SIGCOMM 2000: PPM.
//	Song, Perrig, "Advanced and Authenticated Marking Schemes for IP Traceback",
//	INFOCOM 2001: AMS2.
//
// # The topology-aware decoder
//
// The neighbour of a switch on a path is its neighbour in the network. On a sparse network this
// determines most of the path: Kentucky Datalink has about 2^43 paths of 59 switches, whereas 59
// free choices among 754 switches would be 2^564. Decoder uses the map, the length of the path
// (from the TTL), and the fact that a path visits no switch twice. It does not know the end
// switches. Switches need no changes for this decoder.
//
//   - A walk is a sequence of states (the last four switches, all different) through one layer per
//     hop. A digest of one hop removes switches at that hop, and switches at other hops that are
//     then out of reach. A forward and a backward pass count the remaining walks (scratch.sweep).
//   - A digest of several hops alone removes nothing. But once the digests together have more bits
//     than log2 of the number of walks, a search lists all walks that satisfy them. It meets in the
//     middle: it lists partial walks from both ends with the XOR of their contributions, and joins
//     those that yield the digests. A search among 2^36 walks costs about 2^20 list entries.
//   - Listed paths are checked against every packet with the switches' own code, Code.Hop. From
//     then on each packet only removes paths from the list.
//
// Done means that exactly one path of the network agrees with all digests: the list was complete,
// and one path is left. So a path is never wrong as long as the digests are right. If a digest is
// wrong or the route changes, the true path is removed, and sooner or later all other paths. The
// decoder then returns ErrInconsistent. A claimed path always agrees with all digests so far. A
// false path can be the last one only until further packets remove it. If digests can be corrupted,
// wait for extra bits: a false path survives b extra bits with probability 2^-b.
//
// When to search affects only the speed. A search starts as soon as the digest bits leave at most
// two wrong paths on average, if it is within Options.Effort. The estimate uses a fixed sample,
// integers and rounded arithmetic, so that results are the same on every machine.
//
// BenchmarkDecode measures the time per packet; see docs/large-runs.md.
//
// # PPM and AMS2
//
// Both use 16 bits: 3 for a fragment or function number, 5 for the distance, 8 for the content.
// Both use reservoir sampling by the global hash g, which is the PINT paper's improvement. So the
// collector knows which hop started a mark, even beyond the 31 hops that the distance can count.
// PPM needs all eight fragments of every hop and no map. AMS2 needs m of eight functions at every
// hop and finds the routers on the map.
//
// # Results
//
// Package experiments/internal/measure/pint measures all these methods. docs/telemetry.md (paths of flows) has the
// number of packets until a path is known, by method and bits, on the generated and on the real map of Kentucky
// Datalink. A measurement ends with an error at the first wrong path; there was none.
//
// # Differences from the PINT paper
//
//   - The PINT paper prints 42 packets on average and 94 at p99 for 2×(b=8) on 59 switches, and
//     1000–1500 and 3300–5000 for PPM and AMS2. These numbers match averages over path lengths, and
//     AMS2 as in the program of PINT's authors: docs/claims, pint/fig10.
//   - The maps have 754 and 158 nodes; the PINT paper states 753 and 157.
package trace
