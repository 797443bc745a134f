// Package yamldoc reads the YAML that users write: scenarios, campaigns, queries, targets.
// It gives the tree of the one document of a text, with the guards that the YAML library
// needs on input that is not ours: a limit of size, a limit of depth, and an error where the
// library panics. What the keys mean is for the packages above, and so are anchors, aliases,
// merge keys and tags: the tree shows them, and nothing here follows them.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The YAML library takes time and memory that grow with the square of the depth of a
// document, or more. No document of ours is deeper than a handful of levels.
const maxDepth = 64

// Error is an error in a text, with its place.
type Error struct {
	Source       string
	Line, Column int // 1-based; 0 if not known
	Rule         string
}

// Error returns the error in one line: source:line:column: rule.
func (e *Error) Error() string {
	at := e.Source
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
		if e.Column > 0 {
			at += ":" + strconv.Itoa(e.Column)
		}
	}
	return at + ": " + e.Rule
}

// Parse returns the one document in data, nil if there is none. Source names the text in errors,
// which are of type *Error. Data of more than limit bytes are refused. Keys that occur twice
// are left to the caller, who can say where the first is.
func Parse(data []byte, source string, limit int) (n ast.Node, err error) {
	// The library can panic on malformed input. Report that as an error in the input.
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, &Error{Source: source, Rule: fmt.Sprintf("not readable as YAML: %v", r)}
		}
	}()
	if len(data) > limit {
		return nil, &Error{Source: source, Rule: fmt.Sprintf("%d bytes, want at most %d", len(data), limit)}
	}
	if line, deep := tooDeep(data); deep {
		return nil, &Error{Source: source, Line: line, Rule: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, located(err, source, "not YAML: ")
	}
	for _, d := range f.Docs {
		switch {
		case d.Body == nil:
		case n != nil:
			e := &Error{Source: source, Rule: "want one document, found a second"}
			e.Line, e.Column = Position(d.Body)
			return nil, e
		default:
			n = d.Body
		}
	}
	return n, nil
}

// Decode sets a struct, to which v points, from the YAML in data. Unknown keys and keys
// that occur twice are errors, and so is a text without a document.
func Decode(data []byte, source string, limit int, v any) error {
	n, err := Parse(data, source, limit)
	if err != nil {
		return err
	}
	if n == nil {
		return &Error{Source: source, Rule: "empty"}
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(v); err != nil {
		return located(err, source, "")
	}
	return nil
}

// located returns an error of the library without its excerpt of the text.
func located(err error, source, what string) *Error {
	e := &Error{Source: source, Rule: what + err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		e.Rule = what + at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

// tooDeep reports the first line that opens more than maxDepth levels by itself,
// or with the brackets that are still open. Brackets in texts count, too: no text
// has that many of them.
func tooDeep(data []byte) (line int, deep bool) {
	open := 0
	for text := range bytes.Lines(data) {
		line++
		for _, c := range text {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxDepth {
				return line, true
			}
		}
		// "- - - a" opens a list in a list in a list; tags and anchors may stand there.
		marks := 0
		for word := range bytes.FieldsSeq(text) {
			if c := word[0]; c != '!' && c != '&' && string(word) != "-" && string(word) != "?" {
				break
			}
			if marks++; marks > maxDepth {
				return line, true
			}
		}
	}
	return 0, false
}

// Entries returns the keys and values of a mapping in the order of the text; ok says whether n
// is one.
func Entries(n ast.Node) (entries []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// Scalar returns the text of a single value. Numbers and words keep the spelling of
// the source, so that their meaning is ours to define.
func Scalar(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// Describe returns what n is, for errors.
func Describe(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return "an anchor, alias or merge key, which is not accepted here"
	case *ast.TagNode:
		return "a tag, which is not accepted here"
	default:
		if s, ok := Scalar(n); ok {
			return strconv.Quote(s)
		}
		return "something else"
	}
}

// Position returns where n begins, 1-based: of a block mapping that is its first key, because the
// library's position is that of the first colon. Both are 0 if it is not known.
func Position(n ast.Node) (line, column int) {
	switch m := n.(type) {
	case nil:
		return 0, 0
	case *ast.MappingNode:
		if len(m.Values) > 0 && !m.IsFlowStyle {
			return Position(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return Position(m.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 0, 0
}
