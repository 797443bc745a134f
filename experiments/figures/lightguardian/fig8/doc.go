// Package fig8 is Figure 8 of LightGuardian (Appendix D.2): precision and recall of locating
// blackholes, against the memory of a switch. Package locate has the experiment.
//
// A run of 10 M packets (paper scale) takes 14 s of CPU and 251 MB.
package fig8

import (
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
)

// Figure is Fig. 8.
var Figure = scores.Scores("lightguardian/fig8", "Locating blackholes", "LightGuardian Appendix D.2, Fig. 8 (a) and (b)",
	"A higher threshold goes with lower precision and higher recall; with 0.8 MB both are near 1.", locate.Blackhole).Figure()
