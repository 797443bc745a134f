package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"pintlab/internal/input"
)

// The YAML package takes time and memory that grow with the square of the depth of
// a document, or more. No document of ours is deeper than a handful of levels.
const (
	maxDocument = input.Document
	maxDepth    = 64
)

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

// parseYAML is the one document in data; nil if there is none.
func parseYAML(data []byte, source string) (n ast.Node, err error) {
	// The YAML package is not ours and its input is: a fault of it on a strange
	// document is an error of that document.
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, Problem{Source: source, Rule: fmt.Sprintf("not readable as YAML: %v", r)}
		}
	}()
	if len(data) > maxDocument {
		return nil, Problem{Source: source, Rule: fmt.Sprintf("%d bytes, want at most %d", len(data), maxDocument)}
	}
	if line, deep := tooDeep(data); deep {
		return nil, Problem{Source: source, Line: line, Rule: fmt.Sprintf("not YAML of a scenario: more than %d levels", maxDepth)}
	}
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		p := Problem{Source: source, Rule: "not YAML: " + err.Error()}
		var at yaml.Error
		if errors.As(err, &at) {
			p.Rule = "not YAML: " + at.GetMessage()
			if t := at.GetToken(); t != nil && t.Position != nil {
				p.Line, p.Column = t.Position.Line, t.Position.Column
			}
		}
		return nil, p
	}
	for _, d := range f.Docs {
		switch {
		case d.Body == nil:
		case n != nil:
			p := Problem{Source: source, Rule: "want one document, found a second"}
			if at, ok := position(d.Body); ok {
				p.Line, p.Column = at.line, at.column
			}
			return nil, p
		default:
			n = d.Body
		}
	}
	return n, nil
}

// entries is the mapping n by key. It reports what is not a mapping, unknown
// keys and duplicates; nil stands for not a mapping.
func (e *editor) entries(n ast.Node, prefix string, t reflect.Type) map[string]ast.Node {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		key := prefix
		if key != "" {
			key = key[:len(key)-1]
		}
		e.fail(n, key, "", "want keys and values, got "+nodeName(n))
		return nil
	}
	known := AllFields(t)
	given := map[string]ast.Node{}
	for _, m := range values {
		word, ok := scalar(m.Key)
		if !ok {
			e.fail(m.Key, prefix, "", "want a plain key, got "+nodeName(m.Key))
			continue
		}
		key := prefix + word
		if _, ok := fieldNamed(known, word); !ok {
			e.fail(m.Key, key, "", unknownKey(e.root.Type(), key, prefix, t).Error())
			continue
		}
		if first, ok := given[word]; ok {
			rule := "given twice"
			if at, ok := position(first); ok {
				rule += fmt.Sprintf("; the first is in line %d", at.line)
			}
			e.fail(m.Key, key, "", rule)
			continue
		}
		given[word] = m.Value
		e.note(m.Value, key)
	}
	return given
}

// scalar is the text of a single value. Numbers and words keep the spelling of
// the source, so that their meaning is ours to define.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode:
		return n.Token.Value, true
	case *ast.FloatNode:
		return n.Token.Value, true
	case *ast.BoolNode:
		return n.Token.Value, true
	case *ast.InfinityNode:
		return n.Token.Value, true
	case *ast.NanNode:
		return n.Token.Value, true
	}
	return "", false
}

// nodeName says what n is, for errors.
func nodeName(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return "an anchor, alias or merge key, which scenarios do not use"
	case *ast.TagNode:
		return "a tag, which scenarios do not use"
	default:
		if s, ok := scalar(n); ok {
			return strconv.Quote(s)
		}
		return "something else"
	}
}

// shown is a given value as an error shows it.
func shown(n ast.Node) string {
	if s, ok := scalar(n); ok {
		return strconv.Quote(s)
	}
	return ""
}

func position(n ast.Node) (place, bool) {
	if n == nil {
		return place{}, false
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return position(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return position(m.Key)
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return place{}, false
	}
	return place{line: t.Position.Line, column: t.Position.Column}, true
}
