package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"pintlab/netsim/unit"
)

// SeriesFile is a kind of time series with its files NAME.parquet and NAME.csv.
type SeriesFile[T any] struct {
	table[T]
	name  string
	time  func(*T) unit.Time
	maybe func(*T) (value *float64, stored **float64) // the number that is NaN or null if it is missing
}

// Parquet returns the name of the Parquet file.
func (s *SeriesFile[T]) Parquet() string { return s.name + ".parquet" }

// CSV returns the name of the CSV file.
func (s *SeriesFile[T]) CSV() string { return s.name + ".csv" }

// SeriesWriter writes a series as Parquet during the run. It keeps one row group in memory.
type SeriesWriter[T any] struct {
	file  *SeriesFile[T]
	w     rowWriter[T]
	batch []T
	rows  int64
	limit int64
}

// ErrSeriesFull is the error of a series at its limit.
var ErrSeriesFull = errors.New("the series is full")

// NewWriter returns a writer of a Parquet file of at most limit rows.
func (s *SeriesFile[T]) NewWriter(w io.Writer, limit int64) *SeriesWriter[T] {
	return &SeriesWriter[T]{
		file:  s,
		w:     s.create(w),
		batch: make([]T, 0, 1024),
		limit: limit,
	}
}

// Anew returns a writer of another file of the series with the same limit.
func (w *SeriesWriter[T]) Anew(to io.Writer) *SeriesWriter[T] { return w.file.NewWriter(to, w.limit) }

// Append appends a row. At the limit, it returns an error that wraps ErrSeriesFull. If the series ended silently
// instead, it would look like an idle network.
func (w *SeriesWriter[T]) Append(row T) error {
	if w.rows == w.limit {
		return fmt.Errorf("%s: %w: more than %d rows at %v", w.file.name, ErrSeriesFull, w.limit, w.file.time(&row))
	}
	w.rows++
	w.batch = append(w.batch, row)
	if len(w.batch) < cap(w.batch) {
		return nil
	}
	return w.flush()
}

// Rows returns the number of rows so far.
func (w *SeriesWriter[T]) Rows() int64 { return w.rows }

// Close completes the file. It does not close the underlying writer.
func (w *SeriesWriter[T]) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("%s: %w", w.file.Parquet(), err)
	}
	return nil
}

func (w *SeriesWriter[T]) flush() error {
	for i := range w.batch {
		w.file.store(&w.batch[i])
	}
	_, err := w.w.Write(w.batch)
	w.batch = w.batch[:0]
	if err != nil {
		return fmt.Errorf("%s: %w", w.file.Parquet(), err)
	}
	return nil
}

// store sets the column of the number that may be missing, from the number in the row.
func (s *SeriesFile[T]) store(row *T) {
	if value, stored := s.maybe(row); *value == *value {
		*stored = value
	}
}

// Read passes each row of a Parquet file to the function use, in order. Errors contain name, the name of the file.
func (s *SeriesFile[T]) Read(r io.ReaderAt, size int64, name string, use func(*T) error) error {
	return s.read(r, size, name, s.names(), s.inOrder(use))
}

// ReadCSV passes each row of a CSV file to the function use, in order. Errors contain name, the name of the file.
func (s *SeriesFile[T]) ReadCSV(r io.Reader, name string, use func(*T) error) error {
	return s.readCSV(r, name, s.inOrder(use))
}

// inOrder returns a function that checks the stored form of each row, completes the row and passes it to the
// function use.
func (s *SeriesFile[T]) inOrder(use func(*T) error) func(*T) error {
	last := unit.Time(0)
	return func(row *T) error {
		if at := s.time(row); at < last || at == unit.Never {
			return fmt.Errorf("time_ps = %d after %d, want rows in the order of time", at, last)
		}
		last = s.time(row)
		if s.negative(row) {
			return fmt.Errorf("negative value in %+v", *row)
		}
		value, stored := s.maybe(row)
		if *value = math.NaN(); *stored != nil {
			*value, *stored = **stored, nil // NaN in files of older versions
		}
		return use(row)
	}
}

// WriteCSV converts a Parquet file of the series to CSV.
func (s *SeriesFile[T]) WriteCSV(w io.Writer, r io.ReaderAt, size int64) error {
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString(s.header() + "\n")
	var line []byte
	err := s.Read(r, size, s.Parquet(), func(row *T) error {
		s.store(row)
		line = s.line(line[:0], row)
		_, err := b.Write(line)
		return err
	})
	return errors.Join(err, b.Flush())
}

// atMost returns a function that calls `use` for at most `rows` rows, and then returns an error. The error names key,
// the key of the manifest that contains this number.
func atMost[T any](rows int64, key string, use func(*T) error) func(*T) error {
	n := int64(0)
	return func(row *T) error {
		if n++; n > rows {
			return fmt.Errorf("more than %d rows, the limit that %s in %s sets", rows, key, ManifestFile)
		}
		return use(row)
	}
}

// ReadDir passes each row of the series in the run directory dir to the function use. It reads the Parquet file or, if
// this file is missing, the CSV file. The file must be the file that the run wrote, because a truncated file might look
// like a run that ended sooner. ReadDir returns an error if there are more rows than the run could write.
func (s *SeriesFile[T]) ReadDir(dir string, m *Manifest, use func(*T) error) error {
	var sc struct {
		Run struct {
			Sampling struct {
				MaxRows int64 `json:"max_rows"`
			} `json:"sampling"`
		} `json:"run"`
	}
	if err := json.Unmarshal(m.Scenario, &sc); err != nil {
		return fmt.Errorf("%s: scenario: %w", filepath.Join(dir, ManifestFile), err)
	}
	use = atMost(sc.Run.Sampling.MaxRows, "run.sampling.max_rows", use)
	for _, name := range []string{s.Parquet(), s.CSV()} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := m.Check(dir, name); err != nil {
			return err
		}
		f, size, err := openSized(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if name == s.CSV() {
			err = s.ReadCSV(f, path, use)
		} else {
			err = s.Read(f, size, path, use)
		}
		if errors.Is(err, errColumns) { // the run has written the file, as Check has found
			err = fmt.Errorf("%w. Another version of pintlab wrote this run: run it again with\n%s", err, m.Command)
		}
		return err
	}
	return fmt.Errorf("%s: both %s and %s are missing, although the run was sampled: run it again with\n%s", dir,
		s.Parquet(), s.CSV(), m.Command)
}
