// Package approx encodes numbers in few bits: the value approximation of PINT, and the computations
// of a switch before it approximates.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020, §4.3 and Appendix B.
//
// # Symbols
//
//	paper        here                   meaning
//	ε            Config.Eps             decode/value lies in [1/(1+ε), 1+ε]
//	(1+ε)²       Config.Base            ratio of two neighbouring codes
//	a(p, s)      result of Encode       the code, written on the packet
//	[·]          Nearest                rounding to the closest code
//	[·]_R        UnbiasedLog            random rounding, the logarithm is right on average
//	Δ            Additive.Delta         largest error of an additive code
//	U, T, τ, B   Link, Link.Update      utilisation of a link (§4.3, example 3)
//	-            Sum, Product           randomised counting over the hops
//
// # Where each part is
//
//	multiplicative.go  a = [log_(1+ε)² v], decoded as (1+ε)^2a
//	rounding.go        the three ways to round, and their bias, exactly
//	additive.go        a = [v/2Δ]
//	counting.go        randomised counting of sums and products over the hops
//	utilization.go     HPCC's U as a switch keeps it, and its code in 8 bits
//	exact.go           both, as the arithmetic of a switch port
//	latency.go         hop latencies in 4 or 8 bits
//	levels.go, ln.go   the search and the logarithm below all of them
//
// # Randomness
//
// Encoding is a pure function. For random rounding the caller passes a hash word, made from the
// packet identifier, and from the hop if hops must round independently. For one word, encoding is
// monotone in the value (under UnbiasedLog up to the last bit of a logarithm). So if all hops of a
// packet share its word, rounding commutes with max: the largest of the rounded codes is the
// rounded code of the largest value, and its expectation has no additional bias. If each hop has
// its own word, the maximum is biased upwards.
//
// # Same bits on every machine
//
// Tables are built by repeated multiplication of float64, and logarithms are our own series. Every
// product that is added to another value is first rounded by an explicit conversion. Otherwise the
// compiler may fuse the product with the sum, even across statements. (The assembly for arm64,
// ppc64le, s390x, riscv64 and amd64 at level v3 has no fused instruction.) No code here calls
// math.Exp, Log or Pow, whose last bits differ between architectures.
//
// # Differences from the PINT paper
//
//   - A code has a smallest value, Config.Min, the value of code 0. Smaller values, including zero,
//     get code 0. Values above the largest code get the largest code. The PINT paper leaves both
//     ends open.
//   - The PINT paper does not limit τ in the update of U; its first term is negative if a link was
//     idle for longer than T. Here τ is at most T in the first two terms.
//   - The authors' simulator rounds so that the value, not its logarithm, is unbiased. Both are
//     available: UnbiasedLog, UnbiasedValue.
package approx
