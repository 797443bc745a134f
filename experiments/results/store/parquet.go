package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"pintlab/internal/lists"
)

// rowGroup is the largest number of rows that a writer keeps in memory. mostGroup is the largest size in bytes of a
// group of rows that a reader accepts. The size is limited because a reader decompresses a column of a row group at
// once.
const (
	rowGroup  = 1 << 17
	mostGroup = 64 << 20
)

// CreateParquet returns a writer of a Parquet file.
func CreateParquet[T any](w io.Writer) rowWriter[T] {
	return parquet.NewGenericWriter[T](w,
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowGroup),
		// The version is a constant, so that all builds write the same bytes.
		parquet.CreatedBy("pintlab", "1", "0"))
}

// readParquet passes each row of a file to the function use. The file must have exactly these columns.
func readParquet[T any](r io.ReaderAt, size int64, name string, columns []string, use func(*T) error) (err error) {
	// The Parquet library can panic on malformed input. Report that as an error in the file.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: not a readable Parquet file: %v", name, p)
		}
	}()
	// The library allocates memory for a footer of any length that the file announces, up to 4 GB.
	end := make([]byte, 8)
	if _, err := r.ReadAt(end, max(0, size-8)); err == nil && strings.HasPrefix(string(end[4:]), "PAR") {
		if n := binary.LittleEndian.Uint32(end); int64(n) > size-8 {
			return fmt.Errorf("%s: not a readable Parquet file: it ends with a footer of %d bytes", name, n)
		}
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("%s: not a readable Parquet file: %w", name, err)
	}
	for i, g := range f.Metadata().RowGroups {
		if g.NumRows > rowGroup || g.TotalByteSize > mostGroup {
			return fmt.Errorf("%s: row group %d has %d rows of %d bytes, want at most %d rows of %d bytes",
				name, i, g.NumRows, g.TotalByteSize, rowGroup, mostGroup)
		}
	}
	have := lists.Map(f.Root().Columns(), func(c *parquet.Column) string { return c.Name() })
	if fmt.Sprint(have) != fmt.Sprint(columns) {
		return fmt.Errorf("%s: %w %q, want %q", name, errColumns, have, columns)
	}
	pr := parquet.NewGenericReader[T](f)
	defer pr.Close()
	rows := make([]T, 1024)
	for n := 0; ; {
		// Rows must not share pointers with rows of the previous batch.
		clear(rows)
		k, err := pr.Read(rows)
		for i := range k {
			n++
			if err := use(&rows[i]); err != nil {
				return fmt.Errorf("%s: row %d: %w", name, n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// errColumns is the error of a file with other columns than this version of the program writes.
var errColumns = errors.New("columns")

// openSized opens a file and returns its size.
func openSized(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
