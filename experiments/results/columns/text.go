package columns

import (
	"cmp"
	"fmt"
	"strings"

	"pintlab/plots"
)

// A Text collects lines and tables for a terminal. It keeps the first error.
type Text struct {
	b   strings.Builder
	err error
}

// Printf appends formatted text.
func (t *Text) Printf(format string, args ...any) { fmt.Fprintf(&t.b, format, args...) }

// Rows appends a slice of structs as a table.
func (t *Text) Rows(rows any) { t.Table(Of(rows)) }

// Table appends a table. If err is not nil, it keeps the error instead.
func (t *Text) Table(table *plots.Table, err error) {
	if err == nil {
		err = table.WriteText(&t.b)
	}
	t.err = cmp.Or(t.err, err)
}

// Done returns the text.
func (t *Text) Done() (string, error) { return t.b.String(), t.err }
