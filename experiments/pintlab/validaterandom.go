package pintlab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/validate/random"
	"pintlab/internal/invariants"
	"pintlab/internal/number"
)

type randomOptions struct {
	options   `flags:"out seed workers memory-limit json quiet"`
	scenarios int  `flag:"scenarios" default:"1000" range:">=1 <=1000000000" use:"number {N} of scenarios"`
	from      int  `flag:"from" range:">=0 <=1000000000" use:"number {K} of the first scenario"`
	reuse     bool `flag:"reuse" use:"skip scenarios that passed in another build of pintlab"`
}

func validateRandom(p *program) *cobra.Command {
	var o randomOptions
	o.seed, o.workers = 1, runtime.NumCPU()
	return with(&cobra.Command{
		Use:   "random",
		Short: "Check random scenarios over all controls, balancers, losses and faults",
		Args:  exactly(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.validateRandom(cmd.Context(), &o) },
	}, &o)
}

// randomDocument is the JSON output of validate random.
type randomDocument struct {
	Seed       uint64         `json:"seed"` // seed of the scenarios
	From       int            `json:"from"` // number of the first scenario
	Scenarios  int            `json:"scenarios"`
	Passed     int            `json:"passed"`
	Reused     int            `json:"reused"`      // number of scenarios that had passed before
	Invariants bool           `json:"invariants"`  // whether the program was built with the tag invariants
	CPUSeconds float64        `json:"cpu_seconds"` // without reused scenarios
	PacketHops int64          `json:"packet_hops"` // packet hops of all scenarios, with each scenario run once
	File       string         `json:"file"`        // `passed.csv`
	Coverage   []random.Count `json:"coverage"`
}

func (p *program) validateRandom(ctx context.Context, o *randomOptions) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	dir := filepath.Join(o.out, "random", fmt.Sprintf("seed-%d", o.seed))
	r, err := random.Run(ctx, random.Options{
		Language: p.language, Seed: o.seed, From: o.from, N: o.scenarios, Dir: dir, Workers: o.workers,
		AnyBuild: o.reuse, Quiet: o.quiet, Messages: p.stderr, Consumers: true,
	})
	if r == nil {
		return failed(err)
	}
	var wrong *random.FailedError
	switch {
	case errors.As(err, &wrong):
		err = failed(fmt.Errorf("%w\nto check it again: %s", err, o.command(wrong.Scenario, 1)))
	case errors.Is(err, context.Canceled):
		return interrupted("with %d of %s passed; repeat the command to continue", len(r.Rows),
			number.Count(o.scenarios, "scenario"))
	case err != nil:
		return failed(err)
	}
	doc := randomDocument{
		Seed: o.seed, From: o.from, Scenarios: o.scenarios, Passed: len(r.Rows), Reused: r.Reused,
		Invariants: invariants.Enabled,
		CPUSeconds: r.CPUSeconds, PacketHops: r.PacketHops(), File: filepath.Join(dir, random.RowsFile),
		Coverage: random.Coverage(r.Rows),
	}
	return errors.Join(p.show(&o.options, doc, func() {
		p.printRows(doc.Coverage)
		checks := "without inner checks (build with -tags invariants)"
		if doc.Invariants {
			checks = "with inner checks"
		}
		p.printf("\n%-12s %d of %s of seed %d, %s\n", "passed", doc.Passed, number.Count(doc.Scenarios, "scenario"),
			doc.Seed, checks)
		p.printf("%-12s %.4g M packet-hops, %.4g s of CPU time for the %s that ran now\n", "simulated",
			float64(doc.PacketHops)/1e6, doc.CPUSeconds, number.Count(doc.Passed-doc.Reused, "scenario"))
		p.printf("%-12s %s\n", "rows", doc.File)
	}), err)
}

// command returns the command line that checks n scenarios.
func (o *randomOptions) command(from, n int) string {
	words := []string{"pintlab", "validate", "random", "--seed", fmt.Sprint(o.seed), "--from", fmt.Sprint(from),
		"--scenarios", fmt.Sprint(n)}
	return campaign.CommandLine(append(words, o.typed(flagOut)...)...)
}
