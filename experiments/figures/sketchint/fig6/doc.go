// Package fig6 is Figure 6 of SketchINT (§VII-B): how many packets per second sketches take in and
// answer for on one core, and TowerSketch on several, with a lock and without, with the error that
// is left.
//
// The SketchINT paper prints 22.6, 27.1 and 21.7 Mpps for insertion into TowerCM, CM and CU, and 274 Mpps for 30
// threads without a lock, 1.96 times as many as with one.
//
// The numbers are of the machine and the moment. The claims are of order and of factors, which leave room
// for what else a machine does, and no test depends on them. That goroutines are faster without a lock can
// only be seen on cores that are free: on busy ones the claim stays open.
//
// The laptop scale takes half a minute.
package fig6

import (
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
)

// oneByOne is why ElasticSketch is not the fastest.
var oneByOne = figure.Known(knownText, "flow by flow", "We compare the seven flows of a bucket one by one, the authors with one SIMD instruction.")

//go:embed known.csv
var knownText string

// Figure is Fig. 6.
var Figure = figure.Of[scale, Row]{
	Name:   "sketchint/fig6",
	Title:  "Speed of TowerSketch on one core and on several",
	Source: "SketchINT §VII-B, Fig. 6 (a) to (d)",
	Claim: "TowerSketch takes in packets about as fast as CM and CU. Without a lock, several goroutines are faster than with one, " +
		"and lose almost no accuracy.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Timed:   []string{"insert_Mpps", "query_Mpps", "are"},
	Why: []string{
		"The SketchINT paper does not name its processor. Numbers in Mpps are for the machine that the report names; compare the ratios.",
		"Each part of the trace counts with the fastest of several rounds. The SketchINT paper gives means; with other work on the machine they say little.",
		"The authors hash once for each array, copy the key of each packet, and compare the seven flows of a bucket of ElasticSketch with one SIMD instruction. " +
			"We hash once for all arrays, and compare the flows one by one.",
		"Without a lock the authors' threads write without atomic instructions, lose increments to each other, and no packet costs more than on one core. " +
			"Ours compare and swap each counter, which costs more and loses nothing with CM insertion; to do so less often, each gathers packets of a flow " +
			"in 128 KB of its own before it inserts them (tower.Writer). " +
			"Packets go to the SketchINT paper's threads by a hash of the flow; ours take equal stretches of the trace, so that large flows are hit by all.",
		"With more goroutines than cores, goroutines take turns.",
	},
}.Figure()
