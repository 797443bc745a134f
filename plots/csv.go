package plots

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/plots/internal/file"
)

// WriteCSV writes the table. The first line names, for each column, its name, its
// kind and, if it has one, its unit: "scheme:string,size:int:B,p95:float". Equal
// tables give equal bytes.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	record := make([]string, len(t.columns))
	for i, col := range t.columns {
		record[i] = col.header()
	}
	if err := c.Write(record); err != nil {
		return err
	}
	for r := range t.rows {
		for i := range t.columns {
			record[i] = t.Exact(r, i)
		}
		if len(record) == 1 && record[0] == "" {
			// A lone empty text would be an empty line, which readers skip.
			c.Flush()
			if _, err := io.WriteString(w, "\"\"\n"); err != nil {
				return err
			}
			continue
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// SaveCSV writes the table to a file, which is whole or untouched.
func (t *Table) SaveCSV(path string) error {
	return file.Replace(path, t.WriteCSV)
}

func (c Column) header() string {
	if c.Unit == "" {
		return c.Name + ":" + c.Kind.String()
	}
	return c.Name + ":" + c.Kind.String() + ":" + c.Unit
}

func parseHeader(s string) (Column, error) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok {
		return Column{}, fmt.Errorf("heading %q, want name:kind or name:kind:unit", s)
	}
	kind, unit, hasUnit := strings.Cut(rest, ":")
	k := slices.Index(kindNames[:], kind)
	if k < 0 {
		return Column{}, fmt.Errorf("heading %q: kind %q, want string, int or float", s, kind)
	}
	if hasUnit && unit == "" {
		return Column{}, fmt.Errorf("heading %q: empty unit", s)
	}
	return Column{Name: name, Kind: Kind(k), Unit: unit}, nil
}

// ReadCSV reads what WriteCSV writes. Rows of another length, values of another
// type, missing integers and repeated names are errors, with the line. A missing
// real number is written NaN. name is the file's name, for messages.
func ReadCSV(r io.Reader, name string) (*Table, error) {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty, want a line of headings", name)
	} else if err != nil {
		return nil, csvError(name, err)
	}
	if strings.HasPrefix(head[0], "\ufeff") {
		return nil, fmt.Errorf("%s:1: starts with a byte order mark, which is not part of a heading", name)
	}
	columns := make([]Column, len(head))
	for i, h := range head {
		if columns[i], err = parseHeader(h); err != nil {
			return nil, fmt.Errorf("%s:1: column %d: %w", name, i+1, err)
		}
	}
	t, err := NewTable(columns...)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		} else if err != nil {
			return nil, csvError(name, err)
		}
		for i, s := range record {
			if err := t.data[i].parse(columns[i].Kind, s); err != nil {
				line, _ := c.FieldPos(i)
				return nil, fmt.Errorf("%s:%d: column %q: %w", name, line, columns[i].Name, err)
			}
		}
		t.rows++
	}
}

// LoadCSV reads the table in a file.
func LoadCSV(path string) (*Table, error) {
	f, err := input.Open(path, input.Flows)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadCSV(f, path)
}

// csvError puts the file and line in front, in the form of our other messages.
func csvError(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d: %w", name, p.Line, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (d *cells) parse(k Kind, s string) error {
	switch k {
	case String:
		if err := checkText(s); err != nil {
			return err
		}
		d.text = append(d.text, s)
	case Int:
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer of 64 bits", s)
		}
		d.whole = append(d.whole, v)
	case Float:
		v, err := parseReal(s)
		if err != nil {
			return err
		}
		d.real = append(d.real, v)
	}
	return nil
}

// parseReal reads a decimal number, NaN, Inf or -Inf, and none of the other
// forms that strconv knows (hexadecimal, "infinity", "nan").
func parseReal(s string) (float64, error) {
	switch s {
	case "NaN":
		return math.NaN(), nil
	case "Inf":
		return math.Inf(1), nil
	case "-Inf":
		return math.Inf(-1), nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, fmt.Errorf("%q is not a decimal number, NaN, Inf or -Inf", s)
	}
	return v, nil
}
