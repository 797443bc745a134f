package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
)

// Every point of every scale is a scenario, and the traffic of a seed is the same at all points.
func TestSpecs(t *testing.T) {
	for scale, z := range Scales {
		traffic := ""
		for _, s := range []Sketch{TowerCU, CM, CU} {
			for _, m := range z.AllMemories() {
				sc, err := Point{s, m}.spec(z, 1).Scenario()
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ := strings.Cut(string(sc.YAML()), "monitors:")
				if traffic == "" {
					traffic = text
				}
				if text != traffic {
					t.Errorf("%s, %s, %v: another network than at the first point:\n%s\n%s", scale, s.Label(), m, text, traffic)
				}
			}
		}
	}
	if len(Scales) != len(figure.Scales) {
		t.Errorf("%d scales, want %d", len(Scales), len(figure.Scales))
	}
}

// What is not there, or no number, is an error that says where.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	text := "task,f1,are\nhitters,0.5,\nlatency,,0.25\n"
	if err := os.WriteFile(filepath.Join(dir, "monitor-0-sketchint-errors.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	x := tables{dir: dir}
	if f1, are := x.of("errors", "hitters", "f1"), x.of("errors", "latency", "are"); f1 != 0.5 || are != 0.25 || x.err != nil {
		t.Errorf("%v, %v, %v; want 0.5, 0.25", f1, are, x.err)
	}
	for _, c := range []struct{ name, row, column, want string }{
		{"errors", "hitters", "are", `"" where the monitor should say a number`},
		{"errors", "changes", "f1", "no row changes in errors"},
		{"errors", "hitters", "frames", "want rows with a column frames"},
		{"agents", "hitters", "f1", "monitor-0-sketchint-agents.csv"},
	} {
		x := tables{dir: dir}
		x.of(c.name, c.row, c.column)
		if x.err == nil || !strings.Contains(x.err.Error(), c.want) {
			t.Errorf("%v: %v", c, x.err)
		}
	}
}
