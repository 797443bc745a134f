// Package faults asks LightGuardian's questions of PINT: which silent faults the 16 bits of PINT's combined
// plan locate, how surely and how soon, beside LightGuardian's own diagnosis and exact
// counters, on the same packets of the same network.
//
// Package experiments/studies/guard has the diagnosis. Monitors cost nothing here, so that one run serves
// all three. What monitors cost is what telemetry/side-by-side measures; it also has a row of hosts without any telemetry, since the
// comparison of flows that locates losses for PINT needs no digest.
//
// # The contest
//
// Flows have 200 packets, a bucket of the sketches has 0.3 flows as in the LightGuardian paper's simulation (§8.3.1; its 10 M
// packets are of 0.1 M flows), and traffic goes on until the sketches of the last interval that matters have been carried.
// Four rows tell what costs LightGuardian what: exact counters with its rules (no sketch), its sketches read whole (no
// collection), its sketches as packets carry them, and these with the comparison of flows that PINT has, which uses what
// hosts know.
//
// # Result
//
// stored.csv has the rows of the laptop scale, seeds 1 to 5 (52 s of CPU). F1 in the mean over the kinds: LightGuardian 0.58, PINT 0.82.
// With the comparison of flows, LightGuardian has 0.83, so that the rules and not the sketches are behind. The rules lose
// by collection: with sketches read whole they have 0.78, with exact counters 0.94. A switch that fails takes its sketches with it
// (F1 of 0, and 0.97 read whole), and a blackhole or a failed host stops packets that would have carried some. What is left
// between 0.78 and 0.94 is flows that share buckets: a victim is compared at five switches, and one number that is too
// large names the wrong one.
//
// Of faults that lose packets, exact counters locate all but 0.1 %, and PINT has an F1 of 0.85: flows that
// lost nothing on the bad link speak for it, and those that lost something lie on good links too. Late packets it locates better
// than counters do: F1 of 0.87 for jitter, where exact counters with LightGuardian's rules have 0.43. That fault
// reorders packets; the go-back-N of RDMA then sends much again, and the longest times between packets grow at the wrong
// switches.
//
// PFC makes no difference to loops here (1.00 with exact counters, 0.95 with sketches read whole). A sender has one window under way
// until it times out, and a switch drops what has gone round 64 times, so that the two or three flows of a millisecond that
// meet the loop do not fill its link. With flows of 20 packets at the same load, ten times as many meet it; then
// PFC stops flows upstream before they have sent much, and exact counters have F1 of 0.39 with it and 0.98 without (three seeds, 16 ms).
//
// How soon: drops are named 1.1 ms after the fault by exact counters, 1.3 ms by PINT and 5.7 ms by LightGuardian, when the sketches of the
// interval have been collected; wrong paths after 2.0 ms by PINT and 7.3 ms by LightGuardian. What
// loses all packets shows after 7 ms by any of them, when the first sender gives up.
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
		figure.Smoke:  {Span{4 * unit.Millisecond, 4 * unit.Millisecond}, 1},
		figure.Laptop: {Span{16 * unit.Millisecond, 15 * unit.Millisecond}, 5},
		figure.Paper:  {Span{40 * unit.Millisecond, 15 * unit.Millisecond}, 10},
	},
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"LightGuardian's numbers are of sketches of 0.8 MB that are read whole, of an instance for each flow and switch, and of one kind of fault that it asks for; here a victim names one culprit of any kind, " +
			"and an interval is 4 ms. lightguardian/fig7 has its numbers at its scale.",
		"The digests of PINT tell nothing of packets that are lost. What names a lost packet's link is the comparison of flows with known paths, of which hosts know what was sent and what has arrived.",
	},
}.Figure()
