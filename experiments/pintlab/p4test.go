package pintlab

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/replay"
	"pintlab/p4/stf"
)

func p4Test(p *program) *cobra.Command {
	var f replay.Files
	var o options
	o.seed = 1
	return with(with(&cobra.Command{
		Use:   "test PROGRAM|FILE.p4 TEST.stf...",
		Short: "Run packet tests of p4c (STF) on a P4 program",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s: want a program and at least one test, got %d arguments", called(cmd),
					len(args))
			}
			if f.Write != "" && len(args) > 2 {
				return fmt.Errorf("%s: --write-commands: want one test, got %d", called(cmd), len(args)-1)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.p4Test(cmd.Context(), args[0], args[1:], &f, &o)
		},
	}, &f, "commands", "write-commands", "define", "include"), &o, flagSeed, flagJSON)
}

func (p *program) p4Test(ctx context.Context, name string, files []string, f *replay.Files, o *options) error {
	results, bad := f.Test(ctx, name, files, o.seed)
	if len(results) == 0 {
		return bad
	}
	err := p.show(o, results, func() {
		for _, r := range results {
			r.WriteText(p.stdout)
		}
	})
	if err := errors.Join(bad, err); err != nil {
		return err
	}
	if n := lists.Count(results, func(r stf.Result) bool { return !r.Pass }); n > 0 {
		return failed(fmt.Errorf("%d of %s failed", n, number.Count(len(files), "test")))
	}
	return nil
}
