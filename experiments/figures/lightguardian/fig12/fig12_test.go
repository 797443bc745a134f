package fig12

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
)

// The claims hold at the smoke scale, or are open.
func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// Rows in which each scheme has the error of its place in the list and errors fall along the axis, but for
// what grows; and the same with all numbers turned over.
func TestCheck(t *testing.T) {
	made := func(turned bool) (rows []panels.Row) {
		for _, p := range list {
			for i, s := range p.Schemes {
				for n, x := range []float64{10, 20, 40} {
					v := 100 - 10*float64(i) - float64(n)
					if p.Letter == "g" {
						v = 50 + float64(n)
					}
					if turned {
						v = 200 - v
					}
					rows = append(rows, panels.Row{Panel: p.Letter, Scheme: s, X: x, Value: v, Lo: v - 0.001, Hi: v + 0.001})
				}
			}
		}
		return rows
	}
	for turned, want := range map[bool]figure.Verdict{false: figure.Holds, true: figure.Fails} {
		figuretest.All(t, check(made(turned)), want)
	}
}
