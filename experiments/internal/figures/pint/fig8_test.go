package pint

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

// change returns ten buckets in which scheme s is compared with p = 1. The last of the values is repeated if there
// are fewer than ten.
func change(w pint.Workload, s study.Scheme, half float64, values ...float64) []study.Row {
	var rows []study.Row
	for i := range 10 {
		v := values[min(i, len(values)-1)]
		rows = append(rows, study.Row{
			Table: changes, Case: w.Name, Scheme: name(s), X: 4,
			Sized: stats.Sized{Share: float64(10 * (i + 1)),
				Number: stats.Number{Value: v, Lo: v - half, Hi: v + half, Flows: 100, Seeds: 3}},
		})
	}
	return rows
}

// TestCheck tests the verdicts for given rows. The claims about web search are that p = 1/16 is similar to p = 1,
// that short flows and long flows are slower with p = 1/256, and that p = 1/16 is nearer to p = 1. For Hadoop, the
// claim about long flows is missing.
func TestCheck(t *testing.T) {
	rows := func(half float64, some, few []float64) []study.Row {
		var list []study.Row
		for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
			list = append(list, change(w, shareSchemes[1], half, some...)...)
			list = append(list, change(w, shareSchemes[2], half, few...)...)
		}
		return list
	}
	for _, c := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"as the PINT paper says", rows(0.01, []float64{1.005}, []float64{1.5, 1.5, 1.5, 1.5, 1.5, 1, 1, 1, 1, 1.3}),
			"holds holds holds holds holds holds holds"},
		{"noise", rows(1, []float64{1.3}, []float64{1.2}), "undecided undecided undecided undecided undecided " +
			"undecided undecided"},
		{"the opposite", rows(0.01, []float64{1.5}, []float64{0.9, 0.9, 0.9, 0.9, 0.9, 1, 1, 1, 1, 0.9}),
			"fails fails fails fails fails fails fails"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &Fig8, c.rows, view...).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
