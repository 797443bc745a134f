// Package global implements PINT's global hash functions. Every switch and the collector evaluate
// the same functions of the packet, so they agree on the hops that act on a packet, without a
// coordination bit on the wire.
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
//	g(p,i)    Purpose Act           whether hop i acts on p
//	h(v,p)    Purpose Value         b-bit digest of a value
//	r_i = 1/i Reservoir             the threshold of reservoir sampling
//	p_l       Threshold, Dyadic     the probability of an XOR layer
//
// A hash is a 32-bit word: Family.Hash(purpose, instance, packet, argument), or the same through a
// Function, which a switch makes once. The argument is a hop number (1 is the first switch), a
// value, or 0. Words of different purposes, instances, packets or arguments are independent for all
// practical purposes; the tests measure this. A word w represents the real number w/2^32, so
// probabilities are exact to 2^-32.
//
// # Two families
//
// Fast is for simulations: SplitMix64's mixer on 64-bit words, each of which serves two instances.
//
// CRC computes like a switch. A P4 program computes the same word as follows:
//
//	y   = crc32 of 24 bytes, big-endian, in this order:
//	      purpose  8 bits
//	      instance 8 bits
//	      zero    16 bits
//	      seed    32 bits
//	      packet  64 bits
//	      argument 64 bits
//	z   = Substitute (the S-box of AES) applied to each byte of y
//	w   = crc32 of 4 bytes, big-endian: z
//
// crc32 is the common CRC (reflected polynomial 0xEDB88320, initial value and final inversion of
// all ones), HashAlgorithm.crc32 in v1model. A b-bit digest is w[31:32-b]; a choice among n is
// (w·n)>>32.
//
// # Differences from the PINT paper
//
//   - The PINT paper leaves the functions open. A plain CRC of (value, packet) is not enough. CRC
//     is linear over GF(2), so crc(v1,p) xor crc(v2,p) is the same for every packet p. Two values
//     that collide once in their b bits therefore always collide
//     (TestPlainCRCIsNotPairwiseIndependent). The substitution between the two CRCs breaks the
//     linearity. It is invertible, so the word stays uniform. A switch implements it with four
//     parallel tables in one stage.
//   - Algorithm 1 has g < 1/i, section 4.1 g <= 1/i. We use <=, so that the first hop always
//     writes.
//   - Packets have a 64-bit identifier. A shorter one (a 16-bit IPID) is padded with zeros in
//     front.
package global
