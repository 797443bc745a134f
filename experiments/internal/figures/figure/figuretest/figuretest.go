// Package figuretest helps the tests of figures.
package figuretest

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/plots"
)

// Golden returns the stored rows of a figure at the smoke scale. folder is the figure's folder in the tested package.
// The tests of package figures compare these rows with measured ones.
func Golden[R any](t testing.TB, folder string, view ...string) []R {
	t.Helper()
	return load[R](t, folder+"/golden/smoke.csv", view)
}

// Stored returns the rows of a figure at the laptop scale, from the folder of the figure in the tested package.
func Stored[R any](t testing.TB, folder string, view ...string) []R {
	t.Helper()
	return load[R](t, folder+"/laptop.csv", view)
}

// Paper returns the stored rows of the paper scale. view is as for Golden.
func Paper[R any](t testing.TB, folder string, view ...string) []R {
	t.Helper()
	return load[R](t, folder+"/paper.csv", view)
}

func load[R any](t testing.TB, name string, view []string) []R {
	t.Helper()
	table, err := plots.LoadCSV(name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := columns.Decode[R](table, view...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Dark adds colours for dark pages to an SVG of the documentation. The browser chooses the colours.
func Dark(svg []byte) []byte {
	style := "<style>@media (prefers-color-scheme: dark){\n" + plots.DarkStyle("svg") + "}</style>\n"
	return bytes.Replace(svg, []byte("<g "), []byte(style+"<g "), 1)
}

// View returns the View that a figure shows for the given rows, as if the rows had been stored.
func View[R any](t testing.TB, f *figure.Figure, rows []R, view ...string) figure.View {
	t.Helper()
	table, err := columns.Encode(rows, view...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Read(table)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Compared tests a figure on its stored rows, which are rows by case. No claim may fail at the smoke scale or the
// laptop scale, at least n must hold at the laptop scale, and there must be tables.
func Compared(t testing.TB, f *figure.Figure, n int) {
	t.Helper()
	NoneFails(t, View(t, f, Golden[study.Row](t, f.Short(), figure.ByCase...), figure.ByCase...).Findings())
	v := View(t, f, Stored[study.Row](t, f.Short(), figure.ByCase...), figure.ByCase...)
	NoneFails(t, v.Findings())
	AtLeast(t, v.Findings(), n)
	if tables, err := v.Tables(); err != nil || len(tables) == 0 {
		t.Errorf("%d tables, %v", len(tables), err)
	}
}

// Page compares the text between two marks of a page with `want`, the text that the code makes from rows. If update
// is set, Page writes `want` to the page.
func Page(t testing.TB, page, begin, end, want string, update bool) {
	t.Helper()
	data, err := input.ReadFile(page, input.Document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Fatalf("%s has no place between %q and %q", page, begin, end)
	case have == want:
	case !update:
		t.Fatalf("%s is not what the rows and the code say; write it with -update:\n%s", page, want)
	default:
		if err := outfile.Write(page, func(w io.Writer) error {
			_, err := io.WriteString(w, before+begin+want+end+after)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// Row makes a row of a comparison whose interval extends by `half` to each side of the value.
func Row(of, scheme, against, quantity string, x, value, half float64) study.Row {
	m := stats.Number{Value: value, Lo: value - half, Hi: value + half, Seeds: 3}
	return study.Row{Case: of, X: x, Scheme: scheme, Against: against, Quantity: quantity, Sized: stats.Whole(m)}
}

// AtLeast fails the test if fewer than n of the findings hold.
func AtLeast(t testing.TB, findings []figure.Finding, n int) {
	t.Helper()
	holds := lists.Count(findings, func(f figure.Finding) bool { return f.Outcome == figure.Holds })
	if holds < n {
		t.Errorf("%d claims of %d hold, want %d", holds, len(findings), n)
	}
}

// NoneFails fails the test for each finding that fails. Undecided findings are fine: small runs
// leave much undecided.
func NoneFails(t testing.TB, list []figure.Finding) {
	t.Helper()
	for _, f := range list {
		if f.Outcome == figure.Fails {
			t.Errorf("%v", f)
		}
	}
}

// All fails the test for each finding whose verdict differs from the given one.
func All(t testing.TB, list []figure.Finding, want figure.Verdict) {
	t.Helper()
	for _, f := range list {
		if f.Outcome != want {
			t.Errorf("%v, want %s", f, want)
		}
	}
}

// Outcomes returns the verdicts of findings as words, such as "holds undecided fails".
func Outcomes(list []figure.Finding) string {
	words := lists.Map(list, func(f figure.Finding) string { return string(f.Outcome) })
	return strings.Join(words, " ")
}
