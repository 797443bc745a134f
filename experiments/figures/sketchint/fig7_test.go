package sketchint

import (
	"math"
	"slices"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
)

func TestTasksOfSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[Row](t, "fig7")))
}

// made are rows in which the tower is best and more memory is better, or the opposite, with an
// interval of ±half.
func made(opposite bool, half float64) []Row {
	var rows []Row
	for _, x := range tasks {
		for i, sketch := range []string{"TowerCU", "CU", "CM"} {
			if x.latency {
				sketch = []string{"Tower", "", "CM"}[i]
			}
			for k, memory := range []int{10_000, 50_000, 600_000, 3_000_000} {
				if sketch == "" || x.latency != (memory > 50_000) {
					continue
				}
				v := 0.9 - 0.1*float64(i) + 0.02*float64(k%2)
				if opposite != (x.name == "latency") {
					v = 1 - v
				}
				rows = append(rows, Row{Task: x.name, Sketch: sketch, Memory: memory, Value: v, Lo: v - half, Hi: v + half, Seeds: 5})
			}
		}
	}
	return rows
}

func TestTasks(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []Row
		want string
	}{
		{"as printed", made(false, 0.001), "holds holds holds holds holds holds holds"},
		{"the opposite", made(true, 0.001), "fails fails fails fails fails fails fails"},
		{"the opposite with one seed", made(true, math.NaN()), "open open open open open open open"},
		{"no rows", nil, "open open open open open open open"},
	} {
		if got := figuretest.Outcomes(slices.DeleteFunc(check(c.rows), func(f figure.Finding) bool { return f.Ours })); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if n := len(compare(made(false, 0.001))); n != len(printedRows)+1 { // and a ratio
		t.Errorf("%d numbers beside the paper's, want %d", n, len(printedRows)+1)
	}
}
