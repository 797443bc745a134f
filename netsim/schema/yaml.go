package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The syntax tree of a YAML text contains anchors, aliases, merge keys and tags, but nothing here resolves them. Text
// from users may be hostile. If it makes the YAML library panic, that is reported as an error.

// Limits of a document. The depth of a document is bounded because the time and memory of the YAML library grow at
// least with the square of the depth; our own documents have a few levels. The number of values is bounded because the
// library takes 2.4 KB for each value.
const (
	maxDepth  = 64
	maxValues = 400_000
)

// YAMLError is an error in a text and its place.
type YAMLError struct {
	Source       string
	Line, Column int // 1-based; 0 if not known
	Rule         string
}

// Error returns the error in one line: source:line:column: rule.
func (e *YAMLError) Error() string {
	at := e.Source
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
		if e.Column > 0 {
			at += ":" + strconv.Itoa(e.Column)
		}
	}
	return at + ": " + e.Rule
}

// ParseYAML returns the one document in data, or nil if data is empty. Source names the text in errors, which
// are of type *YAMLError. More than limit bytes are an error. Duplicate keys are left to the caller, which can
// report where the first one is.
func ParseYAML(data []byte, source string, limit int) (n ast.Node, err error) {
	// The library can panic on malformed input. Report that as an error in the input.
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, &YAMLError{Source: source, Rule: fmt.Sprintf("not readable as YAML: %v", r)}
		}
	}()
	if len(data) > limit {
		return nil, &YAMLError{Source: source, Rule: fmt.Sprintf("%d bytes, want at most %d", len(data), limit)}
	}
	if line, deep := tooDeep(data); deep {
		return nil, &YAMLError{Source: source, Line: line,
			Rule: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	if n := values(data); n > maxValues {
		return nil, &YAMLError{Source: source, Rule: fmt.Sprintf("%d values, want at most %d", n, maxValues)}
	}
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, locate(err, source, "not YAML: ")
	}
	for _, d := range f.Docs {
		_, directive := d.Body.(*ast.DirectiveNode) // such as %YAML 1.2, a separate document for the library
		switch {
		case d.Body == nil || directive:
		case n != nil:
			e := &YAMLError{Source: source, Rule: "want one document, found a second"}
			e.Line, e.Column = Position(d.Body)
			return nil, e
		default:
			n = d.Body
		}
	}
	return n, nil
}

// locate converts an error of the library to an Error, without the library's excerpt of the text.
func locate(err error, source, what string) *YAMLError {
	e := &YAMLError{Source: source, Rule: what + err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		e.Rule = what + at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

// values returns an upper bound of the number of keys and values: the number of commas, colons, brackets and lines.
func values(data []byte) (n int) {
	for _, c := range []string{",", ":", "[", "{", "\n"} {
		n += bytes.Count(data, []byte(c))
	}
	return n
}

// tooDeep reports the first line at which more than maxDepth levels are open, by brackets or by list marks
// of that line. It also counts brackets in strings, because no valid document has that many.
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
		// "- - - a" opens three nested lists; tags and anchors may precede the items.
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

// Entries returns the keys and values of a mapping in the order of the text. ok reports whether n is a
// mapping.
func Entries(n ast.Node) (entries []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// Scalar returns the text of a scalar as the source spells it, because the schema defines how to read it.
// ok reports whether n is a scalar.
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

// DescribeNode returns a description of n for errors.
func DescribeNode(n ast.Node) string {
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

// Position returns where n begins, 1-based, or 0, 0 if the position is unknown. For a block mapping it returns the
// position of the first key, because the library returns the position of the first colon.
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
