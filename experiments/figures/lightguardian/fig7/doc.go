// Package fig7 is Figure 7 of LightGuardian (§8.3): F1 of locating blackholes, loops and jitter
// against the memory of a switch (a to c; package locate has the experiment), and what the
// analyzer recovers when hosts are broken (d).
//
// In (d) broken hosts neither send nor receive: other hosts send to them in vain, and the
// sketchlets in those packets are lost. A sketch is recovered if all of its sketchlets have
// reached the analyzer within the interval in which they are given away. FRR is the share of the runs in which
// all 20 sketches are recovered, RSR the share of the sketches.
//
// # What limits recovery
//
// With traffic enough, a sketch is lost only if no packet that passes its switch reaches a host
// that works: if both hosts of an edge switch are broken, or all four of a pod for its aggregation
// switches. So FRR at λ_b = 4 is C(8,4)·2^4/C(16,4) = 0.615, and RSR at λ_b = 8 is
// 1 − (8·C(14,6) + 2·4·C(12,4))/(20·C(16,8)) = 0.891: the LightGuardian paper's "> 60 %" and "89 %". The number of buckets
// does not matter, so our sketches are small and intervals short.
//
// # Differences
//
// Blackholes and loops are located about as well as published, jitter only with eight times the memory. Every sketch that the
// broken hosts leave possible is recovered; FRR and RSR depend on the 30 draws of broken hosts. The laptop scale takes 42 s
// of CPU.
package fig7

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
)

// Figure is Fig. 7.
var Figure = figure.Of[scale, Row]{
	Name:   "lightguardian/fig7",
	Title:  "Locating faults, and robustness",
	Source: source,
	Claim:  "With 0.8 MB in each switch F1 of locating blackholes and loops is about 0.99, and that of jitter with 50 KB near 1; with half of the hosts broken the analyzer recovers 89 % of the sketches.",
	Scales: map[figure.Scale]scale{
		figure.Smoke:  {locate.Scales[figure.Smoke], []int{0, 4, 8}, 4},
		figure.Laptop: {locate.Scales[figure.Laptop], []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 30},
		figure.Paper:  {locate.Scales[figure.Paper], []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 300},
	},
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: append(scores.Why(), "(d): the LightGuardian paper has 2^16 buckets in an array, which takes seconds to give away. Recovery is limited by which hosts are broken alone, "+
		"as long as an interval has packets enough for every sketchlet; ours has 8 sketchlets."),
}.Figure()

const source = "LightGuardian §8.3, Fig. 7 (a) to (d)"
