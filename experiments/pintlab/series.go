package pintlab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/show"
	"pintlab/internal/outfile"
)

type seriesOptions struct {
	options `flags:"json"`
	view    show.SeriesOptions `flags:"all"`
	to      string             `flag:"to" use:"{directory} for the drawings (default: next to the series)"`
	trace   string             `flag:"perfetto" writes:"yes"`
	look    figure.Options     `flags:"format width no-title label"`
}

// seriesRows is the name of the file with the points of the drawings.
const seriesRows = "series-rows.csv"

// seriesResult is the JSON output of series.
type seriesResult struct {
	*show.Series
	Files []string `json:"files"`
}

func seriesCommand(p *program) *cobra.Command {
	var o seriesOptions
	return with(&cobra.Command{
		Use:     "series DIR...",
		Short:   "Show the time series of runs: queues, pauses, rates, fairness",
		GroupID: groupRun,
		Args:    atLeastOne("the directory of a run"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.series(&o, args) },
	}, &o)
}

func (p *program) series(o *seriesOptions, dirs []string) error {
	for _, dir := range dirs {
		if err := figures.IsRun(dir); err != nil {
			return err
		}
	}
	if o.trace != "" {
		return p.writeTrace(o, dirs)
	}
	shown, views, err := show.AllSeries(dirs, o.view)
	if err != nil {
		return err
	}
	to := "."
	if len(dirs) == 1 {
		to = dirs[0]
	}
	if o.to != "" {
		to = o.to
		if err := os.MkdirAll(to, 0o777); err != nil {
			return fmt.Errorf("--to %s: %w", to, err)
		}
	}
	files, err := saveSeries(shown, o, to)
	if err != nil {
		return failed(err)
	}
	if o.json {
		if len(views) == 1 {
			return p.printJSON(seriesResult{views[0], files})
		}
		return p.printJSON(struct {
			Runs  []*show.Series `json:"runs"`
			Files []string       `json:"files"`
		}{views, files})
	}
	tables, err := shown.Tables()
	if err != nil {
		return failed(err)
	}
	p.printTables(tables)
	notes := show.EmptySeries(views)
	if len(views) == 1 {
		notes = views[0].Notes
	}
	for _, n := range notes {
		p.printf("note: %s\n", n)
	}
	for _, f := range files {
		p.printf("%s\n", f)
	}
	return nil
}

func (p *program) writeTrace(o *seriesOptions, dirs []string) error {
	for _, name := range []string{"to", "format", "width", "no-title", "label", "interval"} {
		if o.given(name) {
			return fmt.Errorf("--%s has no effect with --perfetto, which makes no drawings", name)
		}
	}
	if len(dirs) > 1 {
		return fmt.Errorf("--perfetto: want one run, got %d", len(dirs))
	}
	var t *show.Trace
	if err := outfile.Write(o.trace, func(w io.Writer) (err error) {
		t, err = show.WriteTrace(w, dirs[0], o.view)
		return err
	}); err != nil {
		return err
	}
	if o.json {
		return p.printJSON(struct {
			*show.Trace
			File string `json:"file"`
		}{t, o.trace})
	}
	p.printf("%d slices, %d counters with %d values, %d faults and repairs\n%s\n", t.Slices, t.Counters, t.Samples,
		t.Instants, o.trace)
	return nil
}

// saveSeries writes the drawings and their points to a directory and returns the names of the files.
func saveSeries(v show.Shown, o *seriesOptions, to string) ([]string, error) {
	files, err := o.look.Save(to, v.Drawings())
	if err != nil {
		return nil, err
	}
	rows, err := v.Rows()
	if err != nil {
		return nil, err
	}
	name := filepath.Join(to, seriesRows)
	return append(files, name), rows.SaveCSV(name)
}
