// Package source holds positions in P4 source text and the list of problems found
// there. Every message of the front end has the form "file:line:column: text".
package source

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in a source file. Line and Col count from 1; Col counts bytes.
// The zero Pos means "no particular place".
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

// An Error is one problem at one place.
type Error struct {
	Pos Pos
	Msg string
	// Undeclared is the name that the program does not declare, if this is the problem.
	Undeclared string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// MaxErrors is how many errors a List keeps; a file with more is not P4.
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

// Undeclared records that a name is not declared. kind says what it should be, such as "type ".
func (l *List) Undeclared(pos Pos, kind, name string) {
	n := len(l.Errors)
	if l.Errorf(pos, "%s'%s' is not declared", kind, name); len(l.Errors) > n {
		l.Errors[n].Undeclared = name
	}
}

// Warnf records a warning: something accepted that the author may not have meant.
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

// Full reports whether so many errors have been found that going on is useless.
func (l *List) Full() bool { return len(l.Errors) >= MaxErrors }

// Err returns nil if there are no errors, and otherwise one error that prints each
// on its own line, in source order within a file.
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
	sort.SliceStable(errs, func(i, j int) bool {
		a, b := errs[i].Pos, errs[j].Pos
		if a.File != b.File {
			return file[a.File] < file[b.File]
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return errs
}

// Errors is a non-empty list of problems as one error.
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

// Count writes a number of things: "1 entry", "2 entries".
func Count(n int, thing string) string {
	switch stem, y := strings.CutSuffix(thing, "y"); {
	case n == 1:
		return "1 " + thing
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
