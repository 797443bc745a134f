// Package faults asks LightGuardian's questions of PINT: which silent faults the 16 bits of PINT's combined
// plan locate, how surely and how soon, beside LightGuardian's own diagnosis and exact
// counters, on the same packets of the same network.
//
// Package experiments/measure/guard has the diagnosis. Monitors cost nothing here, so that one run serves
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
// # What comes out, and why
//
// stored.csv has the rows of the laptop scale, seeds 1 to 5 (52 s of CPU); docs/side-by-side.md has the larger contest.
//
// LightGuardian's rules are behind PINT, and with the comparison of flows they are level: the rules and not the sketches
// make the difference. The rules lose by collection: a switch that fails takes its sketches with it, and a blackhole or a
// failed host stops packets that would have carried some. Read whole, sketches lose by flows that share buckets: a victim is
// compared at five switches, and one number that is too large names the wrong one.
//
// Of faults that lose packets, exact counters locate nearly all. PINT locates fewer, because flows that lost nothing on the
// bad link speak for it, and those that lost something lie on good links too. PINT locates late packets better than counters
// do: jitter reorders packets, go-back-N then sends much again, and the longest times between packets grow at the wrong
// switches.
//
// PFC makes no difference to loops here. A sender has one window under way until it times out, and a switch drops what has
// gone round 64 times, so the two or three flows of a millisecond that meet the loop do not fill its link. With flows of 20
// packets at the same load ten times as many meet it, and PFC stops flows upstream before they have sent much.
//
// Exact counters name drops and wrong paths first, then PINT; LightGuardian waits until the sketches of the interval have
// been collected. What loses all packets shows when the first sender gives up, whoever looks.
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
