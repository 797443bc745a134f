package fig2

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/fridges"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	if got, want := figuretest.Outcomes(check(rows)), "open holds holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	if list := compared(rows); len(list) != 3 || list[0].Published != 0.08 || list[1].Published != 1.68 {
		t.Errorf("beside the paper: %+v", list)
	}
}

// A fridge as bad as the array that always replaces contradicts the claim.
func TestCheckFails(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	for i := range rows {
		r := &rows[i]
		switch r.Design {
		case corrected:
			r.Max, r.One, r.Lo, r.Hi = 1, 1, 0.9, 1.1
		case naive:
			r.Max, r.One, r.Lo, r.Hi = 0.5, 0.5, 0.4, 0.6
		case raw:
			r.Max = 0.01
		}
	}
	list := check(rows)
	if list[0].Outcome != figure.Fails || list[2].Outcome != figure.Fails {
		t.Errorf("findings: %s", figuretest.Outcomes(list))
	}
}

func TestNoEffect(t *testing.T) {
	if _, err := do(t.Context(), &figure.Job{Scale: figure.Smoke, Set: []string{"a=b"}}, scales[figure.Smoke]); err == nil {
		t.Error("--set is accepted without effect")
	}
}
