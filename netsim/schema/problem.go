package schema

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with a document and its place.
type Problem struct {
	Source string // file or flag that contains the value; "" if Go code set it
	Line   int    // 1-based; 0 if not known
	Column int    // 1-based; 0 if not known
	Key    string // full name, such as "transport.rto_min"; "" for the whole document
	Value  string // as written; "" if none was given
	Rule   string // the rule that the value breaks, with what is accepted

	because string // key of the setting that requires the rule; "" if it is Key itself
}

// Error returns the problem in one line: source:line:column: key: value: rule.
func (p Problem) Error() string {
	var b strings.Builder
	if p.Source != "" {
		b.WriteString(p.Source)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
			if p.Column > 0 {
				fmt.Fprintf(&b, ":%d", p.Column)
			}
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	if p.Value != "" {
		fmt.Fprintf(&b, "%s: ", p.Value)
	}
	b.WriteString(p.Rule)
	return b.String()
}

// Problems lists everything wrong with a document, in the order of the source. Convert it to an error by
// Err.
type Problems []Problem

// shownProblems is how many problems Error lists.
const shownProblems = 50

// Error returns one line per problem, at most shownProblems of them.
func (ps Problems) Error() string {
	lines := make([]string, 0, min(len(ps), shownProblems+1))
	for _, p := range ps[:min(len(ps), shownProblems)] {
		lines = append(lines, p.Error())
	}
	if len(ps) > shownProblems {
		lines = append(lines, fmt.Sprintf("and %d more", len(ps)-shownProblems))
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each Problem.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// Err returns ps as an error, or nil if it is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
