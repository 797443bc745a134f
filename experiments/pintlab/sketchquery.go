package pintlab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/sketch"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func sketchQuery(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed json"`
		traceFlags `flags:"all"`
		memory     unit.Bytes  `flag:"memory" default:"900KB" range:">=1B <=1GiB" use:"{size} of the sketch"`
		sketch     sketch.Kind `flag:"sketch" default:"tower-cu" use:"which {sketch}"`
		rows       int         `flag:"rows" range:">=1 <=16" use:"number {N} of rows of counters, if the sketch has rows"`
		threshold  uint64      `flag:"threshold" range:">=1 <=1000000000"`
		table      int         `flag:"table" range:">=1 <=16777216" use:"size {N} of the table of heavy flows"`
		bytes      bool        `flag:"bytes" use:"count bytes of IP packets instead of packets; needs --threshold"`
		top        int         `flag:"top" default:"20" range:">=1 <=1000000"`
	}
	tasks := []string{sketch.TaskHitters, sketch.TaskChanges, sketch.TaskDistribution, sketch.TaskEntropy,
		sketch.TaskCardinality, sketch.TaskArrivals}
	o.seed, o.rows, o.table = 1, sketch.Paper().Rows, sketch.Paper().Table
	return with(&cobra.Command{
		Use:       "query TASK [TRACE...]",
		Short:     "Query a sketch of a trace",
		Long:      strings.Join(tasks, ", "),
		ValidArgs: tasks,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: want a task (%s)", called(cmd), strings.Join(tasks, ", "))
			}
			if slices.Contains(tasks, args[0]) {
				return nil
			}
			return fmt.Errorf("%s: no task %q (tasks: %s)", called(cmd), args[0], strings.Join(tasks, ", "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			task, files := args[0], args[1:]
			if err := checkQuery(cmd, task, files); err != nil {
				return err
			}
			n := 1
			if task == sketch.TaskChanges {
				n = 2
			}
			known, err := p.sketches(cmd, "sketch", o.sketch)
			if err != nil {
				return err
			}
			if err := inBytes(cmd, o.bytes, "threshold"); err != nil {
				return err
			}
			var a *sketch.QueryAnswer
			timed := task == sketch.TaskArrivals
			part, err := o.read(p, files, n, o.seed, timed, func(windows []packets.Source) (err error) {
				q := sketch.Question{
					Known: known, Sketch: o.sketch, Memory: int(o.memory), Rows: o.rows, Seed: o.seed,
					Threshold: o.threshold, Bytes: o.bytes,
				}
				if o.given("table") {
					q.Table = o.table
				}
				a, err = q.Answer(cmd.Context(), task, windows)
				return err
			})
			if err != nil {
				return err
			}
			a.Partial = part
			document := a
			if o.given("top") {
				document = a.Largest(o.top)
			}
			return p.show(&o.options, document, func() { p.print(a.Text(task, o.top)) })
		},
	}, &o)
}

// checkQuery returns an error if a task does not accept the given traces or flags.
func checkQuery(cmd *cobra.Command, task string, files []string) error {
	switch {
	case task == sketch.TaskChanges:
		if len(files) != 0 && len(files) != 2 {
			return fmt.Errorf("%s: want two traces, got %d", task, len(files))
		}
	case task == sketch.TaskArrivals:
		if len(files) > 1 {
			return fmt.Errorf("%s: want at most one trace, got %d", task, len(files))
		}
		return without(cmd, "on "+task+", which queries SuMax", "sketch", "rows", "bytes")
	case task != sketch.TaskHitters:
		return without(cmd, "on "+task, "threshold", "top", "table", "bytes")
	}
	return nil
}
