package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/scenario"
	"pintlab/experiments/show/sweep"
	"pintlab/internal/shell"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	figureOptions `flags:"out seed seeds workers set memory-limit json quiet reuse accept-losses"`
	slurm         bool        `flag:"slurm" use:"print a Slurm job array script for the missing runs"`
	jobs          sweep.Slurm `flags:"all"`
	program       string      `flag:"program" use:"{file} of pintlab on the nodes of the cluster (default: this one)"`
	task          int         `flag:"task" range:">=0 <=1000000000" use:"make only the runs of task {N}, counted from 0: what a job of --slurm does"`
	chunk         int         `flag:"chunk" default:"1" range:">=1 <=1000000000" use:"with --task: {N} runs a task"`
	sizes         []string    `flag:"sizes" use:"{borders} of short and medium flows, whose completion times have columns of their own (default: the campaign's, or 100KB,1MB)"`
	csv           bool        `flag:"csv" use:"runs have flows.csv beside flows.parquet; they are others than runs without"`
}

// The flags that describe jobs, which go with --slurm.
var slurmFlags = []string{"program", "time", "mem", "partition", "cpus-per-task", "array-limit"}

func sweepCommand(p *program) *cobra.Command {
	var o sweepOptions
	o.workers = runtime.NumCPU()
	return with(&cobra.Command{
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
  sizes: [100KB, 1MB]             # of the largest short and medium flows

Finished runs are kept, and only missing ones are run. --slurm prints a job array
script for the missing runs instead of making them; after the jobs, the same command
without it gathers the results (docs/cluster.md has the whole path).`,
		Example: `  pintlab sweep campaign.yaml --workers 8
  pintlab sweep campaign.yaml --slurm > job.sh && sbatch job.sh`,
		GroupID: groupRun,
		Args:    exactly("a campaign file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.sweep(cmd, &o, args[0]) },
	}, &o)
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
	if o.given("sizes") {
		if c.Sizes, err = sweep.Borders(o.sizes); err != nil {
			return fmt.Errorf("--sizes: %w", err)
		}
	}
	if o.csv {
		c.Set = append(c.Set, "run.outputs=["+scenario.OutputParquet+", "+scenario.OutputCSV+"]")
	}
	if !o.given(flagSeed) {
		if o.seed, err = c.FirstSeed(o.set...); err != nil {
			return fmt.Errorf("%s: base: %w", path, err)
		}
	}
	j := &figure.Job{Seed: o.seed, Seeds: c.Seeds, Set: o.set, Campaign: p.campaign(&o.figureOptions), Barren: true}
	specs, err := c.Ready(j)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	line := slices.Concat([]string{"pintlab", "sweep", path}, o.words(), o.typed("sizes", "csv"))
	switch {
	case o.slurm:
		if err := without(cmd, "beside --slurm", "task", "chunk", flagLosses, flagWorkers, flagJSON, flagQuiet); err != nil {
			return err
		}
		return p.slurm(c, specs, o, line[1:])
	case o.given("task"):
		if err := without(cmd, "beside --task", append(slurmFlags, flagLosses, flagJSON)...); err != nil {
			return err
		}
		return p.sweepTask(cmd.Context(), specs, o, line)
	}
	if err := without(cmd, "without --task", "chunk"); err != nil {
		return err
	}
	if err := without(cmd, "without --slurm", slurmFlags...); err != nil {
		return err
	}
	return p.sweepAll(cmd.Context(), c, j, o, line)
}

func (p *program) sweepAll(ctx context.Context, c *sweep.Grid, j *figure.Job, o *sweepOptions, words []string) error {
	f, line := c.Figure(), shell.Line(words...)
	d, err := figure.Do(ctx, f, j, figure.DirName(o.out, f, ""), line)
	if err != nil {
		return explainCampaign(err, line)
	}
	changes, err := sweep.Changes(d.Rows)
	if err != nil {
		return err
	}
	name := filepath.Join(d.Dir, sweep.ChangesFile)
	if err := changes.SaveCSV(name); err != nil {
		return failed(err)
	}
	err = p.showFigure(&o.options, d)
	if err == nil && !o.json {
		p.printf("%-9s %s\n", "changes", name)
	}
	return errors.Join(o.complaint(d.Manifest), err)
}

func (p *program) sweepTask(ctx context.Context, specs []campaign.Spec, o *sweepOptions, words []string) error {
	tasks := (len(specs)-1)/o.chunk + 1
	if o.task >= tasks {
		return fmt.Errorf("--task %d: want 0 to %d", o.task, tasks-1)
	}
	from := o.task * o.chunk
	runs, err := campaign.Execute(ctx, specs[from:min(from+o.chunk, len(specs))], p.campaign(&o.figureOptions))
	if err != nil {
		return explainCampaign(err, shell.Line(append(words, "--task", fmt.Sprint(o.task), "--chunk", fmt.Sprint(o.chunk))...))
	}
	for _, r := range runs {
		p.printf("%s\n", r.Dir)
	}
	return nil
}

// slurm prints a job array script. words are the arguments of pintlab.
func (p *program) slurm(c *sweep.Grid, specs []campaign.Spec, o *sweepOptions, words []string) error {
	s := o.jobs
	if err := s.Validate(); err != nil {
		return err
	}
	var err error
	if s.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if o.program == "" {
		if o.program, err = os.Executable(); err != nil {
			return fmt.Errorf("where is this program? Say it with --program: %w", err)
		}
	}
	if s.Missing, err = campaign.Missing(specs, p.campaign(&o.figureOptions)); err != nil {
		return err
	}
	if len(s.Missing) == 0 {
		fmt.Fprintln(p.stderr, "nothing is missing, so there is no script: the same command without --slurm gathers the results")
		return nil
	}
	s.Name, s.Runs, s.Command = c.Name, len(specs), shell.Line(append([]string{o.program}, words...)...)
	p.printf("%s", s.Script())
	return nil
}
