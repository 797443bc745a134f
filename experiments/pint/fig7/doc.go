// Package fig7 is Figure 7 of PINT (§6.1): HPCC fed by INT against HPCC fed by PINT.
package fig7

import "pintlab/experiments/figure"

// Figure is Fig. 7.
var Figure = figure.Figure{
	Name:   "pint/fig7",
	Title:  "HPCC over PINT against HPCC over INT",
	Source: "PINT §6.1, Fig. 7",
	Claim: "Flows above 10 MB have more goodput with PINT, the more so the higher the load; " +
		"slowdowns are similar for all sizes, better on long flows and slightly worse on short ones.",
	Size: map[figure.Scale]string{
		figure.Smoke: describe(figure.Smoke), figure.Laptop: describe(figure.Laptop), figure.Paper: describe(figure.Paper),
	},
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}

// shortFlows is why the document's remark on short flows does not show.
const shortFlows = "pending"

var why = []string{}
