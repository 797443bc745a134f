package workloads

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// roundingError is the largest accepted difference of a sum of doubles from 100 %, in units of 10^-15 of a percent.
const roundingError = 100_000

// ReadCDF reads a distribution from a text file with a line for each point, ascending:
//
//	bytes share            as in the HPCC simulators
//	bytes count share      as in ns-2, where the count is 1, 2, 3, … or the same in every line
//
// Commas, semicolons, spaces and tabs separate the columns. The shares are percentages if the last share is 100, and
// fractions if it is 1. If the last share differs from 100 or 1 only by the rounding error of a sum, it counts as that
// number. Shares are read to 10^-15 of a percent. Empty lines and text after a # are skipped. A first line without
// numbers (a header) or with a single number (the mean) is also skipped. name is the name of the distribution and the
// start of every error, which also contains the line number.
func ReadCDF(r io.Reader, name string) (*CDF, error) {
	rows, in, err := cdfRows(r, name)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no points, want lines of bytes cumulative_share", name)
	}
	places := percentPlaces
	last, _, err := parseDecimal(rows[len(rows)-1].share, percentPlaces)
	if err == nil && last <= allOfIt/100+roundingError {
		places += 2 // fractions
	}
	var points []Point
	for i, row := range rows {
		in.number = row.line
		share, _, err := parseDecimal(row.share, places)
		if err != nil {
			return nil, in.errorf(name, "cumulative share %w", err)
		}
		if i == len(rows)-1 && max(share-allOfIt, allOfIt-share) <= roundingError {
			share = allOfIt
		}
		if places > percentPlaces && share > allOfIt {
			return nil, in.errorf(name, "cumulative share %s, want 0 to 1, because the last share is a fraction",
				row.share)
		}
		p := Point{row.size, share}
		if err := checkPoint(points, p); err != nil {
			return nil, in.errorf(name, "%w", err)
		}
		points = append(points, p)
	}
	if err := checkEnd(points); err != nil {
		return nil, in.errorf(name, "%w", err)
	}
	return NewCDF(name, points)
}

// cdfRow is a line of a CDF file. Whether its share is a percentage or a fraction is not known yet.
type cdfRow struct {
	size  unit.Bytes
	share string
	line  int
}

// cdfRows returns the lines of a CDF file without the header. The reader is then at the last line, for errors.
func cdfRows(r io.Reader, name string) ([]cdfRow, *lines, error) {
	var rows []cdfRow
	scan, columns, first, count := newLines(r), 0, true, ""
	for scan.next() {
		fields := strings.FieldsFunc(strings.TrimPrefix(scan.text, "\ufeff"), isSeparator)
		header := first && (len(fields) == 1 && isNumber(fields[0]) || !slices.ContainsFunc(fields, isNumber))
		if first = false; header {
			continue
		}
		if columns == 0 {
			columns = len(fields)
		}
		switch n := len(fields); {
		case n != columns || n != 2 && n != 3:
			return nil, nil, scan.errorf(name, "%s, want 2 in every line: bytes cumulative_share, or 3: bytes count "+
				"cumulative_share", number.Count(n, "column"))
		case n == 3 && mixed(scan.text):
			return nil, nil, scan.errorf(name, "two different separators, want one: is the comma part of a number?")
		case n == 3 && len(rows) == 0:
			count = fields[1]
		case n == 3 && fields[1] != count && fields[1] != strconv.Itoa(len(rows)+1):
			return nil, nil, scan.errorf(name, "count %q, want the number of this point, %d, or the same count in "+
				"every line: bytes count cumulative_share", fields[1], len(rows)+1)
		}
		size, err := wholeBytes(fields[0])
		if err != nil {
			return nil, nil, scan.errorf(name, "%w", err)
		}
		rows = append(rows, cdfRow{unit.Bytes(size), fields[len(fields)-1], scan.number})
	}
	if err := scan.err(); err != nil {
		return nil, nil, scan.errorf(name, "%w", err)
	}
	return rows, scan, nil
}

// mixed reports whether the columns of a line have different separators.
func mixed(text string) bool {
	between := strings.FieldsFunc(text, func(r rune) bool { return !isSeparator(r) })
	return slices.ContainsFunc(between, func(s string) bool {
		return strings.TrimSpace(s) != strings.TrimSpace(between[0])
	})
}

func isSeparator(r rune) bool { return strings.ContainsRune(" \t,;", r) }

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// wholeBytes reads a size such as 1000, 1e+06 or 1000.0.
func wholeBytes(s string) (int64, error) {
	if size, err := strconv.ParseInt(s, 10, 64); err == nil {
		return size, nil
	}
	size, whole, err := parseDecimal(s, 0)
	if err != nil || !whole {
		return 0, fmt.Errorf("size %q, want a whole number of bytes", s)
	}
	return size, nil
}

// WriteCDF writes the points of c in a form from which ReadCDF reads the same distribution.
func WriteCDF(w io.Writer, c *CDF) error {
	out := bufio.NewWriter(w)
	for _, p := range c.points {
		fmt.Fprintf(out, "%d %s\n", int64(p.Size), formatDecimal(p.Cumulative, percentPlaces, 0))
	}
	return out.Flush()
}

// lines reads a text file line by line, without comments and empty lines.
type lines struct {
	scan   *bufio.Scanner
	number int // number of the current line, from 1
	text   string
}

func newLines(r io.Reader) *lines {
	return &lines{scan: bufio.NewScanner(r)}
}

func (l *lines) next() bool {
	for l.scan.Scan() {
		l.number++
		text, _, _ := strings.Cut(l.scan.Text(), "#")
		if l.text = strings.TrimSpace(text); l.text != "" {
			return true
		}
	}
	return false
}

// err returns the error that ended the reading, or nil at the end of the file.
func (l *lines) err() error {
	err := l.scan.Err()
	if err != nil {
		l.number++
	}
	return input.LineError(err, bufio.MaxScanTokenSize)
}

// errorf returns an error with the file's name and the current line.
func (l *lines) errorf(name, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{name, l.number}, args...)...)
}
