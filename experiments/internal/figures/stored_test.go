package figures

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/plots"
)

// Every table of measurements that is stored next to the code of a figure has a schema, so that other tools can read
// it. Rows describe the runs that made them.
func TestStoredTablesHaveASchema(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) == "golden" || filepath.Ext(path) != ".csv" {
			return err
		}
		seen++
		table, err := plots.LoadCSV(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		to := filepath.Join(t.TempDir(), filepath.Base(path))
		if *update {
			to = path
		}
		rows := slices.Contains(storedScales, figure.Scale(strings.TrimSuffix(filepath.Base(path), ".csv")))
		if rows && table.Note == "" && !strings.Contains(path, "table4") { // Table 4 has numbers of hardware, no runs
			t.Errorf("%s does not describe its runs, so that drawings of it have no footnote", path)
		}
		if err := table.SaveCSV(to); err != nil {
			return err
		}
		for _, ending := range []string{".csv", ".schema.json"} {
			have := strings.TrimSuffix(path, ".csv") + ending
			if read(t, have) != read(t, strings.TrimSuffix(to, ".csv")+ending) {
				t.Errorf("%s is not as pintlab writes it", have)
			}
		}
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d tables, %v", seen, err)
	}
}

// No stored interval of slowdowns extends below 1.
func TestStoredSlowdownsAreAtLeastOne(t *testing.T) {
	seen := 0
	for _, f := range Figures() {
		for _, scale := range storedScales {
			table, err := plots.LoadCSV(storedFile(f, scale))
			if err != nil || !table.Has("value") || !table.Has("lo") {
				continue // some figures have no rows of this scale
			}
			word := func(column string, row int) string {
				if at := table.Index(column); at >= 0 {
					return table.Exact(row, at)
				}
				return ""
			}
			los, err := table.Reals("lo")
			if err != nil {
				t.Fatal(err)
			}
			for row, lo := range los {
				what := word("table", row) + " " + word("quantity", row) + " " + word("measure", row)
				ratio := word("against", row)+word("versus", row) != "" || word("table", row) == "change"
				if ratio || !strings.Contains(what, "slowdown") {
					continue
				}
				if seen++; lo < 1 {
					t.Errorf("%s, %s, row %d: %s: %v", f.Name, scale, row+1, what, lo)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d intervals of slowdowns: does this test still read them?", seen)
	}
}
