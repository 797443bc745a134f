package scale

import (
	"math"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
)

// The stored rows decide every claim, except the claims about the signed median. The rows have two tables and a
// drawing.
func TestMeasured(t *testing.T) {
	figuretest.NoneFails(t, figuretest.View(t, &Estimate, figuretest.Golden[Row](t, "estimate")).Findings())
	rows := figuretest.Stored[Row](t, "estimate")
	findings := figuretest.View(t, &Estimate, rows).Findings()
	figuretest.NoneFails(t, findings)
	for i, f := range findings {
		if want := []figure.Verdict{
			figure.Undecided, figure.Holds, figure.Holds, // HPCC: the interval of the median extends beyond the limit
			figure.Undecided, figure.Deviates, figure.Deviates, // DCTCP
			figure.Undecided, figure.Holds, figure.Deviates, // Swift
		}[i]; f.Outcome != want {
			t.Errorf("%v, want %s", f, want)
		}
	}
	if len(tables(rows)) != 2 || len(figuretest.View(t, &Estimate, rows).Compared()) != 2 {
		t.Error("tables or comparison are missing")
	}
	if d, err := draw(rows); err != nil || len(d) != 1 {
		t.Errorf("%d drawings: %v", len(d), err)
	}
}

// With too few mixes, the claims are undecided. With enough mixes, claims hold if the errors are small, and fail if
// they are large. If a stored measurement explains the large errors, the claim deviates instead.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		n    int
		off  float64
		want figure.Verdict
	}{{3, 1, figure.Undecided}, {20, 1, figure.Holds}, {20, -1, figure.Holds}, {20, -30, figure.Fails}} {
		var rows []Row
		for _, c := range controls {
			for range tt.n {
				rows = append(rows, Row{Control: c, Links: all, Error: tt.off})
			}
		}
		for _, f := range figuretest.View(t, &Estimate, rows).Findings() {
			if f.Outcome == figure.Deviates && f.Known != "" {
				f.Outcome = figure.Fails
			}
			if f.Outcome != tt.want {
				t.Errorf("%d mixes with %v %%: %v, want %s", tt.n, tt.off, f, tt.want)
			}
		}
	}
}

// The load of a mix is the load of the busiest link. With more oversubscription, the load of the hosts decreases or
// stays the same.
func TestHostLoad(t *testing.T) {
	for _, matrix := range []string{"database", "web", "hadoop"} {
		before := math.Inf(1)
		for _, over := range []int{1, 2, 4} {
			m := mix{matrix: matrix, over: over, load: 0.5}
			if x := m.hostLoad(); !(x > 0 && x <= 0.5 && x <= before) {
				t.Errorf("%s, oversubscription %d: hosts have a load of %.3f", matrix, over, x)
			} else {
				before = x
			}
		}
	}
	if a, b := drawn(1, 3), drawn(1, 5); a[2] != b[2] {
		t.Error("more mixes change the first ones")
	}
}
