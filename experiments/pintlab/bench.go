package pintlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/bench"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
)

type benchOptions struct {
	options  `flags:"json quiet"`
	works    []string `flag:"rows" use:"only these {rows}"`
	pairs    int      `flag:"pairs" default:"8" range:">=1 <=1000" use:"number {N} of pairs for each row"`
	csv      bool     `flag:"csv" use:"print CSV"`
	markdown bool     `flag:"markdown" use:"print a table in Markdown"`
}

func benchCommand(p *program) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench OTHER [THIS]",
		Short: "Compare the speed of this program with another build",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("%s: want one or two programs, got %d arguments",
					called(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.bench(cmd.Context(), &o, args) },
	}
	with(cmd, &o)
	cmd.MarkFlagsMutuallyExclusive(flagJSON, "csv", "markdown")
	return cmd
}

func (p *program) bench(ctx context.Context, o *benchOptions, args []string) error {
	works, err := bench.Choose(o.works)
	if err != nil {
		return fmt.Errorf("--rows: %w", err)
	}
	c := bench.Config{Works: works, Pairs: o.pairs}
	if c.Other, err = executable(args[0]); err != nil {
		return err
	}
	if len(args) > 1 {
		c.This, err = executable(args[1])
	} else {
		c.This, err = os.Executable()
	}
	if err != nil {
		return err
	}
	results, err := watch(p, &o.options, "bench", func(task *progress.Task) ([]bench.Result, error) {
		done := 0
		c.Progress = func(work string, pair int) {
			task.Update(float64(done)/float64(len(works)*o.pairs),
				fmt.Sprintf("%s, pair %d of %d", work, pair+1, o.pairs))
			done++
		}
		return bench.Measure(ctx, c)
	})
	if ctx.Err() != nil {
		err = interrupted("with %d of %s begun", len(results), number.Count(len(works), "row"))
	}
	if err == nil && !slices.ContainsFunc(results, func(r bench.Result) bool { return r.Pairs > 0 }) {
		err = fmt.Errorf("no speed could be compared: %s fails in each row", args[0])
	}
	return errors.Join(p.printBench(o, results), failed(err))
}

// executable returns the path of a program. This is the file with the given name, if it exists, or a program with this
// name on the PATH.
func executable(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		if name, err = filepath.Abs(name); err != nil {
			return "", err
		}
	}
	return exec.LookPath(name)
}

func (p *program) printBench(o *benchOptions, results []bench.Result) error {
	if o.json {
		return p.printJSON(struct {
			Machine store.Machine  `json:"machine"`
			Rows    []bench.Result `json:"rows"`
		}{store.ThisMachine(), results})
	}
	rows := lists.Map(results, func(r bench.Result) bench.Row { return r.Row })
	t, err := columns.Encode(rows)
	switch {
	case err != nil:
		return failed(err)
	case o.csv:
		return t.WriteCSV(p.stdout.raw())
	case o.markdown:
		return t.WriteMarkdown(p.stdout.raw())
	}
	p.printTable(t)
	return nil
}
