// Package balancing is the ways of spreading traffic over equal paths of a fat tree, with all links
// and after one between an aggregation and a core switch has failed: ECMP and weighted ECMP by flow,
// LetFlow by flowlet, random and round-robin spraying by packet, each with transports that can stand it.
//
// LetFlow (NSDI 2017) is about the second case: after a failure, paths that a switch takes for equal
// are not. Routes avoid the broken link, but the switches below still send half of their traffic to the
// aggregation switch that has lost half of its links. Weighted ECMP knows of it. LetFlow does not, and
// adapts: bursts on a slow path have fewer pauses, so that flows leave it less often for it than they
// come away. What is sprayed evenly is lost on the worst path.
//
// TCP is DCTCP with SACK, and with RACK-TLP where packets are sprayed. RDMA is IRN, with a threshold
// of 64 packets before a gap counts as a loss where packets are sprayed.
package balancing

import "pintlab/experiments/figures/figure"

// Figure is the comparison.
var Figure = figure.Of[Scale, Row]{
	Name:   "cc/balancing",
	Title:  "Balancing with all links, and with a failed one",
	Source: "LetFlow (NSDI 2017) and RFC 8985, in a setting of ours",
	Claim: "Flowlets and packets spread traffic better than flows do, for transports that stand reordering. With a failed link, " +
		"schemes by flow need the weights of paths, and LetFlow does without.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"LetFlow's networks have hosts at 10 Gb/s and two leaf switches or more, with TCP that loses packets; its 99th percentiles are of flows up to 100 KB.",
		"A link of half the rate would be the same asymmetry; the fat trees of a scenario have one rate, and routes without a link are what a failure leaves.",
	},
}.Figure()
