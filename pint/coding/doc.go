// Package coding spreads a flow's per-hop values over its packets and collects them
// again: PINT's static per-flow aggregation. Switches are stateless and act on a packet
// by global hashes alone (package global); the collector evaluates the same hashes and
// decodes packet by packet. Nothing here knows of simulation: the encoder fits a switch,
// the decoders a collector.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 4.2 and appendix A.2, A.3.
//
// # Symbols
//
//	paper     here                 meaning
//	k         hops                 switches on the path
//	d         argument of schemes  typical k, known to the switches
//	dbar      in MultiLayer        d/log*d, the hops left to the XOR layers
//	tau       Scheme.Tau           share of Baseline packets
//	p, p_l    Scheme.XOR           acting probability in XOR layer l
//	L         len(Scheme.XOR)      number of XOR layers
//	q         Config.ValueBits     bits of a value
//	b         Config.Bits          digest bits of an instance
//	F         Code.Fragments       ceil(q/b)
//	V         values               what a value can be
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
//	Fig. 5, Theorem 3, A.3          package experiments/measure/decode
//
// # Differences from the PINT paper
//
//   - Appendix A.2.2 prints p_l = (e^^(l-1))/d where its own proof needs
//     (e^^(l-1))/dbar; the bar was lost. With d the multi-layer scheme is no better than
//     Hybrid (k = d = 25: 68 packets on average against 39).
//   - Section 4.2 counts log*d - 1 XOR layers, appendix A.2.2 log*d. DefaultLayers is
//     the former, which needs fewer packets; any number can be asked for.
//   - Logarithms are natural.
//   - Instances may have different schemes. One pure Baseline instance beside one that
//     mostly XORs gives every packet a digest of each kind, where independent draws
//     leave some without; decoders that search (package trace) gain from it.
//   - The PINT paper says that linear network coding does not work with hashing. It does
//     with a linear hash: with mode Linear, each digest bit is the parity of a
//     pseudo-random subset of the bits of every acting hop's value, a different one for
//     each packet and hop, and Eliminator solves for the bits of all hops at once. On
//     59 hops with 754 possible switches, 2 x 8 bits, it takes 36 packets, always: all
//     hops acting, 10 bits a hop; fewer than 35.2 cannot hold the path. A switch does it
//     with one hash of (packet, hop) and an XOR of a shifted copy of it for each set bit
//     of its index: digest bit j is the XOR over set bits i of the value of bit i + j of
//     the 32-bit word, i + j < 32.
//   - Nothing uses that a path passes no switch twice, nor which switches are
//     neighbours: package trace does.
//
// # Cost
//
// Hop takes 11 to 14 ns for one instance or two, 26 ns with bit vectors, and allocates
// nothing (BenchmarkHop). The decoders work on bit sets of hops. Per packet on 59 hops
// with 754 possible values, on average over a flow (BenchmarkDecode, CPU time on one core
// of a shared Xeon):
//
//	                   b=1      b=4      2×(b=8)
//	Filter             1.4 µs   1.6 µs   3.6 µs
//	Eliminator         6.0 µs   11 µs    42 µs
//
// Memory is bounded by 2^14 digests that wait for a second unknown hop (Peeler, Filter) or
// by the square of the unknown bits (Solver, Eliminator).
//
// # Probabilities
//
// A scheme's probabilities decide digests and must be the same bits on every switch:
// they are computed with a logarithm of our own, and rounded to multiples of 2^-32.
package coding
