package report

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// pageView is the page in the form in which it is printed: every number is formatted and every figure is drawn. The
// other views are parts of it.
type pageView struct {
	*Page
	Style      markup
	Sources    bool // a setting has a source
	FoldConfig bool
	Main       []figureView // drawings of the answer
	Summary    []verdictView
	Sections   []sectionView
	Footnotes  Footnotes
}

type sectionView struct {
	*Section
	ID          string
	Figures     []figureView
	Tables      []tableView
	Verdicts    []verdictView
	Comparisons []comparisonView
}

type figureView struct {
	Number        int
	SVG           markup
	Narrow        markup // the drawing with its panels one below the other; empty if SVG already has this layout
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
	Number bool // the cell is a number, which is right-aligned
	Row    bool // the cell names its row
}

type verdictView struct {
	Verdict
	Note int // number of the note
}

type comparisonView struct {
	Number  int
	Caption string
	Sources bool // the rows have different sources
	Rows    []comparedView
}

type comparedView struct {
	Quantity, Published, Agreeing, Ours, Interval, Deviation string
	Outcome                                                  Mark
	Cause                                                    Cause
	Source                                                   string
	Note                                                     int // number of the note
}

// longConfig is a number of settings. A configuration with at least as many settings is folded.
const longConfig = 16

// view prepares the page, or reports all problems with it.
func (p *Page) view() (*pageView, error) {
	v := &pageView{Page: p, Style: markup(style + darkStyle()),
		FoldConfig: p.Answer != nil || len(p.Config) >= longConfig}
	// Line breaks and tabs may occur in commands.
	c := &composer{errs: plots.CheckTexts(p, "\n\t")}
	if strings.TrimSpace(p.Title) == "" {
		c.errs = append(c.errs, errors.New("no title"))
	}
	v.Sources = slices.ContainsFunc(p.Config, func(s Setting) bool { return s.Source != "" })
	if a := p.Answer; a != nil {
		v.Main = c.all("answer", a.Figures)
	}
	v.Summary = c.verdicts(p.Verdicts)
	for i := range p.Sections {
		v.Sections = append(v.Sections, c.section(&p.Sections[i], i+1))
	}
	v.Footnotes = c.notes
	if err := errors.Join(c.errs...); err != nil {
		return nil, fmt.Errorf("report: bad page: %w", err)
	}
	return v, nil
}

// composer draws the figures, collects problems and footnotes, and counts figures and tables.
type composer struct {
	errs            []error
	notes           Footnotes
	figures, tables int
}

func (c *composer) section(s *Section, number int) sectionView {
	v := sectionView{Section: s, ID: fmt.Sprintf("section-%d", number), Verdicts: c.verdicts(s.Verdicts)}
	v.Figures = c.all(fmt.Sprintf("section %q", s.Title), s.Figures)
	for _, t := range s.Tables {
		c.tables++
		v.Tables = append(v.Tables, viewTable(t, c.tables))
	}
	for _, d := range s.Comparisons {
		v.Comparisons = append(v.Comparisons, c.comparison(d))
	}
	return v
}

func (c *composer) verdicts(list []Verdict) []verdictView {
	return lists.Map(list, func(v Verdict) verdictView { return verdictView{v, c.notes.Number(v.Note)} })
}

func (c *composer) all(where string, figures []Figure) (list []figureView) {
	for i := range figures {
		list = append(list, c.figure(fmt.Sprintf("%s: figure %d", where, i+1), &figures[i]))
	}
	return list
}

func (c *composer) figure(where string, f *Figure) figureView {
	c.figures++
	inline := func(p *plots.Figure) markup {
		svg, err := plots.Inline(p)
		if err != nil {
			c.errs = append(c.errs, fmt.Errorf("%s: %w", where, err))
		}
		return markup(svg) // Inline has already escaped every text in it.
	}
	v := figureView{Number: c.figures, Caption: f.Caption, Rows: f.Rows, SVG: inline(&f.Plot), Wide: f.Plot.Wide()}
	if v.Wide {
		narrow := f.Plot
		narrow.Columns, narrow.Width = 1, 0
		v.Narrow = inline(&narrow)
	}
	return v
}

// quantity matches a number with an optional unit: "~4.65 ms". noQuantity matches a cell without a number.
var (
	quantity   = regexp.MustCompile(`^[~<>]?[−+-]?[0-9][0-9,.]*( ?[^ 0-9]+)?$`)
	noQuantity = regexp.MustCompile(`^[–-]?$`)
)

func viewTable(t Table, number int) tableView {
	v := tableView{Number: number, Caption: t.Caption, Folded: t.Folded}
	columns, rows := t.Table.Columns(), t.Table.Cells()
	for i, head := range t.Table.Heads() {
		number := columns[i].Kind != plots.String
		if !number && i > 0 { // the first column names the rows
			values := lists.Keep(rows, func(row []string) bool { return !noQuantity.MatchString(row[i]) })
			number = len(values) > 0 &&
				!slices.ContainsFunc(values, func(row []string) bool { return !quantity.MatchString(row[i]) })
		}
		v.Head = append(v.Head, cellView{Text: head, Number: number})
	}
	for _, row := range rows {
		cells := make([]cellView, len(row))
		for i, s := range row {
			number := v.Head[i].Number
			cells[i] = cellView{Text: s, Number: number, Row: i == 0 && !number}
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

func (c *composer) comparison(d Comparison) comparisonView {
	c.tables++
	v := comparisonView{Number: c.tables, Caption: d.Caption}
	for _, r := range d.Rows {
		v.Sources = v.Sources || r.Source != d.Rows[0].Source
		published, agreeing := r.printed()
		v.Rows = append(v.Rows, comparedView{
			Quantity:  r.What(),
			Published: published, Agreeing: agreeing,
			Ours:      number.Format(r.Ours, r.Unit, 4),
			Deviation: deviation(r),
			Interval:  r.Interval(),
			Outcome:   r.Outcome, Cause: r.Cause, Source: r.Source, Note: c.notes.Number(r.Note),
		})
	}
	return v
}

// deviation returns how far our value is from the published value, in percent of the published value. If percent
// would be misleading, because the values are percentages or the published value is zero, it returns the difference.
func deviation(r Compared) string {
	d := r.Ours - r.Published
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "–"
	case r.Unit == "%":
		return number.Change(d, 1) + " points"
	case r.Published == 0:
		if d > 0 {
			return "+" + number.Format(d, r.Unit, 3)
		}
		return number.Format(d, r.Unit, 3)
	}
	return number.Change(100*d/math.Abs(r.Published), 1) + " %"
}
