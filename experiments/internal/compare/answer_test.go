package compare

import (
	"io"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// The error rates of the interim analyses that may end a workload add up to the usual error rate of a single
// analysis. The first analysis cannot end a workload.
func TestLooksShareTheLevel(t *testing.T) {
	miss := 0.0
	for _, level := range looksLevels[1:] {
		miss += 1 - level
	}
	if math.Abs(miss-(1-stats.Level)) > 1e-12 {
		t.Errorf("the looks miss %v together, want %v", miss, 1-stats.Level)
	}
	if last := looksAfter[len(looksAfter)-1]; looksAfter[0] != 2 || scales["laptop"].seeds != last ||
		len(looksAfter) != len(looksLevels) {
		t.Errorf("looks after %v, levels %v, %d seeds", looksAfter, looksLevels, scales["laptop"].seeds)
	}
}

// rowsOf returns the rows of a workload. The first scheme takes 100 us, and the others take multiples of it.
func rowsOf(of string, seeds int, pint, reno, half float64) []study.Row {
	var rows []study.Row
	for i, s := range short.schemes {
		rows = append(rows, study.Row{Table: measures, Case: of, X: math.NaN(), Scheme: s.Name, Quantity: meanFCT,
			Sized: stats.Whole(stats.Number{Value: 100e-6, Seeds: seeds})})
		if i == 0 {
			continue
		}
		v := []float64{pint, reno}[i-1]
		rows = append(rows, study.Row{
			Table: ratios, Case: of, X: math.NaN(), Scheme: s.Name, Against: hpccINT.Name, Quantity: meanFCT,
			Sized: stats.Whole(stats.Number{Value: v, Lo: v - half, Hi: v + half, Seeds: seeds}),
		})
	}
	return rows
}

// The intervals determine the sentence about a workload.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		rows []study.Row
		want string
	}{
		{rowsOf("web search", 4, 0.87, 2.31, 0.02), "Web search: compared with HPCC over INT, the mean completion " +
			"time is 13 % lower with HPCC over PINT and 131 % higher with Reno."},
		{rowsOf("Hadoop", 6, 0.987, 2.31, 0.02), "Hadoop: the mean completion time is 131 % higher with Reno than " +
			"with HPCC over INT; it does not differ significantly between HPCC over INT and HPCC over PINT (6 seeds)."},
		{rowsOf("Hadoop", 1, 0.963, 1.2, math.NaN()), "Hadoop: compared with HPCC over INT, the mean completion " +
			"time is 3.7 % lower with HPCC over PINT and 20 % higher with Reno; with one seed no change is " +
			"significant."},
	} {
		if a := answer(c.rows); len(a.Text) != 1 || a.Text[0] != c.want {
			t.Errorf("%q, want %q", a.Text, c.want)
		}
	}
	a := answer(rowsOf("web search", 4, 0.87, 1.01, 0.02))
	pint, reno := a.Grid.Groups[0].Rows[1][1], a.Grid.Groups[0].Rows[2][1]
	if pint != (report.GridCell{Text: "100 µs", Detail: "−13 % (−15 to −11)", Lean: report.Better, Sure: true}) {
		t.Errorf("%+v", pint)
	}
	if reno != (report.GridCell{Text: "100 µs", Detail: "+1.0 % (−1.0 to +3.0)", Lean: report.Worse}) {
		t.Errorf("%+v", reno)
	}
	if c := a.Grid.Caption; !strings.Contains(c, "hatched cells worse") || strings.Contains(c, "Blue") {
		t.Errorf("caption %q", c)
	}
	if strings.Contains(answer(rowsOf("Hadoop", 1, 0.9, 1.2, math.NaN())).Grid.Caption, "interval over") {
		t.Error("one seed has an interval")
	}
}

// The sentence also lists the significant changes of the tails, and a mean without a difference does not hide them. A
// tail of too few flows is named in words. With one seed, the sentence lists the tails that change in the other
// direction.
func TestAnswerHasTails(t *testing.T) {
	tail := func(quantity string, scheme int, v, half float64, flows, seeds int) study.Row {
		return study.Row{Table: ratios, Case: "Hadoop", X: math.NaN(), Scheme: short.schemes[scheme].Name,
			Against: hpccINT.Name, Quantity: quantity,
			Sized: stats.Whole(stats.Number{Value: v, Lo: v - half, Hi: v + half, Flows: flows, Seeds: seeds})}
	}
	nan := math.NaN()
	for _, c := range []struct {
		rows []study.Row
		want string
	}{
		{append(rowsOf("Hadoop", 4, 0.99, 1.01, 0.02), tail(p95, 2, 8.35, 0.5, 200, 4), tail(p99, 1, 1.5, 0.6, 200, 4),
			tail(p99, 2, 4.54, 0.5, 200, 4)), "the mean completion time does not differ significantly " +
			"between HPCC over INT and HPCC over PINT or Reno (4 seeds); the p95 slowdown is 735 % higher " +
			"with Reno; the p99 slowdown is 354 % higher with Reno (from too few flows)."},
		{append(rowsOf("Hadoop", 1, 0.9, 0.9, nan), tail(p95, 1, 0.8, nan, 200, 1), tail(p95, 2, 2, nan, 200, 1)),
			"compared with HPCC over INT, the mean completion time is 10 % lower with HPCC over PINT and 10 % lower " +
				"with Reno; the p95 slowdown is 100 % higher with Reno; with one seed no change is significant."},
	} {
		if a := answer(c.rows); len(a.Text) != 1 || a.Text[0] != "Hadoop: "+c.want {
			t.Errorf("%q, want %q", a.Text, c.want)
		}
	}
}

// The names of goodput contain the size above which flows are long. On the PINT paper's workloads it is 10 MB, but 1 MB
// for Hadoop, and it is 1 MB on other networks.
func TestSized(t *testing.T) {
	for _, c := range []struct {
		quantity string
		cases    []string
		want     string
	}{
		{goodput, []string{"rack"}, "goodput of flows above 1 MB"},
		{goodput, []string{"web search", "Hadoop"}, "goodput of flows above 10 MB (web search) or 1 MB (Hadoop)"},
		{byFlow, []string{"web search"}, "goodput of flows above 10 MB, flow by flow"},
		{byMessage, []string{"a", "b"}, "goodput of messages above 1 MB, message by message"},
		{meanFCT, []string{"rack"}, meanFCT},
	} {
		if got := sized(c.quantity, c.cases...); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	a := answer(rowsOf("rack", 4, 0.9, 1.2, 0.02))
	wide, err := a.Export.Wide()
	if err != nil {
		t.Fatal(err)
	}
	heads := wide.Heads()
	for _, text := range []string{a.Columns[0], strings.Join(heads, "; "), strings.Join(a.Grid.Head, "; ")} {
		if !strings.HasSuffix(text, "; goodput of flows above 1 MB") {
			t.Errorf("%q lacks the size", text)
		}
	}
}

// A sentence separates schemes by commas and by "and", so their names have neither.
func TestSpoken(t *testing.T) {
	for scheme, want := range map[string]string{"Swift": "Swift", "Reno, INT bytes": "Reno over INT bytes",
		"HPCC, free INT, LetFlow": "HPCC over free INT (LetFlow)"} {
		if got := spoken(scheme); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every table marks the percentiles of too few flows, and CSV has the number of flows.
func TestFewFlowsAreMarked(t *testing.T) {
	rows := rowsOf("Hadoop", 4, 0.99, 1.01, 0.02)
	for i, flows := range []int{60, 200, 200} {
		rows = append(rows, study.Row{Table: measures, Case: "Hadoop", X: math.NaN(), Scheme: short.schemes[i].Name,
			Quantity: p95, Sized: stats.Whole(stats.Number{Value: 1.5, Lo: 1.4, Hi: 1.6, Flows: flows, Seeds: 4})})
	}
	a := answer(rows)
	long, err := a.Export.Long()
	if err != nil {
		t.Fatal(err)
	}
	wide, err := a.Export.Wide()
	if err != nil {
		t.Fatal(err)
	}
	details, err := tables(rows)[0].Plain()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, marked string
		write        func(io.Writer) error
	}{
		{"terminal", "~1.50", a.Tables[0].WriteText}, {"details", "~1.50", details.WriteText},
		{"Markdown", `\~1.50 (1.40 to 1.60)`, wide.WriteMarkdown},
		{"LaTeX", `\textasciitilde{}1.50 (1.40 to 1.60)`, wide.WriteLaTeX},
		{"CSV", ",60,4\n", long.WriteCSV},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil || strings.Count(b.String(), c.marked) != 1 {
			t.Errorf("%s (%v): want one %q in\n%s", c.name, err, c.marked, &b)
		}
	}
	if got := a.Grid.Groups[0].Rows; got[0][3].Text != "~1.50" || got[1][3].Text != "1.50" {
		t.Errorf("cells %q and %q", got[0][3].Text, got[1][3].Text)
	}
}

// Interim results are printed as a table on a terminal, and as a single line otherwise.
func TestSoFar(t *testing.T) {
	text, line, err := soFar(append(rowsOf("web search", 2, 0.87, 2.31, 0.02), rowsOf("Hadoop", 2, 0.9, 2, 0.02)...))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"web search  HPCC, PINT", "−13 % (−15 to −11)", "Hadoop      Reno",
		"so far, after 2 seeds\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if !strings.HasPrefix(line, "after 2 seeds: Web search: compared with HPCC over INT, the mean ") ||
		strings.Contains(line, "\n") {
		t.Errorf("line %q", line)
	}
}
