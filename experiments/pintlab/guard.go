package pintlab

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
)

type guardOptions struct {
	options `flags:"out seed workers set memory-limit json quiet"`
	q       guard.Question `flags:"all"`
	by      string         `flag:"by" default:"sketches" oneof:"sketches|pint"`
	top     int            `flag:"top" default:"20" range:">=0 <=1000000" use:"number {N} of victims to print"`
}

// byDigests selects the knowledge of the monitor pint.
const byDigests = "pint"

func guardCommand(p *program) *cobra.Command {
	o := guardOptions{options: options{seed: 1}, q: guard.Question{Thresholds: diagnose.Default()}}
	return with(&cobra.Command{
		Use:     "guard SCENARIO",
		Short:   "Find the faults of a network with LightGuardian or PINT",
		GroupID: groupRun,
		Args:    exactly("a scenario or preset"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.by == byDigests {
				// Digests contain neither the number of packets at each hop nor delay cells.
				if err := without(cmd, "with --by pint", "exact", "blackhole", "drops", "loop", "slow"); err != nil {
					return err
				}
			}
			return p.guard(cmd.Context(), args[0], &o)
		},
	}, &o)
}

func (p *program) guard(ctx context.Context, name string, o *guardOptions) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	o.q.By = guard.View(o.by)
	if o.q.Interval > 0 {
		o.q.By = guard.Exact
	}
	a, err := ask(p, &o.options, name, func(sc scenario.Scenario, show study.Progress) (*guard.Answer, error) {
		o.q.Scenario = sc
		return guard.Ask(ctx, o.q, show)
	})
	if err != nil {
		return err
	}
	if err := a.Save(filepath.Join(o.out, "guard")); err != nil {
		return failed(err)
	}
	return p.show(&o.options, a, func() { p.print(a.Text(o.top)) })
}
