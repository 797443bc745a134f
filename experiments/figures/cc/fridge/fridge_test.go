package fridge

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
	figuretest.AtLeast(t, stored, 8)
	if len(tables(figuretest.Stored[comparison.Row](t, figure.ByCase...))) == 0 {
		t.Error("no tables")
	}
}

// row is a number with an interval of half on each side.
func row(of, scheme, against, quantity string, x, value, half float64) comparison.Row {
	return comparison.Row{Case: of, X: x, Scheme: scheme, Against: against, Quantity: quantity, Measured: stats.Measured{Value: value, Lo: value - half, Hi: value + half, Seeds: 3}}
}

// What the claims make of rows: one case, with a change of slowdowns, biases, and what ACKs tell.
func TestCheck(t *testing.T) {
	c := caseOf(controls[0], web)
	rows := func(half, change, biased, raw, corrected, unheard, rare float64) []comparison.Row {
		return []comparison.Row{
			row(c, ample.name, host.name, p95, 0, change, half), row(c, small.name, "", bias, 0, biased, half/10),
			row(c, flows.name, "", bias, 0, biased, half/10), row(c, wholeRaw.name, "", bias, 0, raw, half/10), row(c, whole.name, "", bias, 0, corrected, half/10),
			row(c, small.name, "", silent, 0, unheard, half), row(c, small.name, "", told, 0, 0.6, half/10), row(c, smallRare.name, "", told, 0, rare, half/10),
		}
	}
	for _, tt := range []struct {
		name string
		rows []comparison.Row
		want string
	}{
		{"as it should be", rows(0.01, 1.02, 1, 0.96, 0.995, 1.3, 0.9), "holds holds holds holds holds holds holds"},
		{"noise", rows(3, 1.3, 1.05, 0.96, 1.05, 1.3, 0.9), "open open open open open open open"},
		{"the other way", rows(0.01, 1.4, 0.9, 1.1, 0.9, 0.8, 0.4), "fails fails fails fails fails fails fails"},
	} {
		if got := figuretest.Outcomes(check(tt.rows)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
