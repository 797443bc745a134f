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
	"pintlab/internal/number"
	"pintlab/internal/outfile"
)

type seriesOptions struct {
	options `flags:"json"`
	view    show.SeriesOptions `flags:"all"`
	to      string             `flag:"to" use:"{directory} for the drawings (default: next to the series)"`
	trace   string             `flag:"perfetto" writes:"yes"`
	look    figure.Options     `flags:"all"`
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
		GroupID: groupResults,
		Args:    atLeastOne("the directory of a run"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.series(&o, args) },
	}, &o)
}

func (p *program) series(o *seriesOptions, dirs []string) error {
	o.view.Language, o.look.Protocols = p.language, p.language.Protocols()
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
	rows, err := shown.Rows()
	if err != nil {
		return failed(err)
	}
	drawings, err := o.drawings(shown)
	if err != nil {
		return err
	}
	files, err := o.look.Save(to, drawings)
	if err != nil {
		return failed(err)
	}
	files = append(files, filepath.Join(to, seriesRows))
	if err := rows.SaveCSV(files[len(files)-1]); err != nil {
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
	none := append([]string{"to", "interval"}, lookNames...)
	if err := without(o.cmd, "with --perfetto, which makes no drawings", none...); err != nil {
		return err
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
	p.printf("%s, %s with %s, %d %s\n%s\n", number.Count(t.Slices, "slice"), number.Count(t.Counters, "counter"),
		number.Count(t.Samples, "value"), t.Instants,
		number.Plural(t.Instants, "fault or repair", "faults and repairs"), o.trace)
	return nil
}

// drawings returns the drawings of a view. If the options name columns, it returns drawings of these columns of the
// points instead. The x axis is the time unless the options select another axis.
func (o *seriesOptions) drawings(v show.Shown) ([]figure.Drawing, error) {
	points, foot, err := v.Points()
	if err != nil {
		return nil, err
	}
	asked := o.look
	if o.look.X == "" && (o.look.Ratio || len(o.look.Y)+len(o.look.By)+len(o.look.Panels)+len(o.look.Where) > 0) {
		asked.X = "time"
	}
	_, list, err := asked.Asked(points, foot)
	if err == nil && list == nil {
		list = v.Drawings()
	}
	if err != nil {
		return nil, err
	}
	return o.look.Apply(list)
}
