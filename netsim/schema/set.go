package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pintlab/internal/input"
)

// Set changes keys of a document by assignments "key=value", such as "transport.rto_min=2ms",
// "workload.0.load=0.7" or, for a list, "run.outputs=[fct.txt]". Controls, such as cc.kind, are set first,
// and keys that they bring into effect take their defaults. The error is a Problems; after an error the
// document is not usable.
func (l *Language) Set(document any, assignments ...string) error {
	e := l.editor(document)
	e.written, e.defers = true, l.Complete != nil
	e.overrides = overriding(assignments)
	e.assignAll(assignments, false)
	e.complete(l, document, false)
	if len(e.problems) == 0 {
		e.locate(l.Check(document))
	}
	return e.problems.Err()
}

// assignAll applies assignments, controls first, and then sets the queued keys that they bring into effect. wrong is
// whether the source has problems. Then assignAll reports no problems of the assignments, because these may be
// consequences of the problems of the source.
func (e *editor) assignAll(assignments []string, wrong bool) {
	for _, controls := range []bool{true, false} {
		for _, a := range assignments {
			on := editor{root: e.root, kinds: e.kinds, profiles: e.profiles, source: "--set " + a, keeps: e.keeps,
				problems: slices.Clip(e.problems), defers: e.defers}
			on.assign(a, controls)
			if e.deferred = append(e.deferred, on.deferred...); len(on.waiting) > 0 {
				e.deferred = append(e.deferred, a) // a section with a key that waits
			}
			if !wrong {
				e.problems = on.problems
			}
		}
		e.giveWaiting()
	}
	if !wrong {
		for _, check := range e.unchecked {
			check()
		}
	}
	e.unchecked = nil
}

// refuse applies the deferred assignments and reports the keys that still have no effect. wrong is as in assignAll.
func (e *editor) refuse(wrong bool) {
	e.defers = false
	e.assignAll(e.deferred, wrong)
	for _, w := range e.waiting {
		if !e.undecidedAt(w.key, wrong) {
			e.fail(w.value, w.key, shown(w.value), w.rule)
		}
	}
	e.waiting = nil
}

// An override is an assignment with the keys that it sets. Its values replace the values of these keys in the source.
type override struct {
	assignment, key string
	leaves          []leaf
}

type leaf struct{ key, value string } // value is "" for a list

func overriding(assignments []string) []override {
	list := make([]override, len(assignments))
	for i, a := range assignments {
		key, value, _ := strings.Cut(a, "=")
		list[i] = override{a, key, []leaf{{key, value}}}
		// An assigned section keeps the keys that the assignment does not mention.
		if n, err := ParseYAML([]byte(value), "", input.Document); err == nil && n != nil {
			if _, ok := Entries(n); ok {
				list[i].leaves = leaves(n, key)
			}
		}
	}
	return list
}

// leaves returns the keys inside n that are not sections. n is the value of a key.
func leaves(n ast.Node, key string) []leaf {
	values, ok := Entries(n)
	if !ok {
		word, _ := Scalar(n)
		return []leaf{{key, word}}
	}
	var list []leaf
	for _, v := range values {
		if word, ok := Scalar(v.Key); ok {
			list = append(list, leaves(v.Value, key+"."+word)...)
		}
	}
	return list
}

// covers reports whether the assignment sets a key or the list that contains it.
func (o override) covers(key string) bool {
	return slices.ContainsFunc(o.leaves, func(l leaf) bool { return key == l.key || strings.HasPrefix(key, l.key+".") })
}

func (o override) source() string { return "--set " + o.assignment }

// overridden reports whether an assignment sets a key.
func (e *editor) overridden(key string) bool {
	return slices.ContainsFunc(e.overrides, func(o override) bool { return o.covers(key) })
}

// overrider returns the value that the last assignment to a key gives it, or "" without an assignment.
func (e *editor) overrider(key string) string {
	for _, o := range slices.Backward(e.overrides) {
		if i := slices.IndexFunc(o.leaves, func(l leaf) bool { return l.key == key }); i >= 0 {
			return o.leaves[i].value
		}
	}
	return ""
}

// assign applies one assignment if controls is true and its key is a control, or if controls is false and its key is
// not a control. Errors are reported in the second pass, after the controls.
func (e *editor) assign(a string, controls bool) {
	key, value, ok := strings.Cut(a, "=")
	if !ok || key == "" || value == "" {
		if !controls {
			e.failText("", "want key=value")
		}
		return
	}
	fv, f, err := find(e.root, key)
	if err != nil {
		switch other, ok := err.(elsewhere); {
		case controls || ok && e.wrong(other.kind):
		case ok && e.defers:
			e.deferred = append(e.deferred, a)
		case ok:
			e.failText(key, fmt.Sprintf("%q: %s", value, other.rule))
		default:
			e.failText(key, err.Error())
		}
		return
	}
	if (f.control || e.isProfile(key)) != controls {
		return
	}
	if fv.Kind() == reflect.Struct {
		e.assignYAML(key, value, f, fv)
		return
	}
	parent, prefix := e.parent(key)
	if s := e.kinds.view(parent); !f.When.holds(s) {
		switch {
		case e.undecided(s, f, prefix):
		case e.defers:
			e.deferred = append(e.deferred, a)
		default:
			e.failText(key, fmt.Sprintf("%q: %s", value, f.noEffect(s, prefix)))
		}
		return
	}
	set := func() { e.scalar(nil, f, fv, key, value) }
	if fv.Kind() == reflect.Slice {
		set = func() { e.assignYAML(key, value, f, fv) }
	}
	e.place(parent, f, prefix, set)
}

// assignYAML sets a list or a whole section, such as "{kind: incast, senders: 60}" for an entry of the
// workload.
func (e *editor) assignYAML(key, value string, f Field, fv reflect.Value) {
	n, err := ParseYAML([]byte(value), "", input.Document)
	if err != nil || n == nil {
		e.failText(key, fmt.Sprintf("%q: want a list [...] or a section {...}", value))
		return
	}
	if fv.Kind() == reflect.Struct {
		e.section(n, fv, key+".", false)
		return
	}
	e.list(n, f, fv, key)
}

func (e *editor) failText(key, rule string) {
	e.problems = append(e.problems, Problem{Source: e.source, Key: key, Rule: rule})
}

func lastDot(key string) int { return strings.LastIndexByte(key, '.') }
