// Package fig9 is Figure 9 of LightGuardian (Appendix D.2): precision and recall of locating
// loops, against the memory of a switch. Package locate has the experiment.
package fig9

import (
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
)

// Figure is Fig. 9.
var Figure = scores.Scores("lightguardian/fig9", "Locating loops", "LightGuardian Appendix D.2, Fig. 9 (a) and (b)",
	"A higher threshold goes with higher precision and lower recall; with 0.8 MB both are near 1.", locate.Loop).Figure()
