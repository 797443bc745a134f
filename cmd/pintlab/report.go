package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/show/series"
	"pintlab/plots/report"
)

// reportOptions are the flags of report.
type reportOptions struct {
	options `flags:"json"`
	to      string `flag:"to" use:"{file} to write (default: report.html in the first directory)"`
}

func reportCommand(p *program) *cobra.Command {
	var o reportOptions
	return with(&cobra.Command{
		Use:   "report DIR...",
		Short: "Write the report of stored results: one self-contained HTML page",
		Long: `Write the report of a figure, of one or several runs, of a directory of runs, or of all
figures below a directory of results, as one HTML page that needs nothing else. It is
made from the stored rows, without simulating. The page of several runs shows in which
settings they differ, and the commands that make them again.`,
		Example: `  pintlab report results
  pintlab report results/pint/fig7/laptop --to fig7.html
  pintlab report results/runs --to runs.html`,
		GroupID: groupRun,
		Args:    atLeastOne("a directory of results"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.report(&o, args) },
	}, &o)
}

func (p *program) report(o *reportOptions, args []string) error {
	to := cmp.Or(o.to, filepath.Join(args[0], figure.ReportFile))
	page, err := pageOf(args, filepath.Dir(to))
	if err != nil {
		return err
	}
	if err := page.Save(to); err != nil {
		return err
	}
	return p.show(&o.options, map[string]string{"file": to}, func() { p.printf("%s\n", to) })
}

// pageOf returns the report of what the directories hold, to be stored in dir.
func pageOf(args []string, dir string) (*report.Page, error) {
	for _, a := range args {
		if strings.HasSuffix(a, ".csv") {
			return nil, fmt.Errorf("%s: want a directory of results", a)
		}
	}
	if len(args) == 1 {
		if err := isDir(args[0], "results"); err != nil {
			return nil, err
		}
		list, err := below(args[0])
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			return figure.PageOf("Results in "+filepath.Base(filepath.Clean(args[0])), dir, list)
		}
		runs, err := runsBelow(args[0])
		if err != nil {
			return nil, err
		}
		if len(runs) > 0 {
			args = runs
		}
	}
	d, err := stored(args, "")
	if err != nil {
		return nil, err
	}
	page, err := d.Page()
	if err != nil || d.Runs == nil {
		return page, err
	}
	over, err := series.Section(d.Runs)
	if err != nil {
		return nil, err
	}
	if over != nil {
		page.Sections = slices.Insert(page.Sections, 1, *over)
	}
	return page, nil
}

// below returns the figures in the directories beneath root, in order of their paths.
func below(root string) ([]*figure.Done, error) {
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
		d, err := figure.Load(path, figures.Find)
		if err != nil {
			return err
		}
		list = append(list, d)
		return fs.SkipDir
	})
	return list, err
}

// runsBelow returns the run directories directly in root, in order of the commands that made
// them: the names of directories end in digits that mean nothing to a reader.
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
				return nil, fmt.Errorf("%s: missing beside %s: without it the run is damaged; remove the directory, or make the run again", filepath.Join(dir, store.ManifestFile), file)
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
	slices.SortStableFunc(dirs, func(a, b string) int { return strings.Compare(command[a], command[b]) })
	return dirs, nil
}
