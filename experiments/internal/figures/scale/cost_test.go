package scale

import (
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
)

// The smoke rows decide no claim, because their networks are too small. Both claims hold for the stored rows. The
// stored rows have a table and a drawing.
func TestCost(t *testing.T) {
	smoke := checkCost(figuretest.Golden[CostRow](t, "cost"))
	figuretest.All(t, smoke, figure.Undecided)
	for _, f := range smoke {
		if f.Detail != "not simulated at this scale" {
			t.Errorf("%s: %q, without a network of 8192 hosts", f.Statement, f.Detail)
		}
	}
	rows := figuretest.Stored[CostRow](t, "cost")
	figuretest.All(t, checkCost(rows), figure.Holds)
	if d, err := drawCost(rows); err != nil || len(d) != 1 || len(tablesOfCost(rows)) != 1 {
		t.Errorf("%d drawings: %v", len(d), err)
	}
}
