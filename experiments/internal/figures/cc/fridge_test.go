package cc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// Neither the smoke rows nor the stored laptop rows contradict a claim. The laptop rows decide most claims.
func TestFridgeMeasured(t *testing.T) { figuretest.Compared(t, &Fridge, 8) }

// TestFridgeCheck tests the verdicts for rows of one case, in which the change of slowdowns, the biases, and the
// shares of ACKs with an estimate are given.
func TestFridgeCheck(t *testing.T) {
	c := fridgeCaseOf(controls[0], web)
	rows := func(half, change, biased, raw, corrected, unheard, rare float64) []study.Row {
		return []study.Row{
			figuretest.Row(c, ample.name, host.name, fridgeP95, 0, change, half),
			figuretest.Row(c, small.name, "", bias, 0, biased, half/10),
			figuretest.Row(c, byFlow.name, "", bias, 0, biased, half/10),
			figuretest.Row(c, wholeRaw.name, "", bias, 0, raw, half/10),
			figuretest.Row(c, fridgeWhole.name, "", bias, 0, corrected, half/10),
			figuretest.Row(c, small.name, "", silent, 0, unheard, half),
			figuretest.Row(c, small.name, "", told, 0, 0.6, half/10),
			figuretest.Row(c, smallRare.name, "", told, 0, rare, half/10),
		}
	}
	for _, tt := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"as it should be", rows(0.01, 1.02, 1, 0.96, 0.995, 1.3, 0.9), "holds holds holds holds holds holds holds"},
		{"noise", rows(3, 1.3, 1.05, 0.96, 1.05, 1.3, 0.9),
			"undecided undecided undecided undecided undecided undecided undecided"},
		{"the other way", rows(0.01, 1.4, 0.9, 1.1, 0.9, 0.8, 0.4),
			"fails deviates deviates fails deviates fails fails"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &Fridge, tt.rows,
			figure.ByCase...).Findings()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
