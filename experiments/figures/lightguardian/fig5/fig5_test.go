package fig5

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/figures/lightguardian/panels/panelstest"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// The claims hold for numbers in the order that the paper reports, and fail in the opposite one.
func TestCheck(t *testing.T) {
	rows := panelstest.Order{
		At: []float64{10, 55, 80, 100}, But: map[string]func(int) float64{"b": func(n int) float64 { return 99 + float64(n)/10 }},
		Turned: func(_, v float64) float64 { return 100 - v },
	}.Claims(t, list, check)
	if n := len(panels.Compare(published)(rows)); n != 5 { // (b) and (c) at 55, 80 and 100 %
		t.Errorf("%d numbers beside the paper's", n)
	}
}

// Round robin carries every sketchlet once; a random one is new with the share that is left.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		selection   string
		least, most float64
	}{{"round robin", 99 * carry, 99 * carry}, {"random", 300 * carry, 700 * carry}, {"k = 4", 100 * carry, 300 * carry}} {
		n, err := required(c.selection, 100, 1)
		if err != nil || n < c.least || n > c.most {
			t.Errorf("%s: %v packets (%v), want %v to %v", c.selection, n, err, c.least, c.most)
		}
	}
	if _, err := required("best", 100, 1); err == nil {
		t.Error("a selection that does not exist")
	}
}
