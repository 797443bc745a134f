package compare

import (
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/study"
	"pintlab/internal/lists"
)

// Figure is the comparison as a figure. Full compares all five schemes in runs three times as long. Tables and drawings
// depend on the rows alone, so that both can draw stored rows of other schemes.
var (
	Figure = short.figure()
	Full   = full.figure()
)

func (c *choice) figure() figure.Figure {
	title := "HPCC with INT, HPCC with PINT, and TCP Reno"
	claim := "The verdicts are read off the rows: who wins, by how much, and whether the seeds agree."
	if c.standard {
		claim += " The PINT paper finds PINT slightly worse on short flows and better on long ones."
	} else {
		title = "Congestion controls: " + c.names()
	}
	name, at := "compare", scales
	if c.full {
		name, at = "compare/full", fullScales
	}
	f := complete(figure.Spec[sizes]{Name: name, Scales: at, Measure: c.rowsOf})
	f.Title, f.Source, f.Claim = title, "The setting of PINT §6.1 and §2", claim
	return f
}

// complete adds the tables, drawings and notes that all comparisons have.
func complete(f figure.Spec[sizes]) figure.Figure {
	f.Columns, f.Check, f.Answer, f.Tables, f.Draw = view, check, answer, tables, draw
	return f.Figure()
}

// names lists the schemes, as they are shown.
func (c *choice) names() string {
	list := lists.Map(c.schemes, func(s study.Scheme) string { return s.Name })
	return strings.Join(list, "; ")
}
