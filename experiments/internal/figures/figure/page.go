package figure

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// footer is the last line of a page. It does not name the time and the machine, because the same rows must result in
// the same bytes.
const footer = "Made by pintlab. Version, machine and time are in manifest.json."

// Page returns the report of one figure.
func (d *Done) Page() (*report.Page, error) {
	sections, err := d.sections("", "")
	if err != nil {
		return nil, err
	}
	overloads, _ := d.Manifest.Remarks()
	p := &report.Page{
		Warnings: overloads,
		Title:    d.Figure.Title,
		Subtitle: d.Figure.Source,
		Config:   d.config(),
		Sections: sections,
		Footer:   footer,
	}
	a := d.Answer()
	if a == nil {
		p.Verdicts = d.summary("")
		return p, nil
	}
	results := &p.Sections[0]
	first := min(1, len(results.Figures))
	p.Answer = &report.Answer{Text: a.Text, Grid: a.Grid, Figures: results.Figures[:first]}
	results.Title, results.Figures = "Details", results.Figures[first:]
	for i := range results.Tables {
		results.Tables[i].Folded = true
	}
	return p, nil
}

// PageOf returns a single report of several figures. The report will be stored in dir.
func PageOf(title, dir string, list []*Done) (*report.Page, error) {
	p := &report.Page{Title: title, Footer: footer}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		at, err := filepath.Abs(d.Dir)
		if err != nil {
			return nil, err
		}
		at, err = filepath.Rel(dir, at)
		if err != nil {
			return nil, err
		}
		overloads, _ := d.Manifest.Remarks()
		for _, n := range overloads {
			p.Warnings = append(p.Warnings, d.Figure.Name+": "+n)
		}
		p.Verdicts = append(p.Verdicts, d.summary(d.Figure.Name+": ")...)
		sections, err := d.sections(d.Figure.Name+": ", filepath.ToSlash(at))
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, sections...)
	}
	return p, nil
}

// longTable is the largest number of rows that a table shows unfolded next to drawings.
const longTable = 12

var marks = map[Verdict]report.Mark{Holds: report.Holds, Fails: report.Fails, Deviates: report.Deviates,
	Undecided: report.Undecided, Found: report.Neutral}

// summary returns the beginning of a page: the paper's headlines, and the figure's claim with the number of
// statements for each verdict.
func (d *Done) summary(prefix string) []report.Verdict {
	var list []report.Verdict
	for _, f := range d.Headlines() {
		list = append(list, report.Verdict{Outcome: marks[f.Outcome],
			Text: prefix + "The paper's headline: " + f.Statement + ". " + f.Detail})
	}
	text := "Claim: " + d.Figure.Claim
	var counts []string
	for _, v := range []Verdict{Holds, Deviates, Fails, Undecided} {
		if n := len(Pick(d.Manifest.Findings, func(f *Finding) bool { return f.Outcome == v })); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(counts) > 0 {
		text += " " + Count(len(d.Manifest.Findings), "statement") + " below: " + strings.Join(counts, ", ") + "."
	}
	if d.Figure.Claim != "" {
		list = append(list, report.Verdict{Text: prefix + text})
	}
	return list
}

// verdicts returns the statements with the verdicts of the rows.
func (d *Done) verdicts() []report.Verdict {
	return lists.Map(d.Manifest.Findings, func(f Finding) report.Verdict {
		text := f.Statement + ": " + f.Detail
		if f.Cause != report.NoCause {
			text += "; " + f.Cause.Text()
		}
		return report.Verdict{Outcome: marks[f.Outcome], Text: text, Note: f.Known}
	})
}

func (d *Done) config() []report.Setting {
	var list []report.Setting
	if s := d.Manifest.Scale; s != "" {
		list = append(list, report.Setting{Key: "scale", Value: string(s) + ": " + d.Size()})
	}
	for _, s := range d.Manifest.Settings {
		list = append(list, report.Setting(s))
	}
	return list
}

// sections returns the sections of a figure's report: results, claims, comparison with the paper, and commands. dir is
// the directory of the figure, relative to the report.
func (d *Done) sections(prefix, dir string) ([]report.Section, error) {
	drawings, undrawn, err := d.coloured()
	if err != nil {
		return nil, err
	}
	tables, err := d.Tables()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Figure.Name, err)
	}
	_, notes := d.Manifest.Remarks()
	for i := range tables {
		tables[i].Folded = tables[i].Folded || len(drawings) > 0 && tables[i].Table.Len() > longTable
	}
	results := report.Section{Title: prefix + "Results", Text: undrawn, Tables: tables, Notes: notes}
	rows := path.Join(dir, RowsFile)
	if d.Manifest.Kind != manifestKind {
		rows = "" // the drawing was made from flow records, not from stored rows
	}
	for _, w := range drawings {
		results.Figures = append(results.Figures, report.Figure{Plot: w.Plot, Caption: w.Caption, Rows: rows})
	}
	list := []report.Section{results}
	if verdicts := d.verdicts(); len(verdicts) > 0 {
		list = append(list, report.Section{Title: prefix + "Claims", Verdicts: verdicts})
	}
	compared := d.Compared()
	if len(compared) > 0 || len(d.Figure.Why) > 0 {
		// A reason that is the note of a number is shown once, with the notes of the page.
		why := Pick(d.Figure.Why, func(w *string) bool {
			return !slices.ContainsFunc(compared, func(c report.Compared) bool { return strings.Contains(c.Note, *w) })
		})
		s := report.Section{Title: prefix + "Compared with the paper", Notes: why}
		if len(compared) > 0 {
			s.Comparisons = []report.Comparison{{Caption: d.Figure.Source + ": its numbers and ours.",
				Rows: compared}}
		}
		list = append(list, s)
	}
	runs, err := d.runTable()
	if err != nil {
		return nil, err
	}
	again := report.Section{Title: prefix + "How to reproduce it", Commands: d.commands()}
	if runs != nil {
		again.Tables = []report.Table{{Table: runs, Caption: "The simulations behind the rows, " +
			"each with its own command.", Folded: true}}
	}
	if config := d.config(); prefix != "" && len(config) > 0 {
		lines := lists.Map(config, func(c report.Setting) settingRow { return settingRow(c) })
		t, err := columns.Encode(lines)
		if err != nil {
			return nil, err
		}
		again.Tables = append(again.Tables,
			report.Table{Table: t, Caption: "Configuration of " + d.Figure.Name + ".", Folded: true})
	}
	return append(list, again), nil
}

// commands returns the commands that repeat the measurement or the runs.
func (d *Done) commands() []report.Command {
	if d.Runs == nil {
		return []report.Command{
			{Text: "All of it:", Line: d.Manifest.Command},
			{Text: "Only the drawings, from the stored rows:", Line: campaign.CommandLine("pintlab", "plot", d.Dir)},
		}
	}
	list := lists.Map(d.Manifest.Runs,
		func(r RunRef) report.Command { return report.Command{Text: r.Label + ":", Line: r.Command} })
	return append(list, report.Command{
		Text: "This page, from the stored flows:",
		Line: campaign.CommandLine(append([]string{"pintlab", "report"}, d.Runs...)...),
	})
}

type settingRow struct {
	Key    string `col:"setting"`
	Value  string `col:"value"`
	Source string `col:"source"`
}

type runRow struct {
	Run         string  `col:"run"`
	Flows       int     `col:"flows"`
	Hops        float64 `col:"packet-hops" unit:"M"`
	Fingerprint string  `col:"fingerprint"`
	Command     string  `col:"command"`
}

// runTable returns a table of the simulations, or nil if there are none.
func (d *Done) runTable() (*plots.Table, error) {
	if len(d.Manifest.Runs) == 0 {
		return nil, nil
	}
	var rows []runRow
	for _, r := range d.Manifest.Runs {
		rows = append(rows, runRow{r.Label, r.Flows, float64(r.PacketHops) / 1e6, r.Fingerprint, r.Command})
	}
	return columns.Encode(rows)
}
