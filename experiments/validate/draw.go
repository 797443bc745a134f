package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/outfile"
	"pintlab/plots"
	"pintlab/plots/report"
)

type scatterRow struct {
	Scheme string  `col:"scheme"`
	Theirs float64 `col:"reference" unit:"ns"`
	Ours   float64 `col:"ours" unit:"ns"`
}

// scatter returns a drawing of our completion times against the recorded ones.
func (r *Result) scatter() (figure.Drawing, error) {
	var rows []scatterRow
	for i := range r.list {
		if f := &r.list[i]; f.FCTOurs > 0 && f.FCT > 0 {
			rows = append(rows, scatterRow{path.Base(r.Name), float64(f.FCT), float64(f.FCTOurs)})
		}
	}
	p, err := figure.Plot(plots.Scatter, rows, plots.Mapping{XLabel: "Recorded completion time", YLabel: "Ours"})
	p.Title, p.Subtitle = "Completion times", r.Name
	if r.Flows.Exact > 0 {
		p.Footnote = fmt.Sprintf("%d of %d flows agree to the nanosecond", r.Flows.Exact, r.Flows.Flows)
	}
	return figure.Drawing{Name: "scatter",
		Caption: fmt.Sprintf("%s: a point for each flow. On the line the two runs agree.", r.Name), Plot: p}, err
}

type slowdownRow struct {
	Scheme   string  `col:"scheme"`
	Source   string  `col:"source"`
	Panel    string  `col:"panel"`
	Size     int64   `col:"size" unit:"B"`
	Share    float64 `col:"share" unit:"%"`
	Slowdown float64 `col:"slowdown"`
	Lo       float64 `col:"lo"`
	Hi       float64 `col:"hi"`
}

// slowdown returns the slowdown by flow size in both runs.
func (r *Result) slowdown() (figure.Drawing, error) {
	var rows []slowdownRow
	// point adds a statistic of ours, which lies between lo and hi, and the recorded one.
	point := func(statistic string, share float64, size int64, ours, lo, hi, theirs float64) {
		scheme := path.Base(r.Name)
		rows = append(rows, slowdownRow{scheme, "ours", statistic, size, 100 * share, ours, lo, hi},
			slowdownRow{scheme, "published", statistic, size, 100 * share, theirs, theirs, theirs})
	}
	for _, b := range r.Buckets {
		point("p50", b.Share, b.MaxSize, b.P50Ours, b.P50Ours, b.P50Ours, b.P50)
		point("p95", b.Share, b.MaxSize, b.P95Ours, b.P95Ours, b.P95Ours, b.P95)
	}
	caption := fmt.Sprintf("%s: slowdown by flow size, 5 %% of the flows in each point, "+
		"as the scripts of the published simulator compute it.", r.Name)
	if r.Spread != nil {
		for _, s := range r.Spread.Rows {
			point(s.Statistic, s.Share, s.MaxSize, s.Mean, s.Lo, s.Hi, s.Theirs)
		}
		caption += fmt.Sprintf(" Ours: mean over %d seeds; bars: where one more run would lie.", r.Spread.Seeds)
	}
	p, err := figure.Plot(plots.SlowdownBySize, rows, plots.Mapping{Lo: "lo", Hi: "hi", YLabel: "Slowdown"})
	p.Title, p.Subtitle = "Slowdown by flow size", r.Name
	return figure.Drawing{Name: "slowdown", Caption: caption, Plot: p}, err
}

// draw returns every figure that the results of a case allow.
func (r *Result) draw() (list []figure.Drawing, err error) {
	add := func(d figure.Drawing, failed error) {
		if list = append(list, d); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.Name, failed))
		}
	}
	if len(r.list) > 0 {
		add(r.scatter())
	}
	if len(r.Buckets) > 0 || r.Spread != nil && len(r.Spread.Rows) > 2 {
		add(r.slowdown())
	}
	return list, err
}

// The files in a directory of results.
const (
	ReportFile  = "report.html"
	resultsFile = "results.json"
	flowsCSV    = "flows.csv"
)

// Document is results.json and what --json prints.
type Document struct {
	Dir     string    `json:"dir"` // of the results; empty if none were kept
	Verdict Agreement `json:"verdict"`
	Cases   []Result  `json:"cases"`
}

// Save writes the results below dir: CASE/SCHEME/ with flows.csv and the drawings of
// each case, report.html and results.json. command is what a person types to get the
// same.
func Save(dir string, results []Result, command string) error {
	page := report.Page{
		Title:    "Our runs beside recorded ones",
		Subtitle: fmt.Sprintf("%d recorded runs of the published HPCC-PINT simulator", len(results)),
	}
	all, err := figure.Reports([]figure.Table{summary(results)})
	if err != nil {
		return err
	}
	page.Sections = append(page.Sections, report.Section{
		Title:    "All cases",
		Tables:   all,
		Commands: []report.Command{{Text: "The same again:", Line: command}},
	})
	for i := range results {
		r := &results[i]
		section, err := r.save(dir)
		if err != nil {
			return err
		}
		page.Sections = append(page.Sections, section)
		page.Verdicts = append(page.Verdicts,
			report.Verdict{Outcome: marks[r.Outcome], Text: r.Name + ": " + r.headline()})
	}
	if err := page.Save(filepath.Join(dir, ReportFile)); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(dir, resultsFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(Document{Dir: dir, Verdict: Verdict(results), Cases: results})
	})
}

var marks = map[Agreement]report.Mark{Agrees: report.Holds, Differs: report.Fails, Unusable: report.Neutral}

// headline returns a case in half a line.
func (r *Result) headline() string {
	switch {
	case r.Spread != nil:
		return r.Spread.String()
	case r.Flows == nil:
		return r.Reason
	}
	s := fmt.Sprintf("%d of %d flows agree to the nanosecond", r.Flows.Exact, r.Flows.Flows)
	if r.Acks != nil {
		s += fmt.Sprintf(", %d of %d lines of the trace agree", r.Acks.Same, r.Acks.Lines)
	}
	return s
}

// save writes the files of a case and returns its chapter.
func (r *Result) save(dir string) (report.Section, error) {
	s := report.Section{Title: r.Name, Notes: r.notes()}
	drawings, err := r.draw()
	if err != nil {
		return s, err
	}
	place := filepath.Join(dir, filepath.FromSlash(r.Name))
	if len(drawings) > 0 {
		if err := os.MkdirAll(place, 0o777); err != nil {
			return s, err
		}
	}
	rows := ""
	if len(r.list) > 0 {
		if err := outfile.Write(filepath.Join(place, flowsCSV), r.writeFlows); err != nil {
			return s, err
		}
		rows = r.Name + "/" + flowsCSV
	}
	for _, d := range drawings {
		if _, err := plots.SaveAll(&d.Plot, filepath.Join(place, d.Name), "svg", "png"); err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, report.Figure{Plot: d.Plot, Caption: d.Caption, Rows: rows})
	}
	s.Tables, err = figure.Reports(r.tables())
	for i := range s.Tables {
		s.Tables[i].Folded = true
	}
	return s, err
}

// writeFlows writes both runs flow by flow as CSV.
func (r *Result) writeFlows(w io.Writer) error {
	t, err := columns.Encode(r.list)
	if err != nil {
		return err
	}
	return t.WriteCSV(w)
}
