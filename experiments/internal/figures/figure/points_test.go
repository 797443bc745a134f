package figure

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// at returns a row whose interval extends by `half` to each side of the value.
func at(panel, scheme string, x, value, half float64) study.Row {
	n := stats.Number{Value: value, Lo: value - half, Hi: value + half}
	return study.Row{Table: panel, Scheme: scheme, X: x, Sized: stats.Whole(n)}
}

var points = []study.Row{
	at("a", "low", 10, 1, 0.1), at("a", "low", 20, 0.5, 0.1), at("a", "high", 20, 2, 0.1), at("a", "high", 10, 4, 0.1),
	at("b", "unsure", 10, 1, 4), at("b", "unsure", 20, 2, 3), at("b", "none", 10, math.NaN(), 0),
}

// TestClaimsAboutCurves tests the verdicts on claims about curves.
func TestClaimsAboutCurves(t *testing.T) {
	var got []string
	for _, f := range []Finding{
		Beneath("", points, "a", "low", "high"), Beneath("", points, "a", "high", "low"),
		Beneath("", points, "a", "low", "other"),
		Beneath("", points, "b", "none", "unsure"),
		falls("", points, "a", "low"), rises("", points, "a", "low"), falls("", points, "a", "high"),
		falls("", points, "b", "unsure"), rises("", points, "b", "unsure"), falls("", points, "b", "none"),
		inOrder("", points, "a", 0.9, "low", "high"), inOrder("", points, "b", 1.25, "unsure", "none"),
	} {
		got = append(got, string(f.Outcome))
	}
	want := "holds fails undecided undecided holds fails holds undecided undecided undecided fails undecided"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func TestPoints(t *testing.T) {
	if n := RatioAt(points, "a", "high", "low", 20.1); n.Value != 4 || n.Lo != 1.9/0.6 || n.Hi != 2.1/0.4 {
		t.Error(n)
	}
	if n := RatioAt(points, "a", "high", "other", 20); !n.Missing() {
		t.Error(n)
	}
	if n := Reaches(points, "b", "unsure", 1.25); n.Value != 12.5 {
		t.Error(n)
	}
	if n := Reaches(points, "b", "unsure", 3); !n.Missing() {
		t.Error(n)
	}
}

// If an axis cannot show a number, the number is omitted. A panel that has only such numbers is omitted from drawings
// and tables.
func TestChart(t *testing.T) {
	axis := plots.Axis{Scale: plots.Linear}
	panel := func(table string, schemes ...string) Panel {
		return Panel{Table: table, X: axis, Y: axis, Schemes: schemes}
	}
	c := Chart{Name: "panels", Panels: []Panel{panel("a", "high", "low"), panel("b", "none"), panel("c", "low")}}
	published := []Published{
		{Panel: "a", Scheme: "low", X: 10, Value: 1}, {Panel: "a", Scheme: "low", X: 30, Value: 1},
		{Panel: "b", Scheme: "none", X: 10, Value: 1}, {Panel: "a", Scheme: "high", Against: "low", X: 10, Value: 4},
	}
	if d := c.drawing(points, published); len(d.Plot.Panels) != 1 || len(d.Plot.Panels[0].Series) != 3 {
		t.Errorf("%+v", d)
	}
	if n := len(c.tables(points)); n != 2 {
		t.Errorf("%d tables", n)
	}
}
