package figure

import (
	"context"
	"fmt"
	"path"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// A figure is measured for a job at a scale.
type (
	Job     = study.Job
	Scale   = study.Scale
	Setting = study.Setting
	RunRef  = study.RunRef
)

// The scales.
const (
	Smoke  = study.Smoke
	Laptop = study.Laptop
	Paper  = study.Paper
)

// Scales lists the scales, the smallest first.
var Scales = study.Scales

// Size prints a number of bytes with a suitable unit: "32 MB", "1500 B".
func Size(b unit.Bytes) string { return study.Size(b) }

// Count prints a number of things: "1 seed", "5 seeds".
func Count(n int, thing string) string { return study.Count(n, thing) }

// Figure is a figure of a paper, or another experiment with rows and drawings.
type Figure struct {
	// Name is document and figure, such as "pint/fig7".
	Name string
	// Title names what the figure plots.
	Title string
	// Source is the place of the figure in the paper.
	Source string
	// Claim is the statement that the rows confirm or refute.
	Claim string
	// Size describes what the figure runs at each scale.
	Size map[Scale]string
	// Measure makes the rows. It is nil if the figure can only be read.
	Measure func(context.Context, *Job) (View, error)
	// Read reads stored rows.
	Read func(*plots.Table) (View, error)
	// Timed are the columns of the rows, as rows.csv heads them, that were taken with a clock or depend
	// on the order in which goroutines ran. They differ from run to run, so tests do not compare them with
	// stored rows, and findings report them by Timing.
	Timed []string
	// Why explains why our numbers differ from the paper's, a paragraph each.
	Why []string
	// Words has the words of the figure; nil if its spec has them.
	Words *Words

	headlines func() []headline // of the paper; nil without files
}

// View is the rows of a figure with everything that the figure shows of them.
type View interface {
	Rows() *plots.Table // as rows.csv has them
	// Findings compare the rows with the paper's statements in words.
	Findings() []Finding
	// Compared returns each number that the paper prints, including those without a row. It may be nil.
	Compared() []report.Compared
	// Answer is the short answer that opens the report. It may be nil.
	Answer() *Answer
	Tables() ([]report.Table, error)
	// Drawings have the footnote of the manifest, unless they have their own.
	Drawings(*Manifest) ([]Drawing, error)
}

// Bare is the part of a View for rows without claims.
type Bare struct{ Table *plots.Table }

// Rows returns the table.
func (b Bare) Rows() *plots.Table { return b.Table }

// Findings returns none.
func (Bare) Findings() []Finding { return nil }

// Compared returns none.
func (Bare) Compared() []report.Compared { return nil }

// Answer returns none.
func (Bare) Answer() *Answer { return nil }

// Short returns the name without the paper, such as "fig7".
func (f *Figure) Short() string { return path.Base(f.Name) }

// Answer is the short answer of a figure.
type Answer struct {
	Text    []string       // sentences
	Grid    report.Grid    // what is compared, in the report
	Tables  []*plots.Table // the same on a terminal
	Columns []string       // what the columns of each table are
	Export  Export         // every number with its interval
}

// Export makes tables of all numbers of an answer with their intervals.
type Export struct {
	Long func() (*plots.Table, error) // a line for each number, for programs; nil if nothing is compared
	Wide func() (*plots.Table, error) // a line for each scheme, for papers
}

// Drawing is a picture of some of the rows.
type Drawing struct {
	Name    string // of the file, without ending
	Title   string // of the plot, if it has none
	Caption string // section of the text; "" for the one with its name
	Plot    plots.Figure

	err error // why there is no plot
}

// Draw returns a drawing of panels.
func Draw(name, title string, panels ...plots.Panel) Drawing {
	return Drawing{Name: name, Title: title, Plot: plots.Figure{Panels: panels}}
}

// With returns the drawing with a plot, or with the error of the function that made it.
func (d Drawing) With(plot plots.Figure, err error) Drawing {
	d.Plot, d.err = plot, err
	return d
}

// Verdict records whether the rows confirm a statement.
type Verdict string

// The verdicts.
const (
	Holds Verdict = "holds"
	Fails Verdict = "fails" // the rows contradict it
	// Deviates: the rows contradict it as they did before, and a stored measurement explains why (Known).
	Deviates  Verdict = "deviates"
	Undecided Verdict = "undecided" // the rows are too few or too noisy to decide
	Found     Verdict = "found"     // the statement was read off the rows, not compared with them
)

// Finding is a statement with its verdict from the rows.
type Finding struct {
	Statement string `json:"statement"`
	// `holds`, `fails`, `deviates` (contradicted, and `known` says why), `undecided` or `found` (read off the rows)
	Outcome Verdict `json:"outcome"`
	Detail  string  `json:"detail"` // the numbers that decide
	Known   string  `json:"known"`  // why it deviates; empty if it should hold
	// what differs if the rows contradict it: `input`, `setting`, `hardware`, or `open` if nothing is known; else empty
	Cause report.Cause `json:"cause,omitempty"`
	Ours  bool         `json:"-"` // a statement of this project, not of the paper

	because *because
}

// because is why a statement deviates.
type because struct {
	section string
	shown   []Stored // measurements that show it, in the place of stored ones
	always  bool     // whatever the outcome is
}

// Own returns the finding of a statement that no paper makes.
func (f Finding) Own() Finding {
	f.Ours = true
	return f
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s (%s)", f.Outcome, f.Statement, f.Detail)
}

// By names the cause of a failure.
func (f Finding) By(c report.Cause) Finding {
	f.Cause = c
	return f
}

// Because names the section of the figure's text that explains a failure by a stored measurement, or by measurements of
// these rows: with one the statement deviates.
func (f Finding) Because(section string, shown ...Stored) Finding {
	f.because = &because{section, shown, false}
	return f
}

// Explained names the section that explains the finding, for any outcome.
func (f Finding) Explained(section string) Finding {
	f.because = &because{section, nil, true}
	return f
}

// explain turns a failure that a measurement explains into a deviation. What does not fail has no cause.
func (f *Finding) explain(t *Words) {
	if f.Outcome != Fails {
		f.Cause = report.NoCause
	}
	if f.because == nil {
		return
	}
	c := t.cause(f.because.section)
	if f.because.shown != nil {
		c.stored = f.because.shown
	}
	if f.Outcome == Fails && c.measurement != "" && len(c.stored) > 0 {
		f.Outcome, f.Known = Deviates, c.String()
	}
	if f.because.always {
		f.Known = t.note(f.because.section, nil)
	}
	f.because = nil
}

// Timing returns the finding of a statement about speed, or about what depends on the order in which goroutines ran. It
// shows what was measured and stays undecided, because the next run may show the opposite.
func Timing(statement, detail string, args ...any) Finding {
	return Judge(statement, false, false, detail+", measured on this machine", args...)
}

// Judge returns the finding of a test: Fails if the rows contradict the statement, Holds if they confirm it, Undecided
// otherwise. The detail shows a missing number as a dash, as tables do.
func Judge(statement string, confirmed, contradicted bool, detail string, args ...any) Finding {
	f := Finding{Statement: statement, Outcome: Undecided,
		Detail: strings.ReplaceAll(fmt.Sprintf(detail, args...), "NaN", "–")}
	switch {
	case contradicted:
		f.Outcome = Fails
	case confirmed:
		f.Outcome = Holds
	}
	return f
}
