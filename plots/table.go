package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/rules"
)

// Kind is the type of a column.
type Kind uint8

// The kinds.
const (
	String Kind = iota
	Int
	Float
)

var kindNames = [...]string{"string", "int", "float"}

// String returns the name of the kind in a CSV header.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Column describes one column of a table.
type Column struct {
	// Name is how programs find the column. It has no colon.
	Name string
	Kind Kind
	// Unit is the unit of the values, such as "B" or "%"; empty for text and for
	// plain numbers.
	Unit string
}

// Text describes a column of text.
func Text(name string) Column { return Column{Name: name, Kind: String} }

// Whole describes a column of integers.
func Whole(name, unit string) Column { return Column{Name: name, Kind: Int, Unit: unit} }

// Real describes a column of real numbers.
func Real(name, unit string) Column { return Column{Name: name, Kind: Float, Unit: unit} }

// Title returns the column's heading for people: its name and unit.
func (c Column) Title() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + number.Unit(c.Unit) + ")"
}

// Table is a tidy table: a row for each observation, a column for each variable, and one type per column. A missing
// real number is NaN; text and integers are never missing. Make a Table with NewTable or ReadCSV.
type Table struct {
	// Note describes how the rows were made, and what bars mean in drawings of the rows. It is the description in
	// the schema.
	Note string

	columns []Column
	data    []cells
	rows    int
}

// cells holds the values of one column. Only the slice for its kind is used.
type cells struct {
	text  []string
	whole []int64
	real  []float64
	marks map[int]string // marks of real numbers, by row
}

// Marked is a real number with a mark in front for readers, such as ~ if the number is uncertain. Files with exact
// numbers lack the mark.
type Marked struct {
	Value float64
	Mark  string
}

// NewTable makes an empty table. Column names must be different, not empty, and without a colon.
func NewTable(columns ...Column) (*Table, error) {
	var errs rules.Broken
	errs.If(len(columns) == 0, "no columns")
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		switch {
		case c.Name == "":
			errs = append(errs, fmt.Errorf("column %d has no name", i+1))
		case strings.ContainsRune(c.Name, ':'):
			errs = append(errs, fmt.Errorf("column %d: name %q, want a name without a colon", i+1, c.Name))
		case seen[c.Name]:
			errs = append(errs, fmt.Errorf("column %d: a second %q", i+1, c.Name))
		case seen[c.Heading()]:
			errs = append(errs, fmt.Errorf("column %d: a second column %q (the name %q with its "+
				"unit)", i+1, c.Heading(),
				c.Name))
		}
		seen[c.Name], seen[c.Heading()] = true, true
		errs.If(c.Kind > Float, "column %q: unknown %s", c.Name, c.Kind)
		for _, s := range []string{c.Name, c.Unit} {
			if err := CheckText(s); err != nil {
				errs = append(errs, fmt.Errorf("column %d: %w", i+1, err))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("plots: bad table: %w", err)
	}
	return &Table{columns: slices.Clone(columns), data: make([]cells, len(columns))}, nil
}

// Columns returns the columns from left to right.
func (t *Table) Columns() []Column { return slices.Clone(t.columns) }

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Append adds a row. A text column takes a string, an integer column an int or int64, a real column a float64, int,
// int64 or Marked. On an error the table is unchanged.
func (t *Table) Append(row ...any) error {
	if len(row) != len(t.columns) {
		return fmt.Errorf("plots: row %d has %s for %s", t.rows+1, number.Count(len(row), "value"),
			number.Count(len(t.columns), "column"))
	}
	for i, v := range row {
		if err := t.columns[i].check(v); err != nil {
			return fmt.Errorf("plots: row %d, column %q: %w", t.rows+1, t.columns[i].Name, err)
		}
	}
	for i, v := range row {
		t.data[i].add(t.columns[i].Kind, v)
	}
	t.rows++
	return nil
}

// check reports whether v is allowed in the column.
func (c Column) check(v any) error {
	switch v := v.(type) {
	case string:
		if c.Kind == String {
			return CheckText(v)
		}
	case int, int64:
		if c.Kind == Int || c.Kind == Float {
			return nil
		}
	case float64:
		if c.Kind == Float {
			return nil
		}
	case Marked:
		if c.Kind == Float {
			return CheckText(v.Mark)
		}
	}
	return fmt.Errorf("%v is a %T, want a %s", v, v, c.Kind)
}

func (d *cells) add(k Kind, v any) {
	switch k {
	case String:
		d.text = append(d.text, v.(string))
	case Int:
		d.whole = append(d.whole, int64Of(v))
	case Float:
		switch v := v.(type) {
		case float64:
			d.real = append(d.real, v)
		case Marked:
			d.addMarked(v)
		default:
			d.real = append(d.real, float64(int64Of(v)))
		}
	}
}

func (d *cells) addMarked(m Marked) {
	if m.Mark != "" {
		if d.marks == nil {
			d.marks = map[int]string{}
		}
		d.marks[len(d.real)] = m.Mark
	}
	d.real = append(d.real, m.Value)
}

func int64Of(v any) int64 {
	if i, ok := v.(int); ok {
		return int64(i)
	}
	return v.(int64)
}

// Has reports whether the table has a column of that name.
func (t *Table) Has(name string) bool { return t.Index(name) >= 0 }

// Index returns the number of the column of that name, or -1.
func (t *Table) Index(name string) int {
	return slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == name })
}

func (t *Table) column(name string, kinds ...Kind) (int, error) {
	i := t.Index(name)
	if i < 0 {
		names := lists.Map(t.columns, func(c Column) string { return c.Name })
		return 0, fmt.Errorf("plots: no column %q (there are: %s)", name, strings.Join(names, ", "))
	}
	if !slices.Contains(kinds, t.columns[i].Kind) {
		return 0, fmt.Errorf("plots: column %q is %s, want %s", name, t.columns[i].Kind, kinds[0])
	}
	return i, nil
}

// Texts returns the values of a text column.
func (t *Table) Texts(name string) ([]string, error) {
	i, err := t.column(name, String)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.data[i].text), nil
}

// Wholes returns the values of an integer column.
func (t *Table) Wholes(name string) ([]int64, error) {
	i, err := t.column(name, Int)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.data[i].whole), nil
}

// Reals returns the values of a real or an integer column.
func (t *Table) Reals(name string) ([]float64, error) {
	i, err := t.column(name, Float, Int)
	if err != nil {
		return nil, err
	}
	if t.columns[i].Kind == Float {
		return slices.Clone(t.data[i].real), nil
	}
	out := make([]float64, t.rows)
	for j, v := range t.data[i].whole {
		out[j] = float64(v)
	}
	return out, nil
}

// Exact returns the text of a cell in full: integers in decimal, real numbers with the fewest digits that read back as
// the same number.
func (t *Table) Exact(row, col int) string {
	d := &t.data[col]
	switch t.columns[col].Kind {
	case Int:
		return strconv.FormatInt(d.whole[row], 10)
	case Float:
		return formatReal(d.real[row])
	default:
		return d.text[row]
	}
}

// formatReal returns the shortest decimal that reads back as v. It uses plain notation if that is easy to read.
func formatReal(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Where returns a new table with the rows for which keep returns true, in the same order.
func (t *Table) Where(keep func(row int) bool) *Table {
	out := &Table{Note: t.Note, columns: t.columns, data: make([]cells, len(t.columns))}
	for r := range t.rows {
		if !keep(r) {
			continue
		}
		for i := range t.columns {
			d, o := &t.data[i], &out.data[i]
			switch t.columns[i].Kind {
			case String:
				o.text = append(o.text, d.text[r])
			case Int:
				o.whole = append(o.whole, d.whole[r])
			case Float:
				o.addMarked(Marked{d.real[r], d.marks[r]})
			}
		}
		out.rows++
	}
	return out
}

// With returns the table with additional columns of text in front of the other columns.
func (t *Table) With(names []string, value func(row, column int) string) (*Table, error) {
	out, err := NewTable(slices.Concat(lists.Map(names, Text), t.columns)...)
	if err != nil {
		return nil, err
	}
	for i := range names {
		for r := range t.rows {
			out.data[i].text = append(out.data[i].text, value(r, i))
		}
	}
	copy(out.data[len(names):], t.data)
	out.rows, out.Note = t.rows, t.Note
	return out, nil
}
