package plots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Values is a list of numbers in which NaN stands for a missing one. JSON has no
// NaN: there it is null.
type Values []float64

// MarshalJSON writes NaN as null. An infinite value is an error.
func (v Values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case math.IsNaN(x):
			b = append(b, "null"...)
		case math.IsInf(x, 0):
			return nil, fmt.Errorf("plots: value %d is infinite", i)
		default:
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads null as NaN.
func (v *Values) UnmarshalJSON(b []byte) error {
	var list []*float64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if list == nil {
		*v = nil
		return nil
	}
	*v = make(Values, len(list))
	for i, p := range list {
		if p == nil {
			(*v)[i] = math.NaN()
		} else {
			(*v)[i] = *p
		}
	}
	return nil
}

// WriteJSON writes the description of the figure, indented, after checking it.
func (f *Figure) WriteJSON(w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadJSON reads the description of one figure and checks it. Unknown fields and
// anything after the figure are errors. name is the file's name, for messages.
func ReadJSON(r io.Reader, name string) (Figure, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Figure{}, fmt.Errorf("%s: %w", name, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var f Figure
	if err := d.Decode(&f); err != nil {
		line := 1 + bytes.Count(data[:min(int(offset(err, d)), len(data))], []byte("\n"))
		return Figure{}, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	if _, err := d.Token(); err != io.EOF {
		line := 1 + bytes.Count(data[:d.InputOffset()], []byte("\n"))
		return Figure{}, fmt.Errorf("%s:%d: text after the end of the figure", name, line)
	}
	if err := f.Validate(); err != nil {
		return Figure{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// offset is how far into the input the error lies.
func offset(err error, d *json.Decoder) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	}
	return d.InputOffset()
}
