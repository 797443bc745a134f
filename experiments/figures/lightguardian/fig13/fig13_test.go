package fig13

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

// Rows as the paper has them, and turned over along λ_c.
func TestCheck(t *testing.T) {
	made := func(turned bool) (rows []panels.Row) {
		add := func(panel, scheme string, x, v float64) {
			if turned {
				v = 12.5 - v
			}
			rows = append(rows, panels.Row{Panel: panel, Scheme: scheme, X: x, Value: v, Lo: v, Hi: v})
		}
		for _, c := range carries {
			add("a", of, c, 1.5*c)
			for i, level := range network.Levels {
				add("b", level, c, float64(i+1)*4/c)
				add("c", level, c, float64(i+1)*4/c)
			}
		}
		return rows
	}
	for turned, want := range map[bool]string{false: "holds holds holds holds holds", true: "fails fails fails fails fails"} {
		if got := figuretest.Outcomes(check(made(turned))); got != want {
			t.Errorf("turned %t: %s", turned, got)
		}
	}
	if list := panels.Compare(published)(made(false)); len(list) != 2 || list[0].Ours != 1.5 {
		t.Errorf("%+v", list)
	}
}
