package telemetry

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Table is a result of a monitor or a system. It becomes a CSV file in the run directory.
type Table struct {
	Name string     // letters, digits and '-'
	Head []string   // with units: "latency_mean_s"
	Rows [][]string // as many cells as Head
}

// NewTable makes a table without rows. Spaces separate the columns.
func NewTable(name, columns string) Table {
	return Table{Name: name, Head: strings.Fields(columns)}
}

// Add adds a row. Numbers of any type are printed as numbers, those with a fraction with six
// digits; NaN and infinities become empty cells.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch v := reflect.ValueOf(c); {
		case v.CanInt():
			row[i] = strconv.FormatInt(v.Int(), 10)
		case v.CanUint():
			row[i] = strconv.FormatUint(v.Uint(), 10)
		case v.CanFloat():
			if x := v.Float(); !math.IsNaN(x) && !math.IsInf(x, 0) {
				row[i] = strconv.FormatFloat(x, 'g', 6, 64)
			}
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}
