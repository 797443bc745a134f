// Package fig5 is Figure 5 of PINT (§4.2): how the coding schemes collect the values of
// 25 hops when a packet can hold one whole value.
//
// The PINT paper reports the expected number of missing hops (a) and the probability that
// all are known (b) over 0 to 200 packets for Baseline, XOR and Hybrid, and prints the
// median and the 99th percentile of the packets that Baseline and Hybrid need. Beside
// them: the multi-layer scheme of appendix A.2, linear network coding, the example of two
// hops (8/3 packets), and Theorem 3 and appendix A.3 on paths of up to 256 hops.
package fig5

import "pintlab/experiments/figures/figure"

// Figure is Fig. 5.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig5",
	Title:  "Coding schemes: packets until all hops are known",
	Source: "PINT §4.2, Fig. 5",
	Claim: "Baseline learns fast at first and ends slowly, XOR begins slowly, " +
		"and the interleaving of both needs fewer packets than either.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

var why = []string{
	"Hybrid takes some 43 packets at the median and 67 at the 99th percentile with p = ln ln 25 / ln 25 = 0.36, where the PINT paper prints 41 and 68. Its logarithm is natural: footnote 8 has one layer up to ⌊e^e⌋ = 15 hops. The number of its runs is not said.",
	"The multi-layer scheme has p_l in proportion to 1/d̄ with d̄ = d/log*d, as the proof of appendix A.2.2 needs it; with the d that the appendix prints it takes 68 packets on average.",
	"Theorem 3 and A.3 leave out terms that grow slower than k. On paths of this length these are not small: the measured numbers lie between Theorem 3's k ln log*k and A.3's k (ln log*k + 2).",
}
