package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// Neither the smoke rows nor the stored laptop rows contradict a claim. The laptop rows decide most claims.
func TestRecoveryMeasured(t *testing.T) {
	figuretest.Compared(t, &Recovery, 9)
}

// Claims of "faster" and "slower" hold for rows that agree, fail for rows that show the opposite, and are undecided
// for noise.
func TestRecoveryCheck(t *testing.T) {
	rows := func(half, low, high float64) (list []study.Row) {
		ratio := func(s, against scheme, quantity string, value float64) {
			for _, x := range losses {
				list = append(list, figuretest.Row(s.of, s.name, against.name, quantity, x, value, half))
			}
		}
		ratio(irnDrops, goBackN, mean, low)
		ratio(irnDrops, recoveryIrn, mean, low)
		ratio(goBackNDrops, goBackN, mean, high)
		ratio(renoSACK, reno, mean, low)
		ratio(cubicSACK, cubic, mean, low)
		ratio(renoRACK, renoSACK, short99, low)
		ratio(cubicRACK, cubicSACK, short99, low)
		ratio(renoECN, renoSACK, mean, low)
		ratio(cubicECN, cubicSACK, mean, low)
		for _, p := range [][2]scheme{{renoSACK, renoRACK}, {cubicSACK, cubicRACK}} {
			list = append(list, figuretest.Row(p[0].of, p[0].name, "", timeouts, 1, high, half),
				figuretest.Row(p[1].of, p[1].name, "", timeouts, 1, low, half))
		}
		return list
	}
	decides(t, &Recovery, rows, 12)
}
