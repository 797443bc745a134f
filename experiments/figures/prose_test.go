package figures

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cols "pintlab/experiments/results/columns"
	"pintlab/plots"
)

// proseFile lists the texts that quote measured numbers of a figure whose rows are not stored, and what
// the figure's smoke scale gave when these were written.
const proseFile = "prose.csv"

type proseLine struct {
	Page   string `col:"page"` // from the folder of the figures
	Figure string `col:"figure"`
	Smoke  string `col:"smoke_sha256"` // of golden/smoke.csv
}

// quoted are the figures of which other texts have numbers of their own.
var quoted = map[string][]string{
	"lightguardian/locate/known.csv": {"lightguardian/fig10"},
	"../../docs/validation.md":       {"fridge/fig2", "fridge/fig3", "fridge/fig4", "fridge/fig5", "fridge/lut", "pint/fig10"},
}

// Numbers in prose do not go stale in silence: those of a page of docs, those under "# Result" in the
// package comment of a figure, and the measurements that explain deviations (known.csv). An update
// adds lines and changes none: who has looked at the numbers of a line again removes it before.
func TestProse(t *testing.T) {
	digests := map[string]string{}
	want := map[[2]string]bool{}
	for _, f := range Figures() {
		digests[f.Name] = smokeDigest(t, f)
		texts, err := filepath.Glob(filepath.Join(filepath.FromSlash(f.Name), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range texts {
			quotes := filepath.Base(page) == "known.csv"
			if !quotes && strings.HasSuffix(page, ".go") && !strings.HasSuffix(page, "_test.go") {
				quotes = strings.Contains(read(t, page), "// # Result")
			}
			if quotes {
				want[[2]string{filepath.ToSlash(page), f.Name}] = true
			}
		}
	}
	for page, names := range quoted {
		text := read(t, filepath.FromSlash(page))
		for _, name := range names {
			if strings.HasSuffix(page, ".md") && !strings.Contains(text, name) {
				t.Errorf("%s does not name %s, of which it has numbers", page, name)
			}
			want[[2]string{page, name}] = true
		}
	}
	var lines []proseLine
	table, err := plots.LoadCSV(proseFile)
	if err == nil {
		lines, err = cols.Decode[proseLine](table)
	}
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, l := range lines {
		key := [2]string{l.Page, l.Figure}
		if !want[key] {
			t.Errorf("%s: %s has no numbers of %s: remove the line", proseFile, l.Page, l.Figure)
		}
		delete(want, key)
		if now := digests[l.Figure]; now != l.Smoke {
			t.Errorf(`%s has numbers of %s, whose smoke rows have changed since: measure them again or show that they are as before,
remove the line of %s, and go test ./experiments/figures -run TestProse -update`, l.Page, l.Figure, proseFile)
		}
	}
	if !*update {
		for key := range want {
			t.Errorf("%s has numbers of %s, but no line in %s; go test ./experiments/figures -run TestProse -update", key[0], key[1], proseFile)
		}
		return
	}
	for key := range want {
		lines = append(lines, proseLine{key[0], key[1], digests[key[1]]})
	}
	slices.SortFunc(lines, func(a, b proseLine) int {
		return cmp.Or(strings.Compare(a.Page, b.Page), strings.Compare(a.Figure, b.Figure))
	})
	if table, err = cols.Encode(lines); err != nil {
		t.Fatal(err)
	}
	if err := table.SaveCSV(proseFile); err != nil {
		t.Fatal(err)
	}
}
