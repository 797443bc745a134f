package compare

import (
	"pintlab/experiments/figures/figure"
)

// Figure is the comparison as an experiment with rows and drawings.
var Figure = figure.Of[sizes, Row]{
	Name:   "compare",
	Title:  "HPCC with INT, HPCC with PINT, and TCP Reno under the INT header",
	Source: "The setting of PINT §6.1 and §2",
	Claim: "The verdicts above are read off the rows: who wins, by how much, and whether the seeds agree. " +
		"The PINT paper finds PINT slightly worse on short flows and better on long ones.",
	Scales:  scales,
	Measure: rowsOf,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
}.Figure()
