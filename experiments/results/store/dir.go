package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// Dir is a run directory being written. It has a hidden name until Commit, so a directory with a manifest
// is always complete.
type Dir struct{ dir *outfile.Dir }

var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Create makes the directory called name under parent, and parent if it does not exist. Call Commit or
// Abort at the end.
func Create(parent, name string) (*Dir, error) {
	if !runName.MatchString(name) {
		return nil, fmt.Errorf("run directory %q: want letters, digits, '.', '_' or '-', and a letter or digit first",
			name)
	}
	d, err := outfile.MakeDir(filepath.Join(parent, name))
	if err != nil {
		return nil, err
	}
	return &Dir{d}, nil
}

// Path returns the path of a file of the directory before Commit.
func (d *Dir) Path(file string) string { return d.dir.Path(file) }

// Final returns the path of the directory after Commit.
func (d *Dir) Final() string { return d.dir.Final() }

// Abort removes the directory. After Commit it does nothing.
func (d *Dir) Abort() error { return d.dir.Abort() }

// Commit writes the manifest with a list of the other files, and renames the directory to its final name. If the run
// directory already exists, Commit replaces the results in it. These are the same results, because the name identifies
// the scenario. Other files in the existing directory are kept.
func (d *Dir) Commit(m *Manifest) error {
	m.Format = ManifestFormat
	m.Files = nil
	entries, err := os.ReadDir(d.Path(""))
	if err != nil {
		return err
	}
	for _, e := range entries { // sorted by name
		f, err := fileOf(d.Path(e.Name()))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	if err := m.write(d.Path("")); err != nil {
		return err
	}
	return d.dir.Commit(func() ([]string, error) {
		files, err := Listed(d.Final())
		if err != nil {
			err = fmt.Errorf("%s exists, but does not contain the results of a run: %w", d.Final(), err)
		}
		return files, err
	})
}

// Listed returns the names of the files that a run of any version of pintlab has written to dir.
func Listed(dir string) ([]string, error) {
	data, err := input.ReadFile(filepath.Join(dir, ManifestFile), input.Map)
	if err != nil {
		return nil, err
	}
	var m struct {
		Format int    `json:"format"`
		Files  []File `json:"files"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format == 0 {
		return nil, errors.Join(fmt.Errorf("%s cannot be read", ManifestFile), err)
	}
	names := []string{ManifestFile}
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	return names, nil
}

// Runs lists the complete run directories under parent, sorted by name. The list is empty if parent does not exist.
func Runs(parent string) ([]string, error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
			runs = append(runs, dir)
		}
	}
	return runs, nil
}

// WriteFile creates a file of the directory and calls write to fill it. It is an error if the file exists.
func (d *Dir) WriteFile(file string, write func(*os.File) error) (err error) {
	f, err := os.OpenFile(d.Path(file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// Flows reads the flow records of the run directory dir from flows.parquet or, if this file is missing, from flows.csv.
// It checks that the records match the manifest. If both files exist, it checks both, so that it does not ignore an
// edit of one file.
func (m *Manifest) Flows(dir string) (*Flows, error) {
	path, err := m.flowsOf(dir)
	if err != nil {
		return nil, err
	}
	flows := &Flows{}
	if err := m.eachFlow(path, flows.take); err != nil {
		return nil, err
	}
	print, err := flows.Fingerprint()
	if err == nil && print != m.Summary.Fingerprint {
		err = fmt.Errorf("%s: the flow records have the fingerprint %s, but %s contains %s",
			path, print, ManifestFile, m.Summary.Fingerprint)
	}
	return flows, err
}

// EachFlow calls the function use for each flow record of the run directory dir, in order of IDs. It reads the same
// files as Flows but stores no records.
func (m *Manifest) EachFlow(dir string, use func(*FlowRecord) error) error {
	path, err := m.flowsOf(dir)
	if err != nil {
		return err
	}
	return m.eachFlow(path, use)
}

// flowsOf returns the path of the file with the flow records. It first checks all such files against the manifest.
func (m *Manifest) flowsOf(dir string) (string, error) {
	var there []string
	for _, name := range []string{"flows.parquet", "flows.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := m.Check(dir, name); err != nil {
			return "", err
		}
		there = append(there, filepath.Join(dir, name))
	}
	if there == nil {
		return "", fmt.Errorf("%s: the directory has neither flows.parquet nor flows.csv", dir)
	}
	return there[0], nil
}

// eachFlow passes each record of a flows file to the function use. If there are more records than the manifest counts,
// it returns an error.
func (m *Manifest) eachFlow(path string, use func(*FlowRecord) error) error {
	use = atMost(int64(m.Summary.Flows), "summary.flows", use)
	f, size, err := openSized(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".csv") {
		return readFlowsCSV(f, path, use)
	}
	return readFlowsParquet(f, size, path, use)
}
