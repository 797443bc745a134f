package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pintlab/internal/input"
)

// Language defines how documents of one kind are written.
type Language struct {
	Profiles Profiles
	// Rules checks conditions on several keys (see Check); nil if there are none. document is a pointer to a struct.
	Rules func(document any, c *Checker)
	// Empty is the error for an empty document.
	Empty string
	// Complete returns the assignments that a document needs after a text or assignments have changed it. given reports
	// whether an assignment or the text sets a key. kept reports whether a key keeps its value if the assignments
	// change its default.
	Complete func(document any, given func(key string) (assigned, written bool)) (assignments []string,
		kept func(key string) bool)
	// Reads lists the sections that Complete reads.
	Reads []string
}

// Source is a text to be read.
type Source struct {
	Name string // for errors
	Dir  string // directory of the source; relative paths are joined to it, unless it is ""
	// Extend returns a pointer to the value, such as a scenario, that "extends: NAME" names.
	Extend func(name string) (any, error)
}

// Default sets every key of a document, a pointer to a struct, to its default.
func (l *Language) Default(document any) {
	e := l.editor(document)
	e.defaults(e.root, "")
}

// Defaults sets every key of a document without profiles to its default.
func Defaults(document any) { new(Language).Default(document) }

// Default returns a section with the defaults of its tags, such as the parameters of a kind.
func Default[T any]() (section T) {
	Defaults(&section)
	return section
}

// DefaultEntry sets every key of a list entry to its default. The entry is a pointer; if it is a Choice,
// its Kind is set. prefix is the prefix of its keys, such as "workload.0.".
func (l *Language) DefaultEntry(document, entry any, prefix string) {
	e := l.editor(document)
	v := reflect.ValueOf(entry).Elem()
	if e.kinds.view(v).choice != nil {
		e.renew(v, prefix)
		return
	}
	e.defaults(v, prefix)
}

func (l *Language) editor(document any) *editor {
	root := reflect.ValueOf(document).Elem()
	return &editor{root: root, kinds: kindsOf(root), profiles: l.Profiles}
}

// Parse changes a document by a text in YAML (or JSON, which is YAML) and then by assignments, as Set does.
// It checks only the result: the text may contain a value that an assignment corrects, or a key that only
// an assignment brings into effect. The error is a Problems that lists everything wrong: unknown and
// duplicate keys, wrong types, values out of range, settings without effect.
func (l *Language) Parse(document any, data []byte, src Source, assignments ...string) error {
	n, err := ParseYAML(data, src.Name, input.Document)
	var at *YAMLError
	if errors.As(err, &at) {
		return Problem{Source: at.Source, Line: at.Line, Column: at.Column, Rule: at.Rule}
	}
	if n == nil {
		return Problems{{Source: src.Name, Rule: l.Empty}}
	}
	e := l.editor(document)
	e.source, e.dir, e.places = src.Name, src.Dir, map[string]Place{}
	e.overrides, e.defers = overriding(assignments), l.Complete != nil
	if src.Extend != nil {
		n = e.extend(n, src.Extend)
	}
	e.section(n, e.root, "", true)
	wrong := len(e.problems) > 0
	e.assignAll(assignments, wrong)
	e.complete(l, document, wrong)
	if len(e.problems) == 0 {
		e.locate(l.Check(document))
	}
	slices.SortStableFunc(e.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return e.problems.Err()
}

// complete applies the assignments of Language.Complete, and then the keys that these bring into effect. If a key
// should keep its value but has no effect after these assignments, that is an error. wrong is whether the source has
// problems.
func (e *editor) complete(l *Language, document any, wrong bool) {
	switch {
	case l.Complete == nil:
		e.refuse(wrong)
		return
	case slices.ContainsFunc(e.problems, l.open):
		e.waiting, e.deferred = nil, nil
		return
	}
	var assignments []string
	assignments, e.keeps = l.Complete(document, func(key string) (assigned, written bool) {
		_, written = e.places[key]
		return e.overridden(key), written || e.written
	})
	given := slices.Collect(maps.Keys(e.places))
	for _, o := range e.overrides {
		for _, l := range o.leaves {
			given = append(given, l.key)
		}
	}
	given = slices.DeleteFunc(given, func(key string) bool { return !e.keeps(key) || e.lost(key) != "" })
	e.assignAll(assignments, len(e.problems) > 0)
	e.refuse(wrong)
	slices.Sort(given)
	for _, key := range slices.Compact(given) {
		if rule := e.lost(key); rule != "" && !e.wrong(key) && !e.undecidedAt(key, wrong) {
			e.problems = append(e.problems, e.located(Problem{Key: key, Rule: rule}))
		}
	}
}

// open reports whether a problem leaves open which keys have an effect: a problem of the preset, of the profile, or of
// a section in Reads or its kind, or an assignment without a key or a value.
func (l *Language) open(p Problem) bool {
	return slices.Contains([]string{"", "extends", "profile"}, p.Key) ||
		slices.Contains(l.Reads, strings.TrimSuffix(p.Key, ".kind"))
}

// lost returns the rule by which a key has no effect, or "" if the key has an effect.
func (e *editor) lost(key string) string {
	_, f, err := find(e.root, key)
	if other, ok := err.(elsewhere); ok {
		return other.Error()
	}
	if err != nil {
		return "" // an entry of a list that an assignment has replaced
	}
	v, prefix := e.parent(key)
	if v.Kind() != reflect.Struct || f.When.holds(e.kinds.view(v)) {
		return "" // lists have entries without conditions
	}
	return f.noEffect(e.kinds.view(v), prefix)
}

// Check returns all problems of a document.
func (l *Language) Check(document any) Problems {
	return Check(document, func(c *Checker) {
		if l.Rules != nil {
			l.Rules(document, c)
		}
	})
}

// extend removes "extends: NAME" from the text and starts from the named value.
func (e *editor) extend(n ast.Node, base func(string) (any, error)) ast.Node {
	e.words = []string{"extends"}
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return n
	}
	rest := *m
	rest.Values = nil
	var first ast.Node
	for _, v := range m.Values {
		if word, ok := Scalar(v.Key); !ok || word != "extends" {
			rest.Values = append(rest.Values, v)
			continue
		}
		if first != nil {
			e.twice(first, v.Key, "extends")
			continue
		}
		first = v.Value
		name, ok := Scalar(v.Value)
		if !ok {
			e.fail(v.Value, "extends", "", "want the name of a preset, got "+DescribeNode(v.Value))
			continue
		}
		document, err := base(name)
		if err != nil {
			e.fail(v.Value, "extends", fmt.Sprintf("%q", name), err.Error())
			continue
		}
		e.root.Set(reflect.ValueOf(document).Elem())
	}
	return &rest
}

// locate adds problems of the whole document with their places. The place is the assignment or line that
// sets the key, or else the setting that requires the rule, or else the section around the key.
func (e *editor) locate(ps Problems) {
	for _, p := range ps {
		e.problems = append(e.problems, e.located(p))
	}
}

func (e *editor) located(p Problem) Problem {
	key := p.Key
	for _, k := range []string{p.Key, p.because} {
		for _, o := range slices.Backward(e.overrides) {
			if k != "" && o.covers(k) {
				p.Source = o.source()
				return p
			}
		}
		if _, ok := e.places[k]; ok {
			key = k
			break
		}
	}
	if key == p.Key && e.places[key].Line == 0 {
		for _, o := range slices.Backward(e.overrides) {
			if strings.HasPrefix(key, o.key+".") {
				p.Source = o.source()
				return p
			}
		}
	}
	at, ok := e.places[key]
	for !ok && lastDot(key) >= 0 {
		key = key[:lastDot(key)]
		at, ok = e.places[key]
	}
	p.Source, p.Line, p.Column = e.source, at.Line, at.Column
	return p
}

func (e *editor) resolve(path string) string {
	if e.dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.dir, path)
}
