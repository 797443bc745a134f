// Package front searches the ways in which a switch can compute HPCC's U with integers and
// tables, and shows the best: fewest match-action stages, least memory of tables, smallest
// error of U on a recorded run (package record), and what the error does to flows.
//
// The family: three forms of the equation (package p4/fixedpoint), entries of tables that are
// right at the lower end or in the middle of their cells, a size for the tables of logarithms
// of times, of logarithms of all else and of powers each, and, for each of the three, one
// table or two in a row: a logarithm is one of prefixes, or the first set bit and then the
// fraction; a power is one of whole part and fraction, or the fraction and then a shift. What
// one table gives differs from what two give by a unit of the last place, so that the error
// is measured once for both.
//
// The PINT paper (§5, appendices B and C) has one member: appendix B, lower ends, 2^8 entries,
// two tables in a row.
//
// The difference with one table each takes the fewest stages of all forms; tables in a row take one or two stages more for a
// fraction of the memory. hpcc_util lies beside the front, because it has one q. Appendix B takes more stages and its
// error is much larger. stored/laptop.csv has the rows of one seed for 10 368 members.
package front

import "pintlab/experiments/figures/figure"

// Figure is the front.
var Figure = figure.Of[scale, Row]{
	Name:   "p4/front",
	Title:  "Arithmetic of a switch: stages, memory and error of HPCC's U",
	Source: "PINT §5, appendices B and C",
	Claim: "No member of the family needs fewer stages than the difference with one table for each logarithm and power, " +
		"and with tables of 2^6 entries its error of U is below 1 %.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"Stages are those of a program's egress: U, one for its code and one to write. A shift in front of an adder is a stage of its own; the PINT paper counts " +
			"eight for appendix B because it is not. That a register which stage 1 reads is written later is left aside here, as in the PINT paper.",
		"Memory is that of all entries, keys and data; a key of prefixes or masks counts twice.",
		"Appendix B multiplies all of U by the error of a table with every packet; the other forms multiply what the packet changes.",
	},
}.Figure()
