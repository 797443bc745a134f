// Package fridge is TIMELY and Swift by the round-trip times of the host's own time stamps, and by
// those that the sender's switch measures with a fridge (package int/roundtrip), on the fat tree of PINT
// §6.1.
//
// Nobody has published it. The fridges paper (APOCS 2022) measures distributions and controls nothing;
// TIMELY (SIGCOMM 2015) and Swift (SIGCOMM 2020) measure at the host. The claims are what should follow
// from the two: a fridge that loses little tells what the host knows; one that is too small loses long
// delays first, so that flows in a queue hear nothing, and more memory or a smaller entry probability
// helps; and where one estimate stands for many destinations, it is too short without the correction.
package fridge

import "pintlab/experiments/figures/figure"

// Figure is the comparison.
var Figure = figure.Of[Scale, Row]{
	Name:   "cc/fridge",
	Title:  "Round-trip times of the switch as a signal",
	Source: "fridges (APOCS 2022) as the signal of TIMELY (SIGCOMM 2015) and Swift (SIGCOMM 2020); not published",
	Claim: "A fridge with room for a round trip of packets is as good a signal as the host's own clock. A smaller one is silent " +
		"where queues are long, which a smaller entry probability mends; and an estimate for all destinations together needs the correction.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"Packets to one destination wait in the same queues, so that what survives in the fridge is like what does not: an estimate for each destination hardly needs the correction, and one for each flow says the same. What a small fridge costs is that ACKs tell nothing.",
	},
}.Figure()
