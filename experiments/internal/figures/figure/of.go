package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Of is the spec of a figure. R is the type of the rows, and S is the type of the settings at a scale. A spec whose
// rows are of type study.Row is called a Spec.
type Of[S fmt.Stringer, R any] struct {
	Name string // as in Figure
	// Files contains the files of the paper. The figure's folder in Files contains the text of the figure, figure.md
	// (Words), and the lines of published.csv (Published) and claims.csv (Claim).
	Files fs.FS
	// Columns lists the columns of the rows that rows.csv contains. If it is empty, rows.csv contains all columns.
	Columns columns.View
	// Scales contains the settings for each scale. Their method String describes what the figure runs.
	Scales map[Scale]S
	// Measure makes the rows with the settings of the scale.
	Measure func(context.Context, *Job, S) ([]R, error)
	// Points converts the rows to numbers in panels, for charts and published numbers. Points is nil if R is
	// study.Row.
	Points func([]R) []study.Row
	// Charts lists charts. A report shows their drawings and tables before the results of Draw and Tables.
	Charts []Chart
	// Claims contains further kinds of claims for claims.csv. A function receives the claim's line and the rows.
	Claims Kinds[R]
	Check  func([]R) []Finding // returns further findings; may be nil
	// Ours contains the functions that published.csv names.
	Ours map[string]Ours[R]
	// Values maps sections of the text to functions that return the values for the verbs in the section. The sections
	// are those that the column `note` of published.csv names.
	Values map[string]func([]R) []any
	Answer func([]R) Answer  // may be nil
	Tables func([]R) []Table // likewise
	Draw   func([]R) ([]Drawing, error)
	Timed  []string
}

// Kinds maps the kinds of claims of a figure to functions, by their names in claims.csv.
type Kinds[R any] map[string]func(*Claim, []R) Finding

// Spec is the spec of a figure whose rows are rows of a study.
type Spec[S fmt.Stringer] = Of[S, study.Row]

// Figure returns the figure of the spec. The figure refuses stored rows that do not have type R, or that cannot
// result from a measurement.
func (o Of[S, R]) Figure() Figure {
	f := Figure{Name: o.Name, Timed: o.Timed, Size: map[Scale]string{}}
	spec := &specOf[S, R]{Of: o}
	if o.Files != nil {
		t := readText(o.Name, o.Files)
		spec.text = t
		if t.has(footnoteSection) {
			spec.footnote = t.section(footnoteSection)
		}
		f.Title, f.Source, f.Claim, f.Why, f.Words = t.Title, t.Source, t.Claim, t.Why, t
	}
	// The following files are read when they are first used, because every command of the program lists all figures.
	spec.published = sync.OnceValue(func() []Published { return PublishedOf(o.Name, o.Files) })
	spec.claims = sync.OnceValue(func() []Claim { return claimsOf(o.Name, o.Files, o.Claims) })
	f.headlines = sync.OnceValue(func() []headline { return linesIn[headline](o.Name, o.Files, headlinesFile) })
	for s, z := range o.Scales {
		f.Size[s] = z.String()
	}
	f.Measure = func(ctx context.Context, j *Job) (View, error) {
		rows, err := o.Measure(ctx, j, o.Scales[j.Scale])
		if err != nil {
			return nil, err
		}
		if spec.footnote != "" {
			j.Footnote("%s", spec.footnote)
		}
		t, err := columns.Encode(rows, o.Columns...)
		if err != nil {
			return nil, err
		}
		// From here on, use the values that a reader of the CSV file sees.
		return &rowsOf[S, R]{spec, t, columns.Rounded(rows, o.Columns...)}, possible(t)
	}
	f.Read = func(t *plots.Table) (View, error) {
		rows, err := columns.Decode[R](t, o.Columns...)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if bounded, is := any(&rows[i]).(interface{ Cut() }); is {
				bounded.Cut()
			}
		}
		return &rowsOf[S, R]{spec, t, rows}, possible(t)
	}
	return f
}

// specOf is a spec with the content of its files.
type specOf[S fmt.Stringer, R any] struct {
	Of[S, R]
	text      *Words // nil if there are no files
	footnote  string // footnote of every job; "" if Measure sets it
	published func() []Published
	claims    func() []Claim
}

// title returns the title for drawings that have no title.
func (s *specOf[S, R]) title() string {
	if s.text == nil {
		return ""
	}
	return s.text.Title
}

// rowsOf is a View of rows of type R.
type rowsOf[S fmt.Stringer, R any] struct {
	spec  *specOf[S, R]
	table *plots.Table
	list  []R
}

func (r *rowsOf[S, R]) Rows() *plots.Table { return r.table }

func (r *rowsOf[S, R]) Findings() []Finding {
	var list []Finding
	claims := r.spec.claims()
	for i := range claims {
		c := &claims[i]
		if own := r.spec.Claims[c.Kind]; own != nil {
			list = append(list, c.named(own(c, r.list)))
		} else {
			list = append(list, c.judge(r.points())...)
		}
	}
	if r.spec.Check != nil {
		list = append(list, r.spec.Check(r.list)...)
	}
	for i := range list {
		list[i].explain(r.spec.text)
	}
	return list
}

func (r *rowsOf[S, R]) Compared() []report.Compared {
	s := r.spec
	return compared(s.text, s.published(), r.list, r.points(), s.Ours, func(section string) []any {
		if of := s.Values[section]; of != nil {
			return of(r.list)
		}
		return nil
	})
}

// points returns the rows as numbers in panels.
func (r *rowsOf[S, R]) points() []study.Row {
	if r.spec.Points != nil {
		return r.spec.Points(r.list)
	}
	list, _ := any(r.list).([]study.Row)
	return list
}

func (r *rowsOf[S, R]) Answer() *Answer {
	if r.spec.Answer == nil {
		return nil
	}
	a := r.spec.Answer(r.list)
	return &a
}

func (r *rowsOf[S, R]) Tables() ([]report.Table, error) {
	var list []Table
	for _, c := range r.spec.Charts {
		list = append(list, c.tables(r.points())...)
	}
	if r.spec.Tables != nil {
		own := r.spec.Tables(r.list)
		for i := range own {
			own[i].Caption = r.caption(own[i].Caption, own[i].values)
		}
		list = append(list, own...)
	}
	return Reports(list)
}

func (r *rowsOf[S, R]) Drawings(m *Manifest) (list []Drawing, err error) {
	for _, c := range r.spec.Charts {
		list = append(list, c.drawing(r.points(), r.spec.published()))
	}
	if r.spec.Draw != nil {
		var own []Drawing
		own, err = r.spec.Draw(r.list)
		for i := range own {
			mark(&own[i].Plot, r.spec.published())
		}
		list = append(list, own...)
	}
	for i := range list {
		d := &list[i]
		if r.spec.text != nil {
			d.Caption = cmp.Or(d.Caption, d.Name)
		}
		d.Caption = r.caption(d.Caption, nil)
		d.Plot.Title = cmp.Or(d.Plot.Title, d.Title, r.spec.title())
		// The bars also need an explanation if the rows have no manifest.
		d.Plot.Footnote = cmp.Or(d.Plot.Footnote, m.Footnote, r.table.Note, r.spec.footnote)
		err = errors.Join(err, d.err)
	}
	return list, err
}

// caption returns the text of a caption's section, with the values filled in.
func (r *rowsOf[S, R]) caption(section string, values []any) string {
	if r.spec.text == nil {
		return section
	}
	return r.spec.text.section(section, values...)
}

// Pick returns the rows for which `keep` returns true.
func Pick[R any](rows []R, keep func(*R) bool) (some []R) {
	for i := range rows {
		if keep(&rows[i]) {
			some = append(some, rows[i])
		}
	}
	return some
}

// ByLength makes a panel whose x axis is the length of the arrival window in seconds. A line marks `none`, the value
// that means no effect.
func ByLength(label, unit string, none float64) plots.Panel {
	return plots.Panel{
		X: plots.Axis{Label: "Length of the arrival window", Unit: plots.InSeconds, Scale: plots.Log},
		Y: plots.Axis{Label: label, Unit: unit, Scale: plots.Linear, Lines: []plots.RefLine{{At: none}}},
	}
}

// Find returns the first row for which `is` returns true, or nil.
func Find[R any](rows []R, is func(*R) bool) *R {
	for i := range rows {
		if is(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// Groups divides rows into groups with equal keys. Groups are in the order in which their keys first appear.
func Groups[G ~[]R, R any, K comparable](rows []R, key func(*R) K) []G {
	var list []G
	at := map[K]int{}
	for i := range rows {
		k := key(&rows[i])
		if _, ok := at[k]; !ok {
			at[k] = len(list)
			list = append(list, nil)
		}
		list[at[k]] = append(list[at[k]], rows[i])
	}
	return list
}
