package show

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/internal/errtest"
)

// results makes a directory with a manifest and empty tables.
func results(t *testing.T, manifest string, tables ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `a "run" of é`)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range append(tables, "manifest.json") {
		text := ""
		if f == "manifest.json" {
			text = manifest
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A notebook has cells for the files in the directory, in nbformat 4. The test of docs/results.md runs it.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		manifest string
		tables   []string
		cells    int
		has      string
	}{
		{`{}`, []string{"flows.csv"}, 4, `pintlab.load(DIR)`},
		{`{}`, []string{"flows.parquet", "series.csv"}, 6, `pintlab.load(DIR, "ports")`},
		{`{"kind": "figure", "figure": "sweep/x"}`, nil, 8, `pintlab.load(DIR, "changes")`},
		{`{"kind": "figure", "figure": "compare/full"}`, nil, 8, `"ratio"`},
	} {
		dir := results(t, c.manifest, c.tables...)
		for to, path := range map[string]string{
			"": `Path(".")`,
			filepath.Join(filepath.Dir(dir), "other.ipynb"): `Path("a \"run\" of é")`,
		} {
			file, err := WriteNotebook(dir, to)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var n struct {
				Cells []struct {
					Type    string `json:"cell_type"`
					ID      string `json:"id"`
					Source  string `json:"source"`
					Outputs []any  `json:"outputs"`
				} `json:"cells"`
				Format int `json:"nbformat"`
			}
			if err := json.Unmarshal(data, &n); err != nil {
				t.Fatal(err)
			}
			all := ""
			for i, x := range n.Cells {
				all += x.Source + "\n"
				if want := []string{"markdown", "code"}[i%2]; x.Type != want ||
					(x.Outputs != nil) != (want == "code") || x.ID == "" || x.Source == "" {
					t.Errorf("cell %d: %+v, want %s", i, x, want)
				}
			}
			if n.Format != 4 || len(n.Cells) != c.cells || !strings.Contains(all, c.has) ||
				!strings.Contains(all, path) || strings.Contains(all, "@") {
				t.Errorf("%s: nbformat %d, %d cells, want %d, %s and %s:\n%s", c.manifest, n.Format, len(n.Cells),
					c.cells, c.has, path, all)
			}
		}
	}
}

func TestNotebookErrors(t *testing.T) {
	for manifest, want := range map[string]string{
		`{"kind": "figure", "figure": "pint/fig7"}`: "… is the figure pint/fig7: want the directory of a run, " +
			"a sweep or a comparison",
		`{}`: "… no flows.parquet and no flows.csv: …",
		`{`:  "… manifest.json: …",
	} {
		if _, err := WriteNotebook(results(t, manifest), ""); !errtest.Says(err, want) {
			t.Errorf("%s: %v, want %s", manifest, err, want)
		}
	}
	_, err := WriteNotebook(t.TempDir(), "")
	if !errtest.Says(err, "… no manifest.json: want the directory of a run, …") {
		t.Error(err)
	}
}
