package report

import (
	"errors"
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"pintlab/plots"
)

// The views are the page as the template takes it: every number formatted, every
// drawing drawn.
type pageView struct {
	*Page
	Style      template.CSS
	Sources    bool // some setting has a source
	FoldConfig bool
	Fold       bool         // the page has an answer, which the rest makes room for
	Main       []figureView // of the answer
	Sections   []sectionView
}

type sectionView struct {
	*Section
	ID          string
	Fold        bool
	Figures     []figureView
	Tables      []tableView
	Comparisons []comparisonView
}

type figureView struct {
	Number        int
	SVG           template.HTML
	Narrow        template.HTML // with the panels one below the other; empty if that is SVG
	Caption, Rows string
	Wide          bool
}

type tableView struct {
	Number  int
	Caption string
	Folded  bool
	Head    []cellView
	Rows    [][]cellView
}

type cellView struct {
	Text   string
	Number bool // to be set to the right
	Row    bool // names its row
}

type comparisonView struct {
	Number  int
	Caption string
	Rows    []comparedView
	Notes   bool // some row has a note
}

type comparedView struct {
	Quantity, Published, Ours, Interval, Deviation string
	Outcome                                        Mark
	Source, Note                                   string
}

// longConfig is the number of settings from which on they are folded.
const longConfig = 16

// view prepares the page, or says everything that is wrong with it.
func (p *Page) view() (*pageView, error) {
	v := &pageView{Page: p, Style: template.CSS(style + darkStyle()), FoldConfig: len(p.Config) >= longConfig}
	c := &checker{}
	if strings.TrimSpace(p.Title) == "" {
		c.errs = append(c.errs, errors.New("no title"))
	}
	c.text("title", p.Title)
	c.text("subtitle", p.Subtitle)
	c.text("footer", p.Footer)
	for i, d := range p.Verdicts {
		where := fmt.Sprintf("verdict %d", i+1)
		c.text(where, d.Text)
		c.outcome(where, d.Outcome)
	}
	for _, s := range p.Config {
		c.text(fmt.Sprintf("setting %q", s.Key), s.Key, s.Value, s.Source)
		v.Sources = v.Sources || s.Source != ""
	}
	if a := p.Answer; a != nil {
		v.Fold, v.FoldConfig = true, true
		v.Main = c.answer(a)
	}
	for i := range p.Sections {
		v.Sections = append(v.Sections, c.section(&p.Sections[i], i+1))
		v.Sections[i].Fold = v.Fold
	}
	if err := errors.Join(c.errs...); err != nil {
		return nil, fmt.Errorf("report: bad page: %w", err)
	}
	return v, nil
}

// checker collects what is wrong, and counts figures and tables.
type checker struct {
	errs            []error
	figures, tables int
}

func (c *checker) text(where string, texts ...string) {
	for _, s := range texts {
		if err := checkText(s); err != nil {
			c.errs = append(c.errs, fmt.Errorf("%s: %w", where, err))
		}
	}
}

func (c *checker) outcome(where string, o Mark) {
	switch o {
	case Neutral, Holds, Deviates, Fails:
	default:
		c.errs = append(c.errs, fmt.Errorf("%s: outcome %q, want holds, deviates, fails or none", where, o))
	}
}

// answer prepares the drawings of an answer.
func (c *checker) answer(a *Answer) (list []figureView) {
	c.text("answer", a.Text...)
	c.text("answer: table", append(a.Grid.Head, a.Grid.Caption)...)
	for _, g := range a.Grid.Groups {
		c.text("answer: table", g.Title)
		for _, row := range g.Rows {
			if len(row) != len(a.Grid.Head) {
				c.errs = append(c.errs, fmt.Errorf("answer: table %q: a row of %d cells, want %d", g.Title, len(row), len(a.Grid.Head)))
			}
			for _, cell := range row {
				c.text("answer: table", cell.Text, cell.Detail)
			}
		}
	}
	for i := range a.Figures {
		list = append(list, c.figure(fmt.Sprintf("answer: figure %d", i+1), &a.Figures[i]))
	}
	return list
}

func (c *checker) section(s *Section, number int) sectionView {
	where := fmt.Sprintf("section %q", s.Title)
	v := sectionView{Section: s, ID: fmt.Sprintf("section-%d", number)}
	c.text(where, s.Title)
	c.text(where, s.Text...)
	c.text(where, s.Notes...)
	for _, d := range s.Commands {
		c.text(where+": command", d.Text, d.Line)
	}
	for i := range s.Figures {
		v.Figures = append(v.Figures, c.figure(fmt.Sprintf("%s: figure %d", where, i+1), &s.Figures[i]))
	}
	for i, t := range s.Tables {
		at := fmt.Sprintf("%s: table %d", where, i+1)
		c.tables++
		c.text(at, t.Caption)
		if t.Table == nil {
			c.errs = append(c.errs, fmt.Errorf("%s: no table", at))
			continue
		}
		v.Tables = append(v.Tables, viewTable(t, c.tables))
	}
	for i, d := range s.Comparisons {
		v.Comparisons = append(v.Comparisons, c.comparison(fmt.Sprintf("%s: comparison %d", where, i+1), d))
	}
	return v
}

func (c *checker) figure(where string, f *Figure) figureView {
	c.figures++
	c.text(where, f.Caption, f.Rows)
	svg, err := plots.Inline(&f.Plot)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%s: %w", where, err))
	}
	v := figureView{
		Number: c.figures, Caption: f.Caption, Rows: f.Rows,
		// Inline has escaped every text in it.
		SVG:  template.HTML(svg),
		Wide: f.Plot.Wide(),
	}
	if v.Wide && len(f.Plot.Panels) > 1 {
		narrow := f.Plot
		narrow.Columns, narrow.Width = 1, 0
		svg, err := plots.Inline(&narrow)
		if err != nil {
			c.errs = append(c.errs, fmt.Errorf("%s: %w", where, err))
		}
		v.Narrow = template.HTML(svg)
	}
	return v
}

func (c *checker) comparison(where string, d Comparison) comparisonView {
	c.tables++
	c.text(where, d.Caption)
	for _, r := range d.Rows {
		row := fmt.Sprintf("%s: %q", where, r.Quantity)
		c.text(row, r.Quantity, r.Unit, r.Source, r.Note)
		c.outcome(row, r.Outcome)
	}
	return viewComparison(d, c.tables)
}

// checkText refuses what HTML cannot hold. Line ends and tabs may stand in
// commands.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%q is not valid UTF-8", s)
	}
	bad := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\ufffe' || r == '\uffff'
	}
	if strings.ContainsFunc(s, bad) {
		return fmt.Errorf("%q has a control character", s)
	}
	return nil
}

func viewTable(t Table, number int) tableView {
	v := tableView{Number: number, Caption: t.Caption, Folded: t.Folded}
	columns := t.Table.Columns()
	for _, c := range columns {
		v.Head = append(v.Head, cellView{Text: c.Title(), Number: c.Kind != plots.String})
	}
	for _, row := range t.Table.Cells() {
		cells := make([]cellView, len(row))
		for i, s := range row {
			number := columns[i].Kind != plots.String
			cells[i] = cellView{Text: s, Number: number, Row: i == 0 && !number}
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

func viewComparison(c Comparison, number int) comparisonView {
	v := comparisonView{Number: number, Caption: c.Caption}
	for _, r := range c.Rows {
		row := comparedView{
			Quantity:  r.Quantity,
			Published: plots.FormatValue(r.Published, r.Unit, 4),
			Ours:      plots.FormatValue(r.Ours, r.Unit, 4),
			Deviation: deviation(r),
			Outcome:   r.Outcome, Source: r.Source, Note: r.Note,
		}
		if r.Lo != r.Hi && !math.IsNaN(r.Lo) && !math.IsNaN(r.Hi) {
			row.Interval = plots.FormatValue(r.Lo, r.Unit, 3) + " to " + plots.FormatValue(r.Hi, r.Unit, 3)
		}
		v.Notes = v.Notes || r.Note != ""
		v.Rows = append(v.Rows, row)
	}
	return v
}

// deviation is how far ours is from the published value: in percent of it, or as
// a difference where percents would mislead (the values are percentages
// themselves, or the published one is zero).
func deviation(r Compared) string {
	d := r.Ours - r.Published
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "–"
	case r.Unit == "%":
		return signed(d, 1) + " points"
	case r.Published == 0:
		if d > 0 {
			return "+" + plots.FormatValue(d, r.Unit, 3)
		}
		return plots.FormatValue(d, r.Unit, 3)
	}
	return signed(100*d/math.Abs(r.Published), 1) + " %"
}

// signed prints v with its sign; what rounds to zero has none.
func signed(v float64, decimals int) string {
	s := fmt.Sprintf("%.*f", decimals, math.Abs(v))
	switch {
	case strings.Trim(s, "0.") == "":
		return s
	case v < 0:
		return "−" + s
	}
	return "+" + s
}
