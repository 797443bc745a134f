package pintlab

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/figures/figure"
)

type plotOptions struct {
	options `flags:"json"`
	to      string         `flag:"to" use:"{directory} for the drawings (default: next to the rows)"`
	figure  string         `flag:"figure" use:"{name} of the figure, for a rows.csv without manifest.json"`
	look    figure.Options `flags:"all"`
}

func plotCommand(p *program) *cobra.Command {
	var o plotOptions
	return with(&cobra.Command{
		Use:     "plot DIR...|rows.csv",
		Short:   "Draw stored results again, without simulating",
		GroupID: groupResults,
		Args:    atLeastOne("a directory of results or a rows.csv"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.plot(&o, args) },
	}, &o)
}

func (p *program) plot(o *plotOptions, args []string) error {
	d, err := figures.Stored(p.language, args, o.figure)
	if err != nil {
		return err
	}
	o.look.Protocols = p.language.Protocols()
	o.look.Points = true
	d.Options = o.look
	to := o.to
	switch {
	case to != "":
		_, missing := os.Stat(to)
		if err := os.MkdirAll(to, 0o777); err != nil {
			return fmt.Errorf("--to %s: %w", to, err)
		}
		if missing != nil {
			defer os.Remove(to) // Remove fails if there are drawings in the directory, which then stays
		}
	case len(args) > 1:
		to = "."
	default:
		to = d.Dir
	}
	files, err := d.Draw(to)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: nothing to draw: %s", args[0], cmp.Or(d.Undrawn,
			"no drawing is made from its rows: the report has them as tables, and --x and --y draw columns"))
	}
	return p.show(&o.options, map[string][]string{"files": files},
		func() { p.printf("%s\n", strings.Join(files, "\n")) })
}
