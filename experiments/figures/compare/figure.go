package compare

import (
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
)

// Figure is the comparison as an experiment with rows and drawings. What it shows of rows
// depends on them alone, so that it can draw those of another comparison again.
var Figure = standard.figure()

func (c *choice) figure() figure.Figure {
	title := "HPCC with INT, HPCC with PINT, and TCP Reno under the INT header"
	claim := "The verdicts above are read off the rows: who wins, by how much, and whether the seeds agree."
	if c == &standard {
		claim += " The PINT paper finds PINT slightly worse on short flows and better on long ones."
	} else {
		title = "Congestion controls: " + c.names()
	}
	return figure.Of[sizes, comparison.Row]{
		Name:    "compare",
		Title:   title,
		Source:  "The setting of PINT §6.1 and §2",
		Claim:   claim,
		Columns: view,
		Scales:  scales,
		Measure: c.rowsOf,
		Check:   check,
		Tables:  tables,
		Draw:    draw,
	}.Figure()
}

// names lists the schemes, as they are shown.
func (c *choice) names() string {
	var list []string
	for _, s := range c.schemes {
		list = append(list, s.Name)
	}
	return strings.Join(list, "; ")
}
