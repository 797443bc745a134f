package pintlab

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim/schema"
	"pintlab/plots"
)

// estimate carries out a whole estimate, or only some of its tasks.
func (p *program) estimate(cmd *cobra.Command, o *runOptions, args []string) error {
	ctx := cmd.Context()
	if !slices.ContainsFunc(taskNames, o.given) {
		return p.run(ctx, o, args)
	}
	if err := without(cmd, "with --missing, --emit and --task", "check", "explain", "print-config"); err != nil {
		return err
	}
	if o.given("task") || o.given("task-from") {
		if err := without(cmd, "with --task", flagReuse); err != nil {
			return err
		}
	}
	sc, err := o.scenario(p, args)
	if err != nil {
		return err
	}
	if err := checkOut(o.out); err != nil {
		return err
	}
	w, err := estimate.Prepare(ctx, sc)
	if err != nil {
		return err
	}
	dir, err := estimate.Dir(o.out, sc)
	if err != nil {
		return err
	}
	network := store.UsedMemory() // needed by each task
	return p.tasks(cmd, &o.tasks, &o.options, work{
		name: sc.Name, of: w.Links(),
		words: slices.Concat([]string{"estimate"}, args, o.typed(flagSeed, flagSet, flagOut, flagMemory)),
		paths: []string{args[0], o.out}, files: func() ([]schema.Present, error) { return sc.Files(), nil },
		start: w.Start,
		need: func(numbers []int) (list []campaign.Task, err error) {
			for _, i := range numbers {
				memory, seconds := w.Need(i)
				list = append(list, campaign.Task{Number: i, Memory: network + memory, Seconds: seconds})
			}
			return list, nil
		},
		missing: func() ([]int, error) {
			if made, err := campaign.Made(o.out, sc, o.reuse); made || err != nil {
				return nil, err
			}
			done, err := o.links(dir, p.stderr)
			return w.Missing(done), err
		},
		some: func(numbers []int) error {
			links, err := watch(p, &o.options, sc.Name, func(task *progress.Task) ([]estimate.Link, error) {
				return w.Simulate(ctx, numbers, max(1, sc.Run.Workers), simulated(task))
			})
			if err != nil {
				return interruptedLinks(ctx, err)
			}
			file, err := estimate.SaveLinks(dir, links)
			if err != nil {
				return failed(err)
			}
			p.printf("%s\n", file)
			return nil
		},
		all: func() error { return p.run(ctx, o, args) },
	})
}

func interruptedLinks(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return interrupted("while links were simulated; a job stores the results of all its tasks or of none, so " +
		"nothing was written")
}

// links reads the links that tasks have simulated. It skips links that another build has simulated, and prints how many
// it skips.
func (o *runOptions) links(dir string, messages io.Writer) ([]estimate.Link, error) {
	done, foreign, err := estimate.LoadLinks(dir, o.reuse)
	if foreign > 0 {
		fmt.Fprintf(messages, "%s in %s, simulated by another build of pintlab, %s as missing (--reuse accepts such "+
			"links)\n", number.Count(foreign, "link"), dir, number.Plural(foreign, "counts", "count"))
	}
	return done, err
}

// gather completes an estimate from the links that tasks have simulated.
func (o *runOptions) gather(
	ctx context.Context, sc scenario.Scenario, messages io.Writer, progress func(sim.Progress),
) (*sim.Result, error) {
	w, err := estimate.Prepare(ctx, sc)
	if err != nil {
		return nil, err
	}
	dir, err := estimate.Dir(o.out, sc)
	if err != nil {
		return nil, err
	}
	done, err := o.links(dir, messages)
	if err != nil {
		return nil, err
	}
	e, err := w.Finish(ctx, sc, done, o.out, progress)
	if err == nil && o.explain {
		o.explained, err = e.Explain(ctx)
	}
	if err != nil {
		return nil, err
	}
	return e.Result, nil
}

// sizeGroups is the number of groups of flow sizes in the output of --check.
const sizeGroups = 5

// assess carries out --check and --explain. It compares the estimate with a packet-level run, and draws where slow
// flows wait.
func (p *program) assess(ctx context.Context, o *runOptions, r *sim.Result) (*estimate.Assessment, error) {
	if !o.check && !o.explain {
		return nil, nil
	}
	t := &estimate.Assessment{Explain: o.explained, Checked: o.check}
	if o.check {
		sc := r.Scenario.Clone()
		sc.Estimate = scenario.Estimate{}
		run, err := watch(p, &o.options, "packets of "+sc.Name, func(task *progress.Task) (*sim.Result, error) {
			return sim.Run(ctx, sc, sim.Options{Progress: simulated(task)})
		})
		if ctx.Err() != nil {
			return nil, interrupted("while packets were simulated; the estimate is in %s", r.Summary.Dir)
		}
		if err != nil {
			return nil, failed(err)
		}
		if t.Check, err = estimate.Errors(run.Flows, r.Flows, sizeGroups); err != nil {
			return nil, failed(err)
		}
		t.Work = float64(r.Summary.PacketHops) / float64(max(1, run.Summary.PacketHops))
	}
	if o.explain && len(o.explained.Links) > 0 {
		f := o.explained.Draw()
		files, err := plots.SaveAll(&f, filepath.Join(r.Summary.Dir, "links"), "svg")
		if err != nil {
			return nil, failed(err)
		}
		t.Drawing = files[0]
	}
	return t, nil
}
