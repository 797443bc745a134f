package main

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/campaign"
	"pintlab/experiments/measure/sketch"
	"pintlab/internal/flags"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func sketchAccuracy(p *program) *cobra.Command {
	o := struct {
		options    `flags:"seed seeds workers json quiet out"`
		traceFlags `flags:"all"`
		memory     flags.Texts[unit.Bytes]  `flag:"memory" default:"300KB,900KB" range:">=1B <=1GiB"`
		sketches   flags.Texts[sketch.Kind] `flag:"sketches"`
		what       sketch.AccuracyConfig    `flags:"all"`
	}{sketches: sketch.Kinds(), what: sketch.Paper()}
	o.seed, o.seeds, o.workers = 1, 1, runtime.GOMAXPROCS(0)
	return with(&cobra.Command{
		Use:   "accuracy [TRACE [NEXT]]",
		Short: "Errors of sketches in six tasks, against the exact counts",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("%s: want at most a trace and the next one, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.given(flagOut) {
				if err := checkOut(o.out); err != nil {
					return err
				}
			}
			if err := campaign.CheckSeeds(o.seed, o.seeds); err != nil {
				return fmt.Errorf("--seed: %w", err)
			}
			c := o.what
			c.Sketches, c.Seeds, c.Workers = o.sketches, campaign.Seeds(o.seed, o.seeds), o.workers
			for _, m := range o.memory {
				c.Memories = append(c.Memories, int(m))
			}
			var results []sketch.Accuracy
			var truth *sketch.Truth
			err := o.read(p, args, 2, o.seed, false, func(windows []packets.Source) (err error) {
				var second packets.Source
				if len(windows) > 1 {
					second = windows[1]
				} else if err := without(cmd, "without a second window", "change"); err != nil {
					return err
				}
				results, err = watch(p, &o.options, "sketch accuracy", func(t *progress.Task) (results []sketch.Accuracy, err error) {
					c.Progress = func(n int64) { t.Update(0, fmt.Sprintf("%d packets", n)) }
					results, truth, err = sketch.MeasureAccuracy(cmd.Context(), c, windows[0], second)
					return results, err
				})
				return err
			})
			if err != nil {
				return err
			}
			means, err := sketch.Means(results)
			if err != nil {
				return err
			}
			if o.given(flagOut) {
				if err := p.drawAccuracy(filepath.Join(o.out, "sketch", "accuracy"), means, truth, len(c.Seeds)); err != nil {
					return err
				}
			}
			return p.show(&o.options, sketch.Summarise(truth, means), func() {
				p.printf("%d packets of %d flows, entropy %.4f bits; %s\n\n", truth.First.Packets(), truth.First.Flows(), truth.Entropy, overSeeds(len(c.Seeds)))
				p.printAccuracy(means)
				for _, m := range means {
					if m.Dropped > 0 {
						p.printf("%s with %v: %d packets of heavy flows found a table of %d full (--table)\n", m.Sketch.Label(), unit.Bytes(m.Memory), m.Dropped, c.Table)
					}
				}
			})
		},
	}, &o)
}

// printAccuracy prints a line for each sketch and memory. With several seeds, the smallest and largest
// values follow.
func (p *program) printAccuracy(means []sketch.Mean) {
	p.printf("%-10s %9s %11s %11s %8s %11s %8s %11s %11s %8s\n", "sketch", "memory", "ARE", "AAE", "HH F1", "HH ARE", "HC F1", "entropy RE", "card. RE", "WMRE")
	for _, m := range means {
		line := func(name, memory string, of func(*sketch.Spread) float64) {
			number := func(n *sketch.Spread, form string) string {
				if x := of(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
					return fmt.Sprintf(form, x)
				}
				return "-"
			}
			p.printf("%-10s %9s %11s %11s %8s %11s %8s %11s %11s %8s\n", name, memory, number(&m.ARE, "%.4g"), number(&m.AAE, "%.4g"), number(&m.HitterF1, "%.4f"),
				number(&m.HitterARE, "%.4g"), number(&m.ChangeF1, "%.4f"), number(&m.Entropy, "%.4g"), number(&m.Cardinality, "%.4g"), number(&m.Distribution, "%.4f"))
		}
		line(m.Sketch.Label(), unit.Bytes(m.Memory).String(), sketch.Median)
		if m.Seeds > 1 {
			line("  least", "", sketch.Least)
			line("  most", "", sketch.Most)
		}
	}
}

func (p *program) drawAccuracy(dir string, means []sketch.Mean, truth *sketch.Truth, seeds int) error {
	files, err := sketch.Save(dir, means, fmt.Sprintf("%d packets of %d flows; %s", truth.First.Packets(), truth.First.Flows(), overSeeds(seeds)))
	for _, f := range files {
		fmt.Fprintf(p.stderr, "drawn   %s\n", f)
	}
	return err
}

func overSeeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("median of %d seeds, and the least and the most of them", n)
}

func sketchSpeed(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed json"`
		traceFlags `flags:"all"`
		memory     unit.Bytes               `flag:"memory" default:"2MB" range:">=1B <=1GiB"`
		sketches   flags.Texts[sketch.Kind] `flag:"sketches" default:"tower-cm,tower-cu,cm,cu,sumax,elastic"`
		arrays     int                      `flag:"arrays" default:"5" range:">=3 <=5"`
		rounds     int                      `flag:"rounds" default:"7" range:">=1 <=1000" use:"number {N} of rounds"`
		keys       string                   `flag:"keys" default:"4" oneof:"4|13"`
		goroutines int                      `flag:"goroutines" default:"1" range:">=1 <=256"`
	}
	o.seed = 1
	cmd := with(&cobra.Command{
		Use:   "speed [TRACE]",
		Short: "Packets per second that sketches take in and answer for",
		Args:  atMostOne("a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := sketch.SpeedConfig{Memory: int(o.memory), Arrays: o.arrays, Rounds: o.rounds, Tuples: o.keys == "13", Seed: o.seed}
			if err := c.Validate(); err != nil {
				return err
			}
			var stream *sketch.Stream
			var lines []sketch.Speed
			var shared []sketch.SharedSpeed
			err := o.read(p, args, 1, o.seed, false, func(windows []packets.Source) (err error) {
				if stream, err = sketch.Read(windows[0], maxSpeedPackets); err != nil {
					return err
				}
				for _, k := range o.sketches {
					r, err := c.Run(cmd.Context(), k, stream)
					if err != nil {
						return err
					}
					lines = append(lines, r)
				}
				shared, err = c.Shared(cmd.Context(), stream, o.goroutines)
				return err
			})
			if err != nil {
				return err
			}
			return p.show(&o.options, struct {
				Packets int                  `json:"packets"`
				Memory  int                  `json:"memory_bytes"`
				Arrays  int                  `json:"arrays"`
				Key     string               `json:"key_bytes"`
				Sketch  []sketch.Speed       `json:"sketches"`
				Shared  []sketch.SharedSpeed `json:"shared,omitempty"`
			}{len(stream.Words), c.Memory, c.Arrays, o.keys, lines, shared}, func() {
				p.printf("%d packets, %v, %d arrays, keys of %s bytes; best of %d rounds\n\n", len(stream.Words), o.memory, c.Arrays, o.keys, c.Rounds)
				p.printf("%-10s %12s %12s\n", "sketch", "insert Mpps", "query Mpps")
				for _, l := range lines {
					p.printf("%-10s %12.1f %12.1f\n", l.Sketch.Label(), l.Insert, l.Query)
				}
				if len(shared) > 0 {
					p.printf("\n%-10s %-10s %11s %12s %10s\n", "shared", "lock", "goroutines", "insert Mpps", "ARE")
				}
				for _, l := range shared {
					p.printf("%-10s %-10s %11d %12.1f %10.4g\n", l.Sketch.Label(), map[bool]string{false: "none", true: "mutex"}[l.Locked], l.Goroutines, l.Insert, l.ARE)
				}
			})
		},
	}, &o)
	kept := cmd.Flags().Lookup("packets").Value.(*flags.Whole[int])
	kept.Max, kept.Bytes = maxSpeedPackets, 32
	return cmd
}

// maxSpeedPackets is the largest number of packets that sketch speed keeps in memory.
const maxSpeedPackets = 1 << 24
