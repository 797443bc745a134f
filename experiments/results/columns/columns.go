// Package columns converts structs to table rows and back. The tags of a struct's fields define the columns. The rows
// of rows.csv are made in this way.
package columns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// digits is the number of significant digits in rows. In logarithms and sums, further digits could differ between
// processors.
const digits = 6

// View selects columns of a struct for a table, in order. A word of the view has one of four forms: COLUMN selects a
// column; NAME=COLUMN also renames it; NAME:UNIT=COLUMN also sets the unit, for a column without a unit; and
// NAME:=COLUMN removes the unit. The empty view selects all columns unchanged.
type View []string

// Encode makes a table of structs, with a column for each exported field, including fields of embedded structs. The
// tags col and unit define the column's name and unit. Fields are strings, integers, float64, or structs of these. If a
// field is a struct, the tag col lists names for the first columns of the struct, and only these columns are stored. An
// example is `col:"f1,f1_lo,f1_hi"` for a stats.Number.
func Encode[T any](rows []T, view ...string) (*plots.Table, error) { return Of(rows, view...) }

// Of is like Encode, for a slice of structs of any type.
func Of(list any, view ...string) (*plots.Table, error) {
	rows := reflect.ValueOf(list)
	columns, at := View(view).columnsOf(rows.Type().Elem())
	t, err := plots.NewTable(columns...)
	if err != nil {
		return nil, err
	}
	for r := range rows.Len() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = cell(rows.Index(r).FieldByIndex(at[i]))
		}
		if err := t.Append(cells...); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func cell(f reflect.Value) any {
	switch f.Kind() {
	case reflect.String:
		return f.String()
	case reflect.Float64:
		return Round(f.Float())
	}
	return f.Int()
}

// Field returns the column that a word of a view selects, and a function that returns the value of this column in a
// row.
func Field[T any](word string) (plots.Column, func(T) any) {
	list, at := View{word}.columnsOf(reflect.TypeFor[T]())
	return list[0], func(row T) any { return cell(reflect.ValueOf(row).FieldByIndex(at[0])) }
}

// Blank returns a row whose float64 fields are NaN.
func Blank[T any]() (row T) {
	blank(reflect.ValueOf(&row).Elem())
	return row
}

func blank(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Struct:
			blank(f) // also an embedded struct of an unexported type
		case f.Kind() == reflect.Float64 && f.CanSet():
			f.SetFloat(math.NaN())
		}
	}
}

// Decode reverses Encode with the same view. Missing, unknown and wrongly typed columns are errors. float64
// fields that are not stored are NaN.
func Decode[T any](t *plots.Table, view ...string) ([]T, error) {
	columns, at := View(view).columnsOf(reflect.TypeFor[T]())
	have := t.Columns()
	if len(have) != len(columns) {
		return nil, fmt.Errorf("rows have %s, want %d: %s", number.Count(len(have), "column"), len(columns),
			titles(columns))
	}
	rows := slices.Repeat([]T{Blank[T]()}, t.Len())
	for i, c := range columns {
		if have[i] != c {
			return nil, fmt.Errorf("column %d of the rows is %q (%s), want %q (%s)",
				i+1, have[i].Title(), have[i].Kind, c.Title(), c.Kind)
		}
		set := func(int, reflect.Value) {}
		switch c.Kind {
		case plots.String:
			v, err := t.Texts(c.Name)
			if err != nil {
				return nil, err
			}
			set = func(r int, f reflect.Value) { f.SetString(v[r]) }
		case plots.Int:
			v, err := t.Wholes(c.Name)
			if err != nil {
				return nil, err
			}
			set = func(r int, f reflect.Value) { f.SetInt(v[r]) }
		case plots.Float:
			v, err := t.Reals(c.Name)
			if err != nil {
				return nil, err
			}
			set = func(r int, f reflect.Value) { f.SetFloat(v[r]) }
		}
		for r := range rows {
			set(r, reflect.ValueOf(&rows[r]).Elem().FieldByIndex(at[i]))
		}
	}
	return rows, nil
}

// Read reads rows from a CSV file. Errors contain name, the name of the file.
func Read[T any](r io.Reader, name string) ([]T, error) {
	columns, _ := columnsOf(reflect.TypeFor[T]())
	t, err := plots.ReadCSV(r, name, columns...)
	if err != nil {
		return nil, err
	}
	rows, err := Decode[T](t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// columnsOf returns the columns of a struct type and the indices of their fields. It panics if a field's
// type cannot be a column.
func columnsOf(t reflect.Type) (columns []plots.Column, at [][]int) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, unit := f.Tag.Get("col"), f.Tag.Get("unit")
		if f.Type.Kind() == reflect.Struct {
			inside, fields := columnsOf(f.Type)
			for i, name := range strings.Split(name, ",") {
				c := inside[i]
				c.Name, c.Unit = name, cmp.Or(unit, c.Unit)
				columns, at = append(columns, c), append(at, slices.Concat(f.Index, fields[i]))
			}
			continue
		}
		switch f.Type.Kind() {
		case reflect.String:
			columns = append(columns, plots.Text(name))
		case reflect.Float64:
			columns = append(columns, plots.Real(name, unit))
		case reflect.Int, reflect.Int64:
			columns = append(columns, plots.Whole(name, unit))
		default:
			panic(fmt.Sprintf("columns: %s.%s is a %s, which cannot be a column", t, f.Name, f.Type))
		}
		at = append(at, f.Index)
	}
	return columns, at
}

// columnsOf returns the columns of a view of a struct type and the indices of their fields. It panics if the type lacks
// a column of the view. It also panics if a word sets a unit for a column that has another unit, because a view does
// not convert numbers.
func (v View) columnsOf(t reflect.Type) (columns []plots.Column, at [][]int) {
	all, fields := columnsOf(t)
	if len(v) == 0 {
		return all, fields
	}
	for _, word := range v {
		shown, of, renamed := strings.Cut(word, "=")
		name, unit, inUnit := strings.Cut(shown, ":")
		if !renamed {
			of = name
		}
		i := slices.IndexFunc(all, func(c plots.Column) bool { return c.Name == of })
		if i < 0 {
			panic(fmt.Sprintf("columns: %s has no column %q", t, of))
		}
		c := all[i]
		if c.Name = name; inUnit {
			if c.Unit != "" && unit != "" {
				panic(fmt.Sprintf("columns: %s: the unit of column %q is %s", word, of, c.Unit))
			}
			c.Unit = unit
		}
		columns, at = append(columns, c), append(at, fields[i])
	}
	return columns, at
}

func titles(columns []plots.Column) string {
	return strings.Join(lists.Map(columns, plots.Column.Title), ", ")
}

// Round rounds v to the number of significant digits in rows.
func Round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		panic(err) // FormatFloat printed it
	}
	return r
}

// Number is a float64 that may be missing: NaN in Go, null in JSON.
type Number float64

// MarshalJSON writes NaN as null.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Rounded returns structs as Decode would return them after Encode with the same view. Numbers are rounded, and fields
// that are not columns are zero.
func Rounded[T any](rows []T, view ...string) []T {
	list := make([]T, len(rows))
	columns, at := View(view).columnsOf(reflect.TypeFor[T]())
	for r := range list {
		if len(view) > 0 {
			list[r] = Blank[T]()
		}
		from, to := reflect.ValueOf(&rows[r]).Elem(), reflect.ValueOf(&list[r]).Elem()
		for i, c := range columns {
			v := to.FieldByIndex(at[i])
			if v.Set(from.FieldByIndex(at[i])); c.Kind == plots.Float {
				v.SetFloat(Round(v.Float()))
			}
		}
	}
	return list
}
