package lut

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[Row](t)
	if got, want := figuretest.Outcomes(check(rows)), "holds found holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	if list := compared(rows); len(list) != 2 || list[0].Published != 0.2 || list[1].Published != 0.9 || list[0].Ours > 2 {
		t.Errorf("beside the paper: %+v", list)
	}
}

// A table that errs more than the fridge contradicts the claim.
func TestCheckFails(t *testing.T) {
	rows := figuretest.Golden[Row](t)
	for i := range rows {
		rows[i].Share, rows[i].Estimate = 20, 10
	}
	list := check(rows)
	if list[0].Outcome != figure.Fails || list[2].Outcome != figure.Fails {
		t.Errorf("findings: %s", figuretest.Outcomes(list))
	}
}
