// Package fig8 is Figure 8 of SketchINT (§VII-C): what the collection costs, in bytes and packets over
// those of INT in passport mode, against the error of the latencies.
//
// The runs are those of Fig. 7 with TowerCU, and ten more.
package fig8

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/sketchint"
)

// Figure is Fig. 8.
var Figure = figure.Of[sketchint.Scale, Row]{
	Name:    "sketchint/fig8",
	Title:   "Bandwidth and packets of SketchINT over those of passport INT",
	Source:  "SketchINT §VII-C, Fig. 8 (a) and (b)",
	Claim:   "3 % of the bandwidth of INT in passport mode and 0.03 % of its packets are enough for latencies with an ARE below 5 %.",
	Scales:  sketchint.Scales,
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"Passport mode mirrors each packet without its payload: 58 B of headers and the INT layer, 8 B on the shortest paths and 32 B on the longest. The SketchINT paper does not say how many bytes its mirrored packets have.",
		"The bytes of a shipment are those of both sketches and both tables, as they travel in frames of 9000 B through the network that they measure. " +
			"Errors of latencies are below the SketchINT paper's at the same memory (see Fig. 7), so that fewer bytes are enough.",
	},
}.Figure()
