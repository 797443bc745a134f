package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures"
)

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
	d, err := figures.Stored(args, o.figure)
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
		return fmt.Errorf("%s: nothing to draw: %s", args[0], cmp.Or(d.Undrawn, "its rows make no drawing, the report has them as tables"))
	}
	return p.show(&o.options, map[string][]string{"files": files}, func() { p.printf("%s\n", strings.Join(files, "\n")) })
}
