package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/sweep"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	figureOptions
	slurm bool // --slurm
	task  int  // --task, -1 if not given
}

func sweepCommand(p *program) *cobra.Command {
	o := sweepOptions{task: -1}
	cmd := &cobra.Command{
		Use:   "sweep CAMPAIGN.yaml",
		Short: "Run a scenario with every combination of some settings",
		Long: `Run a scenario with every combination of the settings in a campaign file, several
runs at a time, and put what came out into one table:

  name: buffers
  base: fig1                      # a preset, or a scenario file
  set: {workload.0.duration: 10ms}
  vary:
    network.port_limit: [100KB, 1MB]
    telemetry:                    # several keys under a name
      none: {telemetry.kind: none}
      108 B: {telemetry.bytes: 108B}
  seeds: 3

Finished runs are kept, and only missing ones are run. --slurm prints a job array
script for the missing runs instead of making them; after the jobs, the same command
without it gathers the results.`,
		Example: `  pintlab sweep campaign.yaml --workers 8
  pintlab sweep campaign.yaml --slurm > job.sh && sbatch job.sh`,
		GroupID: groupRun,
		Args:    exactly("a campaign file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.sweep(cmd, &o, args[0]) },
	}
	o.workers = runtime.NumCPU()
	o.attach(cmd, flagOut, flagSeed, flagSeeds, flagWorkers, flagSet, flagJSON, flagQuiet)
	o.attachReuse(cmd)
	cmd.Flags().BoolVar(&o.slurm, "slurm", false, "print a Slurm job array script for the missing runs")
	cmd.Flags().IntVar(&o.task, "task", -1, "make only run `N`, counted from 0: what a job of --slurm does")
	return cmd
}

func (p *program) sweep(cmd *cobra.Command, o *sweepOptions, path string) error {
	c, err := sweep.Load(path)
	if err != nil {
		return err
	}
	if err := checkOut(o.out); err != nil {
		return err
	}
	if o.seeds > 0 {
		c.Seeds = o.seeds
	}
	if !o.given(flagSeed) {
		if o.seed, err = c.FirstSeed(); err != nil {
			return fmt.Errorf("%s: base: %w", path, err)
		}
	}
	j := &figure.Job{Seed: o.seed, Seeds: c.Seeds, Set: o.set, Campaign: p.campaign(&o.figureOptions)}
	specs, err := c.Ready(j)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	line := append([]string{"pintlab", "sweep", path}, o.words()...)
	switch {
	case o.slurm:
		if err := without(cmd, "beside --slurm", "task", flagWorkers, flagJSON, flagQuiet); err != nil {
			return err
		}
		return p.slurm(c, specs, o, line)
	case cmd.Flags().Changed("task"):
		if err := without(cmd, "beside --task", flagWorkers, flagJSON); err != nil {
			return err
		}
		return p.sweepTask(cmd.Context(), specs, o, line)
	}
	return p.sweepAll(cmd.Context(), c, j, o, line)
}

// sweepAll makes all runs and gathers them.
func (p *program) sweepAll(ctx context.Context, c *sweep.Grid, j *figure.Job, o *sweepOptions, words []string) error {
	f, line := c.Figure(), shellLine(words...)
	d, err := figure.Do(ctx, f, j, figure.DirName(o.out, f, ""), line)
	if err != nil {
		return explainCampaign(err, line)
	}
	var barren []string
	for _, r := range d.Manifest.Runs {
		if r.Finished == 0 {
			barren = append(barren, r.Label)
		}
	}
	err = nil
	if len(barren) > 0 {
		err = failed(fmt.Errorf("no flow has finished in %d of %d runs, the first of which is %q", len(barren), len(d.Manifest.Runs), barren[0]))
	}
	if o.json {
		out, jsonErr := jsonOf(d)
		if jsonErr != nil {
			return jsonErr
		}
		return errors.Join(err, p.printJSON(out))
	}
	return errors.Join(err, p.printDone(d))
}

// sweepTask makes one run.
func (p *program) sweepTask(ctx context.Context, specs []campaign.Spec, o *sweepOptions, words []string) error {
	if o.task < 0 || o.task >= len(specs) {
		return fmt.Errorf("--task %d: want 0 to %d", o.task, len(specs)-1)
	}
	runs, err := campaign.Execute(ctx, specs[o.task:o.task+1], p.campaign(&o.figureOptions))
	if err != nil {
		return explainCampaign(err, shellLine(append(words, "--task", fmt.Sprint(o.task))...))
	}
	p.printf("%s\n", runs[0].Dir)
	return nil
}

// slurm prints a job array script.
func (p *program) slurm(c *sweep.Grid, specs []campaign.Spec, o *sweepOptions, words []string) error {
	missing, err := campaign.Missing(specs, p.campaign(&o.figureOptions))
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return failed(errors.New("nothing is missing: the same command without --slurm gathers the results"))
	}
	p.printf("%s", sweep.Slurm(c.Name, missing, shellLine(words...)))
	return nil
}
