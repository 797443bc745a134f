package validate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"pintlab/experiments/results/columns"
	"pintlab/internal/outfile"
	"pintlab/plots"
	"pintlab/plots/report"
)

// drawing is a figure of a case.
type drawing struct {
	name, caption string
	plot          plots.Figure
}

type scatterRow struct {
	Scheme string  `col:"scheme"`
	Theirs float64 `col:"reference" unit:"ns"`
	Ours   float64 `col:"ours" unit:"ns"`
}

// scatter is completion times against completion times.
func (r *Result) scatter() (drawing, error) {
	var rows []scatterRow
	for i := range r.list {
		if f := &r.list[i]; f.FCTOurs > 0 && f.FCT > 0 {
			rows = append(rows, scatterRow{path.Base(r.Name), float64(f.FCT), float64(f.FCTOurs)})
		}
	}
	t, err := columns.Encode(rows)
	if err != nil {
		return drawing{}, err
	}
	p, err := plots.Scatter(t, plots.Mapping{XLabel: "Recorded completion time", YLabel: "Ours"})
	if err != nil {
		return drawing{}, err
	}
	p.Title, p.Subtitle = "Completion times", r.Name
	caption := fmt.Sprintf("%s: a point for each flow. On the line the two runs agree.", r.Name)
	if r.Flows.Exact > 0 {
		p.Footnote = fmt.Sprintf("%d of %d flows agree to the nanosecond", r.Flows.Exact, r.Flows.Flows)
	}
	return drawing{"scatter", caption, p}, nil
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

// slowdown is the slowdown by flow size in both runs.
func (r *Result) slowdown() (drawing, error) {
	const ours, published = "ours", "published"
	scheme := path.Base(r.Name)
	var rows []slowdownRow
	point := func(source string, statistic string, share float64, size int64, value, lo, hi float64) {
		rows = append(rows, slowdownRow{scheme, source, statistic, size, 100 * share, value, lo, hi})
	}
	for _, b := range r.Buckets {
		point(ours, "p50", b.Share, b.MaxSize, b.P50Ours, b.P50Ours, b.P50Ours)
		point(published, "p50", b.Share, b.MaxSize, b.P50, b.P50, b.P50)
		point(ours, "p95", b.Share, b.MaxSize, b.P95Ours, b.P95Ours, b.P95Ours)
		point(published, "p95", b.Share, b.MaxSize, b.P95, b.P95, b.P95)
	}
	caption := fmt.Sprintf("%s: slowdown by flow size, 5 %% of the flows in each point, as the scripts of the published simulator compute it.", r.Name)
	if r.Spread != nil {
		for i := range r.Spread.Rows {
			s := &r.Spread.Rows[i]
			point(ours, s.Statistic, s.Share, s.MaxSize, s.Mean, s.Lo, s.Hi)
			point(published, s.Statistic, s.Share, s.MaxSize, s.Theirs, s.Theirs, s.Theirs)
		}
		caption += fmt.Sprintf(" Ours: mean over %d seeds; bars: where one more run would lie.", r.Spread.Seeds)
	}
	t, err := columns.Encode(rows)
	if err != nil {
		return drawing{}, err
	}
	p, err := plots.SlowdownBySize(t, plots.Mapping{Lo: "lo", Hi: "hi", YLabel: "Slowdown"})
	if err != nil {
		return drawing{}, err
	}
	p.Title, p.Subtitle = "Slowdown by flow size", r.Name
	return drawing{"slowdown", caption, p}, nil
}

// draw is every figure that the results of a case allow.
func (r *Result) draw() ([]drawing, error) {
	var list []drawing
	add := func(d drawing, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		list = append(list, d)
		return nil
	}
	if len(r.list) > 0 {
		if err := add(r.scatter()); err != nil {
			return nil, err
		}
	}
	if len(r.Buckets) > 0 || r.Spread != nil && len(r.Spread.Rows) > 2 {
		if err := add(r.slowdown()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// The files in a directory of results.
const (
	ReportFile  = "report.html"
	ResultsFile = "results.json"
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
	page := report.Page{Title: "Our runs beside recorded ones", Subtitle: fmt.Sprintf("%d recorded runs of the published HPCC-PINT simulator", len(results))}
	summary, err := Summary(results)
	if err != nil {
		return err
	}
	page.Sections = append(page.Sections, report.Section{
		Title:    "All cases",
		Tables:   []report.Table{{Table: summary, Caption: "Errors are |ours - recorded| / recorded of the completion times."}},
		Commands: []report.Command{{Text: "The same again:", Line: command}},
	})
	for i := range results {
		r := &results[i]
		section, err := r.save(dir)
		if err != nil {
			return err
		}
		page.Sections = append(page.Sections, section)
		page.Verdicts = append(page.Verdicts, report.Verdict{Outcome: marks[r.Outcome], Text: r.Name + ": " + r.headline()})
	}
	if err := page.Save(filepath.Join(dir, ReportFile)); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(dir, ResultsFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(Document{Dir: dir, Verdict: Verdict(results), Cases: results})
	})
}

var marks = map[Agreement]report.Mark{Agrees: report.Holds, Differs: report.Fails, Unusable: report.Neutral}

// headline is a case in half a line.
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
		if _, err := plots.SaveAll(&d.plot, filepath.Join(place, d.name), "svg", "png"); err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, report.Figure{Plot: d.plot, Caption: d.caption, Rows: rows})
	}
	if r.Spread != nil {
		t, err := r.Spread.table()
		if err != nil {
			return s, err
		}
		s.Tables = append(s.Tables, report.Table{Table: t, Caption: "Each statistic, the interval in which one more of our runs would lie, and the recorded value.", Folded: true})
	}
	if len(r.Buckets) > 0 {
		t, err := r.bucketTable()
		if err != nil {
			return s, err
		}
		s.Tables = append(s.Tables, report.Table{Table: t, Caption: "Slowdown by flow size.", Folded: true})
	}
	return s, nil
}

// writeFlows writes both runs flow by flow as CSV.
func (r *Result) writeFlows(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"src", "dst", "src_port", "dst_port", "size_bytes", "start_ns", "start_ns_ours", "fct_ns", "fct_ns_ours", "standalone_ns", "standalone_ns_ours"})
	for i := range r.list {
		f := &r.list[i]
		row := []string{f.SrcIP, f.DstIP}
		for _, v := range []int64{int64(f.SrcPort), int64(f.DstPort), f.Size, f.Start, f.StartOurs, f.FCT, f.FCTOurs, f.Standalone, f.StandaloneOurs} {
			row = append(row, strconv.FormatInt(v, 10))
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}
