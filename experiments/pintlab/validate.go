package pintlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/internal/validate"
	"pintlab/internal/number"
)

type validateOptions struct {
	options `flags:"out workers seeds memory-limit json quiet"`
	random  string `flag:"pint-random" default:"library" oneof:"library|ours"`
	quirks  bool   `flag:"quirks" use:"measure the effect of each setting of the profile ns3-artifact"`
}

// Sources of the random numbers of HPCC-PINT.
const (
	randomLibrary = "library"
	randomOurs    = "ours"
)

// Default numbers of seeds.
const (
	defaultSpreadSeeds = 10 // for comparisons of distributions
	defaultQuirkSeeds  = 5
	defaultHTSimSeeds  = 5
)

func validateCommand(p *program) *cobra.Command {
	o := validateOptions{options: options{workers: runtime.NumCPU()}}
	cmd := with(&cobra.Command{
		Use:     "validate DIR",
		Short:   "Compare our per-flow results with recorded runs of another simulator",
		GroupID: groupRun,
		Args:    exactly("a directory of cases"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.validate(cmd.Context(), &o, args[0]) },
	}, &o)
	cmd.MarkFlagsMutuallyExclusive("pint-random", "quirks")
	cmd.AddCommand(validateRandom(p))
	return cmd
}

func (o *validateOptions) check(htsim bool) error {
	switch {
	case o.quirks && !o.given(flagSeeds):
		o.seeds = defaultQuirkSeeds
	case o.quirks:
	case o.random == randomOurs && !o.given(flagSeeds):
		o.seeds = defaultSpreadSeeds
	case o.random == randomOurs && o.seeds < validate.MinSeeds:
		return fmt.Errorf("--seeds %d: want at least %d", o.seeds, validate.MinSeeds)
	case o.random == randomLibrary && o.given(flagSeeds) && !htsim:
		return errors.New("--seeds has no effect without --pint-random ours or --quirks")
	}
	return checkOut(o.out)
}

func (p *program) validate(ctx context.Context, o *validateOptions, dir string) error {
	if err := o.check(validate.IsHTSim(dir)); err != nil {
		return err
	}
	if validate.IsHTSim(dir) {
		return p.validateHTSim(ctx, o, dir)
	}
	cases, err := validate.Find(dir)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	out := filepath.Join(o.out, "validate", filepath.Base(abs))
	how := validate.Options{Workers: o.workers, Seeds: o.seeds, Quiet: o.quiet, Messages: p.stderr}
	if o.quirks {
		return p.quirks(ctx, o, cases, how, out)
	}
	results, err := validate.Run(ctx, cases, how)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return failed(err)
	}
	if err := validate.Save(out, results, o.command(dir)); err != nil {
		return failed(err)
	}
	doc := validate.Document{Dir: out, Verdict: validate.Verdict(results), Cases: results}
	err = p.show(&o.options, doc, func() {
		p.stdout.keep(validate.WriteText(p.stdout, results))
		p.printf("\n%-12s %s\n", "report", filepath.Join(out, validate.ReportFile))
	})
	return errors.Join(err, verdictError(results))
}

// validateHTSim compares runs of Ultra Ethernet with recorded runs of uet-htsim.
func (p *program) validateHTSim(ctx context.Context, o *validateOptions, dir string) error {
	cases, err := validate.FindHTSim(dir)
	if err != nil {
		return err
	}
	seeds := defaultHTSimSeeds
	if o.given(flagSeeds) {
		seeds = o.seeds
	}
	rows, err := validate.RunHTSim(ctx, cases, seeds,
		&study.Job{Campaign: campaign.Options{Workers: o.workers, Quiet: o.quiet, Messages: p.stderr}})
	if err != nil {
		return failed(err)
	}
	out := filepath.Join(o.out, "validate", validate.HTSimFile)
	if err := validate.SaveHTSim(out, rows); err != nil {
		return failed(err)
	}
	outside := 0
	for i := range rows {
		if rows[i].Outside() {
			outside++
		}
	}
	if err := p.show(&o.options, rows, func() {
		p.printRows(rows)
		p.printf("\n%d of %s outside their bands, %s\n%-12s %s\n", outside, number.Count(len(rows), "number"),
			number.Count(seeds, "seed"), "rows", out)
	}); err != nil {
		return err
	}
	if outside > 0 {
		return failed(fmt.Errorf("%d of %s %s", outside, number.Count(len(rows), "number"),
			number.Plural(outside, "is outside its band", "are outside their bands")))
	}
	return nil
}

// quirks prints the effect of each setting of the profile ns3-artifact.
func (p *program) quirks(
	ctx context.Context, o *validateOptions, cases []validate.Case, how validate.Options, out string,
) error {
	rows, err := validate.MeasureQuirks(ctx, cases, how)
	if err != nil {
		return err
	}
	t, err := validate.QuirkTable(rows)
	if err != nil {
		return failed(err)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return failed(err)
	}
	file := filepath.Join(out, validate.QuirksFile)
	if err := t.SaveCSV(file); err != nil {
		return failed(err)
	}
	return p.show(&o.options, validate.QuirkDocument{File: file, Rows: rows}, func() {
		p.stdout.keep(validate.WriteQuirks(p.stdout, rows))
		p.printf("%-12s %s\n", "rows", file)
	})
}

// command returns the command line that repeats this validation.
func (o *validateOptions) command(dir string) string {
	words := []string{"pintlab", "validate", dir}
	if o.random == randomOurs {
		words = append(words, "--pint-random", o.random, "--seeds", fmt.Sprint(o.seeds))
	}
	return campaign.CommandLine(words...)
}

// verdictError returns the error that causes the exit code of a failed validation.
func verdictError(results []validate.Result) error {
	count := map[validate.Agreement]int{}
	for i := range results {
		count[results[i].Outcome]++
	}
	text := fmt.Sprintf("%d of %s %s, %d cannot be compared", count[validate.Differs],
		number.Count(len(results), "run"), number.Plural(count[validate.Differs], "differs", "differ"),
		count[validate.Unusable])
	switch validate.Verdict(results) {
	case validate.Differs:
		return failed(errors.New(text))
	case validate.Unusable:
		return errors.New(text)
	}
	return nil
}
