package fig6

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
)

// The claims hold at the smoke scale, or are open.
func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// Rows as the paper has them, and turned over: INT is cheaper, core switches are first and late, completion times
// double.
func TestCheck(t *testing.T) {
	made := func(turned bool) (rows []panels.Row) {
		add := func(panel, scheme string, x, v float64) {
			rows = append(rows, panels.Row{Panel: panel, Scheme: scheme, X: x, Value: v, Lo: v, Hi: v})
		}
		for _, w := range workloads {
			ours, ofINT, change := 10.0, 200.0, 5.0
			if turned {
				ours, ofINT, change = 200, 10, 100
			}
			add("a", guardian(w), 90, ours)
			add("a", inband(w), 90, ofINT)
			add("b, change", guardian(w), 90, change)
		}
		for i, layer := range layers {
			at := float64(i + 1)
			if turned {
				at = 4 - at
			}
			add("d", layer, at, 95)
			if turned && layer == "core" {
				rows[len(rows)-1].Value = 50
				continue
			}
			add("d", layer, at+1, 100)
		}
		return rows
	}
	if got := figuretest.Outcomes(check(made(false))); got != "holds holds holds holds holds" {
		t.Error(got)
	}
	if got := figuretest.Outcomes(check(made(true))); got != "fails open fails fails fails" { // core never reaches 90 %
		t.Error(got)
	}
}
