// Package fig8 is Figure 8 of PINT (§6.1): HPCC over PINT with the digest on a share
// p of the packets.
//
// The document: p = 1/16 is about as good as p = 1; p = 1/256 slows down short flows
// significantly, and those above 5 MB. It prints no slowdowns.
//
// Here: the smoke scale runs and is held to its rows, and decides nothing. The laptop
// and paper scales have not been run to their end, so there are no numbers yet.
package fig8

import "pintlab/experiments/figure"

// Figure is Fig. 8.
var Figure = figure.Figure{
	Name:   "pint/fig8",
	Title:  "HPCC over PINT on a share of the packets",
	Source: "PINT §6.1, Fig. 8",
	Claim: "Feedback on 1/16 of the packets is about as good as on all; with 1/256, short flows " +
		"and those above 5 MB are slower.",
	Size: map[figure.Scale]string{
		figure.Smoke: describe(figure.Smoke), figure.Laptop: describe(figure.Laptop), figure.Paper: describe(figure.Paper),
	},
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}

var why = []string{}
