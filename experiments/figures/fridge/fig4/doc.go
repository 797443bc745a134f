// Package fig4 is Figure 4 of the fridges paper (§5.3): the error of two fridges against
// that of one, by memory, with the best entry probabilities for each; and what §5.3
// leaves open, three and four fridges, and fridges of different sizes. Beside them, the
// fridge in four pipeline stages that §4.1 advises against.
//
// The fridges paper reports that two fridges of half the size each are more accurate than one,
// and more so with less memory. It prints no numbers.
package fig4

import (
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/fridge/show"
	"pintlab/experiments/measure/fridges"
)

// Figure is Fig. 4.
var Figure = figure.Of[fridges.Sizes, fridges.Row]{
	Name:    "fridge/fig4",
	Title:   "One fridge against several, by memory",
	Source:  "fridges §4.1, §5.3, Fig. 4",
	Claim:   "Several fridges are more accurate than one, and a fridge in several stages is less accurate.",
	Scales:  fridges.SizeScales,
	Measure: do,
	Check:   check,
	Tables:  show.Tables,
	Draw:    draw,
	Why:     why,
}.Figure()

const lifetimes = "Eq. 4 is about delays beyond the average lifetime M/p, of which several stages lose more. Delays below it they lose less often, because a request hardly dies young. With the best p of one stage, M/p is about the longest delay of interest, so that stages do not hurt there."

var gains = figure.Known(knownText, "variance formula", gainsWhy)

//go:embed known.csv
var knownText string

const gainsWhy = "With the delays of our trace, the variance formula leaves two fridges of equal size almost nothing to gain over one, and a few percent with unequal sizes: the 99th percentile asks for nearly all of the memory at one lifetime."

var why = []string{
	gainsWhy,
	"The fridges paper chooses (p1, p2) by a grid search over measured errors. The best of many noisy errors is lower than that of any one choice; ours are chosen from the variance formula and then measured.",
	lifetimes,
	"The weights of §4.2 are estimated from the samples that they weigh. A bin of 1 % often holds a sample or none of each fridge; the combination is then biased, and loses more than better lifetimes gain. Weights from the factors to be expected for a delay, at the mean rate of requests, avoid that.",
}
