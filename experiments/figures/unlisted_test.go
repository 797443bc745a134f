package figures

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cols "pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/plots"
)

// unlistedFile lists stored rows that are not on the page of results, and what the smoke scale of their figure gave when
// they were measured.
const unlistedFile = "unlisted.csv"

type unlistedLine struct {
	Figure string `col:"figure"`
	File   string `col:"file"`
	Stored string `col:"sha256"`       // of the file
	Smoke  string `col:"smoke_sha256"` // of golden/smoke.csv
}

// Texts and tests quote rows that are not on the page of results, too. An update takes a new digest of the smoke rows only
// for a file that has changed as well, so that it cannot hide rows that are stale.
func TestUnlistedRows(t *testing.T) {
	before := map[[2]string]unlistedLine{}
	if table, err := plots.LoadCSV(unlistedFile); err == nil {
		lines, err := cols.Decode[unlistedLine](table)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			before[[2]string{l.Figure, l.File}] = l
		}
	} else if !os.IsNotExist(err) {
		t.Fatal(err)
	}
	listed := measured(t)
	var now []unlistedLine
	for _, f := range Figures() {
		for _, scale := range storedScales {
			for _, dir := range []string{"", "stored/"} {
				file := dir + string(scale) + ".csv"
				data, err := os.ReadFile(filepath.Join(filepath.FromSlash(f.Name), filepath.FromSlash(file)))
				if _, ok := listed[measurement{f.Name, string(scale)}]; ok && dir == "" || os.IsNotExist(err) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				l := unlistedLine{f.Name, file, store.Digest(data), smokeDigest(t, f)}
				if old := before[[2]string{l.Figure, l.File}]; old.Stored == l.Stored && old.Smoke != l.Smoke {
					t.Errorf(`%s: its smoke rows have changed since %s was measured. Measure it again:
	pintlab reproduce %s --scale %s
copy the rows.csv of the result to %s, and
	go test ./experiments/figures -run TestUnlistedRows -update`, f.Name, file, f.Name, scale, file)
					l.Smoke = old.Smoke
				}
				now = append(now, l)
			}
		}
	}
	slices.SortFunc(now, func(a, b unlistedLine) int {
		return cmp.Or(strings.Compare(a.Figure, b.Figure), strings.Compare(a.File, b.File))
	})
	table, err := cols.Encode(now)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := table.SaveCSV(unlistedFile); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, l := range now {
		key := [2]string{l.Figure, l.File}
		if before[key] != l {
			t.Errorf("%s: %s is new or has changed; go test ./experiments/figures -run TestUnlistedRows -update", l.Figure, l.File)
		}
		delete(before, key)
	}
	for key := range before {
		t.Errorf("%s: %s has no %s", unlistedFile, key[0], key[1])
	}
}
