// Package fig5 is Figure 5 of the fridges paper (§5.3): errors of the median, the 95th and
// the 99th percentile of one fridge, two fridges and the naive expiring array in one and
// four stages, by memory.
//
// The fridges paper reports that two fridges match the naive array with 2 to 4 times less memory.
// The threshold of the naive arrays is the best of some for each size, as in the fridges paper;
// p and (p1, p2) are those of package tune. Below them: the array that always replaces.
package fig5

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
)

// Figure is Fig. 5.
var Figure = figure.Of[fridges.Sizes, fridges.Row]{
	Name:    "fridge/fig5",
	Title:   "Fridges against naive arrays, by memory",
	Source:  "fridges §5.3, Fig. 5",
	Claim:   "Two fridges reach the accuracy of the naive arrays with 2 to 4 times less memory.",
	Scales:  fridges.SizeScales,
	Measure: do,
	Check:   check,
	Compare: compared,
	Tables:  show.Tables,
	Draw:    draw,
	Why:     why,
}.Figure()

const expiring = "The mean CDF of ten seeds, the fridges paper's measure, shows bias and hides variance. An array whose requests expire at an age beyond nearly all delays has little bias, as Fig. 2 explains, and with one seed it is as accurate as a fridge: it holds M requests for the threshold's time each, about as many as a fridge of that lifetime gives samples, and all of them count alike. Its threshold was chosen with the truth at hand; a fridge says itself how much it can be trusted."

var why = []string{
	expiring,
	"The memory that a design needs for an error is read off the straight line through the logarithms of the naive array's errors and sizes; the fridges paper reads it off its figure.",
	"An entry of a fridge has a counter that the naive array does without, 12 bytes against 8 in a switch. The fridges paper compares entries, and so do we; in bytes the saving is two thirds of it.",
	"The threshold of each naive array is the one with the least error on this very trace, with the truth at hand, as the fridges paper does it; the p of the fridges come from a formula.",
}
