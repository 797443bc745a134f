// Package loops detects routing loops on the fly: PINT's Algorithm 2.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	appendix A.4.
//
// Each packet carries the hash of one of the switches that it has passed, sampled as on a
// Baseline packet, and a counter of matches. A switch that finds its own hash on the
// packet has seen the packet before, or its hash coincides with another's: the counter
// asks for T+1 matches before a loop is reported, and freezes the digest after the first.
//
// # Symbols
//
//	paper   here               meaning
//	b       Config.Bits        width of the hash
//	T       Config.Threshold   matches that are let pass
//	c       the counter, ⌈log2(T+1)⌉ bits above the hash
//	h, g    Detector           hash of (switch, packet); does hop i act
//
// # Where each part is
//
//	detector.go  Algorithm 2, line by line
//	chance.go    the probability of a false report, exactly
//	delay.go     how long a loop goes on before it is reported
//
// # Differences from the PINT paper
//
//   - The source starts with digest 0 and counter 0, and the first switch checks like any
//     other, so k hops make k comparisons: 32·2^-16 = 0.05 % as printed.
//   - g(p,i) <= 1/i as in section 4.1, so that the first hop always writes; Algorithm 2
//     prints < 1/i. They differ by 2^-32.
//
// A digest written before the loop is entered can only be found again once a switch in
// the loop overwrites it, which hop i does with probability 1/i: of packets that enter a
// loop after a hops, about a/n are not reported within n hops. The TTL ends such a packet
// first, so the delay is given as a distribution and not as a mean.
package loops
