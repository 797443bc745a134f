package bench_test

import (
	"path/filepath"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	mice "pintlab/experiments/figures/hpcc/elephant-mice"
	"pintlab/experiments/figures/hpcc/eta"
	"pintlab/experiments/figures/hpcc/fairness"
	"pintlab/experiments/figures/hpcc/incast"
	longshort "pintlab/experiments/figures/hpcc/long-short"
	"pintlab/experiments/figures/hpcc/wai"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

// The stored rows of the laptop scale contradict no claim and decide most of them. If HPCC and DCQCN change
// places, or the parameters of HPCC that are compared, most of the claims do not hold any more.
func TestClaims(t *testing.T) {
	hpcc := map[string]string{bench.HPCC.Name: bench.DCQCN.Name}
	for _, c := range []struct {
		figure  *figure.Figure
		places  map[string]string
		decided int
	}{
		{&longshort.Figure, hpcc, 4},
		{&incast.Figure, hpcc, 11},
		{&mice.Figure, hpcc, 5},
		{&fairness.Figure, hpcc, 4},
		{&wai.Figure, map[string]string{"W_AI = 20 B": "W_AI = 1280 B", "W_AI = 80 B": "W_AI = 320 B"}, 6},
		{&eta.Figure, map[string]string{
			"η = 0.9, maxStage = 0": "η = 1, maxStage = 0", "η = 0.95, maxStage = 0": "η = 0.99, maxStage = 0",
			"η = 0.9, maxStage = 5": "η = 1, maxStage = 5", "η = 0.95, maxStage = 5": "η = 0.99, maxStage = 5",
		}, 8},
	} {
		table, err := plots.LoadCSV(filepath.Join("..", c.figure.Short(), "stored", "laptop.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := columns.Decode[comparison.Row](table, bench.View...)
		if err != nil {
			t.Fatal(err)
		}
		count := func() (holds int) {
			for _, x := range verdicts(t, c.figure, rows) {
				if x.Outcome == figure.Holds {
					holds++
				}
			}
			return holds
		}
		if holds := count(); holds != c.decided {
			t.Errorf("%s: %d claims hold, want %d: %v", c.figure.Name, holds, c.decided, verdicts(t, c.figure, rows))
		}
		for i := range rows {
			for a, b := range c.places {
				if rows[i].Scheme == a {
					rows[i].Scheme = b
					break
				}
				if rows[i].Scheme == b {
					rows[i].Scheme = a
					break
				}
			}
		}
		if holds := count(); holds > c.decided/2 {
			t.Errorf("%s: %d of %d claims hold after a change of places", c.figure.Name, holds, c.decided)
		}
	}
}

func verdicts(t *testing.T, f *figure.Figure, rows []comparison.Row) []figure.Finding {
	t.Helper()
	table, err := columns.Encode(rows, bench.View...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Check(table)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
