package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a case.
const (
	configFile   = "config.txt"
	fctFile      = "fct.txt"
	topologyFile = "topology.txt"
	flowFile     = "flow.txt"
)

// acksFiles lists the names that a trace may have. The first existing file is used.
var acksFiles = []string{"acks.txt.gz", "acks.txt"}

// Case is a recorded run: one experiment with one scheme.
type Case struct {
	Name string // such as fat320-web-2ms/hpcc
	Dir  string // directory of config.txt and fct.txt
}

func (c Case) path(file string) string { return filepath.Join(c.Dir, file) }

// acks returns the path of the trace, or "" if the case has no trace.
func (c Case) acks() string {
	for _, name := range acksFiles {
		if exists(c.path(name)) {
			return c.path(name)
		}
	}
	return ""
}

// Find lists the recorded runs in dir, ordered by name. dir contains cases, or is one case, or is the directory of
// one scheme. Find skips directories that contain none of the files of a case. Find returns an error if there is
// nothing to compare, or if a case has no scheme.
func Find(dir string) ([]Case, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if isScheme(dir) {
		return []Case{{Name: filepath.Base(filepath.Dir(abs)) + "/" + filepath.Base(abs), Dir: dir}}, nil
	}
	cases, err := schemes(dir, filepath.Base(abs))
	if err != nil {
		return nil, err
	}
	if len(cases) > 0 {
		return cases, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if !isDir(sub) {
			continue
		}
		list, err := schemes(sub, e.Name())
		errs = append(errs, err)
		if err == nil && len(list) == 0 &&
			(exists(filepath.Join(sub, flowFile)) || exists(filepath.Join(sub, topologyFile))) {
			errs = append(errs, fmt.Errorf("%s: the case has no scheme: want a directory in it with %s and %s",
				sub, configFile, fctFile))
		}
		cases = append(cases, list...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no recorded runs: want CASE/%s, CASE/%s, CASE/SCHEME/%s and CASE/SCHEME/%s in it",
			dir, topologyFile, flowFile, configFile, fctFile)
	}
	return cases, nil
}

// schemes returns the recorded runs directly below dir.
func schemes(dir, name string) ([]Case, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, e := range entries {
		if sub := filepath.Join(dir, e.Name()); isScheme(sub) {
			cases = append(cases, Case{Name: name + "/" + e.Name(), Dir: sub})
		}
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return cases, nil
}

// isScheme reports whether dir contains at least one of the two files that a scheme needs. The run checks later
// whether both are there.
func isScheme(dir string) bool {
	return isDir(dir) && (exists(filepath.Join(dir, configFile)) || exists(filepath.Join(dir, fctFile)))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
