package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"pintlab/experiments/results/columns"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Of is the spec of a figure. R is the type of its rows, S the type of its settings at a scale.
type Of[S fmt.Stringer, R any] struct {
	Name, Title, Source, Claim string // as in Figure
	// Columns of the rows that rows.csv has; none for all of them as they are.
	Columns columns.View
	// Scales holds what the figure runs at each scale; String describes it.
	Scales map[Scale]S
	// As in Figure, but with rows of type R. Measure gets the settings of the scale.
	Measure func(context.Context, *Job, S) ([]R, error)
	Check   func([]R) []Finding
	Compare func([]R) []report.Compared // may be nil
	Answer  func([]R) Answer            // may be nil
	Tables  func([]R) []Table
	Draw    func([]R) ([]Drawing, error) // drawings without a footnote get that of the job
	Timed   []string
	Why     []string
}

// Figure returns the figure. It refuses stored rows that are not of type R, or that no measurement gives.
func (o Of[S, R]) Figure() Figure {
	f := Figure{Name: o.Name, Title: o.Title, Source: o.Source, Claim: o.Claim, Timed: o.Timed, Why: o.Why, Size: map[Scale]string{}}
	for s, z := range o.Scales {
		f.Size[s] = z.String()
	}
	f.Measure = func(ctx context.Context, j *Job) (View, error) {
		rows, err := o.Measure(ctx, j, o.Scales[j.Scale])
		if err != nil {
			return nil, err
		}
		t, err := columns.Encode(rows, o.Columns...)
		if err != nil {
			return nil, err
		}
		// From here on as a reader of the files would: with what CSV keeps.
		return &rowsOf[S, R]{&o, t, columns.Rounded(rows, o.Columns...)}, possible(t)
	}
	f.Read = func(t *plots.Table) (View, error) {
		rows, err := columns.Decode[R](t, o.Columns...)
		if err != nil {
			return nil, err
		}
		return &rowsOf[S, R]{&o, t, rows}, possible(t)
	}
	return f
}

// rowsOf is the View of a spec.
type rowsOf[S fmt.Stringer, R any] struct {
	spec  *Of[S, R]
	table *plots.Table
	list  []R
}

func (r *rowsOf[S, R]) Rows() *plots.Table { return r.table }

func (r *rowsOf[S, R]) Findings() []Finding { return r.spec.Check(r.list) }

func (r *rowsOf[S, R]) Compared() []report.Compared {
	if r.spec.Compare == nil {
		return nil
	}
	return r.spec.Compare(r.list)
}

func (r *rowsOf[S, R]) Answer() *Answer {
	if r.spec.Answer == nil {
		return nil
	}
	a := r.spec.Answer(r.list)
	return &a
}

func (r *rowsOf[S, R]) Tables() ([]report.Table, error) { return Reports(r.spec.Tables(r.list)) }

func (r *rowsOf[S, R]) Drawings(m *Manifest) ([]Drawing, error) {
	list, err := r.spec.Draw(r.list)
	for i := range list {
		p := &list[i].Plot
		p.Title, p.Footnote = cmp.Or(p.Title, list[i].Title), cmp.Or(p.Footnote, m.Footnote)
		err = errors.Join(err, list[i].err)
	}
	return list, err
}

// Pick returns the rows that keep chooses.
func Pick[R any](rows []R, keep func(*R) bool) (some []R) {
	for i := range rows {
		if keep(&rows[i]) {
			some = append(some, rows[i])
		}
	}
	return some
}

// Plot draws rows by one of the functions of package plots.
func Plot[R any](draw func(*plots.Table, plots.Mapping) (plots.Figure, error), rows []R, m plots.Mapping) (plots.Figure, error) {
	t, err := columns.Encode(rows)
	if err != nil {
		return plots.Figure{}, err
	}
	return draw(t, m)
}

// ByLength makes a panel against the length of the arrival window in seconds, with a line
// at the value that means no effect.
func ByLength(label, unit string, none float64) plots.Panel {
	return plots.Panel{
		X: plots.Axis{Label: "Length of the arrival window", Unit: plots.InSeconds, Scale: plots.Log},
		Y: plots.Axis{Label: label, Unit: unit, Scale: plots.Linear, Lines: []plots.RefLine{{At: none}}},
	}
}

// Find returns the first of the rows that is looked for; nil if there is none.
func Find[R any](rows []R, is func(*R) bool) *R {
	for i := range rows {
		if is(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// Groups divides rows into groups of one key each, in the order in which keys appear.
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
