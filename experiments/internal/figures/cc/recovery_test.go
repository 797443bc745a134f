package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// No claim is contradicted by the rows of the smoke scale, or by the stored rows of the laptop scale. The latter decide
// most claims.
func TestRecoveryMeasured(t *testing.T) {
	figuretest.Compared(t, &Recovery, 9)
}

// The verdicts on claims of "faster" and "slower", for rows that agree, for rows that show the opposite, and for noise.
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
