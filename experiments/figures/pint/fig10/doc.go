// Package fig10 is Figure 10 of PINT (§6.3): how many packets it takes until the path of
// a flow is known.
//
// The PINT paper reports averages and 99th percentiles over 10 000 runs per path length on
// Kentucky Datalink, US Carrier and a K = 8 fat tree. It prints numbers for one point
// alone: 59 switches, 2×(b=8), 42 packets on average and 94 at the 99th percentile, and
// factors against the peers.
//
// We draw all of its curves with every switch of the network as a candidate, and
// labelled variants beside them: the artifact's easier task, where the candidates are the
// switches of the true path, and what a linear hash and a decoder that knows the network
// make of the same bits.
//
// The two maps cannot be shipped. By default networks of the same number of nodes, links
// and diameter stand in (package topo, ISP), under names that say so; --set kdl=FILE and --set uscarrier=FILE take
// the real ones, as GML or GraphML.
//
// docs/results.md has what the laptop scale gives, made from laptop.csv beside this file,
// and docs/validation.md the numbers of 10 000 runs at the longest path.
package fig10

import (
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
)

// Figure is Fig. 10.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig10",
	Title:  "Packets until a path is known",
	Source: "PINT §6.3, Fig. 10",
	Claim: "PINT traces paths with fewer packets than PPM and AMS2, even with one bit; " +
		"the number of packets grows near-linearly with the path.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// oneBit is why one bit does not beat the peers everywhere.
var oneBit = figure.Known(knownText, "one bit", oneBitWhy)

//go:embed known.csv
var knownText string

const oneBitWhy = "59 switches out of 754 are 564 bits, so no decoder that does not know the network gets by with fewer packets of one bit, where the PINT paper's factor of 7–10 would leave 100–200; AMS2's decoder knows the routers. A decoder of PINT that knows the network, too, needs a small part of that."

var why = []string{
	oneBitWhy,
	"The PINT paper prints 42 packets for 59 switches with 2×(b=8). Its artifact gives the decoder only the switches of the true path to choose from; with all 754 switches of the network it takes about twice as many. Both are curves here.",
	"The PINT paper does not print τ and p. The curves have the artifact's, τ = 1/2 and p = 1/d, unless their name says otherwise. They need the fewest packets of long paths; on the fat tree those of Algorithm 1 (appendix A) and of Hybrid (§4.2: τ = 3/4, p = 1/ln d) need fewer, and are curves of their own.",
	"The two maps of internet providers cannot be shipped. --set kdl=FILE and --set uscarrier=FILE take them; otherwise generated networks of the same number of nodes, links and diameter stand in, under names of their own.",
	"Our PPM needs more packets than the PINT paper's 1–1.5 K on average: the coupon collector's time for eight fragments of each of 59 hops is some 3 000, and the artifact gave up after 5 000 packets.",
}
