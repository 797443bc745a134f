package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/sketch"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func sketchQuery(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed json"`
		traceFlags `flags:"all"`
		memory     unit.Bytes  `flag:"memory" default:"900KB" range:">=1B <=1GiB" use:"{size} of the sketch"`
		sketch     sketch.Kind `flag:"sketch" default:"tower-cu" use:"which {sketch}"`
		threshold  uint64      `flag:"threshold" range:">=1 <=1000000000"`
		top        int         `flag:"top" default:"20" range:">=1 <=1000000" use:"print the {N} largest"`
	}
	tasks := []string{sketch.TaskHitters, sketch.TaskChanges, sketch.TaskDistribution, sketch.TaskEntropy, sketch.TaskCardinality, sketch.TaskArrivals}
	o.seed = 1
	return with(&cobra.Command{
		Use:       "query TASK [TRACE...]",
		Short:     "Ask a sketch that has seen a trace",
		Long:      strings.Join(tasks, ", "),
		ValidArgs: tasks,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: want a task (%s)", cmd.CommandPath(), strings.Join(tasks, ", "))
			}
			if slices.Contains(tasks, args[0]) {
				return nil
			}
			return fmt.Errorf("%s: no task %q (tasks: %s)", cmd.CommandPath(), args[0], strings.Join(tasks, ", "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			task, files := args[0], args[1:]
			changes := task == sketch.TaskChanges
			if changes && len(files) != 0 && len(files) != 2 {
				return fmt.Errorf("%s: want two traces, got %d", sketch.TaskChanges, len(files))
			}
			if task == sketch.TaskArrivals {
				if len(files) > 1 {
					return fmt.Errorf("%s: want at most one trace, got %d", sketch.TaskArrivals, len(files))
				}
				if err := without(cmd, "on "+task+", which asks SuMax", "sketch"); err != nil {
					return err
				}
			} else if task != sketch.TaskHitters && !changes {
				if err := without(cmd, "on "+task, "threshold", "top"); err != nil {
					return err
				}
			}
			n := 1
			if changes {
				n = 2
			}
			var a *sketch.QueryAnswer
			err := o.read(p, files, n, o.seed, task == sketch.TaskArrivals, func(windows []packets.Source) (err error) {
				a, err = sketch.Question{Sketch: o.sketch, Memory: int(o.memory), Seed: o.seed, Threshold: o.threshold}.Answer(cmd.Context(), task, windows)
				return err
			})
			if errors.Is(err, sketch.ErrTooFull) {
				return failed(err)
			}
			if err != nil {
				return err
			}
			return p.show(&o.options, a, func() { p.answer(task, a, o.top) })
		},
	}, &o)
}

func (p *program) answer(task string, a *sketch.QueryAnswer, top int) {
	switch task {
	case sketch.TaskEntropy:
		p.printf("entropy %.4f bits, %d packets\n", *a.Entropy, a.Packets)
	case sketch.TaskCardinality:
		p.printf("%.0f flows, %d packets\n", *a.Cardinality, a.Packets)
	case sketch.TaskDistribution:
		p.printf("%21s  %12s\n", "packets", "flows")
		for from := uint64(1); len(a.Distribution) > 0; from *= 2 {
			flows := 0.0
			for len(a.Distribution) > 0 && a.Distribution[0].Size < 2*from {
				flows += a.Distribution[0].Flows
				a.Distribution = a.Distribution[1:]
			}
			p.printf("%10d %10d  %12.1f\n", from, 2*from-1, flows)
		}
	case sketch.TaskChanges:
		p.printf("%d heavy changes\n%10s %10s  %s\n", len(a.Changes), "before", "after", "flow")
		for _, c := range a.Changes[:min(top, len(a.Changes))] {
			p.printf("%10d %10d  %s\n", c.Before, c.After, c.Flow)
		}
	case sketch.TaskArrivals:
		p.printf("%d large flows among %d packets\n%10s %14s %14s  %s\n", len(a.Arrivals), a.Packets, "packets", "longest gap", "last packet", "flow")
		for _, f := range a.Arrivals[:min(top, len(a.Arrivals))] {
			p.printf("%10d %14v %14v  %s\n", f.Packets, f.Gap, f.Last, f.Flow)
		}
	default:
		p.printf("%d heavy hitters among %d packets\n%10s  %s\n", len(a.Hitters), a.Packets, "packets", "flow")
		for _, h := range a.Hitters[:min(top, len(a.Hitters))] {
			p.printf("%10d  %s\n", h.Packets, h.Flow)
		}
	}
	if a.TableFull > 0 {
		p.printf("the table of heavy flows was full for %d packets\n", a.TableFull)
	}
	if a.Falling > 0 {
		p.printf("%d packets are earlier than the one before them, and count at its time\n", a.Falling)
	}
}
