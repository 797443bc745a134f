package cc

import (
	"math"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// measured returns rows like those of the laptop scale, with the given numbers. Each interval extends to both sides
// by the share `known` of the value.
func measured(known float64, goodputs [3]float64, slow float64, tails [3]float64, over float64) []study.Row {
	var rows []study.Row
	add := func(table string, s study.Scheme, x, value float64) {
		rows = append(rows, study.Row{Table: table, Scheme: s.Name, X: x, Sized: stats.Whole(stats.Number{Value: value,
			Lo: value * (1 - known), Hi: value * (1 + known), Seeds: 10})})
	}
	for i, s := range []study.Scheme{ndp, ndpDctcp, dcqcn} {
		add(ndpMean, s, math.NaN(), goodputs[i]*1e9)
		add(longest, s, math.NaN(), tails[i]*1e-6)
	}
	add(slowest, ndp, math.NaN(), slow*1e9)
	add(incasts, ndp, 4, 2) // too few senders for the claim
	add(incasts, ndp, 64, over)
	return rows
}

// TestNDPCheck tests the verdicts on claims about the permutation, the slowest host, short flows and an incast.
func TestNDPCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"as published", measured(0.01, [3]float64{9.2, 4, 4}, 9, [3]float64{200, 900, 300}, 1.02),
			"holds holds holds holds holds holds holds"},
		{"noise", measured(0.5, [3]float64{9.2, 6, 6}, 7, [3]float64{200, 300, 300}, 1.02),
			"undecided undecided undecided undecided undecided undecided undecided"},
		{"NDP is no better", measured(0.01, [3]float64{8, 7, 7}, 6, [3]float64{300, 300, 200}, 1.2),
			"fails fails fails fails fails fails fails"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &NDP, c.rows, ndpView...).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The smoke rows contradict no claim, and contain all rows that the drawings need.
func TestSmallRun(t *testing.T) {
	rows := figuretest.Golden[study.Row](t, "ndp", ndpView...)
	figuretest.NoneFails(t, figuretest.View(t, &NDP, rows, ndpView...).Findings())
	for _, s := range ndpSchemes {
		for _, table := range []string{ndpMean, slowest, median, longest} {
			if r := one(rows, table, s); !(r.Value > 0) {
				t.Errorf("%s: no %s", s.Name, table)
			}
		}
	}
	if list := study.Pick(ndpIn(rows, incasts), "", ndp.Name, "", ""); len(list) != len(ndpScales["smoke"].senders) {
		t.Errorf("incasts: %v", list)
	}
}
