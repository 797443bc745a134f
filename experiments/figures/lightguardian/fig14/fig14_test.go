package fig14

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/measure/lightguardian/network"
)

// The claims hold at the smoke scale, or are open.
func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// Rows as the paper has them; and core switches first, completion times doubled, and packets and time that do not
// hang on the sketchlets.
func TestCheck(t *testing.T) {
	made := func(turned bool) (rows []panels.Row) {
		add := func(panel, scheme string, x, v float64) {
			rows = append(rows, panels.Row{Panel: panel, Scheme: scheme, X: x, Value: v, Lo: v, Hi: v})
		}
		for i, layer := range layers {
			at := float64(i + 1)
			if turned {
				at = 4 - at
			}
			add("a", layer, at, 95)
		}
		for _, size := range groups {
			v := 1.1
			if turned {
				v = 2
			}
			add("b", guardian, float64(size), v)
			add("b", without, float64(size), 1)
		}
		for _, n := range sketchlets {
			v := float64(n)
			if turned {
				v = 1
			}
			add("c", network.Levels[0], float64(n), v)
			add("d", network.Levels[0], float64(n), v)
		}
		return rows
	}
	for turned, want := range map[bool]string{false: "holds holds holds holds", true: "fails fails fails fails"} {
		if got := figuretest.Outcomes(check(made(turned))); got != want {
			t.Errorf("turned %t: %s", turned, got)
		}
	}
}
