package pintlab

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/measure/sketch"
	sketches "pintlab/int/sketch"
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
	}{sketches: sketch.Names(p.language.Protocols().Sketches), what: sketch.Paper()}
	o.seed, o.seeds, o.workers = 1, 1, runtime.GOMAXPROCS(0)
	return with(&cobra.Command{
		Use:   "accuracy [TRACE [NEXT]]",
		Short: "Measure the errors of sketches in six tasks",
		Args:  atMost(2, "a trace and the next one"),
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
			known, err := p.sketches(cmd, "sketches", o.sketches...)
			if err != nil {
				return err
			}
			c.Known = known
			c.Sketches, c.Seeds, c.Workers = o.sketches, campaign.Seeds(o.seed, o.seeds), o.workers
			for _, m := range slices.Sorted(slices.Values(o.memory)) { // drawings have memories in rising order
				c.Memories = append(c.Memories, int(m))
			}
			var found *sketch.Measured
			part, err := o.read(p, args, 2, o.seed, false, func(windows []packets.Source) (err error) {
				var second packets.Source
				thresholds := []string{"hitter", "change"}
				if len(windows) > 1 {
					second = windows[1]
				} else if err := without(cmd, "without a second window", "change"); err != nil {
					return err
				} else {
					thresholds = thresholds[:1]
				}
				if err := inBytes(cmd, c.Bytes, thresholds...); err != nil {
					return err
				}
				found, err = watch(p, &o.options, "sketch accuracy",
					func(t *progress.Task) (*sketch.Measured, error) {
						c.Progress = func(n int64) { t.Update(o.share(windows, n), fmt.Sprintf("%d packets", n)) }
						return c.Measure(cmd.Context(), windows[0], second)
					})
				return err
			})
			if err != nil {
				return err
			}
			a, err := c.Summarise(found)
			if err != nil {
				return err
			}
			a.Partial = part
			if o.given(flagOut) {
				if err := p.saveAccuracy(a, o.out); err != nil {
					return err
				}
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o)
}

// inBytes returns an error if bytes are counted and a threshold is not given, because the paper's thresholds are in
// packets.
func inBytes(cmd *cobra.Command, bytes bool, thresholds ...string) error {
	for _, name := range thresholds {
		if bytes && !cmd.Flags().Changed(name) {
			return fmt.Errorf("--bytes needs --%s, a number of bytes", name)
		}
	}
	return nil
}

// sketches returns the sketches that the flags name. It returns an error if the program lacks one of them, or if --rows
// is given but none of them has rows.
func (p *program) sketches(cmd *cobra.Command, flag string, names ...sketch.Kind) ([]sketches.Kind, error) {
	known := p.language.Protocols().Sketches
	for _, k := range names {
		if err := sketch.Check(known, k); err != nil {
			return nil, fmt.Errorf("--%s %q: %w", flag, k, err)
		}
	}
	if !sketch.HaveRows(known, names...) {
		return known, without(cmd, "on sketches without rows, such as "+string(names[0]), "rows")
	}
	return known, nil
}

func (p *program) saveAccuracy(a *sketch.Summary, out string) error {
	files, err := a.Save(filepath.Join(out, "sketch", "accuracy"))
	for _, f := range files {
		fmt.Fprintf(p.stderr, "drawn   %s\n", f)
	}
	return err
}

func sketchSpeed(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed json"`
		traceFlags `flags:"all"`
		memory     unit.Bytes               `flag:"memory" default:"2MB" range:">=1B <=1GiB"`
		sketches   flags.Texts[sketch.Kind] `flag:"sketches" default:"tower-cm,tower-cu,cm,cu,sumax,elastic"`
		arrays     int                      `flag:"arrays" default:"5" range:">=3 <=5"`
		rows       int                      `flag:"rows" range:">=0 <=16" use:"number {N} of rows of counters, if the sketch has rows; 0: the value of --arrays"`
		rounds     int                      `flag:"rounds" default:"7" range:">=1 <=1000" use:"number {N} of rounds"`
		keys       string                   `flag:"keys" default:"4" oneof:"4|13"`
		goroutines int                      `flag:"goroutines" default:"1" range:">=1 <=256"`
	}
	o.seed = 1
	cmd := with(&cobra.Command{
		Use:   "speed [TRACE]",
		Short: "Measure how fast sketches insert packets and answer queries",
		Args:  atMostOne("a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := sketch.SpeedConfig{Memory: int(o.memory), Arrays: o.arrays, Rows: o.rows, Rounds: o.rounds,
				Tuples: o.keys == "13", Seed: o.seed}
			err := c.Validate()
			if err != nil {
				return err
			}
			if c.Known, err = p.sketches(cmd, "sketches", o.sketches...); err != nil {
				return err
			}
			var r *sketch.SpeedReport
			part, err := o.read(p, args, 1, o.seed, false, func(windows []packets.Source) (err error) {
				r, err = c.Measure(cmd.Context(), windows[0], o.sketches, o.goroutines)
				return err
			})
			if err != nil {
				return err
			}
			r.Partial = part
			return p.showAnswer(&o.options, r)
		},
	}, &o)
	kept := cmd.Flags().Lookup("packets").Value.(*flags.Whole[int])
	kept.Max, kept.Bytes = sketch.MaxPackets, 32
	return cmd
}
