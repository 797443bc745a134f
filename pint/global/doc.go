// Package global has PINT's global hash functions: functions of the packet that
// every switch and the collector evaluate alike, so that they agree on who acts on
// a packet without a single coordination bit on the wire.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020, section 4.1 (hashes and reservoir), 4.2 and appendix A.2
//	(layers, fragments, bit vectors).
//
// # Symbols
//
//	paper     here                  meaning
//	q(p)      Purpose QuerySet      which query set packet p carries
//	H(p)      Purpose Layer         which coding layer p belongs to
//	g(p,i)    Purpose Act           does hop i act on p
//	h(v,p)    Purpose Value         b-bit digest of a value
//	r_i = 1/i Reservoir             the threshold of reservoir sampling
//	p_l       Threshold, Dyadic     the probability of an XOR layer
//
// A hash is a 32-bit word: Family.Hash(purpose, instance, packet, argument), or the same
// through a Function, which a switch binds once. The argument is a hop number (1 is the
// first switch), a value, or 0.
// Words of different purposes, instances, packets or arguments are independent for
// every practical use; the tests measure it. A word w stands for the real number
// w/2^32, so a probability is exact to 2^-32.
//
// # Two families
//
// Fast is for studies: SplitMix64's mixer on 64-bit words, each of which serves two
// instances.
//
// CRC is what a switch computes. A P4 program gets the same word so:
//
//	y   = crc32 of 24 bytes, big-endian, in this order:
//	      purpose  8 bits
//	      instance 8 bits
//	      zero    16 bits
//	      seed    32 bits
//	      packet  64 bits
//	      argument 64 bits
//	z   = y with each byte replaced by Substitute of it, the S-box of AES
//	w   = crc32 of 4 bytes, big-endian: z
//
// crc32 is the common one (reflected polynomial 0xEDB88320, initial value and final
// inversion of all ones), which v1model calls HashAlgorithm.crc32. A b-bit digest is
// w[31:32-b]; a choice among n is (w·n)>>32.
//
// # Differences from the PINT paper
//
//   - The PINT paper leaves the functions open. A plain CRC of (value, packet) is not
//     enough: CRC is linear over GF(2), so crc(v1,p) xor crc(v2,p) is the same for
//     every packet p, and two values that collide once on their b bits collide
//     always. TestPlainCRCIsNotPairwiseIndependent shows it. The substitution between
//     the two CRCs breaks the linearity; it is invertible, so the word stays uniform.
//     A switch does it by four tables side by side, in one stage.
//   - Algorithm 1 writes g < 1/i, section 4.1 writes g <= 1/i. We use <=, so that the
//     first hop always writes.
//   - Packets are told apart by a 64-bit identifier; whoever has fewer bits (a 16-bit
//     IPID) puts zeros in front.
package global
