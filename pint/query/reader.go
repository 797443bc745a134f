package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pintlab/internal/schema"
)

// reader walks a YAML tree and collects errors. lines maps each key to its line, for rules that are
// checked later.
type reader struct {
	file  string
	errs  []error
	lines map[string]int
}

func (r *reader) fail(n ast.Node, path string, err error) {
	if path != "" {
		path += ": "
	}
	line, _ := schema.Position(n)
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %s%w", r.file, line, path, err))
}

// mapping calls the reader of each key with its value in n. The key named "" is called once, after
// all others.
func (r *reader) mapping(n ast.Node, path string, keys []key) {
	r.lines[path], _ = schema.Position(n)
	pairs, ok := schema.Entries(n)
	if !ok {
		r.fail(n, path, fmt.Errorf("want keys (%s)", keyNames(keys)))
		return
	}
	seen := map[string]bool{}
	for _, pair := range pairs {
		name, err := scalar(pair.Key)
		if err != nil {
			r.fail(pair.Key, path, err)
			continue
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		r.lines[at], _ = schema.Position(pair.Key)
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

// sequence calls each with the items of a list.
func sequence(n ast.Node, each func(i int, item ast.Node)) error {
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

// scalar returns the text of a scalar: a word, a number or a quoted string.
func scalar(n ast.Node) (string, error) {
	if s, ok := schema.Scalar(n); ok {
		return s, nil
	}
	return "", fmt.Errorf("want one plain value, got %s", schema.DescribeNode(n))
}

// locate adds the file and the line to every FieldError.
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
