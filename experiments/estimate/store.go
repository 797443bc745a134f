package estimate

import (
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// Dir returns where tasks put the links that they have simulated, below the directory of results.
func Dir(out string, sc scenario.Scenario) (string, error) {
	hash, err := sc.Hash()
	return filepath.Join(out, "links", hash), err
}

// stored is a file of links, which one process has simulated.
type stored struct {
	Build string // of the program
	Links []Link
}

// SaveLinks writes links to a file of their own, whole or not at all. The same links have the same file.
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

// LoadLinks reads the links that processes of this build have stored, each once. There are none where there is no directory.
func LoadLinks(dir string) (list []Link, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".gob" {
			continue // a file in the making
		}
		s, err := loadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w (remove it to simulate its links again)", filepath.Join(dir, f.Name()), err)
		}
		if s.Build != store.ThisProgram().Build {
			continue
		}
		for _, l := range s.Links {
			if !seen[l.Number] {
				seen[l.Number] = true
				list = append(list, l)
			}
		}
	}
	return list, nil
}

func loadFile(path string) (s stored, err error) {
	f, err := input.Binary(path, input.Flows)
	if err != nil {
		return s, err
	}
	defer f.Close()
	return s, gob.NewDecoder(f).Decode(&s)
}
