package main

import (
	"context"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures/compare"
)

func compareCommand(p *program) *cobra.Command {
	var o figureOptions
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "HPCC with INT against HPCC with PINT, and TCP Reno under the INT header",
		Long: `Simulate the 320-server fat tree of the PINT paper under web-search and Hadoop
traffic at 50 % load, with four schemes on the same flows and paths: HPCC fed by
full INT (42 B on each packet), HPCC fed by PINT (1 B), TCP Reno with the bytes of
the INT header, and without. Several seeds; a difference counts only if the 95 %
interval over the seeds says so.

The tables come on the terminal; the report with all figures, and the rows behind
them, in the directory of results. Finished runs are kept and not run again.`,
		Example: `  pintlab compare
  pintlab compare --seeds 10 --set workload.0.load=0.7
  pintlab compare --scale smoke --json`,
		GroupID: groupRun,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.compare(cmd.Context(), &o) },
	}
	o.attachFigures(cmd)
	return cmd
}

func (p *program) compare(ctx context.Context, o *figureOptions) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	d, err := p.figure(ctx, &compare.Figure, o, "pintlab", "compare")
	if err != nil {
		return err
	}
	if o.json {
		out, err := jsonOf(d)
		if err != nil {
			return err
		}
		return p.printJSON(out)
	}
	return p.printDone(d)
}
