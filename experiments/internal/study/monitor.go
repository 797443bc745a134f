package study

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"pintlab/experiments/results/columns"
)

// MonitorTables reads the tables that the first monitor of a run has left, and keeps the first error.
type MonitorTables struct {
	Dir  string // of the run
	Kind string // of the monitor
	Err  error
}

// Each calls use for each line of a table.
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
		err = fmt.Errorf("%w: the run is too short for the task", err)
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

// Of returns the column of the first row whose cell in the column key is a word.
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
