// Package loops detects routing loops on the fly: PINT's Algorithm 2.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	appendix A.4.
//
// Each packet carries the hash of one of the switches that it has passed, sampled as on a Baseline
// packet, and a counter of matches. A switch that finds its own hash on the packet has seen the
// packet before, or the hash of another switch is the same. So a loop is reported only after T+1
// matches. The first match freezes the digest.
//
// # Symbols
//
//	paper   here               meaning
//	b       Config.Bits        width of the hash
//	T       Config.Threshold   matches before the one that reports a loop
//	c       the counter, ⌈log2(T+1)⌉ bits above the hash
//	h, g    Detector           hash of (switch, packet); whether hop i acts
//
// # Where each part is
//
//	detector.go  Algorithm 2, line by line
//	chance.go    the probability of a false report, exactly
//
// # Differences from the PINT paper
//
//   - The source starts with digest 0 and counter 0, and the first switch also compares. So k hops
//     make k comparisons: 32·2^-16 = 0.05 % as printed.
//   - g(p,i) <= 1/i as in section 4.1, so that the first hop always writes. Algorithm 2 prints <
//     1/i. The two probabilities differ by 2^-32.
//
// A digest written before the loop never matches. A switch in the loop must first overwrite it,
// which hop i does with probability 1/i. So of the packets that enter a loop after m hops, a share
// of about m/n is not reported within n hops. The TTL may end such a packet first, so the delay is
// a distribution instead of a mean; the tests compute it.
package loops
