package figure

import (
	"context"
	"fmt"
	"path"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// The types of the jobs and the scales for which figures are measured.
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
func Count(n int, thing string) string { return number.Count(n, thing) }

// Figure is a figure of a paper, or another experiment with rows and drawings.
type Figure struct {
	// Name is the folder of the paper and the figure, such as "pint/fig7".
	Name string
	// Title names what the figure plots.
	Title string
	// Source is the place of the figure in the paper.
	Source string
	// Claim is the statement that the rows confirm or refute.
	Claim string
	// Size describes what the figure runs at each scale.
	Size map[Scale]string
	// Measure makes the rows. It is nil if rows of the figure can only be read.
	Measure func(context.Context, *Job) (View, error)
	// Read reads stored rows.
	Read func(*plots.Table) (View, error)
	// Timed lists columns of rows.csv, by their heads. The numbers in these columns come from a clock, or depend on the
	// order in which goroutines run, so they differ from run to run. Therefore tests do not compare the numbers with
	// stored rows, and findings report the numbers by Timing.
	Timed []string
	// Why explains why our numbers differ from the paper's, a paragraph each.
	Why []string
	// Words contains the texts of the figure. It is nil if the texts are in the spec.
	Words *Words

	headlines func() []headline // headlines of the paper; nil if the figure has no files
}

// View contains the rows of a figure, and everything that the figure shows about them.
type View interface {
	Rows() *plots.Table // the rows in the form of rows.csv
	// Findings compare the rows with the paper's statements in words.
	Findings() []Finding
	// Compared returns each number that the paper prints, including those without a row. It may be nil.
	Compared() []report.Compared
	// Answer is the short answer that opens the report. It may be nil.
	Answer() *Answer
	Tables() ([]report.Table, error)
	// Drawings returns the drawings. A drawing without a footnote gets the manifest's.
	Drawings(*Manifest) ([]Drawing, error)
}

// Bare implements the part of View that shows rows without claims.
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
	Grid    report.Grid    // the compared numbers, for the report
	Tables  []*plots.Table // the same for a terminal
	Columns []string       // explanation of the columns of each table
	Export  Export         // all numbers with their intervals
}

// Export contains tables of all numbers of an answer with their intervals.
type Export struct {
	Long func() (*plots.Table, error) // one line per number, for programs; nil if nothing is compared
	Wide func() (*plots.Table, error) // one line per scheme, for papers
}

// Drawing is a picture of some rows.
type Drawing struct {
	Name    string // name of the file, without extension
	Title   string // title for the plot if Plot has none
	Caption string // section with the caption; "" selects the section with the drawing's name
	Plot    plots.Figure

	err error // reason why there is no plot
}

// Draw returns a drawing of panels.
func Draw(name, title string, panels ...plots.Panel) Drawing {
	return Drawing{Name: name, Title: title, Plot: plots.Figure{Panels: panels}}
}

// With returns the drawing with a plot, or with the error of the function that should have made the plot.
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
	// Deviates means that the rows contradict the statement, and that a stored measurement explains why (Known).
	Deviates  Verdict = "deviates"
	Undecided Verdict = "undecided" // the rows are too few or too noisy to decide
	Found     Verdict = "found"     // the statement was derived from the rows, so they cannot contradict it
)

// Finding is a statement with the verdict of the rows on it.
type Finding struct {
	Statement string `json:"statement"`
	// `holds`, `fails`, `deviates` (contradicted, and `known` explains why), `undecided`, or `found` (derived from the
	// rows)
	Outcome Verdict `json:"outcome"`
	Detail  string  `json:"detail"` // the numbers that decide the verdict
	Known   string  `json:"known"`  // why the rows deviate from the statement; empty if they should confirm it
	// what differs from the paper if the rows contradict it: `input`, `setting`, `hardware`, or `open` if nothing is
	// known; otherwise empty
	Cause report.Cause `json:"cause,omitempty"`
	Ours  bool         `json:"-"` // a statement of this project, not of the paper

	because *because
}

// because explains why a statement deviates.
type because struct {
	section string
	shown   []Stored // measurements that support the explanation, instead of the stored measurements
	always  bool     // the explanation applies to every outcome
}

// Own returns the finding with its statement marked as ours: no paper makes it.
func (f Finding) Own() Finding {
	f.Ours = true
	return f
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s (%s)", f.Outcome, f.Statement, f.Detail)
}

// By sets the cause of a failure.
func (f Finding) By(c report.Cause) Finding {
	f.Cause = c
	return f
}

// Because sets the section of the figure's text that explains a failure. If a stored measurement, or a measurement of
// these rows, supports the explanation, the statement deviates instead.
func (f Finding) Because(section string, shown ...Stored) Finding {
	f.because = &because{section, shown, false}
	return f
}

// Explained sets the section that explains the finding. The explanation is shown for every outcome.
func (f Finding) Explained(section string) Finding {
	f.because = &because{section, nil, true}
	return f
}

// explain turns a failure that a measurement explains into a deviation. A statement that does not fail has no cause.
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

// Timing returns the finding of a statement about speed, or about anything else that depends on the order in which
// goroutines run. The finding shows the measured numbers, but is always undecided, because the next run may show the
// opposite.
func Timing(statement, detail string, args ...any) Finding {
	return Judge(statement, false, false, detail+", measured on this machine", args...)
}

// Judge returns the finding of a test: Fails if the rows contradict the statement, Holds if the rows confirm the
// statement, and Undecided otherwise. The detail shows a missing number as a dash, like the tables.
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
