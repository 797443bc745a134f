// Package lut is the error of the correction factors of a switch (fridges paper, §6.2 and
// §6.3): whole factors in steps of 1.1, looked up by prefixes of x, against exact ones, on
// the same samples of fridges of several sizes.
//
// The fridges paper reports a maximum relative error of 0.2 % to 0.9 %, about ten times smaller
// than the error of the fridge's estimate.
package lut

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
)

// Figure is the error of the table of factors.
var Figure = figure.Of[fridges.Sizes, Row]{
	Name:    "fridge/lut",
	Title:   "Whole correction factors of a switch against exact ones",
	Source:  "fridges §6.2, §6.3",
	Claim:   "The table of whole factors changes the estimated distribution far less than the fridge errs anyway.",
	Scales:  fridges.SizeScales,
	Measure: do,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

const whole = "The steps of 1.1 begin at factors above 10: below they are whole numbers, 2, 3, 4 for p = 1/2, and a factor is off by up to a quarter."

var why = []string{
	whole,
	"The ends of the ranges of x have four significant bits, as those of the fridges paper's example do (7·2^11, 9·2^12). A finer table would need more prefixes and err less; the fridges paper does not say how many it has.",
	"The fridges paper says neither with which p and M it found 0.2 % to 0.9 %, nor whether these are errors of percentiles or of shares. Here they are of shares, with p from half to twice the best for each M: where p is far too large, a fridge has a few samples with huge factors, and no table changes that.",
}
