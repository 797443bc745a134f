package campaign

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
)

// state describes how much of a run is on disk.
type state int

const (
	missing state = iota
	otherBuild
	usable
)

// index maps each hash to the run directories whose names end with it. The rest of a name is for people.
type index map[string][]string

// finished lists the run directories under dir.
func finished(dir string) (index, error) {
	runs, err := store.Runs(dir)
	if err != nil {
		return nil, err
	}
	ix := index{}
	for _, r := range runs {
		name := filepath.Base(r)
		hash := name[strings.LastIndexByte(name, '-')+1:]
		ix[hash] = append(ix[hash], r)
	}
	return ix, nil
}

// find looks for a directory that contains the run, and sets the run's result.
func (ix index) find(r *Run, anyBuild bool) (state, error) {
	found := missing
	for _, dir := range ix[r.Hash] {
		m, err := store.ReadManifest(dir)
		var old *store.FormatError
		if errors.As(err, &old) {
			found = otherBuild
			continue
		}
		if err != nil {
			return missing, fmt.Errorf("%w (remove the directory to run it again)", err)
		}
		if m.Summary.Hash != r.Hash {
			return missing, fmt.Errorf("%s: its manifest belongs to %s: remove the directory", dir, m.Summary.Hash)
		}
		if !anyBuild && !store.MadeHere(m.Program.Build) {
			found = otherBuild
			continue
		}
		for _, f := range m.Files {
			if err := m.Check(dir, f.Name); err != nil {
				return missing, fmt.Errorf("%w (remove the directory to run it again)", err)
			}
		}
		r.Result = Result{Dir: dir, Manifest: m, Reused: true}
		return usable, nil
	}
	return found, nil
}

// Made reports whether a directory under dir contains the complete results of a scenario.
func Made(dir string, sc scenario.Scenario, anyBuild bool) (bool, error) {
	hash, err := sc.Hash()
	if err != nil {
		return false, err
	}
	there, err := finished(dir)
	if err != nil {
		return false, err
	}
	found, err := there.find(&Run{Hash: hash}, anyBuild)
	return found == usable, err
}

// Open opens a run directory. The scenario of the run is written in the given language; nil selects the standard one.
func Open(l *scenario.Language, dir string) (*Run, error) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	sc, err := l.Parse(m.Scenario, filepath.Join(dir, store.ManifestFile)+" (scenario)")
	if err != nil {
		return nil, err
	}
	result := Result{Dir: dir, Manifest: m}
	return &Run{Spec: Spec{Label: sc.Name}, Scenario: sc, Hash: m.Summary.Hash, Result: result}, nil
}

// Unchanged returns an error if a file that the scenario names, such as a topology or a query file, is missing or has
// changed since the run. The hash also depends on the keys of a version of pintlab, so it is not compared if the
// scenario names no files.
func (r *Run) Unchanged() error {
	if len(r.Scenario.Files()) == 0 {
		return nil
	}
	hash, err := r.Scenario.Hash()
	if err == nil && hash != r.Hash {
		err = fmt.Errorf("a file that the scenario names has changed since the run, or another version of pintlab "+
			"made the run, so the answers may be wrong: want a scenario with the hash %s, not %s", r.Hash, hash)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.Dir, err)
	}
	return err
}
