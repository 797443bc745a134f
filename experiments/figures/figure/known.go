package figure

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
)

// Stored is a measurement that lies beside the code of a figure, as a line of known.csv:
// a quantity that shows why a statement of the paper does not hold here.
type Stored struct {
	Measurement string  `col:"measurement"` // by which a Cause names it
	Quantity    string  `col:"quantity"`
	Value       float64 `col:"value"`
	Half        float64 `col:"half_width"` // of the 95 % interval; NaN if there is none
	Unit        string  `col:"unit"`
	Conditions  string  `col:"conditions"` // and the command that repeats it
}

// String returns the measurement as people read it.
func (s Stored) String() string {
	value := fmt.Sprintf("%.4g", s.Value)
	if s.Half == s.Half {
		value += fmt.Sprintf(" ± %.2g", s.Half)
	}
	if s.Unit != "" {
		value += " " + s.Unit
	}
	return s.Quantity + ": " + value + " (" + s.Conditions + ")"
}

// StoredOf returns the lines of known.csv with a measurement, from the folder of a figure among the files of its paper.
// It panics without such a line, because figures embed theirs.
func StoredOf(figure, measurement string, files fs.FS) []Stored {
	list, err := storedOf(files, path.Base(figure), measurement)
	if err != nil || len(list) == 0 {
		panic(fmt.Sprintf("%s: no measurement %q: %v", figure, measurement, err))
	}
	return list
}

func storedOf(files fs.FS, folder, measurement string) ([]Stored, error) {
	file := folder + "/" + knownFile
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	list, err := columns.Read[Stored](bytes.NewReader(text), file)
	return Pick(list, func(s *Stored) bool { return s.Measurement == measurement }), err
}

// Cause explains why the rows of a figure contradict a statement, with the stored measurements that show it. The zero
// Cause explains nothing.
type Cause struct {
	Why         string
	Measurement string
	Stored      []Stored
}

// Known returns the cause that the lines of known.csv with the given name show. text is that
// file, embedded by the package of the figure. It panics if the file is not such a file or
// has no such line: a deviation needs a measurement.
func Known(text, measurement, why string) Cause {
	list, err := columns.Read[Stored](strings.NewReader(text), "known.csv")
	if err != nil {
		panic(err)
	}
	c := Cause{Why: why, Measurement: measurement,
		Stored: Pick(list, func(s *Stored) bool { return s.Measurement == measurement })}
	if !c.shown() {
		panic(fmt.Sprintf("known.csv has no measurement %q", measurement))
	}
	return c
}

// shown reports whether a measurement shows the cause.
func (c *Cause) shown() bool { return c.Why != "" && c.Measurement != "" && len(c.Stored) > 0 }

// String returns the cause with its measurements.
func (c Cause) String() string {
	list := lists.Map(c.Stored, func(s Stored) string { return s.String() })
	return fmt.Sprintf("%s Stored measurement %q: %s", c.Why, c.Measurement, strings.Join(list, "; "))
}

// Expect turns a failure that a stored measurement explains into a deviation. Without one
// it stays a failure.
func (f Finding) Expect(c Cause) Finding {
	if f.Outcome == Fails && c.shown() {
		f.Outcome, f.Known = Deviates, c.String()
	}
	return f
}
