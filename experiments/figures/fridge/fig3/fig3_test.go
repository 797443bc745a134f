package fig3

import (
	"math"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/fridges"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	for _, f := range check(rows) {
		if f.Outcome != figure.Holds {
			t.Errorf("%v", f)
		}
	}
	list := compared(rows)
	if len(list) != 2 || list[0].Published != -9 || list[1].Published != -4 || math.Abs(list[0].Ours+9) > 2.5 || math.Abs(list[1].Ours+4) > 2.5 {
		t.Errorf("beside the paper: %+v", list)
	}
}

// Errors that fall with p all the way contradict the claim.
func TestCheckFails(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	for i := range rows {
		rows[i].One = 1 / rows[i].Probability
	}
	if f := check(rows)[0]; f.Outcome != figure.Fails {
		t.Errorf("%v, want it to fail", f)
	}
}
