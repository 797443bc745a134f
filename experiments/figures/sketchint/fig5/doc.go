// Package fig5 is Figure 5 of SketchINT (§VII-B): the accuracy of TowerSketch and its
// peers in the six local tasks, against their memory.
//
// The SketchINT paper prints, at 900 KB: TowerCM has at least 1.9 times lower AAE and 6.8 times lower
// ARE than CM, CU and ElasticSketch, TowerCU at least 28 and 29 times. At 300 KB TowerCU
// finds heavy hitters with F1 = 0.9997 and heavy changes with 0.998. The error of the
// entropy is at least 12.9 times lower at 900 KB, and WMRE of the distribution is 0.09
// against 0.38 (CM) and 0.35 (CU). The report puts ours beside each number.
//
// Package accuracy has the definitions, which are those of the SketchINT paper's code.
//
// docs/results.md has what the laptop scale gives, made from laptop.csv beside this file.
package fig5

import "pintlab/experiments/figures/figure"

// Figure is Fig. 5.
var Figure = figure.Of[scale, Row]{
	Name:   "sketchint/fig5",
	Title:  "Accuracy of TowerSketch in the local tasks",
	Source: "SketchINT §VII-B, Fig. 5 (a) to (h)",
	Claim: "TowerSketch, above all with CU insertion, has lower errors than CM, CU and ElasticSketch of the same memory: " +
		"an order of magnitude in flow sizes.",
	Scales:  scales,
	Measure: ask,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"The SketchINT paper's traces are five seconds of a CAIDA link, which may not be passed on; ours is generated with as many packets and flows. " +
			"Its sizes follow a power law to the last flow and its packets are mixed uniformly, so it has fewer flows of middle size and no bursts.",
		"In two windows of a CAIDA trace most flows change their sizes a little; here half of the flows are replaced and the others keep theirs, " +
			"so few changes are near the threshold, and every sketch finds heavy changes more easily.",
		"The SketchINT paper does not say how many bytes a KB has; here it is 1000.",
	},
}.Figure()
