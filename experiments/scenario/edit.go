package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// An editor changes a scenario by what a YAML document or a --set says, and
// collects what is wrong with it.
type editor struct {
	root     *Scenario
	source   string
	dir      string // of the source; relative paths are joined to it
	problems Problems
	places   map[string]place // of the keys that the source gave
}

type place struct{ line, column int }

// defaults gives every key of a section its default value. It leaves lists of
// sections empty.
func (e *editor) defaults(v reflect.Value, prefix string) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		fv := v.Field(f.index)
		switch {
		case !f.when.holds(v, fields):
			fv.SetZero()
		case fv.Kind() == reflect.Struct:
			e.defaults(fv, prefix+f.key+".")
		default:
			e.setDefault(v, fields, f, prefix)
		}
	}
}

// setDefault gives one key the value that the profile, or else its tag, says.
// A key without a default keeps its value.
func (e *editor) setDefault(v reflect.Value, fields []field, f field, prefix string) {
	s, ok := profiles[e.root.Profile][prefix+f.key]
	if !ok {
		if len(f.defaults) == 0 {
			return
		}
		for _, a := range f.defaults {
			if a.when.holds(v, fields) {
				s = a.text
			}
		}
	}
	fv := v.Field(f.index)
	if fv.Type() == reflect.TypeFor[[]string]() {
		fv.Set(reflect.ValueOf(strings.Split(s, ", ")))
		return
	}
	if err := setText(fv, s); err != nil {
		panic(fmt.Sprintf("scenario: default of %s%s: %v", prefix, f.key, err))
	}
}

// change runs set, which changes the control f of the section v, and then lets
// the keys that depend on it follow.
func (e *editor) change(v reflect.Value, fields []field, f field, prefix string, set func()) {
	before := make([]bool, len(fields))
	for i, g := range fields {
		before[i] = g.when.holds(v, fields)
	}
	old := text(v.Field(f.index))
	set()
	if text(v.Field(f.index)) == old {
		return
	}
	for i, g := range fields {
		gv := v.Field(g.index)
		switch holds := g.when.holds(v, fields); {
		case g.key == f.key:
		case !holds:
			gv.SetZero()
		case !before[i] || g.defaultDependsOn(f.key):
			if gv.Kind() == reflect.Struct {
				e.defaults(gv, prefix+g.key+".")
			} else {
				e.setDefault(v, fields, g, prefix)
			}
		}
	}
}

func (f field) defaultDependsOn(key string) bool {
	return slices.ContainsFunc(f.defaults, func(a alternative) bool { return a.when.mentions(key) })
}

// section takes over a mapping. Keys of a list entry that are marked as
// required must be there.
func (e *editor) section(n ast.Node, v reflect.Value, prefix string, entry bool) {
	fields := fieldsOf(v.Type())
	given := e.entries(n, prefix, v.Type(), fields)
	if given == nil {
		return
	}
	if entry && e.missing(n, v, prefix, given, true) {
		return // without its kind, nothing can be said about the other keys
	}
	// Controls go first, so that a document may name its keys in any order.
	for _, controls := range []bool{true, false} {
		for _, f := range fields {
			value, ok := given[f.key]
			if !ok || f.control != controls {
				continue
			}
			key, fv := prefix+f.key, v.Field(f.index)
			if !f.when.holds(v, fields) {
				e.fail(value, key, shown(value), f.noEffect(v, fields, prefix))
				continue
			}
			switch {
			case key == "profile":
				old := e.root.Profile
				e.value(value, f, fv, key)
				e.reprofile(old)
			case f.control:
				e.change(v, fields, f, prefix, func() { e.value(value, f, fv, key) })
			default:
				e.value(value, f, fv, key)
			}
		}
	}
	if entry {
		e.missing(n, v, prefix, given, false)
	}
}

// missing reports required keys that an entry does not give, either the controls
// or the others, and whether there are any.
func (e *editor) missing(n ast.Node, v reflect.Value, prefix string, given map[string]ast.Node, controls bool) bool {
	before := len(e.problems)
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		if _, ok := given[f.key]; ok || !f.required || f.control != controls || !f.when.holds(v, fields) {
			continue
		}
		rule := "missing"
		if f.oneof != nil {
			rule += " (accepted: " + strings.Join(f.oneof, ", ") + ")"
		}
		e.fail(n, prefix+f.key, "", rule)
	}
	return len(e.problems) > before
}

// value takes over whatever the key may hold.
func (e *editor) value(n ast.Node, f field, v reflect.Value, key string) {
	switch {
	case v.Kind() == reflect.Struct:
		e.section(n, v, key+".", false)
	case v.Kind() == reflect.Slice:
		e.list(n, f, v, key)
	default:
		s, ok := scalar(n)
		if !ok {
			e.fail(n, key, "", "want a single value, got "+nodeName(n))
			return
		}
		e.scalar(n, f, v, key, s)
	}
}

func (e *editor) scalar(n ast.Node, f field, v reflect.Value, key, s string) {
	fresh := reflect.New(v.Type()).Elem()
	if err := setText(fresh, s); err != nil {
		e.fail(n, key, "", explain(s, err))
		return
	}
	if rule := f.check(fresh); rule != "" {
		e.fail(n, key, quote(fresh), rule)
		return
	}
	if f.file {
		fresh.SetString(e.resolve(s))
	}
	v.Set(fresh)
}

// explain is the rule of an unreadable value. The errors of the unit types
// begin with what was read, the others do not.
func explain(s string, err error) string {
	if strings.Contains(err.Error(), strconv.Quote(s)) {
		return err.Error()
	}
	return strconv.Quote(s) + ": " + err.Error()
}

func (e *editor) list(n ast.Node, f field, v reflect.Value, key string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		e.fail(n, key, "", "want a list, got "+nodeName(n))
		return
	}
	before := len(e.problems)
	fresh := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		at := key + "." + strconv.Itoa(i)
		e.note(item, at)
		if isList(v.Type()) {
			e.defaults(fresh.Index(i), at+".")
			e.section(item, fresh.Index(i), at+".", true)
			continue
		}
		s, ok := scalar(item)
		if !ok {
			e.fail(item, at, "", "want a single value, got "+nodeName(item))
			continue
		}
		fresh.Index(i).SetString(s)
	}
	if len(e.problems) > before {
		return
	}
	if fresh.Len() == 0 {
		fresh = reflect.Zero(v.Type()) // one form of empty, so that equal scenarios compare equal
	}
	if rule := f.check(fresh); rule != "" {
		e.fail(n, key, quote(fresh), rule)
		return
	}
	v.Set(fresh)
}

func (e *editor) fail(n ast.Node, key, value, rule string) {
	p := Problem{Source: e.source, Key: key, Value: value, Rule: rule}
	if at, ok := position(n); ok && e.places != nil {
		p.Line, p.Column = at.line, at.column
	}
	e.problems = append(e.problems, p)
}

func (e *editor) note(n ast.Node, key string) {
	if at, ok := position(n); ok && e.places != nil {
		e.places[key] = at
	}
}
