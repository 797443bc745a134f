package contest

import (
	"math"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// row is a number with an interval of half on each side.
func row(of, scheme, against, quantity string, x, value, half float64) Row {
	return Row{of, x, scheme, against, quantity, stats.Measured{Value: value, Lo: value - half, Hi: value + half, Seeds: 3}}
}

func TestMore(t *testing.T) {
	rows := []Row{
		row("one", "a", "", "q", 0, 3, 0.5), row("one", "b", "", "q", 0, 2, 0.4),
		row("two", "a", "", "q", 0, 3, 0.5), row("two", "b", "", "q", 0, 2.6, 0.4),
		row("three", "a", "", "q", 0, 1, 0.1), row("three", "b", "", "q", 0, 2, 0.1),
		row("four", "a", "", "q", 0, 1, 0.1),
	}
	for _, c := range []struct {
		cases []string
		want  figure.Verdict
	}{
		{[]string{"one"}, figure.Holds},
		{[]string{"one", "two"}, figure.Open}, // the intervals of two overlap
		{[]string{"one", "three"}, figure.Fails},
		{[]string{"one", "four"}, figure.Open}, // b is missing
		{nil, figure.Open},
	} {
		if got := More("s", rows, "a", "b", "q", c.cases...); got.Outcome != c.want {
			t.Errorf("%v: %v, want %s", c.cases, got, c.want)
		}
	}
}

// The median of 1, 2 and 9, of flows of 10, 20 and 30 bytes; of those up to 20 bytes; and of those
// up to 5, of which there are none, so that there is no number.
func TestQuantities(t *testing.T) {
	trials := []*Trial{{Points: []stats.Point{{ID: 1, Size: 20, Slowdown: 2}, {ID: 2, Size: 10, Slowdown: 1}, {ID: 3, Size: 30, Slowdown: 9}}}}
	for _, c := range []struct {
		q    Quantity
		want []float64
	}{
		{Slowdown("", 0.5, 0, math.MaxInt64), []float64{2}},
		{Slowdown("", 0.5, 0, 20), []float64{1}},
		{Slowdown("", 0.5, 0, 5), nil},
		{MeanSlowdown(""), []float64{4}},
		{BySize("", 0.95, 3), []float64{1, 2, 9}},
	} {
		list, err := c.q.Of(trials)
		if err != nil || len(list) != len(c.want) {
			t.Fatalf("%v, %v; want %v", list, err, c.want)
		}
		for i, m := range list {
			if m.Value != c.want[i] {
				t.Errorf("%v, want %v", m.Value, c.want[i])
			}
		}
	}
}

// A panel for each case, a curve for each scheme, without what a logarithm has no place for; and bars
// side by side.
func TestDrawings(t *testing.T) {
	rows := []Row{
		row("one", "a", "", "q", 0, 3, 0), row("one", "a", "", "q", 1, 4, 0), row("one", "b", "", "q", 0, 0, 0),
		row("two", "b", "", "q", 0, 7, 0), row("two", "b", "a", "q", 0, 1, 0), row("two", "b", "", "other", 0, 1, 0),
	}
	panels := Panels(rows, "q", plots.Axis{}, plots.Axis{Scale: plots.Log})
	if len(panels) != 2 || len(panels[0].Series) != 1 || len(panels[0].Series[0].X) != 2 || panels[1].Series[0].Y[0] != 7 {
		t.Errorf("%+v", panels)
	}
	if p := Bars(rows, "q", plots.Axis{}); len(p.Series) != 2 || len(p.X.Categories) != 2 || p.Series[1].X[1] != 1 || p.Series[1].Y[1] != 7 {
		t.Errorf("%+v", p)
	}
	if got := From(rows, 1); len(got) != 1 || got[0].Value != 4 {
		t.Errorf("from 1: %v", got)
	}
}
