// Package powertcp is PowerTCP beside HPCC on the fat tree of PINT §6.1, each fed by INT and by
// one byte of PINT, and θ-PowerTCP, which needs neither.
//
// Nobody has published it: PowerTCP (NSDI 2022) reads INT, and PINT (SIGCOMM 2020) carries
// HPCC's utilisation. The claims are what follows if the power of the busiest link survives a
// byte as the utilisation does.
//
// Here, at laptop scale (web search, 50 % load, 3 seeds, arrivals for 1 ms): PowerTCP over PINT
// has 95th percentiles of the slowdown between -5.7 and +4.4 % of those over INT; flows above
// 10 MB have 4.5 % more goodput (69.9 Gb/s for 66.9), as HPCC's have 4.8 % (67.3 for 64.2). The
// integers of the P4 program are within 1.2 % of float64, and long flows the same. θ-PowerTCP
// has no telemetry on its packets and 3.7 % more goodput than PowerTCP over INT. PowerTCP's
// short flows wait behind β of each long one: up to 17 % more than HPCC's. The paper scale has
// not been run.
package powertcp

import (
	"pintlab/experiments/figures/figure"
)

// Figure is the comparison.
var Figure = figure.Of[Scale, Row]{
	Name:   "cc/powertcp",
	Title:  "PowerTCP in one byte",
	Source: "PowerTCP (NSDI 2022) over PINT (SIGCOMM 2020); not published",
	Claim: "A byte of PINT serves PowerTCP as well as a record per hop does, in the integers of a switch " +
		"as in float64, and what it saves on the wire makes long flows faster.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Tables:  tables,
	Draw:    draw,
}.Figure()
