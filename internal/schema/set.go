package schema

import (
	"fmt"
	"reflect"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/yamldoc"
)

// Set changes keys of a document, each given as "key=value" such as
// "transport.rto_min=2ms", "workload.0.load=0.7" or, for a list,
// "run.outputs=[fct.txt]". Keys on which others depend, such as cc.kind, are set
// first: keys that they bring into effect take their defaults. The error is a
// Problems; the document is good for nothing then.
func (l *Language) Set(document any, assignments ...string) error {
	e := l.editor(document)
	for _, controls := range []bool{true, false} {
		for _, a := range assignments {
			e.source = "--set " + a
			e.assign(a, controls)
		}
	}
	if len(e.problems) == 0 {
		for _, p := range l.Check(document) {
			e.problems = append(e.problems, blame(p, assignments))
		}
	}
	return e.problems.Err()
}

// blame names the assignment that touched the key of p last, if there is one.
func blame(p Problem, assignments []string) Problem {
	for _, a := range assignments {
		key, _, _ := strings.Cut(a, "=")
		if p.Key == key || p.because == key || strings.HasPrefix(p.Key, key+".") {
			p.Source = "--set " + a
		}
	}
	return p
}

// assign carries out one assignment if it is of the wanted sort. Everything that
// cannot be resolved is reported with the other keys, after the controls.
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
		if rule, other := err.(elsewhere); !controls && other {
			e.failText(key, fmt.Sprintf("%q: %s", value, rule))
		} else if !controls {
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
	if s := view(parent); !f.When.holds(s) {
		e.failText(key, fmt.Sprintf("%q: %s", value, f.noEffect(s, prefix)))
		return
	}
	set := func() { e.scalar(nil, f, fv, key, value) }
	if fv.Kind() == reflect.Slice {
		set = func() { e.assignYAML(key, value, f, fv) }
	}
	switch {
	case e.isProfile(key):
		e.reprofile(set)
	case f.control:
		e.change(parent, f, prefix, set)
	default:
		set()
	}
}

// assignYAML takes over a list or a whole section, such as
// "{kind: incast, senders: 60}" for an entry of the workload.
func (e *editor) assignYAML(key, value string, f Field, fv reflect.Value) {
	n, err := yamldoc.Parse([]byte(value), "", input.Document)
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
