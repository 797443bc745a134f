package fig7

import (
	"math"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[Row](t)))
}

// The numbers of the paper's text: FRR over 60 % with 4 broken hosts, RSR over 90 % with 7 and
// 89 % with 8. A pair of an edge switch is lost in C(14, λ−2) of C(16, λ) choices, a pod in C(12, λ−4).
func TestChance(t *testing.T) {
	for _, tt := range []struct {
		broken   int
		frr, rsr float64
	}{{0, 1, 1}, {1, 1, 1}, {2, 1 - 8./120, 1 - 8./120/20}, {4, 1120. / 1820, 1 - (8*91./1820+8./1820)/20}, {7, 1024. / 11440, 1 - (8*2002.+8*220)/(20*11440)}, {8, 256. / 12870, 1 - (8*3003.+8*495)/(20*12870)}, {9, 0, 1 - (8*3432.+8*792)/(20*11440)}} {
		frr, rsr := chance(tt.broken)
		if math.Abs(frr-tt.frr) > 1e-5 || math.Abs(rsr-tt.rsr) > 1e-5 {
			t.Errorf("%d broken hosts: %.6f and %.6f, want %.6f and %.6f", tt.broken, frr, rsr, tt.frr, tt.rsr)
		}
	}
}

// Hosts 0 and 1 are those of an edge switch, 4 to 7 of a pod with two of each.
func TestPossible(t *testing.T) {
	for _, tt := range []struct {
		broken []int
		lost   float64
	}{{nil, 0}, {[]int{0, 2, 5}, 0}, {[]int{1, 0}, 1}, {[]int{4, 5, 6, 7}, 4}, {[]int{7, 4, 0, 6, 5, 1}, 5}} {
		if got := possible(tt.broken); math.Abs(got-(1-tt.lost/20)) > 1e-12 {
			t.Errorf("%v: %v, want %v switches lost", tt.broken, got, tt.lost)
		}
	}
}

func TestCheck(t *testing.T) {
	rows := figuretest.Golden[Row](t)
	for i := range rows {
		rows[i].RSR, rows[i].FRR, rows[i].FRRHi = 0.5, 0.5, 0.6
	}
	fails := 0
	for _, f := range check(rows) {
		if f.Outcome == figure.Fails {
			fails++
		}
	}
	if fails != 2 {
		t.Errorf("%d claims fail on rows in which half is recovered, want 2", fails)
	}
}
