package balancing

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/stats"
)

// The smoke scale contradicts nothing, nor do the stored rows of the laptop scale, which decide most
// claims.
func TestMeasured(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[comparison.Row](t, figure.ByCase...)))
	stored := check(figuretest.Stored[comparison.Row](t, figure.ByCase...))
	figuretest.NoneFails(t, stored)
	figuretest.AtLeast(t, stored, 4)
	if len(tables(figuretest.Stored[comparison.Row](t, figure.ByCase...))) == 0 {
		t.Error("no tables")
	}
}

// row is a number with an interval of half on each side.
func row(of, scheme, against, quantity string, x, value, half float64) comparison.Row {
	return comparison.Row{Case: of, X: x, Scheme: scheme, Against: against, Quantity: quantity, Measured: stats.Measured{Value: value, Lo: value - half, Hi: value + half, Seeds: 3}}
}

// Claims of faster and of more, and what they make of the opposite and of noise.
func TestCheck(t *testing.T) {
	rows := func(half, low, high float64) (list []comparison.Row) {
		for _, n := range []network{whole, broken} {
			for _, x := range transports {
				for _, s := range x.schemes[1:] {
					list = append(list, row(caseOf(x, n), s.Name, x.schemes[0].Name, mean, 0, low, half))
				}
			}
			list = append(list,
				row(caseOf(transports[0], n), misplaced.Name, "", again, 0, high, half), row(caseOf(transports[0], n), spray.Name, "", again, 0, low, half),
				row(caseOf(transports[1], n), rdmaHasty.Name, "", again, 0, high, half), row(caseOf(transports[1], n), rdmaSpray.Name, "", again, 0, low, half))
		}
		return list
	}
	for _, tt := range []struct {
		name string
		rows []comparison.Row
		want figure.Verdict
	}{{"as it should be", rows(0.01, 0.8, 1.3), figure.Holds}, {"noise", rows(2, 0.8, 1.3), figure.Open}, {"the other way", rows(0.01, 1.3, 0.8), figure.Fails}} {
		list := check(tt.rows)
		if figuretest.All(t, list, tt.want); len(list) != 7 {
			t.Errorf("%s: %d claims", tt.name, len(list))
		}
	}
}
