package pintlab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/show"
	"pintlab/internal/number"
	"pintlab/plots/report"
)

type figureOptions struct {
	options `flags:"all"`
	reuse   bool `flag:"reuse" use:"take over runs that another build of pintlab has finished"`
	losses  bool `flag:"accept-losses" use:"exit with 0 even if flows fail, or no flow of a run finishes"`
}

const (
	flagReuse  = "reuse"
	flagLosses = "accept-losses"
)

// figureDefaults returns the default values of the flags.
func figureDefaults() figureOptions {
	return figureOptions{options: options{seed: 1, scale: string(figure.Laptop), workers: runtime.NumCPU()}}
}

// complaint returns an error if the rows are doubtful, unless --accept-losses is given.
func (o *figureOptions) complaint(m *figure.Manifest) error {
	if o.losses {
		return nil
	}
	return failed(m.Complaint())
}

// words returns the given flags as words of a command line. It omits flags that do not change results. Without
// --accept-losses there may be no results.
func (o *figureOptions) words() []string {
	return o.typed(flagScale, flagSeed, flagSeeds, flagSet, flagOut, flagLosses)
}

// ownSeeds is a number of seeds that exceeds the default of every figure.
const ownSeeds = 1000

func (p *program) campaign(o *figureOptions) campaign.Options {
	return campaign.Options{
		Dir: campaign.DirName(o.out), Language: p.language, Workers: o.workers, AnyBuild: o.reuse, Quiet: o.quiet,
		Messages: p.stderr, Line: campaign.CommandLine,
	}
}

// figure makes one figure. command is the command that reproduces it.
func (p *program) figure(
	ctx context.Context, f *figure.Figure, o *figureOptions, command ...string,
) (*figure.Done, error) {
	return p.figureIn(ctx, f, o, "", nil, command...)
}

// figureIn is like figure, but with two more arguments: an optional folder within the directory of the figure, and the
// runs that the figure is about (see figure.DirName).
func (p *program) figureIn(
	ctx context.Context, f *figure.Figure, o *figureOptions, folder string, specs []campaign.Spec, command ...string,
) (*figure.Done, error) {
	if _, err := o.changes(); err != nil {
		return nil, err
	}
	if err := campaign.CheckSeeds(o.seed, max(o.seeds, ownSeeds)); err != nil {
		return nil, fmt.Errorf("--seed: %w", err)
	}
	line := campaign.CommandLine(append(command, o.words()...)...)
	j := &figure.Job{Scale: figure.Scale(o.scale), Seed: o.seed, Seeds: o.seeds, Set: o.set, Campaign: p.campaign(o),
		Barren: o.losses}
	dir, err := figure.DirName(o.out, f, j, folder, specs...)
	if err != nil {
		return nil, err
	}
	d, err := figure.Do(ctx, f, j, dir, line, figure.Options{})
	return d, explainCampaign(err, line)
}

// explainCampaign adds an exit code to an error of a campaign. If the error is an interrupt, it also adds the command
// that continues the campaign.
func explainCampaign(err error, line string) error {
	var stopped *campaign.InterruptedError
	switch {
	case errors.As(err, &stopped):
		return interrupted("%v. Go on with: %s", err, line)
	case errors.Is(err, context.Canceled): // after the last run
		return interrupted("before the results were written; finished runs are kept. Go on with: %s", line)
	}
	return err
}

func (p *program) showFigure(o *options, d *figure.Done) error {
	switch {
	case o.json:
		return p.printJSON(d.JSON())
	case o.table != "":
		return p.printNumbers(d, o.table)
	}
	return p.printDone(d)
}

// printNumbers prints every number of the answer with its interval as a table.
func (p *program) printNumbers(d *figure.Done, form string) error {
	a := d.Answer()
	if a == nil || a.Export.Long == nil {
		return failed(fmt.Errorf("%s: there is nothing to compare, so there is no table", d.Dir))
	}
	make := a.Export.Wide
	if form == "csv" {
		make = a.Export.Long
	}
	t, err := make()
	if err != nil {
		return err
	}
	out := p.stdout.raw()
	switch form {
	case "csv":
		return t.WriteCSV(out)
	case "markdown":
		return t.WriteMarkdown(out)
	}
	return t.WriteLaTeX(out)
}

// printDone prints the tables of a figure, the comparison with published numbers, the verdicts on the figure's claims,
// and the paths of its files.
func (p *program) printDone(d *figure.Done) error {
	m := d.Manifest
	overloads, notes := m.Remarks()
	for _, n := range overloads {
		p.printf("%s\n", n)
	}
	p.printf("%s\n%s", p.paint(d.Figure.Title, heading), d.Figure.Source)
	if m.Scale != "" {
		p.printf(", %s scale: %s", m.Scale, d.Size())
	}
	p.printf("\n\n")
	p.printHeadlines(d)
	if a := d.Answer(); a != nil {
		p.printText(a)
	}
	tables, err := d.Tables()
	if err != nil {
		return err
	}
	p.printTables(tables)
	compared := d.Compared()
	var foot report.Footnotes
	if len(compared) > 0 {
		p.printf("%s\n", p.paint("Compared with the paper", heading))
		p.printf("%s\n", comparedText(compared, &foot))
	}
	if len(m.Findings) > 0 {
		p.printf("%s\n", p.paint("Verdict", heading))
	}
	for _, f := range m.Findings {
		p.printVerdict(f, f.Detail+because(f.Cause, foot.Mark(f.Known)))
	}
	for i, note := range foot {
		p.printf("  %-9s %s\n", fmt.Sprintf("(%d)", i+1), note)
	}
	for _, n := range notes {
		p.printf("  note      %s\n", n)
	}
	p.printf("\n%-9s %s\n", "report", filepath.Join(d.Dir, figure.ReportFile))
	p.printf("%-9s %s\n", "rows", filepath.Join(d.Dir, figure.RowsFile))
	p.printCost(m)
	return nil
}

// printHeadlines prints the paper's main promises that the figure decides.
func (p *program) printHeadlines(d *figure.Done) {
	list := d.Headlines()
	if len(list) == 0 {
		return
	}
	p.printf("%s\n", p.paint("The paper's headline", heading))
	for _, f := range list {
		if others := d.Figure.Elsewhere(f.Statement); len(others) > 0 {
			f.Detail += "; more in " + strings.Join(others, ", ")
		}
		p.printVerdict(f, f.Detail)
	}
	p.printf("\n")
}

// printVerdict prints the verdict on a statement, followed by a detail.
func (p *program) printVerdict(f figure.Finding, detail string) {
	outcome := p.paint(fmt.Sprintf("%-9s", f.Outcome), outcomes[f.Outcome])
	p.printf("  %s %s\n            %s\n", outcome, f.Statement, detail)
}

// printText prints the sentences of an answer.
func (p *program) printText(a *figure.Answer) {
	for _, s := range a.Text {
		p.printf("%s\n", wrapLine(s, answerWidth))
	}
	p.printf("\n")
}

// printCost prints the cost of a figure and the command that repeats it.
func (p *program) printCost(m *figure.Manifest) {
	p.printf("%-9s %s, %s of CPU, %.0f MB of memory\n",
		"cost", show.Took(m.Wall), show.Took(m.CPU), float64(m.Memory)/1e6)
	p.printf("%-9s %s\n", "reproduce", m.Command)
}

// because returns the text that follows a number. It consists of a cause and the mark of the note that explains the
// cause.
func because(c report.Cause, mark string) string {
	text := c.Text()
	if text != "" {
		text = ": " + text
	}
	if mark != "" {
		text += " " + mark
	}
	return text
}

// comparedText returns a list of our numbers next to the published numbers, with the verdicts of docs/claims. It adds
// the notes on deviations to foot.
func comparedText(list []report.Compared, foot *report.Footnotes) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "  %-12s %s: printed %s, ours %s", c.Outcome, c.What(), c.Printed(),
			number.Format(c.Ours, c.Unit, 4))
		if interval := c.Interval(); interval != "" {
			fmt.Fprintf(&b, ", %s", interval)
		}
		fmt.Fprintf(&b, "   [%s]", c.Source)
		if c.Outcome == report.Deviates {
			b.WriteString(because(c.Cause, foot.Mark(c.Note)))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}
