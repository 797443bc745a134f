package fig4

import (
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/fridges"
)

// Whatever few samples say, a fridge in stages with a short lifetime must be worse.
func TestSmoke(t *testing.T) {
	list := check(figuretest.Golden[fridges.Row](t))
	if list[4].Outcome != figure.Holds || strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
}

// Two fridges that are worse deviate, for a reason that is known; stages that are better
// fail.
func TestCheckFails(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	for i := range rows {
		r, e := &rows[i], 0.3
		switch r.Design {
		case one, hasty:
			e = 0.1
		case hastyStaged:
			e = 0.05
		}
		r.P50, r.P95, r.P99 = e, e, e
	}
	if got, want := figuretest.Outcomes(check(rows)), "deviates deviates found holds fails found"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
}
