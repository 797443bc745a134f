package p4

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

// The generated files are exactly the files that `go generate ./p4/...` writes.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	const dir = "src/include/generated"
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if *update {
			if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != f.Text {
			t.Errorf("%s differs from the Go twin: run go generate ./p4/...", f.Name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(files) {
		t.Errorf("%s has %d files, %d are generated", dir, len(entries), len(files))
	}
}
