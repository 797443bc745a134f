package sketchint

import (
	"math"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/plots/report"
)

// The stored rows contain every number that the figure draws. The test does not check the values of these numbers.
func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[Fig6Row](t, "fig6")
	if n := len(single) + 2*len(towers)*len(fig6Scales["smoke"].goroutines); len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for _, r := range rows {
		if r.Insert <= 0 || (r.Lock == alone) != (r.Query > 0) || (r.Lock == alone) != math.IsNaN(r.Error) {
			t.Errorf("%+v", r)
		}
	}
}

// fig6Made returns rows with the given rates: the rates of the sketches alone, and the rates of two goroutines
// without a lock (free) and with a lock (locked). `errors` is the error without a lock divided by the error with a
// lock.
func fig6Made(towerCM, towerCU, cm, cu, elastic, free, locked, errors float64) []Fig6Row {
	var rows []Fig6Row
	for i, x := range []float64{towerCM, towerCU, cm, cu, elastic} {
		rows = append(rows, Fig6Row{Sketch: single[i].Label(), Lock: alone, Goroutines: 1, Insert: x, Query: x,
			Error: math.NaN()})
	}
	for _, k := range towers {
		rows = append(rows, Fig6Row{Sketch: k.Label(), Lock: lockFree, Goroutines: 2, Insert: free, Error: errors},
			Fig6Row{Sketch: k.Label(), Lock: mutex, Goroutines: 2, Insert: locked, Error: 1})
	}
	return rows
}

// Speeds never decide a claim, but errors of TowerCM do.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []Fig6Row
		want string
	}{
		{"as printed", fig6Made(22.6, 20, 27.1, 21.7, 40, 19.6, 10, 1),
			"undecided undecided undecided undecided holds undecided"},
		{"ours", fig6Made(52, 45, 76, 54, 30, 40, 5, 1), "undecided undecided undecided undecided holds undecided"},
		{"a noisy machine", fig6Made(20, 20, 50, 50, 45, 9, 10, 1.02),
			"undecided undecided undecided undecided fails undecided"},
		{"slow towers", fig6Made(10, 10, 50, 50, 60, 20, 10, 1),
			"undecided undecided undecided undecided holds undecided"},
		{"a lock that costs nothing", fig6Made(50, 50, 50, 50, 60, 5, 10, 1.2),
			"undecided undecided undecided undecided fails undecided"},
		{"no rows", nil, "undecided undecided undecided undecided undecided undecided"},
	} {
		if got := figuretest.Outcomes(fig6Check(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The rows contain the published rates, so our numbers and ratios equal the published ones.
func TestCompare(t *testing.T) {
	compared := func(rows []Fig6Row) []report.Compared { return figuretest.View(t, &Fig6, rows).Compared() }
	list := compared(fig6Made(22.6, 20, 27.1, 21.7, 40, 19.6, 10, 1))
	for _, c := range list {
		if math.Abs(c.Ours-c.Published) > 1e-5 { // published.csv has six digits
			t.Errorf("%s: %v, want %v", c.Quantity, c.Ours, c.Published)
		}
	}
	if len(list) != 7 || list[0].Published != 22.6 {
		t.Fatalf("%d numbers", len(list))
	}
	// The speed that the paper prints for 30 threads is compared only with rows of 30 goroutines.
	rows := fig6Made(22.6, 20, 27.1, 21.7, 40, 274, 274/1.96, 1)
	if c := compared(rows)[6]; !math.IsNaN(c.Ours) {
		t.Errorf("without rows of 30 goroutines: %s %v", c.Quantity, c.Ours)
	}
	for i := range rows {
		if rows[i].Lock != alone {
			rows[i].Goroutines = 30
		}
	}
	list = compared(rows)
	if c := list[6]; c.Ours != 274 || c.Published != 274 {
		t.Errorf("%s: %v", c.Quantity, c.Ours)
	}
	if c := list[5]; math.Abs(c.Ours-1.96) > 1e-5 {
		t.Errorf("%s: %v", c.Quantity, c.Ours)
	}
}
