package columns

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pintlab/internal/errtest"
)

// Columns are found by name. An error names the location of a missing column or line, or the location of a cell that is
// not a number.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("name,value\n\"a\nb\",1.5\nc,\n")
	var names []string
	sum := 0.0
	if err := Lines(path, func(l *Line) {
		names = append(names, l.Text("name"))
		if v := l.Maybe("value"); !math.IsNaN(v) {
			sum += v
		}
	}); err != nil || len(names) != 2 || names[0] != "a\nb" || names[1] != "c" || sum != 1.5 {
		t.Errorf("%q, %v, %v", names, sum, err)
	}
	number := func(column string) func(*Line) { return func(l *Line) { l.Number(column) } }
	for _, c := range []struct {
		use  func(*Line)
		text string
		says string
	}{
		{number("value"), "", "…some.csv:4: …value…"},
		{number("name"), "", "…some.csv:2: …name…"},
		{number("size"), "", "…some.csv:2: …size…value…"},
		{func(l *Line) { l.Fail(errors.New("not this")) }, "", "…some.csv:2: not this…"},
		{number("value"), "name,value\na,1,2\n", "…some.csv: …line 2…"},
		{number("value"), "\n", "…some.csv: …"},
	} {
		if c.text != "" {
			write(c.text)
		}
		if err := Lines(path, c.use); !errtest.Says(err, c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
