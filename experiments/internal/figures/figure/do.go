package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/plots"
)

// Done is a figure that has been measured or loaded, with its rows.
type Done struct {
	View
	Figure   *Figure
	Manifest *Manifest
	Dir      string // directory where the figure is stored
	// Runs lists the run directories from which the figure was made. It is empty if the figure was made from stored
	// rows.
	Runs []string
	// Undrawn explains why there are no drawings, if the reason is known.
	Undrawn string
	// Options change the drawings.
	Options Options

	standard bool // the figure's own drawings are made, too, not only the drawings that the options choose
}

// Size describes what was run: the settings of the scale, and the changes that the user made.
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

// DirName returns the directory in which a job stores a figure. The directory is below `out`, in an optional folder
// of the figure. If the job changes settings, the name contains a short form of the changes and a hash, like the name
// of a run directory. specs lists the runs of one seed if the figure is about scenarios of the user; then the hash
// also covers these scenarios.
func DirName(out string, f *Figure, j *Job, folder string, specs ...campaign.Spec) (string, error) {
	name := filepath.Join(out, filepath.FromSlash(f.Name), folder, string(j.Scale)) + scenario.InShort(j.Set)
	if len(specs) == 0 && len(j.Set) == 0 {
		return name, nil
	}
	changed, err := j.Changed(specs)
	if err != nil {
		return "", err
	}
	hashes, err := campaign.Hashes(changed)
	if err != nil {
		return "", err
	}
	id := store.Digest([]byte(strings.Join(append(hashes, slices.Sorted(slices.Values(j.Set))...), "\n")))
	return name + "-" + id[:16], nil
}

// Do measures, checks, draws and stores a figure in dir. command is the command line that reproduces it.
func Do(ctx context.Context, f *Figure, j *Job, dir, command string, o Options) (*Done, error) {
	began, before := time.Now(), store.ThisUsage().CPUSeconds
	view, err := f.Measure(ctx, j)
	j.EndParts()
	if err != nil {
		return nil, err
	}
	told, findings := j.Record(), view.Findings()
	used := store.ThisUsage()
	d := &Done{View: view, Figure: f, Dir: dir, Options: o, standard: true, Manifest: &Manifest{
		Kind: manifestKind, Format: manifestFormat, Figure: f.Name, Scale: j.Scale, Seed: j.Seed, Seeds: j.Seeds,
		Set:     list(j.Set),
		Command: command, Started: began.UTC().Format(time.RFC3339), Program: store.ThisProgram(),
		Machine: store.ThisMachine(),
		Wall:    time.Since(began).Seconds(), CPU: used.CPUSeconds - before, Memory: used.PeakMemory,
		Footnote: told.Footnote, Settings: list(told.Settings), Notes: list(told.Notes), Findings: list(findings),
		Runs: list(told.Runs),
	}}
	return d, d.Save()
}

// Made reports whether dir contains the complete figure of a job. Unless j.Campaign.AnyBuild is set, a figure that
// another build of the program made does not count.
func Made(f *Figure, j *Job, dir string) bool {
	m, err := ReadManifest(dir)
	return err == nil && m.made(dir) == nil && m.Figure == f.Name && m.Scale == j.Scale && m.Seed == j.Seed &&
		m.Seeds == j.Seeds &&
		slices.Equal(m.Set, list(j.Set)) && (j.Campaign.AnyBuild || store.MadeHere(m.Program.Build))
}

// list returns a copy of a list. For nil it returns an empty list, because JSON writes nil as null and an empty list as
// [].
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
	view, err := f.Read(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RowsFile), err)
	}
	m.Findings = view.Findings() // as the present program judges the rows
	return &Done{View: view, Figure: f, Manifest: m, Dir: dir}, nil
}

// Save writes the rows, the manifest, the drawings and the report, and replaces the files of an earlier figure. Other
// files in the directory remain.
func (d *Done) Save() (err error) {
	if err := replaceable(d.Dir); err != nil {
		return err
	}
	dir, err := outfile.MakeDir(d.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	temp := dir.Path("")
	rows := d.Rows()
	rows.Note = cmp.Or(d.Manifest.Footnote, rows.Note)
	if err := rows.SaveCSV(filepath.Join(temp, RowsFile)); err != nil {
		return err
	}
	if _, err := d.Draw(temp); err != nil {
		return d.keep(err)
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
	for _, e := range entries {
		d.Manifest.Files = append(d.Manifest.Files, e.Name())
	}
	if err := d.Manifest.write(temp); err != nil {
		return err
	}
	more := d.more()
	if d.Manifest.Files = append(d.Manifest.Files, more...); more != nil {
		slices.Sort(d.Manifest.Files)
		if err := d.Manifest.write(temp); err != nil {
			return err
		}
	}
	return dir.Commit(func() ([]string, error) {
		return lists.Keep(d.written(), func(f string) bool { return !slices.Contains(more, f) }), nil
	})
}

// more returns the drawings in the directory that this build made from the same rows with other options. Save keeps
// these drawings.
func (d *Done) more() []string {
	old, err := ReadManifest(d.Dir)
	if err != nil || old.RowsFile != d.Manifest.RowsFile || old.Program.Build != d.Manifest.Program.Build {
		return nil
	}
	return lists.Keep(old.Files, func(f string) bool {
		_, err := os.Stat(filepath.Join(d.Dir, f))
		return err == nil && !slices.Contains(d.Manifest.Files, f)
	})
}

// keep saves the rows of a figure that cannot be drawn, because the measurement may have taken hours. It adds the
// path of the saved rows to err.
func (d *Done) keep(err error) error {
	path := d.Dir + "-" + RowsFile
	if failed := d.Rows().SaveCSV(path); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; the measured rows are in %s", err, path)
}

// written lists the files in the directory that a figure has written. The manifest of an older version lists no
// files. In this case, written returns the names of the files that this version writes.
func (d *Done) written() []string {
	files := listedFiles(d.Dir)
	if files == nil {
		files = d.Manifest.Files
	}
	return append(slices.Clone(files), ManifestFile)
}

// replaceable returns an error if dir contains files that are not results of a figure.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(entries) == 0 || IsFigure(dir)) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s does not hold the results of a figure, so it is not replaced", dir)
}

// Check returns an error if options ask for drawings that the figure cannot have.
func (d *Done) Check() error {
	_, _, err := d.coloured()
	return err
}

// Draw writes the drawings to a directory and returns the names of the files.
func (d *Done) Draw(dir string) ([]string, error) {
	drawings, undrawn, err := d.coloured()
	if err != nil {
		return nil, err
	}
	d.Undrawn = cmp.Or(d.Undrawn, strings.Join(undrawn, " "))
	return d.Options.Save(dir, drawings)
}
