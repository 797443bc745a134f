package figure

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// With at least 100 values, five exceed the p95; with at least 500 values, five exceed the p99.
func TestEnough(t *testing.T) {
	if Enough(0.95) != 100 || Enough(0.99) != 500 {
		t.Errorf("%d and %d, want 100 and 500", Enough(0.95), Enough(0.99))
	}
}

// row returns a row whose number has an interval of `half` on each side.
func row(of, scheme, against, quantity string, x, value, half float64) study.Row {
	return study.Row{Case: of, X: x, Scheme: scheme, Against: against, Quantity: quantity,
		Sized: stats.Whole(stats.Number{Value: value, Lo: value - half, Hi: value + half, Seeds: 3})}
}

func TestMore(t *testing.T) {
	rows := []study.Row{
		row("one", "a", "", "q", 0, 3, 0.5), row("one", "b", "", "q", 0, 2, 0.4),
		row("two", "a", "", "q", 0, 3, 0.5), row("two", "b", "", "q", 0, 2.6, 0.4),
		row("three", "a", "", "q", 0, 1, 0.1), row("three", "b", "", "q", 0, 2, 0.1),
		row("four", "a", "", "q", 0, 1, 0.1),
	}
	for _, c := range []struct {
		cases []string
		want  Verdict
	}{
		{[]string{"one"}, Holds},
		{[]string{"one", "two"}, Undecided}, // in case "two", the intervals overlap
		{[]string{"one", "three"}, Fails},
		{[]string{"one", "four"}, Undecided}, // b is missing
		{nil, Undecided},
	} {
		if got := more("s", rows, "a", "b", "q", c.cases...); got.Outcome != c.want {
			t.Errorf("%v: %v, want %s", c.cases, got, c.want)
		}
	}
}

// Each case has a panel or a group of bars, and each scheme has a curve or a bar. On a logarithmic axis, a curve has
// a gap at a negative value.
func TestDrawings(t *testing.T) {
	rows := []study.Row{
		row("one", "a", "", "q", 0, 3, 0), row("one", "a", "", "q", 1, 4, 0), row("one", "b", "", "q", 0, -1, 0),
		row("two", "b", "", "q", 0, 7, 0), row("two", "b", "a", "q", 0, 1, 0), row("two", "b", "", "other", 0, 1, 0),
	}
	panels := Panels(rows, "q", plots.Axis{}, plots.Axis{Scale: plots.Log})
	if len(panels) != 2 || len(panels[0].Series) != 2 || panels[0].Series[1].Some() ||
		len(panels[0].Series[0].X) != 2 || panels[1].Series[0].Y[0] != 7 {
		t.Errorf("%+v", panels)
	}
	if p := Bars(rows, "q", plots.Axis{}); len(p.Series) != 2 || len(p.X.Categories) != 2 || p.Series[1].X[1] != 1 ||
		p.Series[1].Y[1] != 7 {
		t.Errorf("%+v", p)
	}
}

// The table has a line for each scheme and place. Numbers have the units of their columns, and ratios are shown as
// changes.
func TestLines(t *testing.T) {
	rows := []study.Row{
		row("one", "a", "", "q", 1, 2e-6, 0), row("one", "a", "", "r", 1, 1.5, 0), row("one", "b", "", "q", 1, 3e-6, 0),
		row("one", "b", "a", "q", 1, 1.5, 0.25), row("one", "a", "", "q", 2, 4e-6, 0),
	}
	table := Lines("caption", BySchemes(rows), Case("case"), Place("x", "%"), Scheme("scheme"), Value("q", "us", "q"),
		Excess("r", "r"),
		Against("against", "q"), Change("change", "q"))
	var text strings.Builder
	if err := table.Rows.(*plots.Table).WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	want := "case,x_percent,scheme,q_us,r_percent,against,change\none,1,a,2,50,,\none,1,b,3,,a,+50.0 % (+25.0 % to " +
		"+75.0 %)\none,2,a,4,,,\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
}

// Intervals that do not overlap decide a claim.
func TestBelowAndAbove(t *testing.T) {
	row := func(value, half float64) study.Row {
		return study.Row{Sized: stats.Whole(stats.Number{Value: value, Lo: value - half, Hi: value + half})}
	}
	nan := math.NaN()
	for _, c := range []struct {
		got  Finding
		want Verdict
	}{
		{Below("", row(1, 0.1), row(10, 1), 0.5), Holds},
		{Below("", row(6, 0.1), row(10, 1), 0.5), Fails},
		{Below("", row(5, 0.1), row(10, 1), 0.5), Undecided},
		{Below("", row(1, nan), row(10, 1), 0.5), Undecided},
		{Below("", study.One(nil, "c", "s", "q"), row(10, 1), 0.5), Undecided},
		{above("", row(2, 0.5), 1), Holds},
		{above("", row(0.4, 0.5), 1), Fails},
		{above("", row(1.2, 0.5), 1), Undecided},
	} {
		if c.got.Outcome != c.want {
			t.Errorf("%v, want %s", c.got, c.want)
		}
	}
}

// A missing number is a dash, as in tables.
func TestDetailWithoutNumbers(t *testing.T) {
	if f := Judge("less", false, false, "%.2f (%.1f to %.1f)", math.NaN(), math.NaN(), 2.0); f.Outcome != Undecided ||
		f.Detail != "– (– to 2.0)" {
		t.Errorf("%v", f)
	}
}
