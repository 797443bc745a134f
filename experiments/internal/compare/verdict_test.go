package compare

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
)

func ratio(measure string, value, half float64) study.Row {
	return study.Row{
		Table: ratios, Case: workloads[0].Name, Scheme: hpccPINT.Name, Against: hpccINT.Name, Quantity: measure,
		Sized: stats.Whole(stats.Number{Value: value, Lo: value - half, Hi: value + half, Flows: 10, Seeds: 5}),
	}
}

// A verdict counts only significant differences. For some measures more is better, and for the others less is better.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    []study.Row
		outcome figure.Verdict
		want    string
	}{
		{"wins", []study.Row{ratio(meanFCT, 0.9, 0.01), ratio(goodput, 1.1, 0.01), ratio(p50, 1, 0.1)}, figure.Found,
			"web search: HPCC, PINT is significantly better than HPCC, INT in 2 of 3 measures, and worse in 0"},
		{"loses", []study.Row{ratio(meanFCT, 1.1, 0.01), ratio(goodput, 0.9, 0.01)}, figure.Found,
			"web search: HPCC, PINT is significantly better than HPCC, INT in 0 of 2 measures, and worse in 2"},
		{"both", []study.Row{ratio(meanFCT, 1.1, 0.01), ratio(goodput, 1.1, 0.01)}, figure.Found,
			"web search: HPCC, PINT is significantly better than HPCC, INT in 1 of 2 measures, and worse in 1"},
		{"noise", []study.Row{ratio(meanFCT, 0.9, 0.2), ratio(goodput, 1.1, 0.2)}, figure.Undecided,
			"web search: no significant difference between HPCC, PINT and HPCC, INT in any measure"},
		{"one seed", []study.Row{ratio(meanFCT, 0.9, math.NaN())}, figure.Undecided, "web search: one seed is not " +
			"enough to compare HPCC, PINT with HPCC, INT"},
	} {
		if list := check(c.rows); list[0].Statement != c.want || list[0].Outcome != c.outcome {
			t.Errorf("%s: %v, want %s: %s", c.name, list[0], c.outcome, c.want)
		}
	}
	table, err := columns.Encode([]study.Row{ratio(meanFCT, 0.9, 0.01), ratio(p99, 1.2, 0.01), ratio(p50, 1, 0.1)},
		view...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Figure.Read(table)
	if err != nil {
		t.Fatal(err)
	}
	list := v.Findings()
	if got, want := list[0].Detail, "mean FCT −10.0 % (−11.0 % to −9.0 %); "+
		"p99 slowdown +20.0 % (+19.0 % to +21.0 %)"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
	shown, err := v.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := shown[len(shown)-1].Table.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"−10.0 % (−11.0 % to −9.0 %)  better", "+20.0 % (+19.0 % to +21.0 %)  worse",
		"0.0 % (−10.0 % to +10.0 %)  not significant"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
}
