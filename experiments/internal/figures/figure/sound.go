package figure

import (
	"fmt"

	"pintlab/plots"
)

// possible returns an error for rows that cannot result from a measurement, such as a negative time, size, count or
// ratio in an edited file. The error names the line of rows.csv.
func possible(t *plots.Table) error {
	refuse := func(row int, column string, value any, what string) error {
		return fmt.Errorf("line %d: column %q: %v, want at least 0, because the column is "+
			"%s", row+2, column, value, what)
	}
	for _, c := range t.Columns() {
		what := "in " + c.Unit
		switch {
		case c.Name == "normalised":
			what = "a ratio"
		case c.Unit == "" || c.Unit == "%":
			continue // changes and errors may be negative
		}
		values, err := t.Reals(c.Name)
		if err != nil {
			return err
		}
		for row, v := range values {
			if v < 0 {
				return refuse(row, c.Name, v, what)
			}
		}
	}
	for _, over := range []string{"versus", "against"} {
		if !t.Has(over) || !t.Has("value") {
			continue
		}
		schemes, err := t.Texts(over)
		if err != nil {
			return err
		}
		values, err := t.Reals("value")
		if err != nil {
			return err
		}
		for row, v := range values {
			if schemes[row] != "" && v < 0 {
				return refuse(row, "value", v, "a ratio to "+schemes[row])
			}
		}
	}
	return nil
}
