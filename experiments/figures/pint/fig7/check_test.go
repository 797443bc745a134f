package fig7

import (
	"math"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/plots/report"
)

// gain is a row of panel (a) with an interval of ±half.
func gain(load int, value, half float64) Row {
	return Row{
		Table: gains, Source: "ours", Workload: congestion.Web.Name, Scheme: congestion.PINT.Name, Versus: congestion.INT.Name, Measure: ofMeans,
		Load: load, Arrival: 4, Measured: figure.Measured{Value: value, Lo: value - half, Hi: value + half, Flows: 100, Seeds: 3},
	}
}

// change are ten buckets of a panel, the given ones and then the last of them again.
func change(w congestion.Workload, half float64, values ...float64) []Row {
	var rows []Row
	for i := range 10 {
		v := values[min(i, len(values)-1)]
		rows = append(rows, Row{
			Table: changes, Source: "ours", Workload: w.Name, Scheme: congestion.PINT.Name, Versus: congestion.INT.Name, Arrival: 4,
			Measured: figure.Measured{Share: float64(10 * (i + 1)), Value: v, Lo: v - half, Hi: v + half, Flows: 100, Seeds: 3},
		})
	}
	return rows
}

func outcomes(t *testing.T, rows []Row) string {
	t.Helper()
	list := check(rows)
	return figuretest.Outcomes(list)
}

// What the claims make of rows. The order is: goodput, its growth, then for each
// workload similar, long flows, short flows.
func TestCheck(t *testing.T) {
	both := func(half float64, values ...float64) []Row {
		return append(change(congestion.Web, half, values...), change(congestion.Hadoop, half, values...)...)
	}
	for _, c := range []struct {
		name string
		rows []Row
		want string
	}{
		{
			"as the document says",
			append(both(0.005, 1.02, 1.02, 1.02, 1.02, 1.02, 1, 1, 1, 0.97, 0.95), gain(30, 1.05, 0.01), gain(70, 1.71, 0.1)),
			"holds holds holds holds holds holds holds holds",
		},
		{
			"better on short flows, which is understood",
			append(both(0.005, 0.97), gain(30, 1.05, 0.01), gain(70, 1.10, 0.01)),
			"holds holds holds holds deviates holds holds deviates",
		},
		{
			"noise",
			append(both(0.5, 1.2), gain(30, 1.05, 0.5), gain(70, 1.71, 0.5)),
			"open open open open open open open open",
		},
		{
			"the opposite",
			append(both(0.005, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1.5), gain(30, 0.9, 0.01), gain(70, 0.8, 0.01)),
			"fails fails fails fails deviates fails fails deviates",
		},
		{"hardly anything", both(0.5, 1)[:1], "open open holds open open open open open"},
	} {
		if got := outcomes(t, c.rows); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Only the longest runs make the figure.
func TestFullTakesTheLongestRuns(t *testing.T) {
	short := gain(70, 0.5, 0.01)
	short.Arrival = 2
	rows := append(published, short, gain(30, 1.1, 0.01), gain(70, 1.2, 0.01))
	got := full(rows)
	if len(got) != 3 || got[0].Source != "published" || got[1].Arrival != 4 {
		t.Errorf("%+v", got)
	}
	list := compared(rows)
	if len(list) != 1 || list[0].Outcome != report.Deviates || math.Abs(list[0].Published-71) > 1e-9 || math.Abs(list[0].Ours-20) > 1e-9 {
		t.Errorf("%+v, want 71 %% beside 20 %%", list)
	}
}

// Every simulation that the rows ask for is among the cases, at every scale.
func TestCasesCoverTheRows(t *testing.T) {
	for s, z := range scales {
		have := map[string]bool{}
		for _, c := range z.cases([]uint64{1}) {
			have[c.Spec().Label] = true
		}
		for _, load := range z.loads {
			for _, b := range z.bases(z.Panels()[0].Full()) {
				c := congestion.Case{Workload: congestion.Web, Scheme: b, Load: load, Arrival: z.Panels()[0].Full(), Seed: 1}
				if !have[c.Spec().Label] {
					t.Errorf("%s: %s is missing", s, c.Spec().Label)
				}
			}
		}
	}
}
