package pintlab

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/show"
	"pintlab/experiments/results/store"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// foundRun is a finished run below a folder.
type foundRun struct {
	Dir      string            `json:"dir"`
	Name     string            `json:"name"` // name of the scenario
	Started  string            `json:"started"`
	Settings map[string]string `json:"differs"` // settings that differ between the runs with this name, by key
}

func listCommand(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:     "list [DIR]",
		Short:   "List the finished runs below a folder, and the settings in which they differ",
		GroupID: groupResults,
		Args:    atMostOne("one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := findRuns(append(args, "results")[0])
			if err != nil {
				return err
			}
			return p.show(&o, runs, func() {
				for _, r := range runs {
					p.printf("%s  %s\n", r.Dir, r.Started)
					for _, key := range slices.Sorted(maps.Keys(r.Settings)) {
						p.printf("    %s: %s\n", key, r.Settings[key])
					}
				}
			})
		},
	}, &o, flagJSON)
}

// findRuns returns the runs below a folder, ordered by scenario and folder.
func findRuns(dir string) ([]foundRun, error) {
	if err := input.IsDir(dir, "results"); err != nil {
		return nil, err
	}
	runs := []foundRun{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != store.ManifestFile {
			return err
		}
		at := filepath.Dir(path)
		m, err := store.ReadManifest(at)
		if err != nil || len(m.Scenario) == 0 {
			return nil // the manifest belongs to a figure or to another version of pintlab
		}
		settings, err := show.Settings(m.Scenario)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		runs = append(runs, foundRun{at, settings["name"], m.Started, settings})
		return nil
	})
	slices.SortStableFunc(runs, func(a, b foundRun) int { return strings.Compare(a.Name, b.Name) })
	for i := 0; i < len(runs); {
		n := 1
		for i+n < len(runs) && runs[i+n].Name == runs[i].Name {
			n++
		}
		keepDifferent(runs[i : i+n])
		i += n
	}
	return runs, err
}

// keepDifferent removes the settings that are the same in all runs.
func keepDifferent(runs []foundRun) {
	same := maps.Clone(runs[0].Settings)
	for _, r := range runs[1:] {
		maps.DeleteFunc(same, func(key, value string) bool { v, ok := r.Settings[key]; return !ok || v != value })
	}
	for _, r := range runs {
		maps.DeleteFunc(r.Settings, func(key, _ string) bool { _, ok := same[key]; return ok })
	}
}

func cleanCommand(p *program) *cobra.Command {
	var o struct {
		options `flags:"json"`
		yes     bool `flag:"yes" use:"remove the files; without this option, the command only lists them"`
	}
	return with(&cobra.Command{
		Use:     "clean [DIR]",
		Short:   "Remove the unfinished files that killed commands left below a folder",
		GroupID: groupResults,
		Args:    atMostOne("one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := append(args, "results")[0]
			if err := input.IsDir(dir, "results"); err != nil {
				return err
			}
			left, err := outfile.Leftovers(dir, o.yes)
			if err != nil {
				return failed(err)
			}
			return p.show(&o.options, left, func() {
				what := ""
				if o.yes {
					what = "removed "
				}
				for _, name := range left {
					p.printf("%s%s\n", what, name)
				}
				switch {
				case len(left) == 0:
					p.printf("no unfinished files below %s\n", dir)
				case !o.yes:
					p.printf("pintlab clean %s --yes removes these\n", dir)
				}
			})
		},
	}, &o)
}
