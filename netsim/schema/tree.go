package schema

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// Tree is a part of a YAML file whose keys the author of the file chooses, in the order of the text.
type Tree []Branch

// Branch is a key of a Tree with a single value, a list of values or keys of its own.
type Branch struct {
	Key    string
	Value  string   // if Values and Keys are nil
	Values []string // values of a list; nil for none
	Keys   Tree     // nil for none
	Place           // place of the value
	Places []Place  // places of the values of a list
}

// Place is where a value is in a text, 1-based; 0 if unknown.
type Place struct{ Line, Column int }

func isTree(t reflect.Type) bool { return t == reflect.TypeFor[Tree]() }

// tree reads the mapping n, the value of a key.
func (e *editor) tree(n ast.Node, key string) Tree {
	given, t := e.entries(n, key+".", nil), Tree{}
	entries, _ := Entries(n)
	for _, m := range entries {
		word, _ := Scalar(m.Key)
		if given[word] != m.Value {
			continue // the key was refused
		}
		b, at := Branch{Key: word, Place: e.places[key+"."+word]}, key+"."+word
		if _, ok := Entries(m.Value); ok {
			b.Keys = e.tree(m.Value, at)
		} else if list, ok := m.Value.(*ast.SequenceNode); ok {
			b.Values = []string{}
			for i, item := range list.Values {
				at := fmt.Sprintf("%s.%d", at, i)
				e.note(item, at)
				b.Places = append(b.Places, e.places[at])
				value, _ := e.single(item, at)
				b.Values = append(b.Values, value)
			}
		} else {
			b.Value, _ = e.single(m.Value, at)
		}
		t = append(t, b)
	}
	return t
}

// single returns the text of a single value, or reports that n is not a single value.
func (e *editor) single(n ast.Node, key string) (text string, ok bool) {
	if text, ok = Scalar(n); !ok {
		e.fail(n, key, "", "want a single value, got "+DescribeNode(n))
	}
	return text, ok
}
