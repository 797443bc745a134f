// Package fig3 is Figure 3 of the fridges paper (§5.2): the error of a fridge of 2^12
// entries against its entry probability p, for the synthetic traces with delays of up to
// 2^12 ms and up to 2^6 ms.
//
// The fridges paper finds the least error around p = 2^-9 and 2^-4, near an average lifetime M/p
// that is the number of requests in the longest delay, and similar errors from half to
// twice the best p. Beside its curve: the p of that rule, and the prediction of package
// tune.
package fig3

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
)

// Figure is Fig. 3.
var Figure = figure.Of[scale, fridges.Row]{
	Name:    "fridge/fig3",
	Title:   "Error of a fridge against its entry probability",
	Source:  "fridges §5.2, Fig. 3",
	Claim:   "The error is least where the average lifetime M/p is about the number of requests in the longest delay, and half or twice that p is nearly as good.",
	Scales:  scales,
	Measure: do,
	Check:   check,
	Compare: compared,
	Tables:  show.Tables,
	Draw:    draw,
	Why:     why,
}.Figure()

var why = []string{
	"The fridges paper counts 4·10^6 requests in a delay of 2^12 ms, but its trace of 1.75 million packets has only 1.25 million requests: longer delays see no further insertions after the last request. That is why the best p is not 2^-10 but larger, in the fridges paper and here.",
	"For delays up to 2^6 ms the fridges paper prints 6.4·10^3 insertions; at 1 million requests per second they are 6.4·10^4, and M/p = 2^16 at its best p = 2^-4.",
	"The fridges paper does not say which percentile's error its figure shows. The best p here is that of the mean error of the median, the 95th and the 99th percentile.",
}
