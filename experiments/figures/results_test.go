package figures

import (
	"flag"
	"fmt"
	"maps"
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

var from = flag.String("from", "", "with -update: take the rows of the laptop scale from this directory of results")

// measuredFile lists the figures whose rows of the laptop scale are stored as laptop.csv
// beside their code, and what their smoke scale gave when these were measured.
const measuredFile = "measured.csv"

type measuredLine struct {
	Figure string `col:"figure"`
	Smoke  string `col:"smoke_sha256"` // of golden/smoke.csv
}

// laptopFile is where the rows of a figure are stored.
func laptopFile(f *figure.Figure) string {
	return filepath.Join(filepath.FromSlash(f.Name), "laptop.csv")
}

func smokeDigest(t *testing.T, f *figure.Figure) string {
	t.Helper()
	return store.Digest([]byte(read(t, filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv"))))
}

// measured reads measuredFile.
func measured(t *testing.T) map[string]string {
	t.Helper()
	table, err := plots.LoadCSV(measuredFile)
	if os.IsNotExist(err) {
		return map[string]string{}
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, err := cols.Decode[measuredLine](table)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for _, l := range lines {
		digests[l.Figure] = l.Smoke
	}
	return digests
}

// Numbers that texts quote come from stored rows. These are stale when the smoke scale of
// their figure gives something else than when they were measured.
func TestLaptopRows(t *testing.T) {
	digests := measured(t)
	if *update && *from != "" {
		for _, f := range Figures() {
			dir := figure.DirName(*from, f, figure.Laptop)
			if !figure.IsFigure(dir) {
				continue
			}
			d, err := figure.Load(dir, Find)
			if err != nil {
				t.Fatal(err)
			}
			if m := d.Manifest; m.Seeds > 0 || len(m.Set) > 0 || m.Seed != 1 {
				t.Fatalf("%s: made with other seeds or settings than those of the scale: %s", dir, m.Command)
			}
			if err := d.Rows.SaveCSV(laptopFile(f)); err != nil {
				t.Fatal(err)
			}
			digests[f.Name] = smokeDigest(t, f)
		}
		var lines []measuredLine
		for _, name := range slices.Sorted(maps.Keys(digests)) {
			lines = append(lines, measuredLine{name, digests[name]})
		}
		table, err := cols.Encode(lines)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.SaveCSV(measuredFile); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range Figures() {
		_, err := os.Stat(laptopFile(f))
		want, listed := digests[f.Name]
		delete(digests, f.Name)
		switch {
		case listed && err != nil:
			t.Errorf("%s is in %s: %v", f.Name, measuredFile, err)
		case listed && smokeDigest(t, f) != want:
			t.Errorf(`%s: its smoke rows have changed since laptop.csv was measured. Measure it again:
	pintlab reproduce %s --scale laptop
	go test ./experiments/figures -run 'TestLaptopRows|TestResultsPage' -update -from results
and say in the changelog what moved, marked RESULTS`, f.Name, f.Name)
		}
		if doc := filepath.Join(filepath.FromSlash(f.Name), "doc.go"); listed && strings.Contains(read(t, doc), "// # Result") {
			t.Errorf("%s: results stand in docs/results.md, which is made from laptop.csv", doc)
		}
	}
	for name := range digests {
		t.Errorf("%s: no figure %s", measuredFile, name)
	}
}

// docs/results.md is what the stored rows of the laptop scale say.
func TestResultsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Results at laptop scale

What the rows say that ` + "`pintlab reproduce FIGURE --scale laptop`" + ` gives, and what the papers print beside it. The rows are stored as
` + "`laptop.csv`" + ` beside the code of each figure, and this page is made from them:

` + "```" + `
go test ./experiments/figures -run 'TestLaptopRows|TestResultsPage' -update -from results
` + "```" + `

A test fails when a figure gives other rows at the smoke scale than when these were measured. A statement *holds* or *fails* beyond the
95 % intervals; it *deviates* where a stored measurement (` + "`known.csv`" + `) explains the difference, and is *open* where the rows decide
nothing.
`)
	digests := measured(t)
	for _, f := range Figures() {
		if _, ok := digests[f.Name]; !ok {
			continue
		}
		rows, err := plots.LoadCSV(laptopFile(f))
		if err != nil {
			t.Fatal(err)
		}
		findings, err := f.Check(rows)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s (%s). %s.\n\n| | statement | numbers |\n|---|---|---|\n", f.Name, f.Title, f.Source, strings.ToUpper(f.Size[figure.Laptop][:1])+f.Size[figure.Laptop][1:])
		for _, x := range findings {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", x.Outcome, cell(x.Statement), cell(strings.TrimSuffix(x.Detail, "; ")))
		}
		if f.Compare == nil {
			continue
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
			fmt.Fprintf(&b, "| %s | %.4g%s | %.4g%s | %s |\n", cell(what), c.Published, unit, c.Ours, unit, interval)
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

// cell is text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
