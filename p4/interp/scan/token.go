// Package scan turns P4_16 source text into tokens: the C-like preprocessor that P4
// compilers run first (P4_16 specification 1.2.4, section 6.1.2) and the lexical rules
// of section 6.4.
//
// Preprocessing works on tokens, not on text, so every token keeps the line and
// column where it was written. A token produced by a macro has the position of the
// macro's use.
//
// # Differences from the C preprocessor
//
//   - A directive must be the first token on its line, as in C; #pragma and #line are
//     accepted and have no effect.
//   - Adjacent string literals are not joined.
//   - Predefined macros are __LINE__, __FILE__, __p4c__ (programs test it to find out that
//     they are compiled as P4_16), __pintlab__ (set in this interpreter), those of
//     Config.Predefined and those of Config.Defines.
package scan

import (
	"slices"

	"pintlab/p4/interp/source"
)

// Kind is the class of a token.
type Kind uint8

// The token classes. Keywords are identifiers to the scanner. The parser recognises them by their
// text, because most are reserved only in certain places.
const (
	EOF     Kind = iota
	Ident        // names and keywords
	Int          // integer literals, width prefix included
	String       // string literals; Text is the value without quotes, escapes undone
	Op           // operators and punctuation
	Illegal      // Text is the message
)

// A Token is one lexical element.
type Token struct {
	Kind Kind
	Text string
	Pos  source.Pos
	// Spaced reports that white space or a comment precedes the token. It distinguishes ">>" (a
	// shift) from "> >" (the ends of two type argument lists, or a mistake).
	Spaced bool
	// First reports that the token is the first of its line.
	First bool

	off, end int      // position in the file's text
	hide     []string // macros that must not be expanded in it again
}

// Is reports whether the token is the operator or keyword text. String literals are
// never operators.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Op || t.Kind == Ident)
}

// Describe names the token for an error message.
func (t Token) Describe() string {
	switch t.Kind {
	case EOF:
		return "end of file"
	case String:
		return "string \"" + t.Text + "\""
	case Int:
		return "number " + t.Text
	default:
		return "'" + t.Text + "'"
	}
}

func (t Token) hides(name string) bool { return slices.Contains(t.hide, name) }
