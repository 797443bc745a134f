package figure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/plots"
)

// Done is a figure with its rows.
type Done struct {
	Figure   *Figure
	Manifest *Manifest
	Rows     *plots.Table
	Dir      string // where it is stored
	// Runs are the run directories, if it was made from these and not from stored rows.
	Runs []string
}

// Size says what was run: what the figure has at the scale, and what was changed.
func (d *Done) Size() string {
	m := d.Manifest
	s := d.Figure.Size[m.Scale]
	if m.Seeds > 0 && m.Scale != "" {
		s += "; here " + Count(m.Seeds, "seed")
	}
	if len(m.Set) > 0 {
		s += "; changed in every run: " + strings.Join(m.Set, " ")
	}
	return s
}

// DirName is where a figure is stored beneath a directory of results.
func DirName(out string, f *Figure, s Scale) string {
	return filepath.Join(out, filepath.FromSlash(f.Name), string(s))
}

// Do measures, checks, draws and stores a figure in dir. command is what a person
// types to get the same.
func Do(ctx context.Context, f *Figure, j *Job, dir, command string) (*Done, error) {
	began := time.Now()
	rows, err := f.Measure(ctx, j)
	if err != nil {
		return nil, err
	}
	// From here on as a reader of the files would: with what CSV keeps.
	findings, err := f.Check(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	used := store.ThisUsage()
	d := &Done{Figure: f, Rows: rows, Dir: dir, Manifest: &Manifest{
		Kind: manifestKind, Format: manifestFormat, Figure: f.Name, Scale: j.Scale, Seed: j.Seed, Seeds: j.Seeds, Set: list(j.Set),
		Command: command, Started: began.UTC().Format(time.RFC3339), Program: store.ThisProgram(), Machine: store.ThisMachine(),
		Wall: time.Since(began).Seconds(), CPU: used.CPUSeconds, Memory: used.PeakMemory,
		Footnote: j.footnote, Settings: list(j.settings), Notes: list(j.notes), Findings: list(findings), Runs: list(j.runs),
	}}
	return d, d.Save()
}

// list makes nothing an empty list, as it stands in JSON.
func list[T any](items []T) []T { return append([]T{}, items...) }

// Load reads a stored figure. find looks a figure up by name.
func Load(dir string, find func(string) (*Figure, error)) (*Done, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	f, err := find(m.Figure)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	rows, err := plots.LoadCSV(filepath.Join(dir, RowsFile))
	if err != nil {
		return nil, err
	}
	if err := m.made(dir); err != nil {
		return nil, err
	}
	d := &Done{Figure: f, Manifest: m, Rows: rows, Dir: dir}
	// The findings of today's program about these rows.
	if m.Findings, err = f.Check(rows); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RowsFile), err)
	}
	return d, nil
}

// Save writes rows, manifest, drawings and the report, in the place of those that are there.
// Other files in that directory stay where they are.
func (d *Done) Save() (err error) {
	parent := filepath.Dir(d.Dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	if err := replaceable(d.Dir); err != nil {
		return err
	}
	temp := filepath.Join(parent, fmt.Sprintf(".%s.%d.partial", filepath.Base(d.Dir), os.Getpid()))
	if err := errors.Join(os.RemoveAll(temp), os.Mkdir(temp, 0o777)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := d.Rows.SaveCSV(filepath.Join(temp, RowsFile)); err != nil {
		return err
	}
	if _, err := d.Draw(temp, "svg", "png"); err != nil {
		return err
	}
	page, err := d.Page()
	if err != nil {
		return err
	}
	if err := page.Save(filepath.Join(temp, ReportFile)); err != nil {
		return err
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	d.Manifest.Files = nil
	for _, e := range entries { // sorted by name
		d.Manifest.Files = append(d.Manifest.Files, e.Name())
	}
	if err := d.Manifest.write(temp); err != nil {
		return err
	}
	return d.replace(temp)
}

// replace puts a directory in the place of the one that is there, or its files in the place
// of those that a figure has written if there are others.
func (d *Done) replace(temp string) error {
	own, foreign, err := d.written()
	if err != nil {
		return err
	}
	if len(foreign) == 0 {
		if err := os.RemoveAll(d.Dir); err != nil {
			return err
		}
		return os.Rename(temp, d.Dir)
	}
	for _, name := range d.Manifest.Files {
		if slices.Contains(foreign, name) {
			return fmt.Errorf("%s was not written by a figure, and is where a file of this one belongs: move it away", filepath.Join(d.Dir, name))
		}
	}
	// Without a manifest a directory is no figure: that goes first and comes last.
	for _, name := range own {
		if err := os.Remove(filepath.Join(d.Dir, name)); err != nil {
			return err
		}
	}
	for _, name := range append(slices.Clone(d.Manifest.Files), ManifestFile) {
		if err := os.Rename(filepath.Join(temp, name), filepath.Join(d.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// written tells the files of the directory that a figure has written, its manifest first,
// from all others.
func (d *Done) written() (own, foreign []string, err error) {
	entries, err := os.ReadDir(d.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	listed := listedFiles(d.Dir)
	if listed == nil {
		listed = d.Manifest.Files // an older version's manifest lists none
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ManifestFile:
			own = slices.Insert(own, 0, name)
		case slices.Contains(listed, name):
			own = append(own, name)
		default:
			foreign = append(foreign, name)
		}
	}
	return own, foreign, nil
}

// replaceable makes sure that nothing but an older version of a figure is
// replaced.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(entries) == 0 || IsFigure(dir)) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s holds something else than the results of a figure: not replaced", dir)
}

// Draw writes the drawings to a directory in each of the formats (svg, png, pdf) and
// returns the names of the files.
func (d *Done) Draw(dir string, formats ...string) ([]string, error) {
	drawings, err := d.Figure.Draw(d.Rows, d.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Figure.Name, err)
	}
	var files []string
	for _, w := range drawings {
		for _, format := range formats {
			name := filepath.Join(dir, w.Name+"."+format)
			if err := plots.Save(&w.Plot, name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			files = append(files, name)
		}
	}
	return files, nil
}

func encodeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
