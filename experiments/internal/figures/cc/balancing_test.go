package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// No claim is contradicted by the rows of the smoke scale, or by the stored rows of the laptop scale. The latter decide
// most claims.
func TestBalancingMeasured(t *testing.T) {
	figuretest.Compared(t, &Balancing, 4)
}

// The verdicts on claims of "faster" and "more", for rows that agree, for rows that show the opposite, and for noise.
func TestBalancingCheck(t *testing.T) {
	rows := func(half, low, high float64) (list []study.Row) {
		for _, n := range []network{whole, broken} {
			for _, x := range transports {
				for _, s := range x.schemes[1:] {
					list = append(list, figuretest.Row(caseOf(x, n), s.Name, x.schemes[0].Name, mean, 0, low, half))
				}
			}
			list = append(list,
				figuretest.Row(caseOf(transports[0], n), misplaced.Name, "", again, 0, high, half),
				figuretest.Row(caseOf(transports[0], n), spray.Name, "", again, 0, low, half),
				figuretest.Row(caseOf(transports[1], n), rdmaHasty.Name, "", again, 0, high, half),
				figuretest.Row(caseOf(transports[1], n), rdmaSpray.Name, "", again, 0, low, half))
		}
		return list
	}
	decides(t, &Balancing, rows, 7)
}

// decides judges the claims of a figure for three sets of rows: with the expected ratios, with the opposite, and with
// noise. The function rows makes ratios from the half width of their intervals and the values of the better and the
// worse scheme.
func decides(t *testing.T, f *figure.Figure, rows func(half, low, high float64) []study.Row, claims int) {
	t.Helper()
	for _, tt := range []struct {
		name string
		rows []study.Row
		want figure.Verdict
	}{{"as it should be", rows(0.01, 0.8, 1.3), figure.Holds}, {"noise", rows(2, 0.8, 1.3), figure.Undecided},
		{"the other way", rows(0.01, 1.3, 0.8), figure.Fails}} {
		list := figuretest.View(t, f, tt.rows, figure.ByCase...).Findings()
		if figuretest.All(t, list, tt.want); len(list) != claims {
			t.Errorf("%s: %d claims, want %d", tt.name, len(list), claims)
		}
	}
}
