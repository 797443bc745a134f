package compare

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// made returns the rows of a campaign. axes maps the name of each axis to its number of values. All numbers are present
// except goodput.
func made(t *testing.T, seeds int, axes map[string]int) *gridView {
	t.Helper()
	return madeOf(t, seeds, axes, 1000, 1000)
}

// madeOf is like made, but the number of flows is `last` with the last seed and `others` with the other seeds.
func madeOf(t *testing.T, seeds int, axes map[string]int, last, others int) *gridView {
	t.Helper()
	names := make([]string, 0, len(axes))
	for a := range axes {
		names = append(names, a)
	}
	slices.Sort(names)
	head := []plots.Column{}
	for _, a := range names {
		head = append(head, plots.Text(a))
	}
	head = append(head, plots.Text(seedColumn), plots.Whole(flowsColumn, ""), plots.Whole(finishedColumn, ""),
		plots.Whole(countedColumn, ""))
	for _, x := range runColumns {
		head = append(head, x.Column)
	}
	tab, err := plots.NewTable(append(head, plots.Text(printColumn))...)
	if err != nil {
		t.Fatal(err)
	}
	combinations := [][]int{nil}
	for _, a := range names {
		var longer [][]int
		for _, c := range combinations {
			for v := range axes[a] {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		combinations = longer
	}
	for _, c := range combinations {
		for seed := range seeds {
			row, sum := []any{}, 0
			for i, v := range c {
				row, sum = append(row, fmt.Sprintf("v%d", v)), sum+(i+1)*v
			}
			flows := others
			if seed == seeds-1 {
				flows = last
			}
			row = append(row, fmt.Sprint(seed+1), 1000, 1000, flows)
			for _, x := range runColumns {
				switch x.Name {
				case "goodput_long":
					row = append(row, orNaN(0, 0))
				case "mean_fct":
					row = append(row, orNaN(1e-3*float64(10+sum+seed), flows))
				default:
					row = append(row, orNaN(float64(2+sum)+0.1*float64(seed), flows))
				}
			}
			if err := tab.Append(append(row, "f")...); err != nil {
				t.Fatal(err)
			}
		}
	}
	v, err := read(tab, figure.Names{})
	if err != nil {
		t.Fatal(err)
	}
	return v.(*gridView)
}

// orNaN returns v, or NaN if n is 0.
func orNaN(v float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return v
}

// The legend names the keys. A note warns that an interval of two seeds is unreliable. If there are more keys than
// series can show, the drawing has several panels with the same scale.
func TestDraw(t *testing.T) {
	rows := made(t, 2, map[string]int{"cc.eta": 3, "network.port_limit": 2, "telemetry.kind": 2})
	list, err := rows.Drawings(&figure.Manifest{Footnote: "base, 2 seeds"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list[0].Plot.Panels[0].Series {
		names = append(names, s.Name)
	}
	if want := []string{"port limit v0, telemetry v0", "port limit v0, telemetry v1", "port limit v1, telemetry v0",
		"port limit v1, telemetry v1"}; !cmp.Equal(names, want) {
		t.Errorf("legend %q, want %q", names, want)
	}
	if want := "base, 2 seeds; bars: 95 % intervals. " + twoSeeds; list[0].Plot.Footnote != want {
		t.Errorf("footnote %q, want %q", list[0].Plot.Footnote, want)
	}
	for _, d := range list {
		if d.Name == "goodput_long" {
			t.Error("goodput is drawn, of which there is none")
		}
	}

	many := made(t, 3, map[string]int{"a": 3, "b": 2, "c": 2, "d": 2, "e": 2})
	if list, err = many.Drawings(&figure.Manifest{Footnote: "base, 3 seeds"}); err != nil || len(list) == 0 {
		t.Fatalf("drew %v, %v", list, err)
	}
	f := list[0].Plot
	if len(f.Panels) != 8 || f.Columns != 4 || f.Panels[0].Title != "c v0, d v0, e v0" ||
		len(f.Panels[0].Series) != 2 || f.Panels[0].Series[1].Name != "v1" {
		t.Errorf("%d panels in %d columns, the first %q with %v", len(f.Panels), f.Columns, f.Panels[0].Title,
			f.Panels[0].Series)
	}
	for _, p := range f.Panels {
		if *p.Y.Max != *f.Panels[0].Y.Max {
			t.Errorf("%s ends at %v, the first panel at %v", p.Title, *p.Y.Max, *f.Panels[0].Y.Max)
		}
	}
	if f.Footnote != "base, 3 seeds; bars: 95 % intervals over the seeds" {
		t.Errorf("footnote %q", f.Footnote)
	}
	dir := t.ArtifactDir()
	for _, d := range list {
		if err := plots.Save(&d.Plot, filepath.Join(dir, d.Name+".png")); err != nil {
			t.Error(err)
		}
	}
}

// Drawings that do not fit on a page are omitted, and the table explains why.
func TestTooMuchToDraw(t *testing.T) {
	rows := made(t, 1, map[string]int{"a": 9, "b": 9, "c": 9})
	if list, err := rows.Drawings(&figure.Manifest{}); err != nil || list != nil {
		t.Errorf("drew %d, %v", len(list), err)
	}
	list, err := rows.Tables()
	if err != nil {
		t.Fatal(err)
	}
	const want = "No drawings: 729 combinations of 3 keys would take 81 panels, and a page has room for 24."
	if !strings.HasSuffix(list[0].Caption, want) {
		t.Errorf("caption %q, want %q at its end", list[0].Caption, want)
	}
}

// A table fits on a terminal, and its caption lists the omitted columns.
func TestTableFits(t *testing.T) {
	rows := made(t, 2, map[string]int{"workload.0.flows.0.size": 2, "network.port_limit": 2, "telemetry.kind": 2})
	list, err := rows.Tables()
	if err != nil {
		t.Fatal(err)
	}
	out := list[0].Table
	if out.Width() > screen {
		t.Errorf("%d columns wide", out.Width())
	}
	var names []string
	for _, c := range out.Columns() {
		names = append(names, c.Name)
	}
	if want := []string{"port limit", "telemetry", "size", "seeds", "Mean FCT",
		"p99 slowdown"}; !cmp.Equal(names, want) {
		t.Errorf("columns %q, want %q", names, want)
	}
	want := "Whole runs, means over the seeds with 95 % intervals; ~ marks percentiles of too few flows. " + twoSeeds +
		" No run has: Goodput of flows above 10 MB." +
		" Omitted here, but included in the drawings and rows.csv: p50 slowdown, Packets dropped, p95 slowdown."
	if list[0].Caption != want {
		t.Errorf("caption\n%s\nwant\n%s", list[0].Caption, want)
	}
}

// The mean excludes seeds without a finished flow, and a note reports them. Percentiles of too few flows are marked.
func TestTableOfFewFlows(t *testing.T) {
	list, err := madeOf(t, 3, map[string]int{"cc.eta": 1}, 0, 150).Tables()
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{
		"left out": "1 of 3 runs", "Mean FCT": "10.5 ms (4.15 ms to 19.2 ms) of 2",
		"p99 slowdown": "~2.05 (1.41 to 2.92) of 2",
	} {
		if got, err := list[0].Table.Texts(column); err != nil || got[0] != want {
			t.Errorf("%s: %q, %v, want %q", column, got, err, want)
		}
	}
	one, err := made(t, 1, map[string]int{"cc.eta": 2}).Tables()
	if want := "Whole runs, one seed, so without intervals; "; err != nil || !strings.HasPrefix(one[0].Caption, want) {
		t.Errorf("caption %q, %v, want %q at its beginning", one[0].Caption, err, want)
	}
	if want := `"of N": only N of the seeds have flows of this kind.`; !strings.Contains(list[0].Caption, want) {
		t.Errorf("caption %q without %q", list[0].Caption, want)
	}
	flows := &store.Flows{}
	flows.Append(store.FlowRecord{Size: 1000, Outcome: store.Unfinished, FCT: unit.Never, Ideal: 1})
	for _, c := range runColumns[:5] {
		list, err := c.measure(c.Name).Of([]*study.Trial{{Flows: flows, Window: stats.Everything()}})
		if len(list) > 0 || err != nil {
			t.Errorf("%s is %v without a flow that has finished, %v", c.title, list, err)
		}
	}
}

// If the workload has several entries, the titles of numbers that cover all its flows say so. Numbers of an entry and
// of the network keep their titles.
func TestEntriesTogether(t *testing.T) {
	v := made(t, 2, map[string]int{"a": 2})
	_, _, titles := v.Asked()
	if got := titles["p95_slowdown"]; got != "p95 slowdown" {
		t.Errorf("one entry: %q", got)
	}
	v.sources = []column{partFlows.of("poisson"), slowdown(0.95).of("incast"), partFlows.of("incast")}
	_, _, titles = v.Asked()
	for name, want := range map[string]string{
		"p95_slowdown": "p95 slowdown, all entries together", "mean_fct": "Mean FCT, all entries together",
		"p50_fct":       "p50 FCT, all entries together",
		"short_p95_fct": "p95 FCT, short flows, all entries together",
		"goodput_long":  "Goodput of flows above 10 MB, all entries together",
		"drops":         "Packets dropped", "incast_p95_slowdown": "p95 slowdown, incast",
	} {
		if titles[name] != want {
			t.Errorf("%s: %q, want %q", name, titles[name], want)
		}
	}
	const want = "Whole runs, with the flows of all entries together, means over the seeds"
	if got := v.whole().Caption; !strings.HasPrefix(got, want) {
		t.Errorf("caption %q, want %q", got, want)
	}
}

func TestShort(t *testing.T) {
	got := shorten([]string{"cc.eta", "workload.0.size", "workload.1.size", "telemetry", "a.seeds"})
	if want := []string{"eta", "0.size", "1.size", "telemetry", "a.seeds"}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Three values of a numeric key make a line. If a second key has three values, a heat map is drawn as well. Values
// that are words make bars. Labels have units as legends have.
func TestLinesAndHeatMaps(t *testing.T) {
	rows := made(t, 2, map[string]int{"kind": 3, "size": 3})
	if list, err := rows.Drawings(&figure.Manifest{}); err != nil ||
		list[0].Plot.Panels[0].Series[0].Style != plots.Bar || list[1].Name != "mean_fct_heat" {
		t.Fatalf("%v, %v", list, err)
	} else if z := list[1].Plot.Panels[0].Heat.Z; len(z) != 3 || len(z[0]) != 3 ||
		math.Abs(z[2][1]-15.5e-3) > 1e-12 { // 10 + 1 + 2·2 ms, and 0.5 ms as the mean over the seeds
		t.Errorf("heat map %v", z)
	}
	for _, g := range rows.list {
		if g.labels[1] == "v2" {
			g.labels[1] = "10us"
		}
	}
	heat, ok := rows.heatMap(runColumns[0])
	if y := heat.Panels[0].Y.Categories; !ok || !cmp.Equal(y, []string{"v0", "v1", "10 µs"}) {
		t.Errorf("y axis %q", y)
	}
}

// Computed by hand: with seeds 1 and 2, the mean completion times are 10 and 11 ms for the first value of a, and 11
// and 12 ms for the second. So the geometric mean of the ratios is the square root of 1.1·12/11. Drops are positive
// with both seeds, and goodput is missing.
func TestChanges(t *testing.T) {
	rows := made(t, 2, map[string]int{"a": 2, "b": 2}).changes(runColumns)
	first := rows[0]
	if want := math.Sqrt(1.1 * 12 / 11); first.Table != "a" || first.Case != "b v0" || first.Scheme != "v1" ||
		first.Against != "v0" || first.Quantity != "mean_fct" ||
		math.Abs(first.Value-want) > 1e-9 || !(first.Lo < want && want < first.Hi) || first.Seeds != 2 ||
		first.Flows != 1000 {
		t.Errorf("%+v, want %v", first, want)
	}
	if n := len(runColumns) - 1; len(rows) != 4*n {
		t.Errorf("%d changes, want two of each setting in %d numbers", len(rows), n)
	}
	for _, r := range rows {
		if r.Quantity == "goodput_long" {
			t.Errorf("a change of what is missing: %+v", r)
		}
	}
	one, err := Changes(made(t, 1, map[string]int{"a": 1}).Table)
	if err != nil || one.Len() != 0 {
		t.Errorf("one value: %v changes, %v", one.Len(), err)
	}
}

// A sentence lists the significant changes. It also names the changes that are not significant, or counts these if
// there are many.
func TestInWords(t *testing.T) {
	change := func(scheme, at string, v, lo, hi float64) study.Row {
		return study.Row{Scheme: scheme, Against: "a", Case: at,
			Sized: stats.Whole(stats.Number{Value: v, Lo: lo, Hi: hi, Seeds: 3})}
	}
	less, open := change("b", "", 0.87, 0.85, 0.89), change("c", "x=1", 0.6, 1e-7, 1e12)
	for _, c := range []struct {
		of   []study.Row
		want string
	}{
		{[]study.Row{less}, "the time is 13 % lower with b than with a"},
		{[]study.Row{open}, "the time does not differ significantly between a and c with x=1 (3 seeds)"},
		{[]study.Row{open, change("c", "x=2", 0.6, 1e-7, 1e12)},
			"the time does not differ significantly between a and c with x=1 or with x=2 (3 seeds)"},
		{[]study.Row{open, less}, "the time is 13 % lower with b than with a; it does not " +
			"differ significantly between a and c with x=1 (3 seeds)"},
		{slices.Repeat([]study.Row{open}, 5),
			"the time does not differ significantly from a in 5 of 5 comparisons (3 seeds)"},
		{[]study.Row{change("b", "", 1, 1, 1)}, "the time does not differ significantly between a and b (3 seeds)"},
		{[]study.Row{change("b", "", 1.0001, 1.00005, 1.0002)},
			"the time is less than 0.1 % higher with b than with a"},
		{[]study.Row{change("b", "", 1e-9, 1e-10, 1e-8), change("c", "", 1e9, 1e8, 1e10)},
			"compared with a, the time is more than 99.9 % lower with b and more than 99999 % higher with c"},
		{[]study.Row{less, less, less, less, change("c", "x=1", 2, 1.9, 2.1)},
			"compared with a, the time is between 13 % lower with b and 100 % higher with c (x=1)"},
	} {
		if got := inWords("the time", c.of); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := judged(&open); got != "−40.0 % (<−99.9 % to >+99999 %)  not significant" {
		t.Errorf("%q", got)
	}
}

// The answer has a sentence for each setting and shows the values of the last setting side by side. If there are many
// changes, it reports the smallest and the largest.
func TestGridAnswer(t *testing.T) {
	a := made(t, 2, map[string]int{"a": 2, "b.c": 5}).Answer()
	want := []string{ // computed by hand: the square roots of 20/18, 12/10, 13/11·14/12 and 18/10·19/11
		"a: compared with v0, the mean completion time is between 5.4 % higher with v1 (c v4) and 9.5 % higher with " +
			"v1 (c v0).",
		"c: compared with v0, the mean completion time is between 17 % higher with v1 (a v1) and 76 % higher with v4 " +
			"(a v0).",
	}
	if !cmp.Equal(a.Text, want) {
		t.Errorf("%s", cmp.Diff(want, a.Text))
	}
	g := a.Grid
	if len(g.Groups) != 2 || g.Groups[1].Title != "a v1: c" || len(g.Groups[1].Rows) != 5 ||
		g.Groups[1].Rows[0][1].Detail != "" || g.Groups[1].Rows[4][1].Lean != report.Worse {
		t.Errorf("%+v", g)
	}
	if a := made(t, 2, map[string]int{"a": 1}).Answer(); a != nil {
		t.Errorf("one value: %+v", a)
	}
}

// The table of a sweep shows how many seeds a number covers, if others have none.
func TestGridExportOfSomeSeeds(t *testing.T) {
	of, v := []column{flowColumns[0], dropsColumn()}, madeOf(t, 3, map[string]int{"a": 2}, 0, 150)
	v.values["drops"] = []float64{1, 2, 3, 1, 2, 3}
	wide, err := export(v.compared(of, nil, 2), shownOf(of), "a").Wide()
	if err != nil {
		t.Fatal(err)
	}
	for head, want := range map[string]string{"Mean FCT": "10.5 ms (4.15 ms to 19.2 ms) (2 of 3 seeds)",
		"Packets dropped": "2 (0 to 6.93)"} { // 2·exp(4.303/√3/2) = 6.93
		if got, err := wide.Texts(head); err != nil || got[0] != want {
			t.Errorf("%s: %q, %v, want %q", head, got, err, want)
		}
	}
}

// The table of a sweep has every number that its runs have, and the headings name its settings.
func TestGridExport(t *testing.T) {
	for _, c := range []struct {
		axes map[string]int
		want string // without the numbers that are in all tables
	}{{map[string]int{"a": 2, "b.c": 2}, "other settings; c"}, {map[string]int{"b.c": 2}, "c"}} {
		wide, err := made(t, 2, c.axes).Answer().Export.Wide()
		if err != nil {
			t.Fatal(err)
		}
		if fct, err := wide.Texts("Mean FCT"); err != nil || strings.Contains(fct[0], "seeds") {
			t.Errorf("mean completion times %q, %v", fct, err)
		}
		heads := strings.Join(lists.Map(wide.Columns(), func(c plots.Column) string { return c.Name }), "; ")
		c.want += "; Mean FCT; p50 slowdown; p95 slowdown; p99 slowdown; Packets dropped"
		if heads != c.want {
			t.Errorf("columns %q, want %q", heads, c.want)
		}
	}
}
