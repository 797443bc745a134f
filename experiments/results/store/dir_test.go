package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDir(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "results")
	write := func(text string) *Manifest {
		d, err := Create(parent, "run-1")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Abort()
		if runs, _ := Runs(parent); text == "one" && len(runs) != 0 {
			t.Errorf("there before Commit: %v", runs)
		}
		if err := d.WriteFile("fct.txt", func(f *os.File) error {
			_, err := fmt.Fprint(f, text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		m := &Manifest{
			Scenario: json.RawMessage(`{"seed":1}`), Command: "pintlab run x", Notes: []string{"n"},
			Summary: Summary{Flows: 3, Dir: d.Final()},
		}
		if err := d.Commit(m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	write("one")
	m := write("two") // the same name again
	runs, err := Runs(parent)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	if data, _ := os.ReadFile(filepath.Join(runs[0], "fct.txt")); string(data) != "two" {
		t.Errorf("fct.txt holds %q", data)
	}
	got, err := ReadManifest(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	var scenario bytes.Buffer
	if err := json.Compact(&scenario, got.Scenario); err != nil {
		t.Fatal(err)
	}
	got.Scenario = scenario.Bytes()
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(
		[]File{{Name: "fct.txt", Bytes: 3, SHA256: "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"}},
		got.Files); diff != "" {
		t.Error(diff)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	d, err := Create(parent, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(parent, "x"); err == nil {
		t.Error("the same directory was begun twice")
	}
	if err := d.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, bad := range []string{"", ".x", "a/b", "../x", "a b"} {
		if _, err := Create(parent, bad); err == nil {
			t.Errorf("name %q is accepted", bad)
		}
	}
}

func TestReadManifestErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{\n\"format\": 2,\n\"nonsense\": 2}", `json: unknown field "nonsense"`},
		{`{"format": 1}`, "format 1, this program reads 2"},
		{`{"format": 2}`, "was changed after the run: its digest does not match"},
		{`{"format": 2} {}`, "more than one JSON value"},
		{"{\n\n\"format\": }", ":3: invalid character '}'"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// stored makes a run directory with flow records in these files.
func stored(t *testing.T, parent, name string, flows *Flows, files ...string) (string, *Manifest) {
	t.Helper()
	d, err := Create(parent, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		write := func(w *os.File) error { return WriteFlowsCSV(w, flows) }
		if f == "flows.parquet" {
			write = func(w *os.File) error { return WriteFlowsParquet(w, flows) }
		}
		if err := d.WriteFile(f, write); err != nil {
			t.Fatal(err)
		}
	}
	print, err := flows.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(&Manifest{Scenario: json.RawMessage("{}"),
		Summary: Summary{Flows: flows.Len(), Fingerprint: print}}); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(d.Final())
	if err != nil {
		t.Fatal(err)
	}
	return d.Final(), m
}

func TestFlowsFindsTheFile(t *testing.T) {
	parent := t.TempDir()
	dir, m := stored(t, parent, "none", benchmarkFlows(10))
	if _, err := m.Flows(dir); err == nil || !strings.HasSuffix(err.Error(), "neither flows.parquet nor flows.csv") {
		t.Errorf("no file: %v", err)
	}
	for _, file := range []string{"flows.csv", "flows.parquet"} {
		dir, m := stored(t, parent, file, benchmarkFlows(10), file)
		got, err := m.Flows(dir)
		if err != nil || got.Len() != 10 {
			t.Fatalf("%v, %v", got, err)
		}
		if finished, unfinished, failed := got.Count(); finished != 10 || unfinished != 0 || failed != 0 {
			t.Errorf("counted %d, %d, %d", finished, unfinished, failed)
		}
	}
}

// The reader detects files of another run and changed manifests.
func TestStoredRunsAreNotTrusted(t *testing.T) {
	parent := t.TempDir()
	one, m := stored(t, parent, "one", benchmarkFlows(10), "flows.parquet", "flows.csv")
	two, _ := stored(t, parent, "two", benchmarkFlows(11), "flows.parquet", "flows.csv")
	other, err := os.ReadFile(filepath.Join(two, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "flows.parquet"), other, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flows(one); err == nil ||
		!strings.Contains(err.Error(), "flows.parquet is not the file that the run wrote") {
		t.Errorf("records of another run: %v", err)
	}
	if err := m.Check(one, "flows.csv"); err != nil {
		t.Error(err)
	}
	if err := m.Check(one, "mine.txt"); err == nil || !strings.Contains(err.Error(), "manifest.json does not list it") {
		t.Errorf("a file of the user: %v", err)
	}
	three, m3 := stored(t, parent, "three", benchmarkFlows(10), "flows.parquet", "flows.csv")
	if err := os.WriteFile(filepath.Join(three, "flows.csv"), []byte("id\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := m3.Flows(three); err == nil ||
		!strings.Contains(err.Error(), "flows.csv is not the file that the run wrote") {
		t.Errorf("edited records next to the records that are read: %v", err)
	}
	// The fingerprint detects a changed manifest even if the digests in the manifest were changed to match.
	m.Summary.Flows++
	m.Files[1], err = fileOf(filepath.Join(one, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flows(one); err == nil || !strings.Contains(err.Error(), "the flow records have the fingerprint") {
		t.Errorf("digests that fit: %v", err)
	}
	name := filepath.Join(two, ManifestFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, edited := range []string{
		strings.Replace(string(text), `"seed": 0`, `"seed": 1`, 1), string(text) + "\n",
		strings.Replace(string(text), `"notes": null`, `"notes": []`, 1),
	} {
		if edited == string(text) {
			t.Fatalf("not edited:\n%s", text)
		}
		if err := os.WriteFile(name, []byte(edited), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(two); err == nil ||
			!strings.HasSuffix(err.Error(), "was changed after the run: its digest does not match") {
			t.Errorf("edited manifest: %v", err)
		}
	}
}

// An endless file in a run directory is an error at once. It does not use all memory.
func TestStoredRunsHaveAnEnd(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skipf("needs the file %s, as Linux, macOS and the BSDs have it: %v", endless, err)
	}
	dir, m := stored(t, t.TempDir(), "one", benchmarkFlows(10), "flows.csv")
	for name, read := range map[string]func() error{
		"flows.csv":  func() error { _, err := m.Flows(dir); return err },
		ManifestFile: func() error { _, err := ReadManifest(dir); return err },
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Remove(path), os.Symlink(endless, path)); err != nil {
			t.Fatal(err)
		}
		if err := read(); err == nil ||
			!strings.HasSuffix(err.Error(), "not a regular file") &&
				!strings.HasSuffix(err.Error(), "not text: a NUL at byte 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If a run is made again, files that a user has put into its directory are kept.
func TestCommitKeepsOtherFiles(t *testing.T) {
	parent := t.TempDir()
	dir, _ := stored(t, parent, "x", benchmarkFlows(10), "flows.parquet", "flows.csv")
	mine := filepath.Join(dir, "notes", "mine.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o777),
		os.WriteFile(mine, []byte("precious"), 0o666)); err != nil {
		t.Fatal(err)
	}
	_, m := stored(t, parent, "x", benchmarkFlows(12), "flows.parquet")
	if got, err := os.ReadFile(mine); err != nil || string(got) != "precious" {
		t.Errorf("%q, %v", got, err)
	}
	if flows, err := m.Flows(dir); err != nil || flows.Len() != 12 {
		t.Errorf("%v, %v", flows, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "flows.csv")); err == nil {
		t.Error("a file of the run before is still there")
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// A directory that is not a run is not changed.
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil {
		t.Fatal(err)
	}
	d, err := Create(parent, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	if err := d.Commit(&Manifest{Scenario: json.RawMessage("{}")}); err == nil ||
		!strings.Contains(err.Error(), "does not contain the results of a run") {
		t.Errorf("error %v", err)
	}
}
