// Package fig10 is Figure 10 of LightGuardian (Appendix D.2): precision and recall of locating
// abnormal jitter, against the memory of a switch. Package locate has the experiment.
package fig10

import (
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
)

// Figure is Fig. 10.
var Figure = scores.Scores("lightguardian/fig10", "Locating abnormal jitter", "LightGuardian Appendix D.2, Fig. 10 (a) and (b)",
	"A higher threshold goes with higher precision and lower recall; both are near 1 from 50 KB on.", locate.Jitter).Figure()
