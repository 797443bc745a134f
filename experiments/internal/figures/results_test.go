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

	"pintlab/experiments/internal/figures/figure"
	cols "pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/plots"
	"pintlab/plots/report"
)

var from = flag.String("from", "", "with -update: take the rows of the laptop and paper scales from this "+
	"directory of results")

// measuredFile lists the measurements that are stored next to the code of figures. Each line also contains a digest
// of the figure's smoke rows at the time of the measurement.
const measuredFile = "measured.csv"

type measuredLine struct {
	Figure string `col:"figure"`
	File   string `col:"file"`         // path relative to the folder of the figures
	Stored string `col:"sha256"`       // digest of the file
	Smoke  string `col:"smoke_sha256"` // SHA-256 of golden/smoke.csv
}

// storedScales lists the scales whose rows are stored.
var storedScales = []figure.Scale{figure.Laptop, figure.Paper}

// storedFile returns the path of the stored rows of a figure at a scale.
func storedFile(f *figure.Figure, s figure.Scale) string {
	return filepath.Join(filepath.FromSlash(f.Name), string(s)+".csv")
}

// measured returns the lines of measuredFile, by file.
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

// The test detects stale measurements. Measurements are stored rows and the lines of known.csv, which explain
// deviations. A measurement is stale if the smoke rows of its figure have changed since the measurement. An update
// accepts new smoke rows only for a file that has also changed, or whose line was removed.
func TestStoredRows(t *testing.T) {
	before := measured(t)
	var now []measuredLine
	taken := 0
	for _, f := range Figures() {
		if *update && *from != "" {
			for _, scale := range storedScales {
				if take(t, f, scale) {
					taken++
					delete(before, filepath.ToSlash(storedFile(f, scale)))
				}
			}
		}
		smoke := store.Digest([]byte(read(t, filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv"))))
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(f.Name), "*.csv"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(file string) bool {
			return slices.Contains([]string{"published.csv", "claims.csv"}, filepath.Base(file))
		})
		if f.Name == "pint/fig7" { // stored gains that fig7 and other figures show next to their own
			files = append(files, filepath.Join("..", "measure", "pint", "stored.csv"))
		}
		for _, file := range files {
			l := measuredLine{f.Name, filepath.ToSlash(file), store.Digest([]byte(read(t, file))), smoke}
			if old := before[l.File]; old.Stored == l.Stored && old.Smoke != l.Smoke {
				t.Errorf(
					`the smoke rows of %s have changed since %s was measured. Measure it again (the rows of a scale:
	pintlab reproduce %s --scale SCALE
	go test ./experiments/internal/figures -run 'TestStoredRows|TestClaimsPage' -update -from $PWD/results
others: write the new file, or remove its line of %s if it stays as it is, and the same without -from). If a number has
moved, say so in the changelog, marked RESULTS`, f.Name, l.File, f.Name, measuredFile)
				l.Smoke = old.Smoke
			}
			now = append(now, l)
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
	if *update && *from != "" && taken == 0 {
		t.Fatalf("-from %s: no figure of the laptop or paper scale; a relative path counts from the "+
			"folder of the figures", *from)
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
			t.Errorf("%s is new or has changed; go test ./experiments/internal/figures -run TestStoredRows -update",
				l.File)
		}
		delete(before, l.File)
	}
	for file := range before {
		t.Errorf("%s: no file %s", measuredFile, file)
	}
}

// storedIn returns the path of a figure's results at a scale in the directory of results.
func storedIn(t *testing.T, f *figure.Figure, scale figure.Scale) string {
	t.Helper()
	dir, err := figure.DirName(*from, f, &figure.Job{Scale: scale}, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// take copies the rows of a figure at a scale from the directory of results to the stored rows. It returns false if the
// directory does not contain them.
func take(t *testing.T, f *figure.Figure, scale figure.Scale) bool {
	t.Helper()
	dir := storedIn(t, f, scale)
	if !figure.IsFigure(dir) {
		return false
	}
	d, err := figure.Load(dir, Find)
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Manifest; m.Seeds > 0 || len(m.Set) > 0 || m.Seed != 1 {
		t.Fatalf("%s: made with other seeds or settings than the scale's: %s", dir, m.Command)
	}
	if err := d.Rows().SaveCSV(storedFile(f, scale)); err != nil {
		t.Fatal(err)
	}
	return true
}

// papers lists the groups of docs/claims, by the folder of their figures.
var papers = []struct{ folder, short, title string }{
	{"pint", "PINT", "PINT (SIGCOMM 2020)"},
	{"p4", "PINT in P4", "PINT's P4 programs (§5, appendices A.4, B and C)"},
	{"sketchint", "SketchINT", "SketchINT"}, {"fridge", "Fridges", "Fridges"},
	{"lightguardian", "LightGuardian", "LightGuardian (NSDI 2021)"},
	{"hpcc", "HPCC", "HPCC (SIGCOMM 2019)"},
}

// claim is a line of docs/claims.
type claim struct {
	kind                                        string // one of kinds
	verdict, text, printed, ours, interval, why string
	cause                                       report.Cause
	over                                        float64 // ratio of our number to the printed one; NaN for none
}

// kinds lists the groups of verdicts at the top of docs/claims. They are about printed numbers as the paper defines
// them, printed numbers in another reading, and claims in words.
var kinds = []string{"printed numbers", "other readings", "in words"}

// verdicts lists the verdicts of docs/claims, in the order in which they are counted.
var verdicts = []report.Mark{report.Holds, report.Deviates, report.Undecided, report.Unmeasured}

// inWords maps the verdicts on claims without a number to the verdicts of docs/claims.
var inWords = map[figure.Verdict]report.Mark{
	figure.Holds: report.Holds, figure.Fails: report.Deviates, figure.Deviates: report.Deviates,
	figure.Undecided: report.Undecided,
}

// claimsFolder contains a page for each paper, and a front page.
const claimsFolder = "../../../docs/claims/"

// claimsHead is the first line of each page in claimsFolder.
const claimsHead = "<!-- Generated by go test ./experiments/internal/figures -run TestClaimsPage -update -->\n"

// claimsPages collects the contents of the front page while the pages of the papers are written.
type claimsPages struct {
	counts     map[string]int // numbers of claims, by folder, kind and verdict, and of causes of deviations
	tolerances []string
	headlines  strings.Builder
	dots       []dot
}

// docs/claims contains the verdicts that follow from the stored rows.
func TestClaimsPage(t *testing.T) {
	c := &claimsPages{counts: map[string]int{}}
	want := map[string]string{}
	for i, p := range papers {
		want[p.folder+".md"] = c.paper(t, i)
	}
	want["README.md"] = c.front()
	draw(t, c.dots)
	for name, text := range want {
		if *update {
			if err := os.WriteFile(claimsFolder+name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, claimsFolder+name) != text {
			t.Errorf("docs/claims/%s is not what the stored rows say; go test ./experiments/internal/figures -run "+
				"TestClaimsPage -update", name)
		}
	}
}

// paper writes the page of the paper with number i.
func (c *claimsPages) paper(t *testing.T, i int) string {
	t.Helper()
	p := papers[i]
	list := headlines(t, p.folder)
	for _, h := range list {
		fmt.Fprintf(&c.headlines, "| %s | [%s](%s.md) | %s |\n", h.Outcome, p.short, p.folder, cell(h.Statement))
	}
	var body strings.Builder
	for _, f := range Figures() {
		if !strings.HasPrefix(f.Name, p.folder+"/") {
			continue
		}
		numbers, words, scale := claims(t, f)
		for _, one := range append(slices.Clone(numbers), words...) {
			c.count(p.folder, one)
			if one.kind == kinds[0] {
				c.dots = append(c.dots, dot{i, one.verdict, one.over})
			}
		}
		if len(numbers)+len(words) > 0 {
			writeClaims(&body, f, append(numbers, words...), scale)
		}
		for _, x := range printed(t, f, nil) {
			if !slices.Contains(c.tolerances, x.Within) {
				c.tolerances = append(c.tolerances, x.Within)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s# Claims of %s\n\n[All papers](README.md) has the meaning of the verdicts.\n\n", claimsHead,
		p.title)
	c.verdicts(&b, p.folder)
	return b.String() + headlineTable(list) + body.String()
}

// count counts a claim of a paper, and its cause if it deviates.
func (c *claimsPages) count(folder string, one claim) {
	for _, key := range []string{folder + one.kind, one.kind} {
		c.counts[key+one.verdict]++
		if one.verdict == string(report.Deviates) {
			c.counts[key+"cause"+string(one.cause)]++
		}
	}
}

// writeClaims writes the table of a figure. Reasons that are too long for the table follow below the table, each
// once.
func writeClaims(b *strings.Builder, f *figure.Figure, list []claim, scale string) {
	fmt.Fprintf(b, "\n## %s\n\n%s (%s). %s.\n\n| verdict | claim | printed | ours | 95 %% interval | "+
		"why |\n|---|---|---|---|---|---|\n", f.Name, f.Title, f.Source, scale)
	var whys []string
	for _, c := range list {
		why := c.why
		if len(why) > 40 {
			if !slices.Contains(whys, why) {
				whys = append(whys, why)
			}
			why = fmt.Sprintf("(%d)", slices.Index(whys, why)+1)
		}
		why = strings.TrimSpace(c.cause.Text() + " " + why)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", c.verdict, cell(c.text), cell(c.printed),
			cell(c.ours), c.interval, cell(why))
	}
	for i, why := range whys {
		fmt.Fprintf(b, "\n(%d) %s\n", i+1, why)
	}
}

// verdicts writes how many claims have each verdict, for one paper, or for all papers if the folder is empty.
func (c *claimsPages) verdicts(b *strings.Builder, folder string) {
	b.WriteString("| claims |")
	for _, v := range verdicts {
		fmt.Fprintf(b, " %s |", v)
	}
	b.WriteString("\n|" + strings.Repeat("---|", 1+len(verdicts)) + "\n")
	for _, kind := range kinds {
		fmt.Fprintf(b, "| %s |", kind)
		for _, v := range verdicts {
			fmt.Fprintf(b, " %d |", c.counts[folder+kind+string(v)])
		}
		b.WriteString("\n")
	}
}

// front writes the front page, which links to the other pages.
func (c *claimsPages) front() string {
	near, drawn := 0, 0
	for _, d := range c.dots {
		if d.over > 0 && !math.IsInf(d.over, 0) {
			drawn++
			if d.over > 0.8 && d.over < 1.25 {
				near++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `%s# What the papers claim, and what we measure

![Our number over the printed one, for each printed number of each paper](../images/claims.svg)

*%d of the %d numbers that the papers print and that a ratio can compare are within a quarter of ours. Each dot is
our number over the printed one; dots with about the same ratio are stacked.*

| verdict | paper | what it promises, in our words |
|---|---|---|
%s
`, claimsHead, near, drawn, &c.headlines)
	c.verdicts(&b, "")
	b.WriteString(`
- A **printed number** *holds* if all of our 95 % interval agrees with it, and *deviates* if none of it does. It is
  *undecided* in between, and where we have no interval; *not measured* where we have no number.
- **Other readings** stand next to a number where the paper's words leave open how it is meant, or where its
  authors' published code computes something else.
- A claim **in words** holds or deviates if the intervals of our rows say so, and is undecided otherwise; where rows
  have no interval, and for counts of buckets, the numbers next to it decide.
- A **headline** holds if all claims behind it hold, and deviates if one of them does.

`)
	c.causes(&b)
	b.WriteString(`
The pages are generated from the specs of the figures and their largest stored scale. Where no rows are stored,
because they are speeds of a machine, claims that no clock decides are those of the smoke scale. In tables, the
brackets behind a printed number contain the numbers that agree with it; brackets behind an interval show its source.
` + "`pintlab reproduce`" + ` gives the same verdicts for its rows. A test fails when a figure gives other rows at the
smoke scale than when these were measured. To measure again:

` + "```" + `
pintlab reproduce FIGURE --scale paper
go test ./experiments/internal/figures -run 'TestStoredRows|TestClaimsPage' -update -from $PWD/results
` + "```" + `

How far a number may differ from the printed one, and why:

`)
	for _, within := range c.tolerances {
		fmt.Fprintf(&b, "- %s\n", within)
	}
	return b.String()
}

// largest returns the rows of a figure's largest stored scale, or nil if no rows are stored. run describes the scale.
func largest(t *testing.T, f *figure.Figure) (rows *plots.Table, run string) {
	t.Helper()
	run = "No rows are stored"
	for _, scale := range storedScales {
		file := storedFile(f, scale)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		var err error
		if rows, err = plots.LoadCSV(file); err != nil {
			t.Fatal(err)
		}
		run = fmt.Sprintf("Stored: %s scale, %s", scale, f.Size[scale])
	}
	return rows, run
}

// claims returns the claims of a figure, judged by the rows of the largest stored scale. run describes the scale.
func claims(t *testing.T, f *figure.Figure) (numbers, words []claim, run string) {
	t.Helper()
	rows, run := largest(t, f)
	for _, c := range printed(t, f, rows) {
		x := claim{kind: kinds[0], verdict: string(c.Outcome), text: c.What(), printed: c.Printed(),
			ours: number.Format(c.Ours, c.Unit, 4), interval: c.Interval(), cause: c.Cause,
			over: c.Ours / c.Published}
		if c.Reading != "" {
			x.kind = kinds[1]
		}
		if c.Over != "" {
			x.interval = strings.TrimSpace(x.interval + " (" + c.Over + ")")
		}
		switch {
		case c.Outcome == report.Deviates:
			x.why = c.Note
		case c.Outcome == report.Unmeasured:
			x.ours, x.interval = "", ""
			x.why = c.Note
		case c.Outcome == report.Undecided && c.Interval() == "":
			x.why = "no interval"
		}
		numbers = append(numbers, x)
	}
	stored := rows != nil
	if !stored { // without stored rows, the smoke rows decide
		rows = smokeRows(t, f)
	}
	for _, x := range view(t, f, rows).Findings() {
		if mark, ok := inWords[x.Outcome]; ok && !x.Ours {
			c := claim{kind: kinds[2], verdict: string(mark), text: x.Statement, printed: "in words",
				ours: strings.TrimSuffix(x.Detail, "; "), why: x.Known, cause: x.Cause}
			if !stored && x.Outcome == figure.Undecided { // the verdict depends on real time
				c.verdict, c.ours, c.why, c.cause = string(report.Unmeasured), "", "", report.NoCause
			} else if !stored {
				c.ours += " (smoke scale)"
			}
			words = append(words, c)
		}
	}
	return numbers, words, run
}

// printed returns the numbers that the paper prints for a figure, and our numbers from its rows. Without rows, our
// numbers are missing.
func printed(t *testing.T, f *figure.Figure, rows *plots.Table) []report.Compared {
	t.Helper()
	if rows != nil {
		return view(t, f, rows).Compared()
	}
	list := view(t, f, smokeRows(t, f)).Compared()
	for i := range list {
		nan := math.NaN()
		list[i].Ours, list[i].Lo, list[i].Hi, list[i].Outcome = nan, nan, nan, report.Unmeasured
	}
	return list
}

// view returns the View of a figure for some rows.
func view(t *testing.T, f *figure.Figure, rows *plots.Table) figure.View {
	t.Helper()
	v, err := f.Read(rows)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// smokeRows returns the rows of the smoke scale, in the form that Figure.Read accepts.
func smokeRows(t *testing.T, f *figure.Figure) *plots.Table {
	t.Helper()
	rows, err := plots.LoadCSV(filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// cell escapes a text for a table in Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
