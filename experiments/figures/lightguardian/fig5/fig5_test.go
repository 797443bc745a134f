package fig5

import (
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/panels"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[panels.Row](t)))
}

// Rows in which each scheme has the error of its place in the list and errors fall along the axis; and
// the same with all numbers turned over.
func TestCheck(t *testing.T) {
	made := func(turned bool) (rows []panels.Row) {
		for _, p := range list {
			for i, s := range p.Schemes {
				for n, x := range []float64{10, 55, 80, 100} {
					v := 100 - 10*float64(i) - float64(n)
					if p.Letter == "b" {
						v = 99 + float64(n)/10
					}
					if turned {
						v = 100 - v
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
	if n := len(panels.Compare(published)(made(false))); n != 5 { // (b) and (c) at 55, 80 and 100 %
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
