package sketchint

import (
	"math"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/results/stats"
)

func TestTasksOfSmoke(t *testing.T) {
	figuretest.NoneFails(t, found(t, figuretest.Golden[Row](t, "fig7", fig7View...)))
}

// found returns the findings of the figure for the given rows.
func found(t *testing.T, rows []Row) []figure.Finding {
	return figuretest.View(t, &Fig7, rows, fig7View...).Findings()
}

// made returns rows with intervals of ±half. In these rows, the tower is the best sketch and more memory is better.
// If opposite is set, the tower is the worst sketch and more memory is worse.
func made(opposite bool, half float64) []Row {
	var rows []Row
	for _, x := range tasks {
		for i, sketch := range []string{"TowerCU", "CU", "CM"} {
			if x.latency {
				sketch = []string{"Tower", "", "CM"}[i]
			}
			for k, memory := range []int{10 * kb, 50 * kb, 600 * kb, 3 * mb} {
				if sketch == "" || x.latency != (memory > 50*kb) {
					continue
				}
				v := 0.9 - 0.1*float64(i) + 0.02*float64(k%2)
				if opposite != (x.name == "latency") {
					v = 1 - v
				}
				m := stats.Number{Value: v, Lo: v - half, Hi: v + half, Seeds: 5}
				rows = append(rows, Row{Task: x.name, Sketch: sketch, Memory: memory, Number: m})
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
		{"the opposite with one seed", made(true, math.NaN()),
			"undecided undecided undecided undecided undecided undecided undecided"},
		{"no rows", nil, "undecided undecided undecided undecided undecided undecided undecided"},
	} {
		if got := figuretest.Outcomes(found(t, c.rows)[:7]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// If intervals touch, all claims are undecided.
	for _, f := range found(t, made(false, 0.11))[:7] {
		if f.Outcome != figure.Undecided {
			t.Errorf("wide intervals: %v", f)
		}
	}
	// Findings about statements that the paper does not make are marked as our own.
	for i, f := range found(t, made(false, 0.001)) {
		if f.Ours != (i >= 4) {
			t.Errorf("%s: our own statement: %v", f.Statement, f.Ours)
		}
	}
}

// The ratio of CM to Tower is 3/2 = 1.5 at one memory and 2/1 = 2 at the other, so the smallest ratio is 1.5. Each
// end of its interval is the smaller of the two corresponding ends: min(2.1/2.1, 1.8/1) and min(3.8/1.9, 1.9/1).
func TestLeastRatio(t *testing.T) {
	row := func(sketch string, memory int, v, lo, hi float64) Row {
		m := stats.Number{Value: v, Lo: lo, Hi: hi, Seeds: 5}
		return Row{Task: "latency", Sketch: sketch, Memory: memory, Number: m}
	}
	rows := []Row{
		row("Tower", 600*kb, 2, 1.9, 2.1), row("CM", 600*kb, 3, 2.1, 3.8), row("Tower", 3*mb, 1, 1, 1),
		row("CM", 3*mb, 2, 1.8, 1.9),
	}
	list := figuretest.View(t, &Fig7, rows, fig7View...).Compared()
	if c := list[len(list)-1]; c.Ours != 1.5 || c.Lo != 1 || c.Hi != 1.9 {
		t.Errorf("%v (%v to %v), want 1.5 (1 to 1.9)", c.Ours, c.Lo, c.Hi)
	}
}

// The paper prints an ARE of 0.18 for CM at 3 MB.
func TestBetween(t *testing.T) {
	row := func(variant string, v float64) Row {
		m := stats.Number{Value: v, Lo: v - 0.01, Hi: v + 0.01}
		return Row{Task: "latency", Sketch: "CM", Variant: variant, Memory: 3 * mb, Number: m}
	}
	for _, c := range []struct {
		short, long float64
		want        figure.Verdict
	}{{0.05, 0.5, figure.Holds}, {0.175, 0.5, figure.Undecided}, {0.05, 0.175, figure.Undecided},
		{0.05, 0.1, figure.Fails}, {0.3, 0.5, figure.Fails}} {
		if got := between(points7([]Row{row("", c.short), row("Reno", c.long)}), "CM"); got.Outcome != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}
