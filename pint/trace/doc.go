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
//   - Listed paths are held against every packet with the switches' own code, Code.Hop.
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
// A packet costs 0.13, 0.27 and 0.68 ms with 1, 4 and 2×8 bits, amortised over paths of
// 59 switches out of 754 (BenchmarkDecode, CPU time on one core of a shared Xeon).
//
// # Peers
//
// Both use 16 bits: 3 for a fragment or function number, 5 for the distance, 8 for the
// content; both with reservoir sampling, as the paper improves them, by the global hash
// g. So the collector knows which hop started a mark, also beyond the 31 hops that the
// distance can count. PPM needs all eight fragments of every hop and no map; AMS2 needs
// m of eight functions at every hop and finds the routers on the map.
//
// # Results
//
// Package experiments/studies/pathtrace measures them.
//
// 59 switches, 10000 runs each, packets on average / at the 99th percentile, on the network
// that is generated in the size of Kentucky Datalink, and on the real map:
//
//	                                      b=1           b=4          2×(b=8)
//	PINT, published encoding, all switches
//	  generated                           1004 / 1116   269 / 316    82.5 / 101
//	  real                                1004 / 1117   269 / 318    82.5 / 101
//	linear hash (coding.Eliminator)
//	  generated, real                     574 / 574     144 / 144    36.0 / 36
//	topology-aware, published encoding
//	  generated                           44.4 / 86     16.8 / 44    7.39 / 21
//	topology-aware
//	  generated                           40.4 / 48     11.7 / 18    3.42 / 6
//	  real                                47.1 / 57     13.2 / 21    3.88 / 8
//	16 bits on a packet, whatever the map
//	  PPM                                                            3176 / 5077
//	  AMS2 m=5                                                       1002 / 1495
//	  AMS2 m=6                                                       1325 / 1988
//
// Of a million paths of 36 switches on US Carrier the topology-aware decoder, with 2×8
// bits, found all, after 2.28 packets on average and 4 at the 99th percentile, and claimed
// no wrong one: with 95 % confidence it does for fewer than 1 in 333333. (The study
// ends with an error at the first wrong path of any method.)
//
// # Differences from the paper
//
//   - The paper prints 42 packets on average and 94 at p99 for 2×(b=8) on 59 switches.
//     Its artifact considers only the switches of the true path as candidates, which a
//     collector does not know; with all 754 it takes about twice as many. Both are
//     curves here.
//   - The paper's AMS2 and PPM take 1000–1500 packets on average. Ours: AMS2 1000 (m=5)
//     and 1320 (m=6); PPM 3180, the coupon collector's time for 8·59 fragments, which the
//     artifact cut off at 5000 packets per run.
//   - The maps have 754 and 158 nodes; the paper says 753 and 157.
package trace
