package figures

import (
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

// measuredFile lists the measurements that are stored beside the code of figures, and what the smoke scale of their figure gave
// when they were made.
const measuredFile = "measured.csv"

type measuredLine struct {
	Figure string `col:"figure"`
	File   string `col:"file"`         // from the folder of the figures
	Stored string `col:"sha256"`       // of the file
	Smoke  string `col:"smoke_sha256"` // of golden/smoke.csv
}

// elsewhere are folders without a figure of their own whose measurements are of one.
var elsewhere = map[string]string{"lightguardian/fig10": "lightguardian/scores"}

// onPage says whether docs/results.md is made from the rows of a file. The page of telemetry/side-by-side is docs/side-by-side.md.
func onPage(f *figure.Figure, s figure.Scale) bool {
	_, err := os.Stat(storedFile(f, s))
	return err == nil && f.Name != "telemetry/side-by-side"
}

// storedScales are those whose rows are stored.
var storedScales = []figure.Scale{figure.Laptop, figure.Paper}

// storedFile is where the rows of a figure at a scale are stored.
func storedFile(f *figure.Figure, s figure.Scale) string {
	return filepath.Join(filepath.FromSlash(f.Name), string(s)+".csv")
}

// measured returns the lines of measuredFile by file.
func measured(t *testing.T) map[string]measuredLine {
	t.Helper()
	lines := map[string]measuredLine{}
	table, err := plots.LoadCSV(measuredFile)
	if os.IsNotExist(err) {
		return lines
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := cols.Decode[measuredLine](table)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		lines[l.File] = l
	}
	return lines
}

// Stored measurements do not go stale in silence: rows, and known.csv, by which a claim deviates instead of failing. They
// are stale when the smoke scale of their figure gives something else than when they were made. An update takes a new
// digest of the smoke rows only for a file that has changed as well, or whose line was removed.
func TestStoredRows(t *testing.T) {
	before := measured(t)
	var now []measuredLine
	for _, f := range Figures() {
		if *update && *from != "" {
			for _, scale := range storedScales {
				if take(t, f, scale) {
					delete(before, filepath.ToSlash(storedFile(f, scale)))
				}
			}
		}
		smoke := store.Digest([]byte(read(t, filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv"))))
		for _, folder := range []string{f.Name, f.Name + "/stored", elsewhere[f.Name]} {
			files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*.csv"))
			if folder == "" || err != nil {
				continue
			}
			for _, file := range files {
				l := measuredLine{f.Name, filepath.ToSlash(file), store.Digest([]byte(read(t, file))), smoke}
				if old := before[l.File]; old.Stored == l.Stored && old.Smoke != l.Smoke {
					t.Errorf(`the smoke rows of %s have changed since %s was measured. Measure it again (the rows of a scale:
	pintlab reproduce %s --scale SCALE
	go test ./experiments/figures -run 'TestStoredRows|TestResultsPage' -update -from results
others: write the new file, or remove its line of %s if it stays as it is, and the same without -from). If a number has
moved, say so in the changelog, marked RESULTS`, f.Name, l.File, f.Name, measuredFile)
					l.Smoke = old.Smoke
				}
				now = append(now, l)
			}
		}
		texts, err := filepath.Glob(filepath.Join(filepath.FromSlash(f.Name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if strings.Contains(read(t, text), "// # Result") {
				t.Errorf("%s: results stand in stored rows, and in pages that are made from these", text)
			}
		}
	}
	slices.SortFunc(now, func(a, b measuredLine) int { return strings.Compare(a.File, b.File) })
	if *update {
		table, err := cols.Encode(now)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.SaveCSV(measuredFile); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, l := range now {
		if before[l.File] != l {
			t.Errorf("%s is new or has changed; go test ./experiments/figures -run TestStoredRows -update", l.File)
		}
		delete(before, l.File)
	}
	for file := range before {
		t.Errorf("%s: no file %s", measuredFile, file)
	}
}

// take stores the rows of a figure at a scale and returns true, if the directory of results has them.
func take(t *testing.T, f *figure.Figure, scale figure.Scale) bool {
	t.Helper()
	dir := figure.DirName(*from, f, scale)
	if !figure.IsFigure(dir) {
		return false
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
	return true
}

// docs/results.md is what the stored rows say.
func TestResultsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Results

This page is generated from the rows that are stored as ` + "`laptop.csv` and `paper.csv`" + ` beside the code of each figure
(` + "`pintlab reproduce FIGURE --scale laptop`" + `, and ` + "`--scale paper`" + ` for some):

` + "```" + `
go test ./experiments/figures -run 'TestStoredRows|TestResultsPage' -update -from results
` + "```" + `

A test fails when a figure gives other rows at the smoke scale than when these were measured. A statement *holds* or *fails* beyond the
95 % intervals; it *deviates* where a stored measurement (` + "`known.csv`" + `) explains the difference, and is *open* where the rows decide
nothing.
`)
	for _, f := range Figures() {
		for _, scale := range storedScales {
			if onPage(f, scale) {
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
