package syntax

import (
	"slices"
)

// TokenKind is the class of a token.
type TokenKind uint8

// The token classes. Keywords are identifiers to the scanner. The parser recognises them by their
// text, because most are reserved only in certain places.
const (
	TokenEOF     TokenKind = iota
	TokenIdent             // names and keywords
	TokenInt               // integer literals, width prefix included
	TokenString            // string literals; Text is the value without quotes, escapes undone
	TokenOp                // operators and punctuation
	TokenIllegal           // Text is the message
)

// A Token is one lexical element.
type Token struct {
	Kind TokenKind
	Text string
	Pos  Pos
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
	return t.Text == text && (t.Kind == TokenOp || t.Kind == TokenIdent)
}

// Describe names the token for an error message.
func (t Token) Describe() string {
	switch t.Kind {
	case TokenEOF:
		return "end of file"
	case TokenString:
		return "string \"" + t.Text + "\""
	case TokenInt:
		return "number " + t.Text
	default:
		return "'" + t.Text + "'"
	}
}

func (t Token) hides(name string) bool { return slices.Contains(t.hide, name) }
