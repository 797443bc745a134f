// Package trace finds the path of a flow from the digests of its packets: path tracing
// as in PINT, its peers, and a decoder that knows the network.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 6.3.
//	Savage et al., "Practical Network Support for IP Traceback", SIGCOMM 2000: PPM.
//	Song, Perrig, "Advanced and Authenticated Marking Schemes for IP Traceback",
//	INFOCOM 2001: AMS2.
//
// # The topology-aware decoder
//
// A switch's neighbour on a path is its neighbour in the network. On a sparse network
// that says most of the path: of the 59-switch paths of Kentucky Datalink there are some
// 2^43, where 59 free choices among 754 switches would be 2^564. Decoder uses the map,
// the length of the path (from the TTL) and that a path passes no switch twice. It does
// not know the end switches. Nothing changes in the switches.
//
//   - A walk is a sequence of states (the last four switches, all different) through one
//     layer per hop. A digest of one hop removes switches at that hop; what is then out
//     of reach of the hops before or after goes too. A forward and a backward pass count
//     the walks that are left (scratch.sweep).
//   - A digest of several hops removes nothing by itself. But once the digests together
//     have more bits than there are walks, all walks that satisfy them are listed by
//     meeting in the middle (search): partial walks from both ends with the XOR of their
//     contributions, joined where these give the digests. 2^36 walks cost about as much
//     as 2^20 list entries.
//   - Listed paths are checked against every packet by the switches' own code, Code.Hop.
//     From then on each packet only strikes paths off the list.
//
// Done means that exactly one path of the network agrees with all digests: the list was
// complete, and one is left. So a path is never wrong as long as the digests are right.
// If a digest is wrong, or the route changes, the true path is struck off, and sooner or
// later all others: ErrInconsistent. A path that is claimed still agrees with all digests
// so far; a false one can be the last to survive only until further packets strike it.
// If digests can be corrupted, wait for extra bits: a false path survives b of them with
// probability 2^-b.
//
// When to search is a matter of speed alone: as soon as the digest bits leave at most
// two wrong paths on average, if the search is within Options.Effort. The estimate uses
// a fixed sample and integer and rounded arithmetic only, so that results are the same
// on every machine.
//
// BenchmarkDecode measures the time per packet; docs/performance.md has it.
//
// # Peers
//
// Both use 16 bits: 3 for a fragment or function number, 5 for the distance, 8 for the
// content; both with reservoir sampling, as the PINT paper improves them, by the global hash
// g. So the collector knows which hop started a mark, also beyond the 31 hops that the
// distance can count. PPM needs all eight fragments of every hop and no map; AMS2 needs
// m of eight functions at every hop and finds the routers on the map.
//
// # Results
//
// Package experiments/measure/pathtrace measures all of them; docs/validation.md (path
// tracing) has the packets until a path is known, by method and bits, on the generated and
// on the real map of Kentucky Datalink. No claimed path was wrong. A study ends with an
// error at the first that is.
//
// # Differences from the PINT paper
//
//   - The PINT paper prints 42 packets on average and 94 at p99 for 2×(b=8) on 59 switches, and
//     1000–1500 and 3300–5000 for PPM and AMS2. These fit averages over path lengths, and AMS2
//     as in the program that PINT's authors published: docs/claims.md, pint/fig10.
//   - The maps have 754 and 158 nodes; the PINT paper says 753 and 157.
package trace
