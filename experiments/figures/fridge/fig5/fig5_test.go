package fig5

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/fridges"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t)
	list := check(rows)
	if list[4].Outcome != figure.Holds || strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
	if list := compared(rows); len(list) != 2 || list[0].Published != 2 {
		t.Errorf("beside the paper: %+v", list)
	}
	// One row for each design and size: naive arrays with their best threshold.
	seen := map[string]bool{}
	for _, r := range rows {
		key := r.Design + fridges.Memory(r.Memory)
		if seen[key] {
			t.Errorf("two rows of %s, %d entries", r.Design, r.Memory)
		}
		seen[key] = true
	}
}

// With errors that fall with the root of the memory, a quarter of the error is a
// sixteenth of the memory.
func TestSaving(t *testing.T) {
	var rows []fridges.Row
	for k := 8; k <= 12; k++ {
		for _, d := range []struct {
			name  string
			times float64
		}{{two, 0.25}, {naive1, 1}, {naive4, 2}} {
			r := fridges.Blank(fridges.ErrorTable, "ours", "", d.name)
			e := d.times / math.Sqrt(float64(int(1)<<k))
			r.Memory, r.One, r.P50, r.P95, r.P99, r.Seeds = 1<<k, e, e, e, e, fridges.Seeds
			rows = append(rows, r)
		}
	}
	if got := fridges.Saving(rows, two, naive1, fridges.Combined); math.Abs(got-16) > 1e-9 {
		t.Errorf("%v times less memory, want 16", got)
	}
	if got := fridges.Ratio(rows, two, naive4, fridges.OneSeed); math.Abs(got-0.125) > 1e-9 {
		t.Errorf("%v times the error, want 1/8", got)
	}
	if f := check(rows)[0]; f.Outcome != figure.Holds {
		t.Errorf("%v, want it to hold", f)
	}
	for i := range rows { // the other way round
		if rows[i].Design == two {
			rows[i].P50, rows[i].P95, rows[i].P99 = 16*rows[i].P50, 16*rows[i].P95, 16*rows[i].P99
		}
	}
	if f := check(rows)[0]; f.Outcome != figure.Fails {
		t.Errorf("%v, want it to fail", f)
	}
}
