package study

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"pintlab/experiments/results/columns"
)

// MonitorTables reads the tables that the first monitor of a run has written. It keeps the first error.
type MonitorTables struct {
	Dir  string // directory of the run
	Kind string // kind of the monitor
	Err  error
}

// Each calls `use` for each line of a table.
func (t *MonitorTables) Each(name string, use func(*columns.Line)) {
	if t.Err != nil {
		return
	}
	path, lines := filepath.Join(t.Dir, "monitor-0-"+t.Kind+"-"+name+".csv"), 0
	err := columns.Lines(path, func(l *columns.Line) {
		lines++
		use(l)
	})
	switch {
	case errors.Is(err, columns.ErrNone):
		err = fmt.Errorf("%w: the run is too short for this task", err)
	case err == nil && lines == 0:
		err = fmt.Errorf("%s: no rows", path)
	}
	t.Err = err
}

// Sum returns the sum of a column.
func (t *MonitorTables) Sum(name, column string) float64 {
	sum := 0.0
	t.Each(name, func(l *columns.Line) { sum += l.Number(column) })
	return sum
}

// Of returns the value in a column, from the first row with the given word in the column key.
func (t *MonitorTables) Of(name, key, word, column string) float64 {
	value, found := math.NaN(), false
	t.Each(name, func(l *columns.Line) {
		if !found && l.Text(key) == word {
			value, found = l.Number(column), true
		}
	})
	if t.Err == nil && !found {
		t.Err = fmt.Errorf("%s: no row %s in %s", t.Dir, word, name)
	}
	return value
}
