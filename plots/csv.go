package plots

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
)

// WriteCSV writes the table. The headings are the names of the columns with their units, as in mean_fct_s. A missing
// real number is an empty field. Equal tables give equal bytes.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	record := lists.Map(t.columns, Column.Heading)
	if err := c.Write(record); err != nil {
		return err
	}
	for r := range t.rows {
		for i := range t.columns {
			record[i] = t.Exact(r, i)
			if t.columns[i].Kind == Float && math.IsNaN(t.data[i].real[r]) {
				record[i] = ""
			}
		}
		if len(record) == 1 && record[0] == "" {
			// A row of a single empty field would be an empty line, and readers skip empty lines.
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

// MarshalJSON returns an array with an object for each row. The keys are the headings of WriteCSV; a real number
// that is missing or infinite is null.
func (t *Table) MarshalJSON() ([]byte, error) {
	rows := make([]json.RawMessage, t.rows)
	for r := range rows {
		var b []byte
		for i, c := range t.columns {
			var cell any = json.RawMessage(t.Exact(r, i))
			switch {
			case c.Kind == String:
				cell = t.data[i].text[r]
			case c.Kind == Float && (math.IsNaN(t.data[i].real[r]) || math.IsInf(t.data[i].real[r], 0)):
				cell = nil
			}
			value, err := json.Marshal(map[string]any{c.Heading(): cell})
			if err != nil {
				return nil, err
			}
			b = append(append(b, ','), value[1:len(value)-1]...)
		}
		b[0] = '{'
		rows[r] = append(b, '}')
	}
	return json.Marshal(rows)
}

// SaveCSV writes the table to a file and its schema next to it. Afterwards each file is complete or unchanged.
func (t *Table) SaveCSV(path string) error {
	if err := outfile.Write(schemaName(path), t.writeSchema); err != nil {
		return err
	}
	return outfile.Write(path, t.WriteCSV)
}

// schemaName returns the file of the schema: rows.schema.json for rows.csv.
func schemaName(path string) string { return strings.TrimSuffix(path, ".csv") + ".schema.json" }

// schema describes the columns of a CSV file in the format of Frictionless Table Schema
// (specs.frictionlessdata.io/table-schema). It also contains the units.
type schema struct {
	Description   string   `json:"description,omitempty"`
	Fields        []field  `json:"fields"`
	MissingValues []string `json:"missingValues"`
}

type field struct {
	Name  string `json:"name"` // the heading
	Type  string `json:"type"`
	Title string `json:"title"` // the name of the column, without the unit
	Unit  string `json:"unit,omitempty"`
}

var schemaTypes = [...]string{String: "string", Int: "integer", Float: "number"}

func (t *Table) writeSchema(w io.Writer) error {
	s := schema{Description: t.Note, MissingValues: []string{""}}
	for _, c := range t.columns {
		s.Fields = append(s.Fields, field{Name: c.Heading(), Type: schemaTypes[c.Kind], Title: c.Name, Unit: c.Unit})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// readSchema reads the output of writeSchema.
func readSchema(text []byte, name string) (columns []Column, note string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var s schema
	if err := d.Decode(&s); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	for i, f := range s.Fields {
		k := slices.Index(schemaTypes[:], f.Type)
		if k < 0 {
			return nil, "", fmt.Errorf("%s: field %d: type %q, want string, integer or number", name, i+1, f.Type)
		}
		c := Column{Name: f.Title, Kind: Kind(k), Unit: f.Unit}
		if f.Name != c.Heading() {
			return nil, "", fmt.Errorf("%s: field %d: name %q, want %q for the title %q and the unit %q", name, i+1,
				f.Name, c.Heading(), f.Title, f.Unit)
		}
		columns = append(columns, c)
	}
	return columns, s.Description, nil
}

// Heading returns the heading of the column in a CSV file. It consists of the name and the unit in letters, such as
// percent for "%" and bps for "b/s".
func (c Column) Heading() string {
	if c.Unit == "" {
		return c.Name
	}
	unit := strings.NewReplacer("%", "percent", "/", "p").Replace(c.Unit)
	return c.Name + "_" + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, unit)
}

// parseHeader reads a heading that contains the kind and unit of its column.
func parseHeader(s string) (Column, error) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok {
		return Column{}, fmt.Errorf("heading %q, want name:kind or name:kind:unit, because there is no schema next "+
			"to the file", s)
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

// ReadCSV reads what WriteCSV writes. columns are the columns of the schema. Rows of another length, values of
// another type, missing integers and other headings are errors that name the line. Without columns, each heading
// declares its column: name:kind or name:kind:unit, with the kinds string, int and float. name is the file's name in
// messages.
func ReadCSV(r io.Reader, name string, columns ...Column) (*Table, error) {
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
	if columns == nil {
		columns = make([]Column, len(head))
		for i, h := range head {
			if columns[i], err = parseHeader(h); err != nil {
				return nil, fmt.Errorf("%s:1: column %d: %w", name, i+1, err)
			}
		}
	} else {
		if want := lists.Map(columns, Column.Heading); !slices.Equal(head, want) {
			return nil, fmt.Errorf("%s:1: headings %q, want those of the schema: %q", name, head, want)
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

// LoadCSV reads the table in a file, with the schema next to it if it exists.
func LoadCSV(path string) (*Table, error) {
	f, err := input.Open(path, input.Flows)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var columns []Column
	note := ""
	switch text, err := input.ReadFile(schemaName(path), input.Settings); {
	case err == nil:
		if columns, note, err = readSchema(text, schemaName(path)); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	t, err := ReadCSV(f, path, columns...)
	if err != nil {
		return nil, err
	}
	t.Note = note
	return t, nil
}

// csvError prepends the file and the line to an error. The result has the form of our other messages.
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
		if err := CheckText(s); err != nil {
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

// parseReal reads a decimal number, Inf or -Inf. A missing number is an empty field or NaN. parseReal accepts none
// of the other forms that strconv accepts (hexadecimal, "infinity", "nan").
func parseReal(s string) (float64, error) {
	switch s {
	case "", "NaN":
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
