package workloads

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pintlab/netsim/unit"
)

// ReadCDF reads a distribution in the common text format: a line "bytes cumulative_percent" for each point,
// ascending, the last at 100. Empty lines and text after a # are skipped. name is the name of the
// distribution and the start of every error, which also contains the line number. Percentages are read to
// 15 decimals.
func ReadCDF(r io.Reader, name string) (*CDF, error) {
	var points []Point
	scan := newLines(r)
	for scan.next() {
		fields := strings.Fields(scan.text)
		if len(fields) != 2 {
			return nil, scan.errorf(name, "%d columns, want 2: bytes cumulative_percent", len(fields))
		}
		size, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return nil, scan.errorf(name, "size %q, want a whole number of bytes", fields[0])
		}
		percent, _, err := parseDecimal(fields[1], percentPlaces)
		if err != nil {
			return nil, scan.errorf(name, "cumulative percentage %w", err)
		}
		p := Point{unit.Bytes(size), percent}
		if err := checkPoint(points, p); err != nil {
			return nil, scan.errorf(name, "%w", err)
		}
		points = append(points, p)
	}
	if err := scan.err(); err != nil {
		return nil, scan.errorf(name, "%w", err)
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: no points, want lines of bytes cumulative_percent", name)
	}
	if err := checkEnd(points); err != nil {
		return nil, scan.errorf(name, "%w", err)
	}
	return NewCDF(name, points)
}

// WriteCDF writes the points of c. ReadCDF returns the same distribution for them.
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
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line longer than %d bytes", bufio.MaxScanTokenSize)
	}
	return err
}

// errorf returns an error with the file's name and the current line.
func (l *lines) errorf(name, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{name, l.number}, args...)...)
}
