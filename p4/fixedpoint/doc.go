// Package fixedpoint computes U as a programmable switch does: with integers, tables of 2^q entries
// and shifts by constants. It is the bit-exact twin of the programs in p4/src, whose tables and
// constants are generated from it.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 5, appendix B (the update of U) and C (the operations);
//	the fridges paper (Zheng et al., 2022), section 6.2, for the correction factors.
//
// # Symbols
//
//	paper       here               meaning
//	R, m        Format             r of m bits stands for R·r·2^-m
//	q           Config.TableBits   log2 of the size of a table
//	ℓ           -                  the first set bit, found by a TCAM
//	x_q         -                  the first set bit and the q bits that follow it
//	U, T, τ, B  Port               utilisation of a link, as in pint/approx
//	n           Stored             copies of U in separate stages
//
// # Where each part is
//
//	exact.go      logarithms and powers of 2 in long integers, from which tables are built
//	tables.go     log2 and 2^x by table
//	muldiv.go     products and quotients: through logarithms, or by a table of both operands
//	encode.go     the multiplicative code of 8 bits with randomised rounding; prefixes of tables,
//	              also of the correction factors of a fridge (package fridge)
//	port.go       fixed-point numbers; U at a port, and its code: a pint.Arithmetic
//	difference.go U as a difference, in bytes, and as a power (Γ)
//	stored.go     n stored values of U and recirculation
//
// # Errors
//
// Log2 is at most 1.44·2^-q (and a unit of its last place) below the logarithm, never above. Exp2 is below the power
// by at most the factor 2^(2^-q), which is about 1 + ln2·2^-q. With q = 8 this is 0.27 %, within the PINT paper's
// 1 + 2^-7 for exponents in [0,2].
//
// The tables of Difference are right in the middle of their cells. A product errs by at most
// the factor 2^(±1.95·2^-q): ±2.1 % with q = 6. If a product is 1+ε times the exact one, a packet makes U wrong by
// ε·τ/T·|Q-U|. These errors cancel over packets that meet different cells. At a steady load all packets meet the
// same cells: without a queue, U settles where S = (1+ε)·τ/T·U, so it is off by the factor 1/(1+ε), up to 2.1 %,
// however small τ/T is. TestSteadyLoad has an example.
//
// # Differences from the PINT paper
//
//   - Appendix C takes the first q bits of an exponent from its first set bit on, so the error grows with the
//     exponent. Here the integer part of the exponent becomes a shift and the table sees only [0,1). The reason is
//     that the terms of U span some 20 octaves.
//   - The PINT paper computes U·(T-τ)/T through log(T-τ) - log T + log U (AppendixB). The error of a table, 2^-q,
//     then acts on all of U with every packet. A packet changes U only by the share τ/T, which is also small on any
//     fast link: 2^-7.3 at 100 Gb/s and T = 13 µs. The errors add up over the T/τ packets of the horizon. Decrement
//     computes the same equation as U - U·τ/T, with U·τ/T through log U + log τ - log T. The error of one
//     packet is then only 2^-q of the change that it causes.
//   - Difference, the default of the programs, goes further. With Q = qlen/(B·T) and S = byte/(B·T) the equation is
//     U + S + (Q-U)·τ/T, which has only one product. A register contains V = U·B·T in bytes, so queue and packet
//     need no arithmetic, and only the code depends on B. Tables of prefixes compute log |qlen-V| and log(τ/T) in
//     one step instead of two. One table, indexed by the whole part and the fraction of x, computes 2^x; the other
//     forms need a table and a shift. After a time T without packets, U is exact: the sum of queue and packet.
//   - Clocks tick once per nanosecond. U has 32 bits, of which 22 are fractional. V has 31 bits, of which 5 are
//     fractional, so queues count up to 64 MiB. τ is clipped to T.
//
// # Same bits on every machine
//
// Tables are built with integers only. Updates do not compute in float64. Interfaces pass a register as a float64,
// which represents the register exactly.
package fixedpoint
