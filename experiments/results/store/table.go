package store

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// table describes the rows of a file in both of its formats. Its columns are the fields of T that the tag
// parquet names, in their order. A pointer is a value that may be missing: null in Parquet, empty in CSV. The
// tags min and max limit numbers; without them, numbers are at least 0 and whole numbers fit their type.
type table[T any] struct {
	columns []column

	// create and read handle Parquet rows. They are fields for a reason: otherwise each package that used this type
	// would compile the Parquet library's generic code again, about a thousand functions.
	create func(io.Writer) rowWriter[T]
	read   func(r io.ReaderAt, size int64, name string, columns []string, use func(*T) error) error
}

type rowWriter[T any] interface {
	Write([]T) (int, error)
	Close() error
}

// column is a column of a table.
type column struct {
	name     string
	field    int          // index of the field of the row
	kind     reflect.Kind // kind of the value, without the pointer if it may be missing
	optional bool
	min, max int64
	signed   bool // real numbers may be below 0
}

func tableOf[T any]() table[T] {
	t := table[T]{create: CreateParquet[T], read: readParquet[T]}
	for i := range reflect.TypeFor[T]().NumField() {
		f := reflect.TypeFor[T]().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if name == "-" {
			continue
		}
		typ := f.Type
		c := column{name: name, field: i, optional: typ.Kind() == reflect.Pointer}
		if c.optional {
			typ = typ.Elem()
		}
		if c.kind = typ.Kind(); c.kind == reflect.Float64 {
			c.signed = f.Tag.Get("min") == "none"
		} else {
			c.min, c.max = limit(f.Tag.Get("min"), 0), limit(f.Tag.Get("max"), math.MaxInt64>>(64-8*typ.Size()))
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// limit parses the tag of a limit, or returns its default.
func limit(tag string, otherwise int64) int64 {
	if tag == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(tag, 10, 64)
	if err != nil {
		panic(err) // a tag of this package
	}
	return n
}

// names returns the names of the columns.
func (t *table[T]) names() []string {
	return lists.Map(t.columns, func(c column) string { return c.name })
}

// header returns the first line of CSV.
func (t *table[T]) header() string { return strings.Join(t.names(), ",") }

// line appends a row as a line of CSV.
func (t *table[T]) line(to []byte, row *T) []byte {
	fields := reflect.ValueOf(row).Elem()
	for i := range t.columns {
		c := &t.columns[i]
		v := fields.Field(c.field)
		if c.optional {
			v = v.Elem() // invalid if it is missing
		}
		switch {
		case !v.IsValid():
		case c.kind == reflect.String:
			to = append(to, v.String()...)
		case c.kind == reflect.Bool:
			to = strconv.AppendBool(to, v.Bool())
		case c.kind == reflect.Float64:
			to = strconv.AppendFloat(to, v.Float(), 'g', -1, 64)
		default:
			to = strconv.AppendInt(to, v.Int(), 10)
		}
		to = append(to, ',')
	}
	to[len(to)-1] = '\n'
	return to
}

// parse sets a row from the words of a line of CSV. values provides memory for the values that may be missing.
func (t *table[T]) parse(words, names []string, row *T, values []reflect.Value) error {
	if len(words) != len(t.columns) {
		return fmt.Errorf("%s, want %d: %s", number.Count(len(words), "column"), len(t.columns), t.header())
	}
	p := columnReader{words: words, names: names}
	fields := reflect.ValueOf(row).Elem()
	for i := range t.columns {
		c := &t.columns[i]
		v := fields.Field(c.field)
		if c.optional {
			if words[i] == "" {
				v.SetZero()
				continue
			}
			v.Set(values[i])
			v = v.Elem()
		}
		switch c.kind {
		case reflect.String:
			v.SetString(words[i])
		case reflect.Bool:
			v.SetBool(p.truth(i))
		case reflect.Float64:
			v.SetFloat(p.real(i, c.signed))
		default:
			v.SetInt(p.number(i, 10, c.min, c.max))
		}
	}
	return p.err
}

// negative reports whether a number of a row is below 0 although it must not be.
func (t *table[T]) negative(row *T) bool {
	fields := reflect.ValueOf(row).Elem()
	for i := range t.columns {
		c := &t.columns[i]
		v := fields.Field(c.field)
		if c.optional {
			v = v.Elem()
		}
		switch {
		case !v.IsValid():
		case v.CanInt() && v.Int() < 0, v.CanFloat() && v.Float() < 0 && !c.signed:
			return true
		}
	}
	return false
}

// readCSV passes each row of a CSV file to the function use, in order. A row is valid until use returns. Errors contain
// name, the name of the file.
func (t *table[T]) readCSV(r io.Reader, name string, use func(*T) error) error {
	s := bufio.NewScanner(r)
	if !s.Scan() {
		if err := input.LineError(s.Err(), bufio.MaxScanTokenSize); err != nil {
			return fmt.Errorf("%s:1: %w", name, err)
		}
		return fmt.Errorf("%s: empty, want the column names %s", name, t.header())
	}
	if got := strings.TrimSuffix(s.Text(), "\r"); got != t.header() {
		return fmt.Errorf("%s:1: %w %q, want %s", name, errColumns, got, t.header())
	}
	var row T
	values, names := make([]reflect.Value, len(t.columns)), t.names()
	for i, c := range t.columns {
		if c.optional {
			values[i] = reflect.New(reflect.TypeFor[T]().Field(c.field).Type.Elem())
		}
	}
	n := 2
	for ; s.Scan(); n++ {
		err := t.parse(strings.Split(strings.TrimSuffix(s.Text(), "\r"), ","), names, &row, values)
		if err == nil {
			err = use(&row)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := input.LineError(s.Err(), bufio.MaxScanTokenSize); err != nil {
		return fmt.Errorf("%s:%d: %w", name, n, err)
	}
	return nil
}

// columnReader parses the columns of a line. It keeps the first error.
type columnReader struct {
	words, names []string
	err          error
}

func (c *columnReader) fail(i int, want string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s = %q, want %s", c.names[i], c.words[i], want)
	}
}

// number returns a whole number between min and max. It accepts no signs and no separators.
func (c *columnReader) number(i, base int, min, max int64) int64 {
	v, err := strconv.ParseUint(c.words[i], base, 63)
	if err != nil || int64(v) < min || int64(v) > max {
		kind := "a whole number"
		if base == 16 {
			kind = "a hexadecimal number"
		}
		c.fail(i, fmt.Sprintf("%s between %s and %s", kind, strconv.FormatInt(min, base), strconv.FormatInt(max, base)))
	}
	return int64(v)
}

// real returns a finite number, which is at least 0 unless it is signed.
func (c *columnReader) real(i int, signed bool) float64 {
	v, err := strconv.ParseFloat(c.words[i], 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0), v < 0 && !signed:
		want := "a number >= 0 or nothing"
		if signed {
			want = "a number or nothing"
		}
		c.fail(i, want)
	}
	return v
}

// truth returns the value of a word that must be true or false.
func (c *columnReader) truth(i int) bool {
	if w := c.words[i]; w != "true" && w != "false" {
		c.fail(i, "true or false")
	}
	return c.words[i] == "true"
}
