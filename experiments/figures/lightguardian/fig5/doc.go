// Package fig5 is Figure 5 of LightGuardian (§8.1): the accuracy of SuMax beside CM and CU, with all of
// its sketchlets and with a part, and how many packets k+chance selection needs.
//
// Package local has the definitions.
//
// The LightGuardian paper says that the ARE of CM is 6.78 times that of SuMax, without saying over which flows; here it is over all
// flows and over the largest ones, and 6.78 lies between the two. The laptop scale takes 10 s of CPU.
package fig5

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/measure/lightguardian/local"
)

// Figure is Fig. 5.
var Figure = figure.Of[local.Scale, panels.Row]{
	Name:    "lightguardian/fig5",
	Title:   "SuMax in the local tasks, and the selection of sketchlets",
	Source:  "LightGuardian §8.1, Fig. 5 (a) to (h)",
	Claim:   "SuMax is more accurate than CM and close to CU; a part of its sketchlets answers accurately; a larger k needs fewer packets.",
	Scales:  local.Scales,
	Measure: measure,
	Check:   check,
	Compare: panels.Compare(published),
	Tables:  panels.Tables(list),
	Draw:    panels.Draw("SuMax in the local tasks", "Hollow marks: numbers of the paper's text.", 2, list, published),
	Why: []string{
		"The LightGuardian paper's trace is of a CAIDA link and may not be passed on; ours is generated with as many packets and flows. Half of its flows have one packet, and its " +
			"packets are mixed uniformly, so that the largest flows are smaller and have no bursts.",
		"With 900 000 flows in 96 KB a counter of each row has 110 flows, and conservative update cannot gain much over all of them; the LightGuardian paper does not say over which flows its panel (a) is.",
		"The longest time between packets has a heavy tail of errors: a flow with a short one that shares all its buckets weighs more than thousands of others.",
		"Zeros of all three sketches are in the same cells, so that their cardinalities are equal.",
		"The LightGuardian paper does not say over which flows the errors of delays are, how many degrees of freedom its chi-square delays have, and how wide the cells are; nor for how many sketchlets panel (h) waits.",
	},
}.Figure()
