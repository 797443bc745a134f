package estimate

import (
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// Dir returns the directory in which tasks store the links that they have simulated. It is below out, the directory
// of results.
func Dir(out string, sc scenario.Scenario) (string, error) {
	hash, err := sc.Hash()
	return filepath.Join(out, "links", hash), err
}

// stored is the content of a file. It contains the links that one process has simulated.
type stored struct {
	Build string // build of the program
	Links []Link
}

// SaveLinks writes links to a file whose name depends on the numbers of the links. A file with this name is never
// incomplete, even if SaveLinks is interrupted.
func SaveLinks(dir string, links []Link) (file string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	names := fnv.New64a()
	for _, l := range links {
		fmt.Fprint(names, l.Number, ",")
	}
	file = filepath.Join(dir, fmt.Sprintf("%016x.gob", names.Sum64()))
	return file, outfile.Write(file, func(w io.Writer) error {
		return gob.NewEncoder(w).Encode(stored{store.ThisProgram().Build, links})
	})
}

// LoadLinks reads the stored links, without duplicates. Unless anyBuild is set, it skips links from other or unknown
// builds; foreign is the number of links that it only found there. If the directory does not exist, there are no
// links.
func LoadLinks(dir string, anyBuild bool) (list []Link, foreign int, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	seen, others := map[int]bool{}, map[int]bool{}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".gob" {
			continue // an incomplete file
		}
		s, err := loadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w (remove it to simulate its links again)",
				filepath.Join(dir, f.Name()), err)
		}
		own := anyBuild || store.MadeHere(s.Build)
		for _, l := range s.Links {
			if !own {
				others[l.Number] = true
			} else if !seen[l.Number] {
				seen[l.Number] = true
				list = append(list, l)
			}
		}
	}
	maps.DeleteFunc(others, func(number int, _ bool) bool { return seen[number] })
	return list, len(others), nil
}

func loadFile(path string) (s stored, err error) {
	f, err := input.Binary(path, input.Flows)
	if err != nil {
		return s, err
	}
	defer f.Close()
	return s, gob.NewDecoder(f).Decode(&s)
}
