package pintlab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

func reproduceCommand(p *program) *cobra.Command {
	var o struct {
		figureOptions `flags:"out seed seeds workers scale set memory-limit json quiet reuse"`
		tasks         taskFlags `flags:"all"`
		list          bool      `flag:"list" use:"list the figures and what each scale runs"`
	}
	o.figureOptions = figureDefaults()
	return with(&cobra.Command{
		Use:     "reproduce [FIGURE...]",
		Short:   "Make the figures of the papers, and compare our numbers with the printed numbers",
		GroupID: groupRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				if len(args) > 0 {
					return fmt.Errorf("%s has no effect with --list", args[0])
				}
				none := append(taskNames,
					flagOut, flagSeed, flagSeeds, flagWorkers, flagScale, flagSet, flagQuiet, flagReuse)
				if err := without(cmd, "with --list", none...); err != nil {
					return err
				}
				return p.listFigures(&o.options)
			}
			return p.reproduce(cmd, &o.figureOptions, &o.tasks, args)
		},
	}, &o)
}

// chosenFigures returns the named figures, or all figures if names is empty.
func chosenFigures(names []string) ([]*figure.Figure, error) {
	if len(names) == 0 {
		return figures.Figures(), nil
	}
	var list []*figure.Figure
	var errs []error
	seen := map[*figure.Figure]bool{}
	for _, n := range names {
		f, err := figures.Find(n)
		switch {
		case err != nil:
			errs = append(errs, err)
		case f.Measure == nil:
			errs = append(errs, fmt.Errorf("%s is a sweep: use pintlab sweep", n))
		case seen[f]:
			errs = append(errs, fmt.Errorf("%s: named twice", n))
		default:
			seen[f] = true
			list = append(list, f)
		}
	}
	return list, errors.Join(errs...)
}

func (p *program) reproduce(cmd *cobra.Command, o *figureOptions, t *taskFlags, names []string) error {
	list, err := chosenFigures(names)
	if err != nil {
		return err
	}
	if err := checkOut(o.out); err != nil {
		return err
	}
	need := func(numbers []int) (tasks []campaign.Task, err error) {
		workers := o.workers
		if t.emit != "" {
			workers = t.jobs.CPUs
		}
		for _, i := range numbers {
			task := campaign.Task{Number: i}
			if task.Memory, task.Seconds, err = figures.Need(list[i], figure.Scale(o.scale)); err != nil {
				return nil, err
			}
			task.Memory *= int64(max(1, workers))
			tasks = append(tasks, task)
		}
		return tasks, nil
	}
	if o.seeds > 0 || len(o.set) > 0 {
		need = nil // the needs were measured with the default seeds and settings
	}
	return p.tasks(cmd, t, &o.options, work{
		name: "reproduce", need: need, of: len(list),
		words: slices.Concat([]string{"reproduce"}, names, o.words(), o.typed(flagReuse, flagMemory)),
		paths: []string{o.out},
		missing: func() (missing []int, err error) {
			j := &figure.Job{Scale: figure.Scale(o.scale), Seed: o.seed, Seeds: o.seeds, Set: o.set,
				Campaign: p.campaign(o)}
			for i, f := range list {
				dir, err := figure.DirName(o.out, f, j, "")
				if err != nil {
					return nil, err
				}
				if !figure.Made(f, j, dir) {
					missing = append(missing, i)
				}
			}
			return missing, nil
		},
		some: func(numbers []int) error {
			for _, i := range numbers {
				d, err := p.figure(cmd.Context(), list[i], o, "pintlab", "reproduce", list[i].Name)
				if err != nil {
					return fmt.Errorf("%s: %w", list[i].Name, err)
				}
				p.printf("%s\n", d.Dir)
			}
			return nil
		},
		all: func() error { return p.reproduceAll(cmd.Context(), o, list) },
	})
}

func (p *program) reproduceAll(ctx context.Context, o *figureOptions, list []*figure.Figure) error {
	var done []*figure.Report
	var contradicted []string
	for i, f := range list {
		d, err := p.figure(ctx, f, o, "pintlab", "reproduce", f.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, x := range d.Manifest.Findings {
			if x.Outcome == figure.Fails {
				contradicted = append(contradicted, f.Name+": "+x.Statement)
			}
		}
		if o.json {
			done = append(done, d.JSON())
			continue
		}
		if i > 0 {
			p.printf("\n")
		}
		if err := p.printDone(d); err != nil {
			return err
		}
	}
	if o.json {
		if err := p.printJSON(done); err != nil {
			return err
		}
	}
	if len(contradicted) > 0 {
		return failed(fmt.Errorf("%s %s not hold:\n%s", number.Count(len(contradicted), "claim"),
			number.Plural(len(contradicted), "does", "do"), strings.Join(contradicted, "\n")))
	}
	return nil
}

// figureInfo is an entry of the JSON output of reproduce --list.
type figureInfo struct {
	Name   string                  `json:"name"`
	Title  string                  `json:"title"`
	Source string                  `json:"source"`
	Claim  string                  `json:"claim"`
	Scales map[figure.Scale]string `json:"scales"`
}

func (p *program) listFigures(o *options) error {
	list := lists.Map(figures.Figures(),
		func(f *figure.Figure) figureInfo { return figureInfo{f.Name, f.Title, f.Source, f.Claim, f.Size} })
	return p.show(o, list, func() {
		for i, f := range list {
			if i > 0 {
				p.printf("\n")
			}
			p.printf("%s  %s (%s)\n", f.Name, f.Title, f.Source)
			for _, s := range figure.Scales {
				p.printf("    %-7s %s\n", s, f.Scales[s])
			}
		}
	})
}
