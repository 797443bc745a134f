package pintlab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/schema"
)

type sweepOptions struct {
	figureOptions `flags:"out seed seeds workers set memory-limit json table quiet reuse accept-losses"`
	tasks         taskFlags      `flags:"all"`
	sizes         []string       `flag:"sizes"`
	csv           bool           `flag:"csv"`
	look          figure.Options `flags:"all"`
}

// lookNames lists the flags that control drawings.
var lookNames = []string{"x", "y", "by", "panels", "ratio", "where", "format", "width", "no-title", "label"}

func sweepCommand(p *program) *cobra.Command {
	var o sweepOptions
	o.workers = runtime.NumCPU()
	return oneOutput(with(&cobra.Command{
		Use:     "sweep CAMPAIGN.yaml",
		Short:   "Run a scenario with every combination of some settings",
		GroupID: groupRun,
		Args:    exactly("a campaign file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.sweep(cmd, &o, args[0]) },
	}, &o))
}

func (p *program) sweep(cmd *cobra.Command, o *sweepOptions, path string) error {
	c, err := compare.LoadGrid(path)
	if err != nil {
		return err
	}
	c.Names.Protocols, o.look.Protocols = p.language.Protocols(), p.language.Protocols()
	if err := checkOut(o.out); err != nil {
		return err
	}
	if o.seeds > 0 {
		c.Seeds = o.seeds
	}
	if o.given("sizes") {
		if c.Sizes, err = compare.Borders(o.sizes); err != nil {
			return fmt.Errorf("--sizes %s: %w", strings.Join(o.sizes, ","), err)
		}
	}
	if o.csv {
		c.Set = append(c.Set, "run.outputs=["+scenario.OutputParquet+", "+scenario.OutputCSV+"]")
	}
	if !o.given(flagSeed) {
		if o.seed, err = c.FirstSeed(p.language, o.set...); err != nil {
			return fmt.Errorf("%s: base: %w", path, err)
		}
	}
	j := &figure.Job{Seed: o.seed, Seeds: c.Seeds, Set: o.set, Campaign: p.campaign(&o.figureOptions), Barren: true}
	specs, err := c.Ready(j)
	if problems := (scenario.Problems)(nil); errors.As(err, &problems) {
		return err // the error already names the lines of the campaign
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if slices.ContainsFunc([]string{"missing", "emit", "task", "task-from"}, o.given) {
		err = without(cmd, "with --missing, --emit and --task, which draw nothing", lookNames...)
	} else {
		err = c.CheckDrawings(j, o.look)
	}
	if err != nil {
		return err
	}
	line := slices.Concat([]string{"pintlab", "sweep", path}, o.words(), o.typed("sizes", "csv"), o.typed(lookNames...))
	need := func(numbers []int) ([]campaign.Task, error) {
		memory, seconds, err := campaign.Needs(cmd.Context(), specs, numbers)
		tasks := make([]campaign.Task, len(memory))
		for i := range tasks {
			tasks[i] = campaign.Task{Number: numbers[i], Memory: memory[i], Seconds: seconds[i]}
		}
		return tasks, err
	}
	return p.tasks(cmd, &o.tasks, &o.options, work{
		name: c.Name, words: append(line[1:], o.typed(flagReuse, flagMemory)...), of: len(specs), need: need,
		paths: []string{path, c.Base, o.out},
		files: func() (list []schema.Present, err error) {
			for _, s := range specs {
				sc, err := s.Scenario()
				if err != nil {
					return nil, err
				}
				list = append(list, sc.Files()...)
			}
			return list, nil
		},
		missing: func() ([]int, error) { return campaign.Missing(specs, p.campaign(&o.figureOptions)) },
		some:    func(list []int) error { return p.sweepTask(cmd.Context(), specs, list, o, line) },
		all:     func() error { return p.sweepAll(cmd.Context(), c, j, o, line) },
	})
}

func (p *program) sweepAll(ctx context.Context, c *compare.Grid, j *figure.Job, o *sweepOptions, words []string) error {
	f, line := c.Figure(), campaign.CommandLine(words...)
	dir, err := figure.DirName(o.out, f, j, "")
	if err != nil {
		return err
	}
	d, err := figure.Do(ctx, f, j, dir, line, o.look)
	if err != nil {
		return explainCampaign(err, line)
	}
	changes, err := compare.Changes(d.Rows())
	if err != nil {
		return err
	}
	name := filepath.Join(d.Dir, compare.ChangesFile)
	if err := changes.SaveCSV(name); err != nil {
		return failed(err)
	}
	err = p.showFigure(&o.options, d)
	if err == nil && !o.json && !o.given(flagTable) {
		p.printf("%-9s %s\n", "changes", name)
	}
	return errors.Join(o.complaint(d.Manifest), err)
}

// sweepTask carries out some of the runs.
func (p *program) sweepTask(
	ctx context.Context, specs []campaign.Spec, list []int, o *sweepOptions, words []string,
) error {
	some := lists.Map(list, func(i int) campaign.Spec { return specs[i] })
	runs, err := campaign.Execute(ctx, some, p.campaign(&o.figureOptions))
	if err != nil {
		words = append(words, o.typed("tasks", "task", "task-from", "chunk")...)
		return explainCampaign(err, campaign.CommandLine(words...))
	}
	for _, r := range runs {
		p.printf("%s\n", r.Dir)
	}
	return nil
}
