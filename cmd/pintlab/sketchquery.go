package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/accuracy"
	"pintlab/int/sketch/mrac"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// The tasks of sketch query.
const (
	taskHitters      = "heavy-hitters"
	taskChanges      = "heavy-changes"
	taskDistribution = "distribution"
	taskEntropy      = "entropy"
	taskCardinality  = "cardinality"
	taskArrivals     = "arrivals"
)

// queryAnswer is the JSON of sketch query; it has what was asked for.
type queryAnswer struct {
	Packets      uint64                `json:"packets"`
	Hitters      []accuracy.FlowSize   `json:"heavy_hitters,omitempty"`
	Changes      []accuracy.FlowChange `json:"heavy_changes,omitempty"`
	TableFull    int                   `json:"table_full"` // packets of heavy flows that found no room
	Distribution []mrac.Point          `json:"distribution,omitempty"`
	Entropy      *float64              `json:"entropy_bits,omitempty"`
	Cardinality  *float64              `json:"flows,omitempty"`
	Arrivals     []accuracy.Arrival    `json:"arrivals,omitempty"`
	Falling      uint64                `json:"falling_times,omitempty"` // packets earlier than the one before, of arrivals
}

func sketchQuery(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed json"`
		traceFlags `flags:"all"`
		memory     unit.Bytes    `flag:"memory" default:"900KB" range:">=1B <=1GiB" use:"{size} of the sketch"`
		sketch     accuracy.Kind `flag:"sketch" default:"tower-cu" use:"which {sketch}"`
		threshold  uint64        `flag:"threshold" range:">=1 <=1000000000" use:"a flow or a change of {N} packets is heavy (500 and 250)"`
		top        int           `flag:"top" default:"20" range:">=1 <=1000000" use:"print the {N} largest"`
	}
	tasks := []string{taskHitters, taskChanges, taskDistribution, taskEntropy, taskCardinality, taskArrivals}
	o.seed = 1
	return with(&cobra.Command{
		Use:   "query TASK [TRACE...]",
		Short: "Ask a sketch that has seen a trace",
		Long: `Ask a sketch that has seen a trace. The tasks are ` + strings.Join(tasks, ", ") + `.

Each of several traces goes into a sketch of its own, and the sketches are merged,
as those of several links would be; a flow is heavy by its packets in all of them.
heavy-changes compares two traces, or two windows of a generated one. arrivals has
the longest time between packets and the last packet of large flows, from a SuMax
sketch that has seen one trace.`,
		Example: `  pintlab sketch query heavy-hitters caida.pcap.gz --top 10
  pintlab sketch query cardinality link1.pcap link2.pcap --sketch tower-cm
  pintlab sketch query heavy-changes --packets 230000 --flows 17000
  pintlab sketch query arrivals caida.pcap.gz --top 10`,
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
			changes := task == taskChanges
			if changes && len(files) != 0 && len(files) != 2 {
				return fmt.Errorf("%s: want two traces, got %d", taskChanges, len(files))
			}
			if task == taskArrivals {
				if len(files) > 1 {
					return fmt.Errorf("%s: want at most one trace, got %d", taskArrivals, len(files))
				}
				if err := without(cmd, "on "+task+", which asks SuMax", "sketch"); err != nil {
					return err
				}
			} else if task != taskHitters && !changes {
				if err := without(cmd, "on "+task, "threshold", "top"); err != nil {
					return err
				}
			}
			n := 1
			q := accuracy.Question{Sketch: o.sketch, Memory: int(o.memory), Seed: o.seed, Threshold: o.threshold}
			paper := accuracy.Paper()
			if changes {
				n = 2
			}
			if q.Threshold == 0 {
				q.Threshold = paper.Hitter
				if changes {
					q.Threshold = paper.Change
				}
			}
			windows, done, err := o.windows(files, n, o.seed, task == taskArrivals)
			if err != nil {
				return err
			}
			if task == taskArrivals {
				found, err := q.Arrivals(cmd.Context(), windows[0])
				if err = p.skipped(files, windows, err); err != nil {
					return err
				}
				if err := done(); err != nil {
					return err
				}
				a := queryAnswer{Packets: found.Packets, TableFull: found.Full, Falling: found.Falling, Arrivals: found.Flows}
				return p.show(&o.options, a, func() { p.answer(task, &a, o.top) })
			}
			seen, err := q.Observe(cmd.Context(), windows, changes)
			if err = p.skipped(files, windows, err); err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			first, total := seen[0], uint64(0)
			for _, s := range seen {
				total += s.Packets()
			}
			if total == 0 {
				if len(files) > 0 {
					return fmt.Errorf("%s: %w", strings.Join(files, ", "), packets.ErrNone)
				}
				return packets.ErrNone
			}
			if !changes {
				for _, s := range seen[1:] {
					if err := first.Merge(s); err != nil {
						return err
					}
				}
			}
			a := queryAnswer{Packets: first.Packets(), TableFull: first.Full()}
			flows, ok := first.Cardinality()
			if counts := task == taskCardinality || task == taskEntropy || task == taskDistribution; counts && !ok {
				return failed(fmt.Errorf("%s with %v is too full to count flows or their sizes: no counter is zero", o.sketch, o.memory))
			}
			switch task {
			case taskHitters:
				a.Hitters = first.Hitters()
			case taskChanges:
				a.Changes = first.Changes(seen[1])
				a.TableFull += seen[1].Full()
			case taskDistribution:
				a.Distribution = first.Distribution()
			case taskEntropy:
				e := first.Entropy()
				a.Entropy = &e
			case taskCardinality:
				a.Cardinality = &flows
			}
			return p.show(&o.options, a, func() { p.answer(task, &a, o.top) })
		},
	}, &o)
}

// answer prints an answer for people.
func (p *program) answer(task string, a *queryAnswer, top int) {
	switch task {
	case taskEntropy:
		p.printf("entropy %.4f bits, %d packets\n", *a.Entropy, a.Packets)
	case taskCardinality:
		p.printf("%.0f flows, %d packets\n", *a.Cardinality, a.Packets)
	case taskDistribution:
		p.printf("%21s  %12s\n", "packets", "flows")
		for from := uint64(1); len(a.Distribution) > 0; from *= 2 {
			flows := 0.0
			for len(a.Distribution) > 0 && a.Distribution[0].Size < 2*from {
				flows += a.Distribution[0].Flows
				a.Distribution = a.Distribution[1:]
			}
			p.printf("%10d %10d  %12.1f\n", from, 2*from-1, flows)
		}
	case taskChanges:
		p.printf("%d heavy changes\n%10s %10s  %s\n", len(a.Changes), "before", "after", "flow")
		for _, c := range a.Changes[:min(top, len(a.Changes))] {
			p.printf("%10d %10d  %s\n", c.Before, c.After, c.Flow)
		}
	case taskArrivals:
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
