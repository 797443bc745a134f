// Package fig8 is Figure 8 of PINT (§6.1): HPCC over PINT with the digest on a share
// p of the packets.
//
// The PINT paper: p = 1/16 is about as good as p = 1; p = 1/256 slows down short flows
// significantly, and those above 5 MB. It prints no slowdowns.
//
// Here: docs/results.md has what the laptop and the paper scale give, made from laptop.csv and
// paper.csv beside this file. Runs of the laptop scale begin with flows under way, and arrivals
// go on after those that count. At paper scale all that the PINT paper says holds, flows above
// 5 MB included, about which the laptop scale decides nothing.
package fig8

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
)

// Figure is Fig. 8.
var Figure = figure.Of[congestion.Scale, comparison.Row]{
	Name:   "pint/fig8",
	Title:  "HPCC over PINT on a share of the packets",
	Source: "PINT §6.1, Fig. 8",
	Claim: "Feedback on 1/16 of the packets is about as good as on all; with 1/256, short flows " +
		"and those above 5 MB are slower.",
	Columns: view,
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

var why = []string{
	"Flows above 5 MB are few in runs of the laptop scale, so that its intervals decide little about them: more seeds (--seeds) or --scale paper do.",
}
