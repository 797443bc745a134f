package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/show/runview"
	"pintlab/plots"
)

// plotOptions are the flags of plot.
type plotOptions struct {
	options `flags:"json"`
	to      string   `flag:"to" use:"{directory} for the drawings (default: beside the rows)"`
	figure  string   `flag:"figure" use:"{name} of the figure, for a rows.csv without manifest.json"`
	formats []string `flag:"format" default:"svg,png" oneof:"svg|png|pdf" use:"{formats} of the drawings: svg, png, pdf"`
}

func plotCommand(p *program) *cobra.Command {
	var o plotOptions
	return with(&cobra.Command{
		Use:   "plot DIR...|rows.csv",
		Short: "Draw stored results again, without simulating",
		Long: `Draw the rows of a figure again from its directory, or from a rows.csv (with the
manifest.json beside it, or --figure). Of run directories, draw the slowdown by flow
size and the distribution of completion times; several runs share a drawing. Of runs
with jobs, draw also what each rank did when, bus bandwidth by size and the use of links.

The drawings go beside the rows, or to the current directory for several runs.`,
		Example: `  pintlab plot results/pint/fig7/laptop --format pdf
  pintlab plot mine/rows.csv --figure fig7 --to drawings
  pintlab plot results/fat320-web-0123456789abcdef results/fat320-web-pint-0123456789abcdef`,
		GroupID: groupRun,
		Args:    atLeastOne("a directory of results or a rows.csv"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.plot(&o, args) },
	}, &o)
}

func (p *program) plot(o *plotOptions, args []string) error {
	d, err := stored(args, o.figure)
	if err != nil {
		return err
	}
	to := o.to
	switch {
	case to != "":
		if err := os.MkdirAll(to, 0o777); err != nil {
			return fmt.Errorf("--to %s: %w", to, err)
		}
	case len(args) > 1:
		to = "."
	default:
		to = d.Dir
	}
	files, err := d.Draw(to, o.formats...)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: nothing to draw. %s", args[0], strings.Join(d.Manifest.Notes, " "))
	}
	return p.show(&o.options, map[string][]string{"files": files}, func() { p.printf("%s\n", strings.Join(files, "\n")) })
}

// stored reads what one or more arguments of plot and report name: the directory or
// the rows of a figure, or run directories.
func stored(args []string, name string) (*figure.Done, error) {
	if strings.HasSuffix(args[0], ".csv") {
		if len(args) > 1 {
			return nil, fmt.Errorf("%s and %s: want one file of rows", args[0], args[1])
		}
		return storedRows(args[0], name)
	}
	if name != "" {
		return nil, fmt.Errorf("--figure %s has no effect on a directory, whose manifest.json says what it is", name)
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
			return nil, fmt.Errorf("%s is a figure, and %s cannot be drawn into it: want one figure, or run directories", args[0], args[1])
		}
		return figure.Load(args[0], figures.Find)
	}
	for _, dir := range args[1:] {
		if figure.IsFigure(dir) {
			return nil, fmt.Errorf("%s is a figure and %s is a run: want one figure, or run directories", dir, args[0])
		}
	}
	return runview.Open(args)
}

// isDir makes sure that dir is a directory of what is wanted.
func isDir(dir, of string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such directory", dir)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: want a directory of %s", dir, of)
	}
	return nil
}

// isResult makes sure that there is something to draw in dir, the directory of what is
// wanted.
func isResult(dir, wanted string) error {
	if err := isDir(dir, "results"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, figure.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no %s: want the directory of %s", dir, figure.ManifestFile, wanted)
	}
	return nil
}

// isRun makes sure that dir is the directory of a run.
func isRun(dir string) error {
	if err := isResult(dir, "a run"); err != nil {
		return err
	}
	if figure.IsFigure(dir) {
		return fmt.Errorf("%s is a figure, want the directory of a run", dir)
	}
	return nil
}

// storedRows reads a file of rows. What figure it is says the manifest beside it, or
// name.
func storedRows(path, name string) (*figure.Done, error) {
	dir := filepath.Dir(path)
	if name == "" {
		if !figure.IsFigure(dir) {
			return nil, fmt.Errorf("%s: no %s of a figure beside it: say which figure it is with --figure", path, figure.ManifestFile)
		}
		d, err := figure.Load(dir, figures.Find)
		if err != nil || filepath.Base(path) == figure.RowsFile {
			return d, err
		}
		name = d.Figure.Name
	}
	f, err := figures.Find(name)
	if err != nil {
		return nil, fmt.Errorf("--figure: %w", err)
	}
	rows, err := plots.LoadCSV(path)
	if err != nil {
		return nil, err
	}
	findings, err := f.Check(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: as rows of %s: %w", path, f.Name, err)
	}
	return &figure.Done{Figure: f, Rows: rows, Dir: dir, Manifest: &figure.Manifest{Figure: f.Name, Findings: findings}}, nil
}
