package figure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// words returns the files of a figure: the given text, stored measurements of this figure and of another figure, shared
// sections, and published numbers.
func words(text string) fstest.MapFS {
	known := "measurement,quantity,value,half_width,unit,conditions\nslow,time,2,,s,twice\n"
	return fstest.MapFS{
		"fig/figure.md":     {Data: []byte(text)},
		"fig/known.csv":     {Data: []byte(known)},
		"other/known.csv":   {Data: []byte(strings.Replace(known, "slow", "far", 1))},
		"shared.md":         {Data: []byte("## common\n\nof all\nfigures\n")},
		"fig/published.csv": {Data: []byte(publishedLines)},
	}
}

const publishedLines = "panel,scheme,against,x,ours,quantity,reading,value,unit,source," +
	"tolerance,amount,because,cause,note,over\n" +
	"a,s,,1,,row,,2,s,§1,digits,1,,open,cause,\n" +
	"a,s,t,1,,ratio,,4,,§1,at least,,,,,\n" +
	"a,,,,most,largest,,9,,§1,absolute,1,tolerance,input,numbers,all\n" +
	"a,s,,7,,missing,,2,,§1,at most,,,,,\n"

const text = `# Title

Where it
stands

## claim

It holds.

## caption

%d of a caption.

## cause (measured: slow)

It is slow.

## elsewhere (measured: other/far)

It is far.

## tolerance

about

## numbers

From %g, {common}.

## why

{cause} And so
on.

{elsewhere, measured}
`

func TestWords(t *testing.T) {
	w := readText("doc/fig", words(text))
	if w.Title != "Title" || w.Source != "Where it stands" || w.Claim != "It holds." {
		t.Errorf("%+v", w)
	}
	want := []string{"It is slow. And so on.", `It is far. Stored measurement "far": time: 2 s (twice)`}
	if !slices.Equal(w.Why, want) {
		t.Errorf("%q, want %q", w.Why, want)
	}
	if got := w.section("numbers", 2.5); got != "From 2.5, of all figures." {
		t.Error(got)
	}
	if got := w.Unused(); !slices.Equal(got, []string{"caption", "tolerance"}) {
		t.Errorf("unused: %q", got)
	}
	for _, c := range []struct{ text, want string }{
		{"Title\n", "no title and source"},
		{"# T\n\ns\n", `no section "claim"`},
		{text + "\n## cause\n\nagain\n", `two sections "cause"`},
		{text + "\n{lost}\n", `no section "lost"`},
		{text + "\n{open\n", `"{open" has no end`},
		{text + "\n## claim (measured: x/y)\n", "two sections"},
	} {
		func() {
			defer func() {
				if r := recover(); !strings.Contains(fmt.Sprint(r), "doc/fig: figure.md: "+c.want) {
					t.Errorf("%v, want %s", r, c.want)
				}
			}()
			readText("doc/fig", words(c.text))
		}()
	}
}

// A figure with files shows the texts and the numbers of these files next to its rows.
func TestSpecWithFiles(t *testing.T) {
	var lines []study.Row
	for _, x := range []struct {
		scheme string
		value  float64
	}{{"s", 2}, {"t", 0.5}} {
		r := study.None()
		r.Table, r.Scheme, r.X, r.Value, r.Lo, r.Hi, r.Seeds = "a", x.scheme, 1, x.value, x.value, x.value, 3
		lines = append(lines, r)
	}
	axis := plots.Axis{Label: "axis", Scale: plots.Linear}
	f := Spec[size]{
		Name: "doc/fig", Files: words(text), Scales: map[Scale]size{Smoke: 1},
		Measure: func(context.Context, *Job, size) ([]study.Row, error) { return lines, nil },
		Check: func([]study.Row) []Finding {
			wrong := Judge("slow", false, true, "")
			return []Finding{wrong, wrong.Because("cause").By(report.OurInput),
				wrong.Because("elsewhere", Stored{Quantity: "here", Value: 1}),
				Judge("right", true, false, "").Because("cause").By(report.OurInput),
				wrong.Because("tolerance", Stored{})}
		},
		Charts: []Chart{{Name: "caption",
			Panels: []Panel{{Table: "a", Title: "A", X: axis, Y: axis, Schemes: []string{"s"}}}}},
		Ours: map[string]Ours[study.Row]{"most": func(rows []study.Row, p *Published, _ *report.Compared) stats.Number {
			return stats.Number{Value: rows[0].Value + p.Value}
		}},
		Values: map[string]func(
			[]study.Row) []any{"numbers": func(rows []study.Row) []any { return []any{rows[0].Value} }},
		Tables: func(rows []study.Row) []Table { return []Table{Show("caption", rows, "value").With(7)} },
	}.Figure()
	v, err := f.Measure(t.Context(), &Job{Scale: Smoke})
	if err != nil {
		t.Fatal(err)
	}
	list := v.Findings()
	if list[0].Outcome != Fails || list[1].Outcome != Deviates || !strings.Contains(list[1].Known, "It is slow.") ||
		!strings.Contains(list[2].Known, "here: 1") || list[3].Outcome != Holds || list[3].Known != "" ||
		list[4].Outcome != Fails || list[1].Cause != report.OurInput || list[3].Cause != report.NoCause {
		t.Errorf("%+v", list)
	}
	var got []string
	for _, c := range v.Compared() {
		got = append(got, fmt.Sprintf("%s %v %s %s: %s%s", c.Quantity, c.Ours, c.Over, c.Outcome, c.Cause, c.Note))
	}
	want := []string{
		`row 2 3 seeds holds: It is slow. Stored measurement "slow": time: 2 s (twice)`,
		"ratio 4 3 seeds holds: ",
		"largest 11 all deviates: inputFrom 2, of all figures.",
		fmt.Sprintf("missing %v 3 seeds not measured: ", math.NaN()),
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	tables, err := v.Tables()
	if err != nil || len(tables) != 2 || tables[0].Caption != "A: axis against axis." ||
		tables[1].Caption != "7 of a caption." {
		t.Errorf("%+v, %v", tables, err)
	}
	drawn, err := v.Drawings(&Manifest{})
	if err != nil || len(drawn) != 1 || len(drawn[0].Plot.Panels[0].Series) != 2 ||
		!drawn[0].Plot.Panels[0].Series[1].Published {
		t.Errorf("%+v, %v", drawn, err)
	}
}
