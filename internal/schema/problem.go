package schema

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a document, and where.
type Problem struct {
	Source string // file or flag that holds the value; empty if the value was set in Go
	Line   int    // 1-based; 0 if not known
	Column int    // 1-based; 0 if not known
	Key    string // full name, such as "transport.rto_min"; empty for the document as a whole
	Value  string // what was given, as written; empty if nothing was
	Rule   string // what is accepted instead

	because string // key of the setting that calls for the rule, if it is another one
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

// Problems is everything that is wrong with a document, in the order of the
// source. It is never an empty error: see Err.
type Problems []Problem

// shownProblems is how many problems Error lists.
const shownProblems = 50

// Error has one line per problem, up to the fiftieth.
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

// Err is ps as an error, nil if there is none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
