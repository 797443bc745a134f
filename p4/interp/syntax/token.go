package syntax

import (
	"slices"
	"strconv"
)

// tokenKind is the class of a token.
type tokenKind uint8

// The token classes. Keywords are identifiers to the scanner. The parser recognises them by their
// text, because most are reserved only in certain places.
const (
	tokenEOF     tokenKind = iota
	tokenIdent             // names and keywords
	tokenInt               // integer literals, width prefix included
	tokenString            // string literals; Text is the value without quotes, escapes undone
	tokenOp                // operators and punctuation
	tokenIllegal           // Text is the message
)

// A Token is one lexical element.
type Token struct {
	kind tokenKind
	Text string
	Pos  Pos
	// Spaced reports that white space or a comment precedes the token. It distinguishes ">>" (a
	// shift) from "> >" (the ends of two type argument lists, or a mistake).
	Spaced bool
	// First reports that the token is the first of its line.
	First bool

	off, end int      // position in the file's text
	hide     []string // macros that must not expand the token again
}

// Is returns true if the token is an operator or a keyword with the given text. String literals are
// never operators.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.kind == tokenOp || t.kind == tokenIdent)
}

// describe names the token for an error message.
func (t Token) describe() string {
	switch t.kind {
	case tokenEOF:
		return "end of file"
	case tokenString:
		return "string \"" + t.Text + "\""
	case tokenInt:
		return "number " + t.Text
	default:
		return "'" + t.Text + "'"
	}
}

// String returns the token as it is written in a program.
func (t Token) String() string {
	if t.kind == tokenString {
		return strconv.Quote(t.Text)
	}
	return t.Text
}

func (t Token) hides(name string) bool { return slices.Contains(t.hide, name) }
