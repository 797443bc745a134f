package lightguardian

import (
	"math"
	"slices"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

var rows = []row{
	{Table: "a", Scheme: "low", X: 10, Sized: stats.Whole(stats.Number{Value: 1, Lo: 0.9, Hi: 1.1})}, {Table: "a", Scheme: "low", X: 20, Sized: stats.Whole(stats.Number{Value: 0.5, Lo: 0.4, Hi: 0.6})},
	{Table: "a", Scheme: "high", X: 20, Sized: stats.Whole(stats.Number{Value: 2, Lo: 1.9, Hi: 2.1})}, {Table: "a", Scheme: "high", X: 10, Sized: stats.Whole(stats.Number{Value: 4, Lo: 3.9, Hi: 4.1})},
	{Table: "b", Scheme: "unsure", X: 10, Sized: stats.Whole(stats.Number{Value: 1, Lo: 0, Hi: 5})}, {Table: "b", Scheme: "unsure", X: 20, Sized: stats.Whole(stats.Number{Value: 2, Lo: 0, Hi: 5})},
	{Table: "b", Scheme: "none", X: 10, Sized: stats.Whole(stats.Number{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()})},
}

func TestJudgements(t *testing.T) {
	list := []figure.Finding{
		below("", rows, "a", "low", "high"), below("", rows, "a", "high", "low"), below("", rows, "a", "low", "other"), below("", rows, "b", "none", "unsure"),
		falls("", rows, "a", "low", 1), falls("", rows, "a", "low", -1), falls("", rows, "a", "high", 1), falls("", rows, "b", "unsure", 1), falls("", rows, "b", "unsure", -1), falls("", rows, "b", "none", 1),
	}
	if got, want := figuretest.Outcomes(list), "holds fails undecided undecided holds fails holds undecided undecided undecided"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// SuMax at 10 is a third of the way from CM to CU, at 20 nine tenths; at 30 its interval has the middle.
func TestNearer(t *testing.T) {
	at := func(x, sumax, half float64) []row {
		var list []row
		for scheme, v := range map[string]float64{lightguardian.CM: 100, lightguardian.SuMax: sumax, lightguardian.CU: 10} {
			list = append(list, row{Table: "a", Scheme: scheme, X: x, Sized: stats.Whole(stats.Number{Value: v, Lo: v - half, Hi: v + half})})
		}
		return list
	}
	far, near, unsure := at(10, 70, 1), at(20, 19, 1), at(30, 54, 1)
	list := []figure.Finding{
		nearer("", far, "a"), nearer("", near, "a"), nearer("", unsure, "a"), nearer("", slices.Concat(far, near), "a"),
		nearer("", slices.Concat(near, unsure), "a"), nearer("", far, "b"),
	}
	if got, want := figuretest.Outcomes(list), "fails holds undecided fails undecided undecided"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRows(t *testing.T) {
	if v, lo, hi := ratioAt(rows, "a", "high", "low", 20.1); v != 4 || lo != 1.9/0.6 || hi != 2.1/0.4 {
		t.Error(v, lo, hi)
	}
	if v, _, _ := ratioAt(rows, "a", "high", "other", 20); !math.IsNaN(v) {
		t.Error(v)
	}
	if x, _, _ := reaches(rows, "b", "unsure", 1.25); x != 12.5 {
		t.Error(x)
	}
	if x, _, _ := reaches(rows, "b", "unsure", 3); !math.IsNaN(x) {
		t.Error(x)
	}
}

// Numbers that are not measured are said to be so beside the paper's, and left out on axes that have no place for them.
func TestShown(t *testing.T) {
	published := []beside{
		{Panel: "a", Scheme: "low", X: 10, Value: 1}, {Panel: "a", Scheme: "low", X: 30, Value: 1}, {Panel: "b", Scheme: "none", X: 10, Value: 1},
		{Value: 3, Reading: "another", Of: func([]row) (float64, float64, float64) { return 3, 2, 4 }},
	}
	if got := comparePanels(published)(rows); len(got) != 4 || got[1].Outcome != report.Unmeasured || got[3].Ours != 3 || got[3].Reading != "another" {
		t.Errorf("%+v", got)
	}
	list := []panel{{Letter: "a", Schemes: []string{"high", "low"}}, {Letter: "b", Schemes: []string{"none"}}, {Letter: "c", Schemes: []string{"low"}}}
	d, err := drawPanels("title", "caption", 1, list, published)(rows)
	if err != nil || len(d) != 1 || len(d[0].Plot.Panels) != 1 || len(d[0].Plot.Panels[0].Series) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	if n := len(panelTables(list)(rows)); n != 2 {
		t.Errorf("%d tables", n)
	}
}
