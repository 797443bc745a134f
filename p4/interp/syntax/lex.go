package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// operators lists the operators. If two of them share a beginning, the longer one comes first. There is no ">>": the
// parser joins two adjacent ">" to a shift, because "bit<bit<8>>" ends two lists.
var operators = []string{
	"|+|=", "|-|=", "<<=",
	"&&&", "...", "|+|", "|-|",
	"&&", "||", "++", "<<", "<=", ">=", "==", "!=", "..", "##",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
}

// punctuation holds the characters that are tokens on their own. The apostrophe is not part of P4,
// but the text of an annotation may contain it.
const punctuation = "+-*/%&|^~!<>=?:;,.(){}[]@#'"

// lexer reads one file. It never fails: text that is not P4 becomes an Illegal token. Such a token matters only if
// it remains after preprocessing.
type lexer struct {
	file      string
	text      string
	off       int
	line, col int
	spaced    bool
	first     bool
	directive bool // the line begins with #
}

// lexFile splits a whole file into tokens; the last one is EOF.
func lexFile(file, text string) []Token {
	lx := &lexer{file: file, text: text, line: 1, col: 1, first: true}
	var toks []Token
	for {
		t := lx.next()
		toks = append(toks, t)
		if t.kind == tokenEOF {
			return toks
		}
	}
}

func (lx *lexer) peek(i int) byte {
	if lx.off+i < len(lx.text) {
		return lx.text[lx.off+i]
	}
	return 0
}

func (lx *lexer) advance(n int) {
	for range n {
		if lx.text[lx.off] == '\n' {
			lx.line++
			lx.col = 1
		} else {
			lx.col++
		}
		lx.off++
	}
}

// spliced returns the length of a backslash-newline at the current position, or 0.
func (lx *lexer) spliced() int {
	if lx.peek(0) != '\\' {
		return 0
	}
	if lx.peek(1) == '\n' {
		return 2
	}
	if lx.peek(1) == '\r' && lx.peek(2) == '\n' {
		return 3
	}
	return 0
}

// blanks skips white space, comments and line continuations. It returns a message if a comment is
// not closed.
func (lx *lexer) blanks() string {
	for lx.off < len(lx.text) {
		switch c := lx.peek(0); {
		case c == '\n':
			lx.first = true
			lx.advance(1)
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			lx.advance(1)
		case lx.spliced() > 0:
			lx.advance(lx.spliced())
		case c == '/' && lx.peek(1) == '/':
			for lx.off < len(lx.text) && lx.peek(0) != '\n' {
				lx.advance(max(1, lx.spliced())) // a continued line continues the comment
			}
		case c == '/' && lx.peek(1) == '*':
			end := strings.Index(lx.text[lx.off+2:], "*/")
			if end < 0 {
				return "comment opened here is never closed: expected '*/'"
			}
			lx.advance(end + 4)
		default:
			return ""
		}
		lx.spaced = true
	}
	return ""
}

func (lx *lexer) next() Token {
	start := *lx
	if msg := lx.blanks(); msg != "" {
		t := Token{kind: tokenIllegal, Text: msg, Pos: lx.pos(), First: lx.first, off: lx.off, end: len(lx.text)}
		lx.off = len(lx.text)
		return t
	}
	t := Token{Pos: lx.pos(), Spaced: lx.spaced, First: lx.first, off: lx.off}
	if start.off == 0 {
		t.Spaced = true
	}
	lx.spaced, lx.first = false, false
	if lx.off == len(lx.text) {
		t.kind, t.First, t.end = tokenEOF, true, lx.off
		return t
	}
	c := lx.peek(0)
	if t.First {
		lx.directive = c == '#'
	}
	switch {
	case isLetter(c):
		t.kind, t.Text = tokenIdent, lx.word()
	case isDigit(c):
		t.kind, t.Text = tokenInt, lx.word()
	case c == '"':
		t.kind, t.Text = lx.quoted()
	default:
		t.kind, t.Text = lx.operator()
	}
	t.end = lx.off
	return t
}

func (lx *lexer) pos() Pos { return Pos{File: lx.file, Line: lx.line, Col: lx.col} }

// word reads letters, digits and underscores: an identifier, or a number with its
// base and width letters ("8w0xFF").
func (lx *lexer) word() string {
	n := 0
	for isLetter(lx.peek(n)) || isDigit(lx.peek(n)) {
		n++
	}
	w := lx.text[lx.off : lx.off+n]
	lx.advance(n)
	return w
}

// quoted reads a string. The string ends at the next quote that has no backslash in front of it, on this line or a
// later one. As in cpp, a string does not extend over a line that begins with #, and a string in a directive ends
// with its line. A string without end is read to the end of its line.
func (lx *lexer) quoted() (tokenKind, string) {
	lx.advance(1)
	var b strings.Builder
	var line *lexer // where the first line ends
	for lx.off < len(lx.text) {
		c := lx.peek(0)
		if c == '\n' {
			if line == nil {
				end := *lx
				line = &end
			}
			if lx.directive || strings.HasPrefix(strings.TrimLeft(lx.text[lx.off+1:], " \t"), "#") {
				break
			}
		}
		switch {
		case c == '"':
			lx.advance(1)
			return tokenString, b.String()
		case lx.spliced() > 0:
			lx.advance(lx.spliced())
		case c == '\\' && lx.off+1 < len(lx.text):
			e := lx.peek(1)
			switch e {
			case 'n':
				e = '\n'
			case 't':
				e = '\t'
			case 'r':
				e = '\r'
			}
			b.WriteByte(e)
			lx.advance(2)
		default:
			b.WriteByte(c)
			lx.advance(1)
		}
	}
	if line != nil {
		*lx = *line
	}
	return tokenIllegal, "string is not closed: expected '\"'"
}

func (lx *lexer) operator() (tokenKind, string) {
	rest := lx.text[lx.off:]
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			lx.advance(len(op))
			return tokenOp, op
		}
	}
	c := rest[0]
	if strings.IndexByte(punctuation, c) >= 0 {
		lx.advance(1)
		return tokenOp, rest[:1]
	}
	r, size := utf8.DecodeRuneInString(rest)
	lx.advance(size)
	if r < 0x20 || r == utf8.RuneError {
		return tokenIllegal, fmt.Sprintf("byte 0x%02x is not part of P4", c)
	}
	return tokenIllegal, "character '" + string(r) + "' is not part of P4"
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
