package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An error names the location of a missing table, row or column, or the location of a cell that is not a number.
func TestMonitorTables(t *testing.T) {
	dir := t.TempDir()
	text := "task,f1,are\nhitters,0.5,\nlatency,,0.25\n"
	if err := os.WriteFile(filepath.Join(dir, "monitor-0-sketchint-errors.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	x := MonitorTables{Dir: dir, Kind: "sketchint"}
	if f1, are := x.Of("errors", "task", "hitters", "f1"), x.Of("errors", "task", "latency", "are"); f1 != 0.5 ||
		are != 0.25 || x.Err != nil {
		t.Errorf("%v, %v, %v; want 0.5, 0.25", f1, are, x.Err)
	}
	for _, c := range []struct{ name, row, column, want string }{
		{"errors", "hitters", "are", `column "are": there is no number: the run is too short`},
		{"errors", "changes", "f1", "no row changes in errors"},
		{"errors", "hitters", "frames", `monitor-0-sketchint-errors.csv:2: no column "frames"`},
		{"agents", "hitters", "f1", "monitor-0-sketchint-agents.csv"},
	} {
		x := MonitorTables{Dir: dir, Kind: "sketchint"}
		x.Of(c.name, "task", c.row, c.column)
		if x.Err == nil || !strings.Contains(x.Err.Error(), c.want) {
			t.Errorf("%v: %v", c, x.Err)
		}
	}
}
