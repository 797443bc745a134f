package report

import (
	"fmt"
	"math"
	"slices"

	"pintlab/internal/number"
	"pintlab/plots"
)

// Page is the content of a report, in the order in which it is read. Texts are plain: the page shows markup in a
// text as text.
type Page struct {
	Title    string
	Subtitle string
	// Warnings put the whole page in doubt and come first.
	Warnings []string
	// Answer opens the page. It may be nil.
	Answer *Answer
	// Verdicts summarise the findings.
	Verdicts []Verdict
	Sections []Section
	// Config is the configuration that produced these results.
	Config []Setting
	// Footer is the last line: program and version.
	Footer string
}

// Answer is the beginning of a page: sentences, schemes side by side, the main drawings.
type Answer struct {
	Text    []string
	Grid    Grid
	Figures []Figure
}

// Grid is a table whose cells are shaded by their meaning.
type Grid struct {
	Caption string
	Head    []string
	Groups  []GridGroup
}

// leans reports whether some number is better or worse than another one.
func (g *Grid) leans() bool {
	for _, group := range g.Groups {
		for _, row := range group.Rows {
			if slices.ContainsFunc(row, func(c GridCell) bool { return c.Lean != Even }) {
				return true
			}
		}
	}
	return false
}

// GridGroup is a group of rows below a title.
type GridGroup struct {
	Title string
	Rows  [][]GridCell // the first cell of a row names the row
}

// GridCell is a number, and how it differs from another number.
type GridCell struct {
	Text   string
	Detail string
	Lean   Lean
	Sure   bool // the difference is significant
}

// Lean is the direction in which a number differs.
type Lean string

// The ways.
const (
	Even   Lean = ""
	Better Lean = "better"
	Worse  Lean = "worse"
)

// Mark is how a statement is marked.
type Mark string

// The marks. The zero Mark is a statement without judgement.
const (
	Neutral    Mark = ""
	Holds      Mark = "holds"
	Deviates   Mark = "deviates"
	Fails      Mark = "fails"
	Undecided  Mark = "undecided"    // the interval is partly outside the values that agree
	Unmeasured Mark = "not measured" // we have no number
)

// Verdict is a statement together with the evidence in the rows for or against it.
type Verdict struct {
	Outcome Mark
	Text    string
	Note    string // a footnote
}

// Setting is one line of the configuration.
type Setting struct {
	Key   string
	Value string
	// Source is the origin of the value, such as a section of a document.
	Source string
}

// Section is one chapter of the report. Its parts come in the order of the
// fields.
type Section struct {
	Title       string
	Text        []string // paragraphs
	Figures     []Figure
	Tables      []Table
	Verdicts    []Verdict
	Comparisons []Comparison
	Notes       []string
	Commands    []Command
}

// Figure is a drawing with its caption.
type Figure struct {
	Plot    plots.Figure
	Caption string
	// Rows is the path of the plotted rows, relative to the report; it becomes a
	// link.
	Rows string
}

// Table is a table with its caption.
type Table struct {
	Table   *plots.Table
	Caption string
	// Folded tables are closed until the reader opens them.
	Folded bool
}

// Command is a command to copy.
type Command struct {
	Text string // what it does
	Line string // the command, which may run over several lines
}

// Comparison is a table of our values next to published ones.
type Comparison struct {
	Caption string
	Rows    []Compared
}

// Compared is one of our values next to the published value.
type Compared struct {
	Quantity string
	// Reading describes how we read the quantity. It is set if another row uses the paper's own words, for example
	// "as in the published code".
	Reading string
	// Unit of both values, as on the axes of figures ("s", "B", "b/s", "%").
	Unit      string
	Published float64 // NaN if the paper gives no number
	// From and To bound the numbers that agree with the published number. One of them is infinite if the paper gives
	// only a bound. Within states the reason.
	From, To float64
	Within   string
	Ours     float64 // NaN if we have none
	// Lo and Hi are the ends of our interval, or NaN if there is no interval. They are equal if all runs agree. Over
	// describes the sample, such as "5 seeds".
	Lo, Hi  float64
	Over    string
	Outcome Mark
	// Source is the place in the paper: figure, table, section.
	Source string
	// Cause is the kind of reason why Ours deviates, and Note explains the reason.
	Cause Cause
	Note  string
}

// Footnotes numbers notes. A note that applies to several numbers is shown only once.
type Footnotes []string

// Mark returns the number of a note in brackets, such as "(1)". It is empty for an empty note.
func (f *Footnotes) Mark(note string) string {
	if n := f.Number(note); n > 0 {
		return fmt.Sprintf("(%d)", n)
	}
	return ""
}

// Number returns the number of a note, or 0 for an empty note.
func (f *Footnotes) Number(note string) int {
	if note == "" {
		return 0
	}
	if !slices.Contains(*f, note) {
		*f = append(*f, note)
	}
	return slices.Index(*f, note) + 1
}

// What returns the quantity, and how we read it if that is stated.
func (c *Compared) What() string {
	if c.Reading == "" {
		return c.Quantity
	}
	return c.Quantity + ", " + c.Reading
}

// Printed returns the published number and the numbers that agree with it.
func (c *Compared) Printed() string {
	p, agreeing := c.printed()
	if agreeing != "" {
		p += " (" + agreeing + ")"
	}
	return p
}

// printed returns the published number. If this number does not show which values agree with it, printed also
// returns these values.
func (c *Compared) printed() (value, agreeing string) {
	format := func(v float64) string { return number.Format(v, c.Unit, 4) }
	p := format(c.Published)
	switch {
	case math.IsInf(c.From, -1):
		return "at most " + p, ""
	case math.IsInf(c.To, 1) && c.From < c.Published:
		return "at least " + p, "from " + format(c.From)
	case math.IsInf(c.To, 1):
		return "at least " + p, ""
	case c.From < c.To:
		return p, format(c.From) + " to " + format(c.To)
	}
	return p, ""
}

// Interval returns our interval, or "" if there is none. The interval may be a single number, if all runs agree.
func (c *Compared) Interval() string {
	switch {
	case math.IsNaN(c.Ours) || math.IsNaN(c.Lo) || math.IsNaN(c.Hi):
		return ""
	case c.Lo == c.Hi:
		return number.Format(c.Lo, c.Unit, 4)
	}
	return number.Format(c.Lo, c.Unit, 4) + " to " + number.Format(c.Hi, c.Unit, 4)
}
