package measure

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// MonitorTables reads the tables that the first monitor of a run has left, and keeps the first error.
type MonitorTables struct {
	Dir  string // of the run
	Kind string // of the monitor
	Err  error
}

// Records returns the lines of a table, each with the cells of the given columns.
func (t *MonitorTables) Records(name string, columns ...string) [][]string {
	if t.Err != nil {
		return nil
	}
	path := filepath.Join(t.Dir, "monitor-0-"+t.Kind+"-"+name+".csv")
	f, err := os.Open(path)
	if err != nil {
		t.Err = err
		return nil
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Err = err
		return nil
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if len(rows) > 0 {
			at[i] = slices.Index(rows[0], c)
		}
		if len(rows) < 2 || at[i] < 0 {
			t.Err = fmt.Errorf("%s: want rows with a column %s", path, c)
			return nil
		}
	}
	var list [][]string
	for _, r := range rows[1:] {
		cells := make([]string, len(at))
		for i, k := range at {
			cells[i] = r[k]
		}
		list = append(list, cells)
	}
	return list
}

// Sum returns the sum of a column.
func (t *MonitorTables) Sum(name, column string) float64 {
	sum := 0.0
	for _, r := range t.Records(name, column) {
		sum += t.Number(r[0])
	}
	return sum
}

// Of returns the column of the row whose first cell, in the column key, is a word.
func (t *MonitorTables) Of(name, key, word, column string) float64 {
	for _, r := range t.Records(name, key, column) {
		if r[0] == word {
			return t.Number(r[1])
		}
	}
	if t.Err == nil {
		t.Err = fmt.Errorf("%s: no row %s in %s", t.Dir, word, name)
	}
	return math.NaN()
}

// Number returns the number in a cell.
func (t *MonitorTables) Number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && t.Err == nil {
		t.Err = fmt.Errorf("%s: %q where the monitor should say a number: the run is too short for the task", t.Dir, text)
	}
	return x
}
