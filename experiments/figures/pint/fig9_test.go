package pint

import (
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
)

func TestFig9Smoke(t *testing.T) {
	findings := fig9Check(figuretest.Golden[Fig9Row](t, "fig9"))
	figuretest.NoneFails(t, findings)
}

// Rows that say the opposite of the claims.
func TestFig9CheckFails(t *testing.T) {
	var rows []Fig9Row
	each(func(w string, q float64, bits int) {
		for i, packets := range []int{100, 1000} {
			for _, sketch := range []int{0, 100} {
				// The error grows with packets and bits, and with a sketch by 20 %.
				e := float64(10*bits + 100*i + sketch/5)
				rows = append(rows, Fig9Row{Part: 1, Workload: w, Quantile: q, Bits: bits, Sketch: sketch, Packets: packets, Error: e, Rank: 0.2, Bound: 0.1, Count: 10, Epsilon: 2})
			}
		}
	})
	for _, w := range workloads { // more error with a time through the switch
		for _, ns := range []float64{0, 500} {
			rows = append(rows, Fig9Row{Part: 4, Workload: w, Quantile: 0.5, Bits: 8, Packets: 1000, Pipeline: ns, Error: 10 + ns, Count: 10})
		}
	}
	rows = append(rows, Fig9Row{Part: 3, Workload: workloads[0], Quantile: theta, Bits: 8, Sketch: 20, Packets: 500, Rank: 0.1, Bound: 0.2, Count: 10, Frequent: 10, Found: 5, Broken: 5})
	list := fig9Check(rows)
	for _, f := range list {
		if f.Outcome != figure.Fails && !(f.Outcome == figure.Deviates && strings.Contains(f.Known, tailWhy)) {
			t.Errorf("%v, want it to fail", f)
		}
	}
}
