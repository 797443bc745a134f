// Package faults asks LightGuardian's questions of PINT: which silent faults the 16 bits of PINT's combined
// plan locate, how surely and how soon, beside LightGuardian's own diagnosis and exact
// counters, on the same packets of the same network.
//
// Package experiments/studies/guard has the diagnosis. Monitors cost nothing here, so that one run serves
// all three. What monitors cost is what telemetry/side-by-side measures; it also has a row of hosts without any telemetry, since the
// comparison of flows that locates losses for PINT needs no digest.
//
// # Result
//
// stored.csv has the rows of the laptop scale, seeds 1 to 3 (34 s of CPU). PINT locates faults of all eight kinds, with F1 of 0.87 to 0.95 but
// for random drops (0.59 at 5 %), and 0.87 in the mean over the kinds; LightGuardian's sketches have 0.19 in runs so short. Of faults
// that lose packets, exact counters of every switch have 0.90 and PINT 0.86. Drops are hard for it because flows that
// lost nothing on the bad link speak for it, and those that lost something lie on good links too.
//
// Late packets it locates better than counters do: F1 of 0.89 for jitter, where exact counters with LightGuardian's rules have 0.01. That fault
// reorders packets; the go-back-N of RDMA then sends much again, and the longest times between packets grow at the wrong
// switches.
//
// How soon: packets that take another way name it 0.16 ms after the fault, and drops are named after 0.26 ms, as soon as a
// first flow has ended; counters know at the end of their interval (1 ms), sketches when they have been collected (3 ms). What
// loses all packets shows after 16 ms by any of the three, when the first sender gives up.
package faults

import (
	"pintlab/experiments/figures/figure"
	"pintlab/netsim/unit"
)

// Figure is telemetry/faults.
var Figure = figure.Of[scale, Row]{
	Name:   "telemetry/faults",
	Title:  "LightGuardian's questions, asked of 16 bits of PINT",
	Source: "no paper; PINT §6.4 and LightGuardian §6.2, §8.3.1",
	Claim:  "16 bits of PINT on every packet locate silent faults: what is lost by comparison of the flows that share a link, what is late by the latencies of hops, what goes astray by its path.",
	Scales: map[figure.Scale]scale{
		figure.Smoke:  {4 * unit.Millisecond, 1},
		figure.Laptop: {12 * unit.Millisecond, 3},
		figure.Paper:  {40 * unit.Millisecond, 10},
	},
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"LightGuardian's numbers are of its testbed, whose sketches have 0.8 MB and 5 s; here an interval is 2 ms and a switch has 512 sketchlets, since more could not be " +
			"carried away by the packets of an interval. lightguardian/fig7 has its numbers at its scale.",
		"The digests of PINT tell nothing of packets that are lost. What names a lost packet's link is the comparison of flows with known paths, of which hosts know what was sent and what has arrived.",
	},
}.Figure()
