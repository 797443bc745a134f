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

// Stored is a line of known.csv, a file next to the code of a figure. The line contains a measurement that shows why
// a statement of the paper does not hold here.
type Stored struct {
	Measurement string  `col:"measurement"` // name that sections use for it
	Quantity    string  `col:"quantity"`
	Value       float64 `col:"value"`
	Half        float64 `col:"half_width"` // half of the 95 % interval; NaN without an interval
	Unit        string  `col:"unit"`
	Conditions  string  `col:"conditions"` // conditions, and the command that repeats the measurement
}

// String formats the measurement with its interval.
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

// StoredOf returns the lines of a figure's known.csv that have the name `measurement`. files contains the files of
// the paper. StoredOf panics if there is no such line: the files are embedded, so this is a mistake in the program.
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

// cause explains why the rows of a figure contradict a statement, and contains the stored measurements that support
// the explanation.
type cause struct {
	why, measurement string
	stored           []Stored
}

// String returns the cause with its measurements.
func (c cause) String() string {
	list := lists.Map(c.stored, func(s Stored) string { return s.String() })
	return fmt.Sprintf("%s Stored measurement %q: %s", c.why, c.measurement, strings.Join(list, "; "))
}
