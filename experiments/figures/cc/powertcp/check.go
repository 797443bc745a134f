package powertcp

import (
	"pintlab/experiments/figures/figure"
)

// How far apart slowdowns may be that count as the same: of two feedbacks, and of two
// arithmetics of one feedback.
const (
	similar = 0.15
	equal   = 0.05
)

func check(all []Row) []figure.Finding {
	rows := full(all)
	return []figure.Finding{
		figure.Similar("PowerTCP over PINT is similar to PowerTCP over INT for all flow sizes", of(rows, changes, float, withINT), similar),
		figure.Similar("the integers of a switch give what float64 gives", of(rows, changes, fixed, float), equal),
		figure.Higher("flows above 10 MB are faster over PINT than over INT", of(rows, gains, float, withINT)),
		figure.Higher("and so they are with HPCC", of(rows, gains, hpccPINT, hpccINT)),
	}
}
