package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures/compare"
	sidebyside "pintlab/experiments/figures/telemetry/side-by-side"
)

func compareCommand(p *program) *cobra.Command {
	var o figureOptions
	var controls, systems []string
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "HPCC with INT against HPCC with PINT, and TCP Reno under the INT header",
		Long: `Simulate the 320-server fat tree of the PINT paper under web-search and Hadoop
traffic at 50 % load, with four schemes on the same flows and paths: HPCC fed by
full INT (42 B on each packet), HPCC fed by PINT (1 B), TCP Reno with the bytes of
the INT header, and without. Several seeds; a difference counts only if the 95 %
interval over the seeds says so. --cc compares other congestion controls, each with the
first one named, with their default parameters. --telemetry compares telemetry systems instead, each with
none: what they cost, and what they tell of the same packets (reproduce telemetry/side-by-side has
all of them).

The tables come on the terminal; the report with all figures, and the rows behind
them, in the directory of results. Finished runs are kept and not run again.`,
		Example: `  pintlab compare
  pintlab compare --seeds 10 --set workload.0.load=0.7
  pintlab compare --cc hpcc,hpcc-pint,powertcp,powertcp-pint,swift
  pintlab compare --telemetry pint-16,sketchint,lightguardian
  pintlab compare --scale smoke --json`,
		GroupID: groupRun,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.compare(cmd.Context(), &o, controls, systems) },
	}
	cmd.Flags().StringSliceVar(&controls, "cc", nil, "compare `controls`: "+strings.Join(compare.Controls(), ", "))
	cmd.Flags().StringSliceVar(&systems, "telemetry", nil, "compare telemetry `systems`: "+strings.Join(sidebyside.Keys(), ", "))
	o.attachFigures(cmd)
	o.attachLosses(cmd)
	return cmd
}

func (p *program) compare(ctx context.Context, o *figureOptions, controls, systems []string) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	f, dir, command := &compare.Figure, "", []string{"pintlab", "compare"}
	switch {
	case controls != nil && systems != nil:
		return errors.New("--cc and --telemetry: want one of them")
	case systems != nil:
		var err error
		if f, err = sidebyside.Of(systems); err != nil {
			return fmt.Errorf("--telemetry %q: %w", strings.Join(systems, ","), err)
		}
		dir = strings.Join(systems, "-")
		command = append(command, "--telemetry", strings.Join(systems, ","))
	case controls != nil:
		var err error
		if f, err = compare.Of(controls); err != nil {
			return fmt.Errorf("--cc %q: %w", strings.Join(controls, ","), err)
		}
		dir = strings.Join(controls, "-")
		command = append(command, "--cc", strings.Join(controls, ","))
	}
	d, err := p.figureIn(ctx, f, o, dir, command...)
	if err != nil {
		return err
	}
	if o.json {
		out, err := jsonOf(d)
		if err != nil {
			return err
		}
		return errors.Join(o.complaint(d.Manifest), p.printJSON(out))
	}
	return errors.Join(o.complaint(d.Manifest), p.printDone(d))
}
