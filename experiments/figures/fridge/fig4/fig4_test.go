package fig4

import (
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/fridge/measure"
)

// Whatever few samples say, a fridge in stages with a short lifetime must be worse.
func TestSmoke(t *testing.T) {
	list := check(figuretest.Golden[measure.Row](t))
	if list[3].Outcome != figure.Holds || strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
}

// Two fridges that are worse deviate, for a reason that is known; stages that are better
// fail.
func TestCheckFails(t *testing.T) {
	rows := figuretest.Golden[measure.Row](t)
	for i := range rows {
		switch rows[i].Design {
		case one, hasty:
			rows[i].One = 0.1
		case hastyStaged:
			rows[i].One = 0.05
		default:
			rows[i].One = 0.3
		}
	}
	if got, want := figuretest.Outcomes(check(rows)), "deviates deviates holds fails found"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
}
