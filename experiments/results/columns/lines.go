package columns

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"pintlab/internal/input"
)

// Line is a line of a CSV file with a header line.
type Line struct {
	head, cells []string
	err         error // first error
}

// ErrNone is the error of an empty cell where a number is needed.
var ErrNone = errors.New("there is no number")

// Lines passes each line of a CSV file after the header to the function use. It stops at the first line with an error.
func Lines(path string, use func(*Line)) error {
	f, err := input.Open(path, input.Flows)
	if err != nil {
		return err
	}
	defer f.Close()
	in := csv.NewReader(f)
	var l Line
	if l.head, err = in.Read(); err != nil {
		return fmt.Errorf("%s: want a first line with column names: %w", path, err)
	}
	in.ReuseRecord = true
	for {
		if l.cells, err = in.Read(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if use(&l); l.err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", path, line, l.err)
		}
	}
}

// Fail sets the error of the line, which makes Lines stop. It keeps an earlier error.
func (l *Line) Fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Text returns the cell of a column.
func (l *Line) Text(column string) string {
	i := slices.Index(l.head, column)
	if i < 0 {
		l.Fail(fmt.Errorf("no column %q among %q", column, l.head))
		return ""
	}
	return l.cells[i]
}

// Number returns the number in a column. An empty cell is an error.
func (l *Line) Number(column string) float64 {
	if l.Text(column) == "" {
		l.Fail(fmt.Errorf("column %q: %w", column, ErrNone))
	}
	return l.Maybe(column)
}

// Maybe returns the number in a column, or NaN for an empty cell.
func (l *Line) Maybe(column string) float64 {
	text := l.Text(column)
	if text == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		l.Fail(fmt.Errorf("column %q: %w", column, err))
	}
	return x
}
