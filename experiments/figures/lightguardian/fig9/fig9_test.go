package fig9

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/locate"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[locate.Row](t)
	for _, f := range locate.Check(rows, locate.Loop) {
		if f.Outcome == figure.Fails {
			t.Errorf("%v", f)
		}
	}
	// The claims fail where nothing is found.
	for i := range rows {
		rows[i].F1, rows[i].F1Hi, rows[i].Recall = 0.1, 0.2, float64(i%2)
	}
	if list := figuretest.Outcomes(locate.Check(rows, locate.Loop)[1:2]); list != "fails" {
		t.Errorf("with F1 = 0.1: %s", list)
	}
}
