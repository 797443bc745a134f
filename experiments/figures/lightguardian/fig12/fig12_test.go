package fig12

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/figures/lightguardian/panels/panelstest"
)

// The claims hold at the smoke scale, or are open.
func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// The claims hold for numbers in the order that the paper reports, and fail in the opposite one.
func TestCheck(t *testing.T) {
	panelstest.Order{
		At: []float64{10, 20, 40}, But: map[string]func(int) float64{"g": func(n int) float64 { return 50 + float64(n) }},
		Turned: func(_, v float64) float64 { return 200 - v },
	}.Claims(t, list, check)
}
