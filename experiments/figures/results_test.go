package figures

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	cols "pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/plots"
)

var from = flag.String("from", "", "with -update: take the rows of the laptop and paper scales from this directory of results")

// measuredFile lists the figures whose rows of a scale are stored as laptop.csv or
// paper.csv beside their code, and what their smoke scale gave when these were measured.
const measuredFile = "measured.csv"

type measuredLine struct {
	Figure string `col:"figure"`
	Scale  string `col:"scale"`
	Smoke  string `col:"smoke_sha256"` // of golden/smoke.csv
}

// measurement is a figure at a scale.
type measurement struct{ figure, scale string }

// storedScales are those whose rows are stored.
var storedScales = []figure.Scale{figure.Laptop, figure.Paper}

// storedFile is where the rows of a figure at a scale are stored.
func storedFile(f *figure.Figure, s figure.Scale) string {
	return filepath.Join(filepath.FromSlash(f.Name), string(s)+".csv")
}

func smokeDigest(t *testing.T, f *figure.Figure) string {
	t.Helper()
	return store.Digest([]byte(read(t, filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv"))))
}

// measured reads measuredFile: the digests.
func measured(t *testing.T) map[measurement]string {
	t.Helper()
	table, err := plots.LoadCSV(measuredFile)
	if os.IsNotExist(err) {
		return map[measurement]string{}
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, err := cols.Decode[measuredLine](table)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[measurement]string{}
	for _, l := range lines {
		digests[measurement{l.Figure, l.Scale}] = l.Smoke
	}
	return digests
}

// Numbers that texts quote come from stored rows. These are stale when the smoke scale of
// their figure gives something else than when they were measured.
func TestStoredRows(t *testing.T) {
	digests := measured(t)
	if *update && *from != "" {
		for _, f := range Figures() {
			for _, scale := range storedScales {
				take(t, f, scale, digests)
			}
		}
		var lines []measuredLine
		for m, digest := range digests {
			lines = append(lines, measuredLine{m.figure, m.scale, digest})
		}
		slices.SortFunc(lines, func(a, b measuredLine) int {
			return cmp.Or(strings.Compare(a.Figure, b.Figure), strings.Compare(a.Scale, b.Scale))
		})
		table, err := cols.Encode(lines)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.SaveCSV(measuredFile); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range Figures() {
		for _, scale := range storedScales {
			_, err := os.Stat(storedFile(f, scale))
			want, listed := digests[measurement{f.Name, string(scale)}]
			delete(digests, measurement{f.Name, string(scale)})
			switch {
			case listed && err != nil:
				t.Errorf("%s is in %s: %v", f.Name, measuredFile, err)
			case listed && smokeDigest(t, f) != want:
				t.Errorf(`%s: its smoke rows have changed since %s.csv was measured. Measure it again:
	pintlab reproduce %s --scale %s
	go test ./experiments/figures -run 'TestStoredRows|TestResultsPage' -update -from results
and say in the changelog what moved, marked RESULTS`, f.Name, scale, f.Name, scale)
			}
			if doc := filepath.Join(filepath.FromSlash(f.Name), "doc.go"); listed && strings.Contains(read(t, doc), "// # Result") {
				t.Errorf("%s: results stand in docs/results.md, which is made from the stored rows", doc)
			}
		}
	}
	for m := range digests {
		t.Errorf("%s: no figure %s at scale %s", measuredFile, m.figure, m.scale)
	}
}

// take stores the rows of a figure at a scale, if the directory of results has them.
func take(t *testing.T, f *figure.Figure, scale figure.Scale, digests map[measurement]string) {
	t.Helper()
	dir := figure.DirName(*from, f, scale)
	if !figure.IsFigure(dir) {
		return
	}
	d, err := figure.Load(dir, Find)
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Manifest; m.Seeds > 0 || len(m.Set) > 0 || m.Seed != 1 {
		t.Fatalf("%s: made with other seeds or settings than those of the scale: %s", dir, m.Command)
	}
	if err := d.Rows.SaveCSV(storedFile(f, scale)); err != nil {
		t.Fatal(err)
	}
	digests[measurement{f.Name, string(scale)}] = smokeDigest(t, f)
}

// docs/results.md is what the stored rows say.
func TestResultsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Results

What the rows say that ` + "`pintlab reproduce FIGURE --scale laptop`" + `, and ` + "`--scale paper`" + ` for some, gives, and what the papers print beside
it. The rows are stored as ` + "`laptop.csv` and `paper.csv`" + ` beside the code of each figure, and this page is made from them:

` + "```" + `
go test ./experiments/figures -run 'TestStoredRows|TestResultsPage' -update -from results
` + "```" + `

A test fails when a figure gives other rows at the smoke scale than when these were measured. A statement *holds* or *fails* beyond the
95 % intervals; it *deviates* where a stored measurement (` + "`known.csv`" + `) explains the difference, and is *open* where the rows decide
nothing.
`)
	digests := measured(t)
	for _, f := range Figures() {
		for _, scale := range storedScales {
			if _, ok := digests[measurement{f.Name, string(scale)}]; ok {
				section(t, &b, f, scale)
			}
		}
	}
	const page = "../../docs/results.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, page) != b.String() {
		t.Errorf("docs/results.md is not what the stored rows say; go test ./experiments/figures -run TestResultsPage -update")
	}
}

// section writes what the stored rows of a figure at a scale say.
func section(t *testing.T, b *strings.Builder, f *figure.Figure, scale figure.Scale) {
	t.Helper()
	rows, err := plots.LoadCSV(storedFile(f, scale))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := f.Check(rows)
	if err != nil {
		t.Fatal(err)
	}
	size := f.Size[scale]
	fmt.Fprintf(b, "\n## %s, %s scale\n\n%s (%s). %s.\n\n| | statement | numbers |\n|---|---|---|\n", f.Name, scale, f.Title, f.Source, strings.ToUpper(size[:1])+size[1:])
	for _, x := range findings {
		fmt.Fprintf(b, "| %s | %s | %s |\n", x.Outcome, cell(x.Statement), cell(strings.TrimSuffix(x.Detail, "; ")))
	}
	if f.Compare == nil {
		return
	}
	compared, err := f.Compare(rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(compared) > 0 {
		b.WriteString("\n| quantity | published | ours | interval |\n|---|---|---|---|\n")
	}
	for _, c := range compared {
		unit := ""
		if c.Unit != "" {
			unit = " " + c.Unit
		}
		interval := ""
		if !math.IsNaN(c.Lo) && !math.IsNaN(c.Hi) && c.Lo != c.Hi {
			interval = fmt.Sprintf("%.3g to %.3g", c.Lo, c.Hi)
		}
		what := c.Quantity
		if c.Note != "" {
			what += " (" + c.Note + ")"
		}
		fmt.Fprintf(b, "| %s | %.4g%s | %.4g%s | %s |\n", cell(what), c.Published, unit, c.Ours, unit, interval)
	}
}

// cell is text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
