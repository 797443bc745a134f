package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// reader walks a YAML tree and collects what is wrong with it. lines remembers where
// each key was, for rules that are checked later.
type reader struct {
	file  string
	errs  []error
	lines map[string]int
}

func (r *reader) fail(n ast.Node, path string, err error) {
	if path != "" {
		path += ": "
	}
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %s%w", r.file, n.GetToken().Position.Line, path, err))
}

// mapping hands the values of n to the keys of the same name. A key called "" is called
// once after all others.
func (r *reader) mapping(n ast.Node, path string, keys []key) {
	r.lines[path] = n.GetToken().Position.Line
	m, ok := n.(*ast.MappingNode)
	if !ok {
		r.fail(n, path, fmt.Errorf("want keys (%s)", keyNames(keys)))
		return
	}
	seen := map[string]bool{}
	for i, pair := range m.Values {
		name, err := scalar(pair.Key)
		if err != nil {
			r.fail(pair.Key, path, err)
			continue
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		if i == 0 {
			// The token of a block mapping is its first colon; the key is clearer.
			r.lines[path] = pair.Key.GetToken().Position.Line
		}
		r.lines[at] = pair.Key.GetToken().Position.Line
		switch k := find(keys, name); {
		case k == nil:
			r.fail(pair.Key, path, fmt.Errorf("unknown key %q (accepted: %s)", name, keyNames(keys)))
		case seen[name]:
			r.fail(pair.Key, path, fmt.Errorf("key %q occurs twice", name))
		default:
			seen[name] = true
			if err := k.read(pair.Value); err != nil {
				r.fail(pair.Key, at, err)
			}
		}
	}
	for _, k := range keys {
		if k.name == "" {
			if err := k.read(nil); err != nil {
				r.errs = append(r.errs, fmt.Errorf("%s:%d: %s: %w", r.file, r.lines[path], path, err))
			}
		}
	}
}

// sequence hands the items of a list to each.
func (r *reader) sequence(n ast.Node, path string, each func(i int, item ast.Node)) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return errors.New("want a list")
	}
	for i, item := range seq.Values {
		each(i, item)
	}
	return nil
}

func find(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name && name != "" {
			return &keys[i]
		}
	}
	return nil
}

func keyNames(keys []key) string {
	var names []string
	for _, k := range keys {
		if k.name != "" {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, ", ")
}

// scalar is the text of a plain value: a word, a number or a quoted string.
func scalar(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	case *ast.NullNode:
		return "", errors.New("no value")
	}
	return "", errors.New("want one plain value")
}

// locate puts the file and the line in front of every FieldError.
func (r *reader) locate(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	var out []error
	for _, e := range joined.Unwrap() {
		line := 0
		var f *FieldError
		if errors.As(e, &f) {
			path := ""
			switch {
			case f.Query >= 0:
				path = fmt.Sprintf("queries[%d]", f.Query)
			case f.Line >= 0:
				path = fmt.Sprintf("plan[%d]", f.Line)
			}
			line = r.lines[path]
			if l, ok := r.lines[strings.TrimPrefix(path+"."+f.Key, ".")]; ok {
				line = l
			}
		}
		out = append(out, fmt.Errorf("%s:%d: %w", r.file, max(line, 1), e))
	}
	return errors.Join(out...)
}

// lineOf is the line of a syntax error of the YAML library.
func lineOf(err error) int {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		return e.GetToken().Position.Line
	}
	return 1
}

// messageOf is the message of a syntax error without the excerpt of the file.
func messageOf(err error) string {
	var e yaml.Error
	if errors.As(err, &e) {
		return e.GetMessage()
	}
	return err.Error()
}
