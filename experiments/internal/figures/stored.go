package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Stored reads a stored figure or run directories. The arguments are the directory of a figure, a file of rows, or
// run directories. For a file of rows, `name` is the name of the figure. If `name` is "", the manifest next to the
// file names the figure.
func Stored(l *scenario.Language, args []string, name string) (*figure.Done, error) {
	if strings.HasSuffix(args[0], ".csv") {
		if len(args) > 1 {
			return nil, fmt.Errorf("%s and %s: want one file of rows", args[0], args[1])
		}
		return storedRows(l, args[0], name)
	}
	if name != "" {
		return nil, fmt.Errorf("--figure %s has no effect on a directory, whose manifest.json names the figure", name)
	}
	var errs []error
	for _, dir := range args {
		if err := isResult(dir, "a figure or of a run"); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if figure.IsFigure(args[0]) {
		if len(args) > 1 {
			return nil,
				fmt.Errorf("%s is a figure, and %s cannot be drawn into it: want one figure, or run directories "+
					"(pintlab report shows several figures on one page)", args[0], args[1])
		}
		return figure.Load(args[0], finder(l))
	}
	for _, dir := range args[1:] {
		if figure.IsFigure(dir) {
			return nil, fmt.Errorf("%s is a figure and %s is a run: want one figure, or run directories", dir, args[0])
		}
	}
	return show.OpenRuns(l, args)
}

// finder returns a function that calls findIn with the given language.
func finder(l *scenario.Language) func(name string) (*figure.Figure, error) {
	return func(name string) (*figure.Figure, error) { return findIn(l, name) }
}

// aRun describes results that are runs.
const aRun = "a run"

// isResult returns an error if dir contains nothing to draw. wanted describes the results that the caller expects.
func isResult(dir, wanted string) error {
	if err := input.IsDir(dir, "results"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, figure.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		text := fmt.Sprintf("%s: no %s: want the directory of %s", dir, figure.ManifestFile, wanted)
		if inside := example(dir, wanted == aRun); inside != "" {
			text += fmt.Sprintf(", such as %s; pintlab report accepts %s itself", inside, dir)
		}
		return errors.New(text)
	}
	return nil
}

// example returns a directory of a run below dir or, unless only runs count, of a figure or a run. It returns "" if
// there is none.
func example(dir string, onlyRuns bool) (found string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() == figure.ManifestFile &&
			!(onlyRuns && figure.IsFigure(filepath.Dir(path))) {
			found = filepath.Dir(path)
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// IsRun returns an error if dir is not the directory of a run.
func IsRun(dir string) error {
	if err := isResult(dir, aRun); err != nil {
		return err
	}
	if figure.IsFigure(dir) {
		return fmt.Errorf("%s is a figure, want the directory of a run", dir)
	}
	return nil
}

// storedRows reads a file of rows. `name` is the name of the figure. If `name` is "", the manifest next to the file
// names the figure.
func storedRows(l *scenario.Language, path, name string) (*figure.Done, error) {
	dir := filepath.Dir(path)
	if name == "" {
		if !figure.IsFigure(dir) {
			return nil, fmt.Errorf("%s: no %s of a figure next to it: name the figure with --figure", path,
				figure.ManifestFile)
		}
		d, err := figure.Load(dir, finder(l))
		if err != nil || filepath.Base(path) == figure.RowsFile {
			return d, err
		}
		name = d.Figure.Name
	}
	f, err := findIn(l, name)
	if err != nil {
		return nil, fmt.Errorf("--figure: %w", err)
	}
	rows, err := plots.LoadCSV(path)
	if err != nil {
		return nil, err
	}
	view, err := f.Read(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: as rows of %s: %w", path, f.Name, err)
	}
	m := &figure.Manifest{Figure: f.Name, Findings: view.Findings()}
	return &figure.Done{View: view, Figure: f, Dir: dir, Manifest: m}, nil
}

// Inputs lists the files of results in a directory and its subdirectories: manifests, rows of figures, and files of
// runs. Reports, drawings, notebooks and traces are made from these files. If a manifest cannot be read as the manifest
// of a run, Inputs lists the manifest and the file of rows that a figure would have next to it.
func Inputs(root string) (list []string, err error) {
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != store.ManifestFile {
			return err
		}
		dir := filepath.Dir(path)
		names, err := store.Listed(dir)
		if err != nil {
			names = []string{store.ManifestFile, figure.RowsFile}
		}
		list = append(list, lists.Map(names, func(name string) string { return filepath.Join(dir, name) })...)
		return nil
	})
	return list, err
}

// Page returns the report of the results in the directories. The links in the report are relative to dir.
func Page(l *scenario.Language, args []string, dir string) (*report.Page, error) {
	for _, a := range args {
		if strings.HasSuffix(a, ".csv") {
			return nil, fmt.Errorf("%s: want a directory of results", a)
		}
	}
	list, dirs, err := expand(l, args)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		names := lists.Map(args, func(a string) string { return filepath.Base(filepath.Clean(a)) })
		return figure.PageOf("Results in "+strings.Join(names, ", "), dir, list)
	}
	d, err := Stored(l, dirs, "")
	if err != nil {
		return nil, err
	}
	page, err := d.Page()
	if err != nil || d.Runs == nil {
		return page, err
	}
	over, err := show.SeriesSection(l, d.Runs)
	if err != nil {
		return nil, err
	}
	if over != nil {
		page.Sections = slices.Insert(page.Sections, 1, *over)
	}
	return page, nil
}

// expand finds the results in directories. It returns the figures, or the directories of runs. A single figure remains
// a directory, because its own report has more.
func expand(l *scenario.Language, args []string) (list []*figure.Done, dirs []string, err error) {
	for _, a := range args {
		if err := input.IsDir(a, "results"); err != nil {
			return nil, nil, err
		}
		if figure.IsFigure(a) && len(args) > 1 {
			d, err := figure.Load(a, finder(l))
			if err != nil {
				return nil, nil, err
			}
			list = append(list, d)
			continue
		}
		found, err := below(l, a)
		if err != nil {
			return nil, nil, err
		}
		if list = append(list, found...); len(found) > 0 {
			continue
		}
		runs, err := runsBelow(a)
		if err != nil {
			return nil, nil, err
		}
		if len(runs) == 0 {
			runs = []string{a}
		}
		dirs = append(dirs, runs...)
	}
	if len(list) > 0 && len(dirs) > 0 {
		return nil, nil, fmt.Errorf("%s is a figure, and %s is not: want only figures, or only runs", list[0].Dir,
			dirs[0])
	}
	return list, dirs, nil
}

// below returns the figures in the directories below root, in the order of their paths.
func below(l *scenario.Language, root string) ([]*figure.Done, error) {
	var list []*figure.Done
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir() || path == root:
			return nil
		case strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !figure.IsFigure(path):
			return nil
		}
		d, err := figure.Load(path, finder(l))
		if err != nil {
			return err
		}
		list = append(list, d)
		return fs.SkipDir
	})
	return list, err
}

// runsBelow returns the run directories directly in root. The names of run directories end in digits that mean
// nothing to readers. Therefore runsBelow sorts the directories by the commands that made them.
func runsBelow(root string) ([]string, error) {
	dirs, err := store.Runs(root)
	if err != nil {
		return nil, err
	}
	for _, file := range []string{scenario.OutputParquet, scenario.OutputCSV} {
		found, err := fs.Glob(os.DirFS(root), "*/"+file)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if dir := filepath.Join(root, filepath.Dir(f)); !slices.Contains(dirs, dir) && !strings.HasPrefix(f, ".") {
				return nil, fmt.Errorf("%s: missing next to %s: without it the run is damaged; remove the directory, "+
					"or make the run again", filepath.Join(dir, store.ManifestFile), file)
			}
		}
	}
	command := map[string]string{}
	for _, dir := range dirs {
		m, err := store.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		command[dir] = m.Command
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return figure.CompareWords(command[a], command[b]) })
	return dirs, nil
}
