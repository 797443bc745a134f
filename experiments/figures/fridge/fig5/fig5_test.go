package fig5

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/fridge/measure"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[measure.Row](t)
	list := check(rows)
	if list[2].Outcome != figure.Holds || strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
	for _, c := range compared(rows) {
		if !(c.Ours > 0) {
			t.Errorf("%s: %v", c.Quantity, c.Ours)
		}
	}
	// One row for each design and size: naive arrays with their best threshold.
	seen := map[string]bool{}
	for _, r := range rows {
		key := r.Design + measure.Memory(r.Memory)
		if seen[key] {
			t.Errorf("two rows of %s, %d entries", r.Design, r.Memory)
		}
		seen[key] = true
	}
}

// With errors that fall with the root of the memory, a quarter of the error is a
// sixteenth of the memory.
func TestSaving(t *testing.T) {
	var rows []measure.Row
	for k := 8; k <= 12; k++ {
		for _, d := range []struct {
			name  string
			times float64
		}{{two, 0.25}, {naive1, 1}, {naive4, 2}} {
			r := measure.Blank(measure.ErrorTable, "ours", "", d.name)
			r.Memory, r.One = 1<<k, d.times/math.Sqrt(float64(int(1)<<k))
			rows = append(rows, r)
		}
	}
	if got := measure.Saving(rows, two, naive1); math.Abs(got-16) > 1e-9 {
		t.Errorf("%v times less memory, want 16", got)
	}
	if got := measure.Ratio(rows, two, naive4, 1<<10); math.Abs(got-0.125) > 1e-9 {
		t.Errorf("%v times the error, want 1/8", got)
	}
	for i := range rows { // the other way round
		if rows[i].Design == two {
			rows[i].One *= 16
		}
	}
	if list := check(rows); list[0].Outcome != figure.Deviates || list[0].Known == "" {
		t.Errorf("%v, want a deviation with its reason", list[0])
	}
}
