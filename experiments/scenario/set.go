package scenario

import (
	"fmt"
	"reflect"
	"strings"
)

// Set changes keys of s, each given as "key=value" such as
// "transport.rto_min=2ms", "workload.0.load=0.7" or, for a list,
// "run.outputs=[fct.txt]". Keys on which others depend, such as cc.kind, are set
// first: keys that they bring into effect take their defaults. The scenario is
// not changed unless all of them, and the scenario that results, are valid. The
// error is a Problems.
func (s *Scenario) Set(assignments ...string) error {
	changed := s.Clone()
	e := &editor{root: &changed}
	for _, controls := range []bool{true, false} {
		for _, a := range assignments {
			e.source = "--set " + a
			e.assign(a, controls)
		}
	}
	if len(e.problems) == 0 {
		for _, p := range changed.problems() {
			e.problems = append(e.problems, blame(p, assignments))
		}
	}
	if err := e.problems.err(); err != nil {
		return err
	}
	*s = changed
	return nil
}

// Overlap says whether two keys concern the same values: they are equal, or one is a
// section or a list that holds the other.
func Overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// With is a copy of s with Set applied.
func (s Scenario) With(assignments ...string) (Scenario, error) {
	c := s.Clone()
	err := c.Set(assignments...)
	return c, err
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
	root := reflect.ValueOf(e.root).Elem()
	fv, f, err := find(root, key)
	if err != nil {
		if !controls {
			e.failText(key, err.Error())
		}
		return
	}
	if (f.control || key == "profile") != controls {
		return
	}
	if fv.Kind() == reflect.Struct {
		e.assignYAML(key, value, f, fv)
		return
	}
	prefix := key[:lastDot(key)+1]
	parent := root
	if prefix != "" {
		parent, _, _ = find(root, key[:lastDot(key)]) // found above on the way to key
	}
	fields := fieldsOf(parent.Type())
	if !f.when.holds(parent, fields) {
		e.failText(key, fmt.Sprintf("%q: %s", value, f.noEffect(parent, fields, prefix)))
		return
	}
	set := func() { e.scalar(nil, f, fv, key, value) }
	if fv.Kind() == reflect.Slice {
		set = func() { e.assignYAML(key, value, f, fv) }
	}
	switch {
	case key == "profile":
		old := e.root.Profile
		set()
		e.reprofile(old)
	case f.control:
		e.change(parent, fields, f, prefix, set)
	default:
		set()
	}
}

// assignYAML takes over a list or a whole section, such as
// "{kind: incast, senders: 60}" for an entry of the workload.
func (e *editor) assignYAML(key, value string, f field, fv reflect.Value) {
	n, err := parseYAML([]byte(value), "")
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

func join(words []string) string { return strings.Join(words, ", ") }
