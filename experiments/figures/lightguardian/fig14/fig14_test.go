package fig14

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
)

// The claims hold at the smoke scale, or are open.
func TestSmoke(t *testing.T) {
	for _, f := range check(figuretest.Golden[panels.Row](t)) {
		if f.Outcome == figure.Fails {
			t.Errorf("%v", f)
		}
	}
}
