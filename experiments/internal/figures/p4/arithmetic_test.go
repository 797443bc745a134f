package p4

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/p4/fixedpoint"
	"pintlab/plots/report"
)

// TestCheck tests the verdicts for given rows. For each workload, one claim is that the form difference is near exact
// arithmetic, and another is that appendix B with q = 4 is farther away. The last claim is about long flows.
func TestCheck(t *testing.T) {
	rows := func(half, fine, coarse, gain float64) []ArithmeticRow {
		at := func(v float64) stats.Sized { return stats.Whole(stats.Number{Value: v, Lo: v - half, Hi: v + half}) }
		var list []ArithmeticRow
		for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
			for range 10 {
				list = append(list,
					ArithmeticRow{Table: changes, Workload: w.Name, Form: fixedpoint.Difference.String(), Bits: 6,
						Sized: at(fine)},
					ArithmeticRow{Table: changes, Workload: w.Name, Form: fixedpoint.AppendixB.String(), Bits: 4,
						Sized: at(coarse)})
			}
		}
		return append(list, ArithmeticRow{Table: gains, Workload: pint.Web.Name,
			Form: fixedpoint.AppendixB.String(), Bits: 8, Sized: at(gain)})
	}
	for _, c := range []struct {
		name string
		rows []ArithmeticRow
		want string
	}{
		{"as claimed", rows(0.02, 1.01, 1.5, 1.1), "holds holds holds holds holds"},
		{"noise", rows(1, 1.2, 1.2, 1.1), "undecided undecided undecided undecided undecided"},
		{"the opposite", rows(0.02, 1.5, 1.01, 0.9), "fails fails fails fails fails"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &Arithmetic, c.rows).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// According to appendix C, 39131 represents 1.19, the error of log2 is at most 1.44·2^-8, and the error of 2^x is
// less than 1 %. According to the formulas of package fixedpoint, the largest error of log2 is just below log2(1 +
// 2^-8) = 0.0056246, and the largest error of 2^x is just below 1 − 2^(−2^-8) = 0.27039 %.
func TestNumbersOfAppendixC(t *testing.T) {
	list := figuretest.View(t, &Arithmetic, []ArithmeticRow(nil)).Compared()
	for i, want := range []float64{1.194183, 0.0056246, 0.27039} {
		if c := list[i]; c.Outcome != report.Holds || math.Abs(c.Ours/want-1) > 5e-4 {
			t.Errorf("%+v, want %v, which holds", c, want)
		}
	}
}

// The tables of a switch can round the logarithm of U at random, but not U itself.
func TestFixedArithmeticRoundsTheLogarithm(t *testing.T) {
	base := "cc: {kind: hpcc}\ntelemetry: {kind: pint, arithmetic: fixed}\n"
	sc, err := scenario.Parse([]byte(base), "f")
	if err != nil {
		t.Fatal(err)
	}
	const want = `telemetry.rounding: "value": fixed arithmetic rounds the logarithm at random (accepted: log)`
	if err := sc.Set("telemetry.rounding=value"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("set: error %v, want %s", err, want)
	}
	text := strings.Replace(base, "fixed", "fixed, rounding: value", 1)
	if _, err := scenario.Parse([]byte(text), "f"); !errtest.Says(err, "f:2:54: "+want) {
		t.Errorf("parse: error %v, want f:2:54: %s", err, want)
	}
	if _, err := scenario.Parse([]byte(strings.Replace(text, "value", "log", 1)), "f"); err != nil {
		t.Error(err)
	}
}
