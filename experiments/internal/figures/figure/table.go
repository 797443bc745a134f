package figure

import (
	"fmt"

	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Table is a table of a report. The rows are structs that columns.Encode accepts, or come from Show or Lines.
type Table struct {
	Caption string
	Rows    any  // a slice of structs, or a *plots.Table
	Folded  bool // folded in the report until a reader opens it

	err    error // reason why there are no rows
	values []any // values for the verbs in the caption's section
}

// With returns the table with values for the verbs in the section of its caption (see package fmt).
func (t Table) With(values ...any) Table {
	t.values = values
	return t
}

// Column is a column of a table. It shows one value of each line of type L.
type Column[L any] struct {
	column plots.Column
	of     func(L) any
}

// Text shows a text of a line.
func Text[L any](head string, of func(L) string) Column[L] {
	return Column[L]{plots.Text(head), func(l L) any { return of(l) }}
}

// Whole shows a whole number of a line.
func Whole[L any](head, unit string, of func(L) int64) Column[L] {
	return Column[L]{plots.Whole(head, unit), func(l L) any { return of(l) }}
}

// Real shows a number of a line.
func Real[L any](head, unit string, of func(L) float64) Column[L] {
	return Column[L]{plots.Real(head, unit), func(l L) any { return columns.Round(of(l)) }}
}

// Show makes a table of rows. Each column is a word of a columns.View, or a Column[R].
func Show[R any](caption string, rows []R, columns ...any) Table {
	var list []Column[R]
	for _, c := range columns {
		if word, ok := c.(string); ok {
			c = field[R](word)
		}
		list = append(list, c.(Column[R]))
	}
	return Lines(caption, rows, list...)
}

// field returns the column that shows a field of a row. The field is named by a word of a columns.View.
func field[R any](word string) Column[R] {
	column, of := columns.Field[R](word)
	return Column[R]{column, of}
}

// Lines makes a table of lines. Plain returns an error if a head or text cannot be in a table.
func Lines[L any](caption string, list []L, cells ...Column[L]) Table {
	heads := lists.Map(cells, func(c Column[L]) plots.Column { return c.column })
	t, err := plots.NewTable(heads...)
	for _, l := range list {
		row := lists.Map(cells, func(c Column[L]) any { return c.of(l) })
		if err == nil {
			err = t.Append(row...)
		}
	}
	return Table{Rows: t, Caption: caption, err: err}
}

// Plain returns the rows.
func (t Table) Plain() (*plots.Table, error) {
	made, ok := t.Rows.(*plots.Table)
	err := t.err
	if !ok {
		made, err = columns.Of(t.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Caption, err)
	}
	return made, nil
}

// Reports converts tables to the tables of a report.
func Reports(tables []Table) ([]report.Table, error) {
	var list []report.Table
	for _, x := range tables {
		made, err := x.Plain()
		if err != nil {
			return nil, err
		}
		list = append(list, report.Table{Table: made, Caption: x.Caption, Folded: x.Folded})
	}
	return list, nil
}
