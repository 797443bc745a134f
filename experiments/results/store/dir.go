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

// Dir is a run directory in the making. It has a hidden name until Commit, so that a directory
// with a manifest is always whole.
type Dir struct{ *outfile.Dir }

var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Create begins the directory called name under parent, which it makes if need be. End with
// Commit or Abort.
func Create(parent, name string) (*Dir, error) {
	if !runName.MatchString(name) {
		return nil, fmt.Errorf("run directory %q: want letters, digits, '.', '_' or '-', not beginning with a sign", name)
	}
	d, err := outfile.MakeDir(filepath.Join(parent, name))
	if err != nil {
		return nil, err
	}
	return &Dir{d}, nil
}

// Commit writes the manifest, in which it lists the other files, and gives the
// directory its final name. The results of a run that was there are replaced: the name
// says what was run, so they are the same. Other files in that directory stay where they
// are.
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
	return d.Dir.Commit(func() ([]string, error) {
		files, err := listed(d.Final())
		if err != nil {
			err = fmt.Errorf("%s is there, and not the results of a run: %w", d.Final(), err)
		}
		return files, err
	})
}

// listed returns the names of the files that a run has written to dir, whatever version of
// pintlab it was.
func listed(dir string) ([]string, error) {
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

// Runs lists the complete run directories under parent, sorted by name. There are
// none if parent does not exist.
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

// WriteFile makes a file of the directory with what write puts into it.
func (d *Dir) WriteFile(file string, write func(*os.File) error) (err error) {
	f, err := os.Create(d.Path(file))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// Flows reads the flow records of the run directory dir, from flows.parquet or else
// flows.csv, and makes sure that they are those of the manifest. Where there are both, both
// must be: else an edit of one of them would be ignored.
func (m *Manifest) Flows(dir string) (*Flows, error) {
	path, err := m.flowsOf(dir)
	if err != nil {
		return nil, err
	}
	flows := &Flows{}
	if err := eachFlow(path, flows.take); err != nil {
		return nil, err
	}
	print, err := flows.Fingerprint()
	if err == nil && print != m.Summary.Fingerprint {
		err = fmt.Errorf("%s: the records have the fingerprint %s, %s says %s", path, print, ManifestFile, m.Summary.Fingerprint)
	}
	return flows, err
}

// EachFlow calls use for each flow record of the run directory dir, by ID. It reads the files of Flows, and
// keeps no record.
func (m *Manifest) EachFlow(dir string, use func(*FlowRecord) error) error {
	path, err := m.flowsOf(dir)
	if err != nil {
		return err
	}
	return eachFlow(path, use)
}

// flowsOf returns the file of the flow records, once it and the other one are those of the manifest.
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
		return "", fmt.Errorf("%s: neither flows.parquet nor flows.csv", dir)
	}
	return there[0], nil
}

// eachFlow calls use for each record of a file of flows.
func eachFlow(path string, use func(*FlowRecord) error) error {
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
