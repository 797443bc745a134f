package bench_test

import (
	"path/filepath"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/hpcc/bench"
	mice "pintlab/experiments/figures/hpcc/elephant-mice"
	"pintlab/experiments/figures/hpcc/fairness"
	"pintlab/experiments/figures/hpcc/incast"
	longshort "pintlab/experiments/figures/hpcc/long-short"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

// The stored rows of the laptop scale contradict no claim and decide most of them. If HPCC and DCQCN change
// places, no claim about HPCC over INT holds any more.
func TestClaims(t *testing.T) {
	for _, f := range []*figure.Figure{&longshort.Figure, &incast.Figure, &mice.Figure, &fairness.Figure} {
		table, err := plots.LoadCSV(filepath.Join("..", f.Short(), "stored", "laptop.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := columns.Decode[bench.Row](table)
		if err != nil {
			t.Fatal(err)
		}
		holds := 0
		for _, x := range verdicts(t, f, rows) {
			switch x.Outcome {
			case figure.Fails:
				t.Errorf("%s: %v", f.Name, x)
			case figure.Holds:
				holds++
			}
		}
		for i := range rows {
			switch rows[i].Scheme {
			case bench.HPCC.Name:
				rows[i].Scheme = bench.DCQCN.Name
			case bench.DCQCN.Name:
				rows[i].Scheme = bench.HPCC.Name
			}
		}
		left := 0
		for _, x := range verdicts(t, f, rows) {
			if x.Outcome == figure.Holds {
				left++
			}
		}
		if holds < 3 || left > holds/2 {
			t.Errorf("%s: %d claims hold, and %d after HPCC and DCQCN have changed places", f.Name, holds, left)
		}
	}
}

func verdicts(t *testing.T, f *figure.Figure, rows []bench.Row) []figure.Finding {
	t.Helper()
	table, err := columns.Encode(rows)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Check(table)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
