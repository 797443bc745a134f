// Package fig2 is Figure 2 of the fridges paper (§5.1): the distribution of delays that a
// fridge-(2^16, 1) estimates, beside the true one and that of the naive expiring array of
// the same size with the threshold 2^9 ms.
//
// The fridges paper reports a maximum error, for percentiles from 5 to 95, of |log2 ratio| = 0.08
// for the fridge and 1.68 for the naive array, on a trace that is not public. Ours has
// the figures that the fridges paper gives of it (package exchange).
package fig2

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
)

// Figure is Fig. 2.
var Figure = figure.Of[scale, fridges.Row]{
	Name:    "fridge/fig2",
	Title:   "Distribution of delays: fridge and naive array",
	Source:  "fridges §5.1, Fig. 2",
	Claim:   "With the same memory, a fridge estimates the distribution of delays much more accurately than the naive array, which underestimates long delays.",
	Scales:  scales,
	Measure: do,
	Check:   check,
	Compare: compared,
	Tables:  show.Tables,
	Draw:    draw,
	Why:     why,
}.Figure()

var why = []string{
	"As §2.2 describes it, the array with an expiry threshold hardly prefers short delays: whether a request finds a place does not depend on its own delay, and once it has one it stays until the threshold. What is left is that delays beyond the threshold are cut off. The published error of 1.68 is the size of error that an array has that always replaces, the algorithm of §2.1, which is a curve here.",
	"The published errors are of a real trace. Its bursts let the number of requests within a delay vary more than our Poisson arrivals do, which raises the variance of the fridge.",
}
