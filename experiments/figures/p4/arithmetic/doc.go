// Package arithmetic shows what the arithmetic of a switch costs HPCC over PINT: the
// setting of PINT §6.1 with U computed exactly, and computed with integers and tables of
// 2^q entries as §5 and appendices B and C have it.
//
// The PINT paper has no such figure. It computes U in the switch of a simulator and
// derives the error of a single operation (below 1 % for q = 8); what errors do to U,
// which is computed from itself with every packet, and to flows, it does not say.
//
// Three forms of the same equation are compared: the difference that hpcc_util has, U·(T-τ)/T
// as appendix B has it, and U - U·τ/T (package p4/fixedpoint, "Differences from the PINT paper").
//
// With appendix B the shorter half of the flows is much slower than with exact arithmetic, whatever q is; with U - U·τ/T it is
// not, and with the difference it is not from q = 6 on, which hpcc_util has.
package arithmetic

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
)

// Figure is slowdown and goodput by arithmetic.
var Figure = figure.Of[congestion.Scale, Row]{
	Name:   "p4/arithmetic",
	Title:  "HPCC over PINT with the arithmetic of a switch",
	Source: "PINT §5, appendices B and C, in the setting of §6.1",
	Claim: "As a difference, with tables of 2^6 entries, U changes nothing that flows notice; " +
		"as appendix B has it, U comes out too small, and HPCC keeps queues.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"The PINT paper bounds the error of one logarithm, 1.44·2^-q. The first term of appendix B passes all of U through two of them and a power with " +
			"every packet, and each time loses 2^-q of it or so, while the packet's own share is τ/T: 2^-7.3 at 100 Gb/s and T = 13 µs, 2^-9.3 at 400 Gb/s. " +
			"What is lost adds up over the horizon: a link that is always busy shows 0.6 of its load at q = 8 and 100 Gb/s, 0.3 at 400 Gb/s.",
		"HPCC divides its window by U/η, so it sends until the U that it sees is η: with U too small, until queues make up for the rest. Flows above " +
			"10 MB gain, short ones wait.",
	},
}.Figure()
