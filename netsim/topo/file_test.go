package topo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pintlab/internal/errtest"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": lab, "b.gml": zooGML, "c.graphml": zooGraphML, "d.xml": zooGraphML, "e.txt": "4"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		file, name string
		nodes      int
		dropped    Dropped
	}{
		{"a.txt", "a", 4, Dropped{}},
		{"b.gml", "b", 3, Dropped{DuplicateLinks: 1, SelfLinks: 1}},
		{"c.graphml", "c", 3, Dropped{DuplicateLinks: 1, SelfLinks: 1}},
		{"d.xml", "d", 3, Dropped{DuplicateLinks: 1, SelfLinks: 1}},
	} {
		g, d, err := ReadFile(filepath.Join(dir, tt.file), DefaultFill())
		if err != nil || g.Name != tt.name || len(g.Nodes) != tt.nodes || d != tt.dropped {
			t.Errorf("%s: %+v, %+v, %v", tt.file, g, d, err)
		}
	}
	if _, _, err := ReadFile(filepath.Join(dir, "none.txt"), DefaultFill()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: error %v", err)
	}
	bad := filepath.Join(dir, "e.txt")
	if _, _, err := ReadFile(bad, DefaultFill()); !errtest.Says(err, bad+":1: 1 fields, want 3: nodes switches links") {
		t.Errorf("broken file: error %v", err)
	}
	want := `x.yaml: … know … ending ".yaml" (accepted: .txt … HPCC simulators' topology.txt, .gml, .graphml, .xml)`
	if _, _, err := ReadFile("x.yaml", DefaultFill()); !errtest.Says(err, want) {
		t.Errorf("unknown ending: error %v", err)
	}
}
