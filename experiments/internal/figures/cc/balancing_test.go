package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// Neither the smoke rows nor the stored laptop rows contradict a claim. The laptop rows decide most claims.
func TestBalancingMeasured(t *testing.T) {
	figuretest.Compared(t, &Balancing, 4)
}

// Claims of "faster" and "more" hold for rows that agree, fail for rows that show the opposite, and are undecided for
// noise.
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

// decides judges the claims of a figure for three sets of rows: rows with the expected ratios, with the opposite
// ratios, and with noise. The arguments of `rows` are half the width of each interval, and the values of the better
// scheme and of the worse scheme.
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
