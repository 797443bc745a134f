package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a position in a source file. Line and Col count from 1; Col counts bytes.
// The zero Pos means that there is no particular position.
type Pos struct {
	File      string
	Line, Col int
}

// IsValid reports whether the position names a line.
func (p Pos) IsValid() bool { return p.Line > 0 }

func (p Pos) String() string {
	switch {
	case !p.IsValid() && p.File == "":
		return "-"
	case !p.IsValid():
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// An Error is one problem at one position.
type Error struct {
	Pos Pos
	Msg string
	// Undeclared is the undeclared name, if the problem is an undeclared name.
	Undeclared string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// MaxErrors is the largest number of errors that a List contains. A file with more errors is not P4.
const MaxErrors = 40

// A List collects the errors and warnings of one program. The zero List is empty
// and ready to use.
type List struct {
	Errors   []*Error
	Warnings []*Error
	seen     map[string]bool
}

// Errorf records an error. The same message at the same line is recorded once.
func (l *List) Errorf(pos Pos, format string, args ...any) {
	if e := l.record(pos, format, args); e != nil && len(l.Errors) < MaxErrors {
		l.Errors = append(l.Errors, e)
	}
}

// Undeclared records that a name is not declared. kind is the expected kind of name, such as "type ".
func (l *List) Undeclared(pos Pos, kind, name string) {
	n := len(l.Errors)
	if l.Errorf(pos, "%s'%s' is not declared", kind, name); len(l.Errors) > n {
		l.Errors[n].Undeclared = name
	}
}

// Warnf records a warning: the program is accepted, but its author may not have meant it.
func (l *List) Warnf(pos Pos, format string, args ...any) {
	if e := l.record(pos, format, args); e != nil && len(l.Warnings) < MaxErrors {
		l.Warnings = append(l.Warnings, e)
	}
}

func (l *List) record(pos Pos, format string, args []any) *Error {
	e := &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	key := fmt.Sprintf("%s:%d:%s", pos.File, pos.Line, e.Msg)
	if l.seen[key] {
		return nil
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[key] = true
	return e
}

// Full reports whether there are so many errors that continuing is useless.
func (l *List) Full() bool { return len(l.Errors) >= MaxErrors }

// Err returns nil if there are no errors. Otherwise it returns one error that prints each error on a separate line,
// in source order within a file.
func (l *List) Err() error {
	if len(l.Errors) == 0 {
		return nil
	}
	errs := append(Errors(nil), l.Errors...)
	file := make(map[string]int) // files in the order in which they first had an error
	for _, e := range errs {
		if _, ok := file[e.Pos.File]; !ok {
			file[e.Pos.File] = len(file)
		}
	}
	slices.SortStableFunc(errs, func(x, y *Error) int {
		a, b := x.Pos, y.Pos
		return cmp.Or(file[a.File]-file[b.File], a.Line-b.Line, a.Col-b.Col)
	})
	return errs
}

// Errors is a non-empty list of problems that is an error itself.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	if len(e) >= MaxErrors {
		lines = append(lines, fmt.Sprintf("(more than %d errors)", MaxErrors))
	}
	return strings.Join(lines, "\n")
}
