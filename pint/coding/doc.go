// Package coding spreads a flow's per-hop values over its packets and collects them again: PINT's
// static per-flow aggregation. Switches are stateless and act on a packet only by global hashes
// (package global). The collector evaluates the same hashes and decodes packet by packet. The
// package does not depend on the simulation: the encoder fits a switch, and the decoders a
// collector.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 4.2 and appendix A.2, A.3.
//
// # Symbols
//
//	paper     here                 meaning
//	k         hops                 switches on the path
//	d         argument of schemes  typical k, known to the switches
//	dbar      in MultiLayer        d/log*d, the number of hops left to the XOR layers
//	tau       Scheme.Tau           share of Baseline packets
//	p, p_l    Scheme.XOR           acting probability in XOR layer l
//	L         len(Scheme.XOR)      number of XOR layers
//	q         Config.ValueBits     bits of a value
//	b         Config.Bits          digest bits of an instance
//	F         Code.Fragments       ceil(q/b)
//	V         values               possible values of a hop
//	M_i       path                 hop i's value
//	h, g, H   package global
//
// # Where each step is
//
//	Algorithm 1, all lines          Code.Hop
//	Baseline, XOR, interleaving     Baseline, XOR, Interleaved, Hybrid
//	tau, p_l of A.2.2; tau' of A.3  MultiLayer, MultiLayerRevised
//	fragments, hashing              modes Fragments and Hash; decoders Peeler, Filter
//	near-linear decoding            Config.VectorBits (hops draw bits of AND-ed vectors)
//	several instantiations          Config.Instances
//	linear network coding           LNC with decoder Solver
//	Fig. 5, Theorem 3, A.3          package experiments/internal/measure/pint
//
// # Differences from the PINT paper
//
//   - Appendix A.2.2 prints p_l = (e^^(l-1))/d where its own proof needs (e^^(l-1))/dbar; the bar
//     was lost. With d the multi-layer scheme is no better than Hybrid (k = d = 25: 68 packets on
//     average against 39).
//   - Section 4.2 has log*d - 1 XOR layers, appendix A.2.2 log*d. defaultLayers returns log*d - 1,
//     because this number of layers needs fewer packets. Any other number is possible.
//   - Logarithms are natural.
//   - Instances may have different schemes. With one pure Baseline instance and one that mostly
//     XORs, every packet has a digest of each kind. With independent draws, some packets lack one
//     kind. Decoders that search (package trace) benefit from packets with both kinds.
//   - According to the PINT paper, linear network coding does not work with hashing. It does work
//     with a linear hash. In mode Linear each digest bit is the parity of a pseudo-random subset of
//     the bits of every acting hop's value. The subset depends on the packet and the hop.
//     eliminator solves for the bits of all hops at the same time. On 59 hops with 754 possible
//     switches and 2 x 8 bits it always takes 36 packets, with all hops acting and 10 bits per hop;
//     fewer than 35.2 packets cannot hold the path. A switch needs one hash of (packet, hop), and
//     XORs one shifted copy of this hash per set bit of its index: digest bit j is the XOR of bits
//     i + j of the 32-bit word over all set bits i of the value, i + j < 32.
//   - The decoders do not use the facts that a path visits no switch twice, and that only some
//     switches are neighbours. Package trace uses both facts.
//
// # Cost
//
// Hop takes 11 to 14 ns for one or two instances, 26 ns with bit vectors, and allocates nothing
// (BenchmarkHop). The decoders use bit sets of hops. Their average CPU time per packet on 59 hops
// with 754 possible values, over a flow, on one core of a shared Xeon (BenchmarkDecode), is:
//
//	                   b=1      b=4      2×(b=8)
//	Filter             1.4 µs   1.6 µs   3.6 µs
//	eliminator         6.0 µs   11 µs    42 µs
//
// Memory is limited to 2^14 digests with several unknown hops (Peeler, Filter), or to the square of
// the number of unknown bits (Solver, eliminator).
//
// # Probabilities
//
// Digests depend on the probabilities of a scheme, so they must have the same bits on every switch.
// They are computed with our own logarithm and rounded to multiples of 2^-32.
package coding
