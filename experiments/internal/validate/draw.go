package validate

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/plots"
	"pintlab/plots/report"
)

// scatter returns a drawing with a point for each flow: our completion time against the recorded one.
func (r *Result) scatter() figure.Drawing {
	var points []plots.Point
	for i := range r.list {
		if f := &r.list[i]; f.FCTOurs > 0 && f.FCT > 0 {
			points = append(points, plots.Point{
				Series: path.Base(r.Name), X: 1e-9 * float64(f.FCT), Y: 1e-9 * float64(f.FCTOurs),
			})
		}
	}
	recorded := plots.Axis{Label: "Recorded completion time", Unit: plots.InSeconds}
	ours := plots.Axis{Label: "Ours", Unit: plots.InSeconds}
	p := plots.Figure{Title: "Completion times", Subtitle: r.Name, Panels: plots.Scatter(points, recorded, ours)}
	if r.Flows.Exact > 0 {
		p.Footnote = fmt.Sprintf("%d of %s %s to the nanosecond", r.Flows.Exact, number.Count(r.Flows.Flows, "flow"),
			number.Plural(r.Flows.Exact, "agrees", "agree"))
	}
	return figure.Drawing{Name: "scatter",
		Caption: fmt.Sprintf("%s: a point for each flow. The two runs agree for points on the line.", r.Name), Plot: p}
}

// slowdown returns a drawing of the slowdown by flow size in both runs.
func (r *Result) slowdown() (figure.Drawing, error) {
	var points []plots.Point
	// point adds two values of a statistic: our value, with an interval from lo to hi, and the recorded value.
	point := func(statistic string, share float64, size int64, ours, lo, hi, theirs float64) {
		theirs = columns.Round(theirs)
		p := plots.Point{
			Panel: statistic, Series: path.Base(r.Name), X: columns.Round(100 * share), Size: float64(size),
			Y: columns.Round(ours), Lo: columns.Round(lo), Hi: columns.Round(hi),
		}
		recorded := p
		recorded.Published, recorded.Y, recorded.Lo, recorded.Hi = true, theirs, theirs, theirs
		points = append(points, p, recorded)
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
		caption += fmt.Sprintf(" Ours: mean over %d seeds; bars: prediction interval of one more run.", r.Spread.Seeds)
	}
	panels, err := plots.BySize(points, plots.Axis{Label: "Slowdown", Scale: plots.Log})
	p := plots.Figure{Title: "Slowdown by flow size", Subtitle: r.Name, Panels: panels}
	return figure.Drawing{Name: "slowdown", Caption: caption, Plot: p}, err
}

// draw returns all figures that the results of a case allow.
func (r *Result) draw() (list []figure.Drawing, err error) {
	if len(r.list) > 0 {
		list = append(list, r.scatter())
	}
	if len(r.Buckets) > 0 || r.Spread != nil && len(r.Spread.Rows) > 2 {
		d, failed := r.slowdown()
		if list = append(list, d); failed != nil {
			err = fmt.Errorf("%s: %w", r.Name, failed)
		}
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
	Dir     string    `json:"dir"` // directory of the results; empty if they were not stored
	Verdict Agreement `json:"verdict"`
	Cases   []Result  `json:"cases"`
}

// Save writes the results below dir: CASE/SCHEME/ with flows.csv and the drawings of each case, report.html and
// results.json. command is the command line that reproduces the results.
func Save(dir string, results []Result, command string) error {
	page := report.Page{
		Title:    "Our runs compared with recorded ones",
		Subtitle: number.Count(len(results), "recorded run") + " of the published HPCC-PINT simulator",
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

// headline describes the result of a case in a few words.
func (r *Result) headline() string {
	switch {
	case r.Spread != nil:
		return r.Spread.String()
	case r.Flows == nil:
		return r.Reason
	}
	s := fmt.Sprintf("%d of %s %s to the nanosecond", r.Flows.Exact, number.Count(r.Flows.Flows, "flow"),
		number.Plural(r.Flows.Exact, "agrees", "agree"))
	if r.Acks != nil {
		s += fmt.Sprintf(", %d of %s of the trace %s", r.Acks.Same, number.Count(r.Acks.Lines, "line"),
			number.Plural(r.Acks.Same, "agrees", "agree"))
	}
	return s
}

// save writes the files of a case and returns the section about the case for the report.
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

// writeFlows writes a line of CSV for each flow, with the values of both runs.
func (r *Result) writeFlows(w io.Writer) error {
	t, err := columns.Encode(r.list)
	if err != nil {
		return err
	}
	return t.WriteCSV(w)
}
