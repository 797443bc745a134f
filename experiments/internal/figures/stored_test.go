package figures

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/plots"
)

// Every table of measurements next to the code of a figure has its schema, so that other tools can
// also read it.
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
