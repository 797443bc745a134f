package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// ratio returns rows of a table for a pair of schemes. Each value is in the middle of its interval.
func ratio(table string, s, against study.Scheme, half float64, values ...float64) []study.Row {
	var rows []study.Row
	for _, v := range values {
		rows = append(rows, study.Row{
			Table: table, Scheme: s.Name, Against: against.Name, X: 1,
			Sized: stats.Whole(stats.Number{Value: v, Lo: v - half, Hi: v + half, Flows: 100, Seeds: 3}),
		})
	}
	return rows
}

// TestPowerTCPCheck tests the verdicts on the claims that PINT is similar to INT, that integers are similar to
// float64, and that long flows gain from PINT under PowerTCP and under HPCC.
func TestPowerTCPCheck(t *testing.T) {
	rows := func(half, pint, integers, gain float64) (list []study.Row) {
		list = append(list, ratio(changes, float, withINT, half, 1, pint)...)
		list = append(list, ratio(changes, fixed, float, half, 1, integers)...)
		list = append(list, ratio(gains, float, withINT, half, gain)...)
		return append(list, ratio(gains, hpccPINT, hpccINT, half, gain)...)
	}
	for _, c := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"a byte is enough", rows(0.01, 0.95, 1.02, 1.04), "holds holds holds holds"},
		{"noise", rows(0.5, 1.2, 1.2, 1.04), "undecided undecided undecided undecided"},
		{"a byte is not enough", rows(0.01, 1.4, 1.2, 0.9), "fails fails fails fails"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &PowerTCP, c.rows, view...).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
