package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// An editor applies YAML or assignments to a document and collects the problems.
type editor struct {
	root     reflect.Value // a struct
	kinds    *Kinds
	profiles Profiles
	source   string
	dir      string // directory of the source; relative paths are joined to it
	problems Problems
	words    []string              // keys of the file that are not keys of root
	places   map[string]Place      // places of the keys in the source
	written  bool                  // parsing is done: Set changes the parsed value
	keeps    func(key string) bool // whether a key keeps its value when its default changes; nil: no key does

	overrides []override // assignments, which take precedence over the source
	waiting   []waiting
	deferred  []string // assignments to keys without an effect
	defers    bool     // keys without an effect wait for the assignments of Language.Complete
	unchecked []func() // checks of list entries for required keys, delayed until the overrides are applied
}

// waiting is a key that has no effect in the source alone. Overrides and the assignments of Language.Complete may bring
// it into effect.
type waiting struct {
	value ast.Node
	key   string
	rule  string
}

// defaults sets every key of a section to its default. Lists of sections stay empty.
func (e *editor) defaults(v reflect.Value, prefix string) {
	s := e.kinds.view(v)
	if s.choice != nil && s.choice.Default != "" {
		e.setDefault(s, s.fields[0], prefix)
		e.renew(v, prefix)
		s = e.kinds.view(v)
	}
	for _, f := range s.fields {
		if s.chooses(f) {
			continue
		}
		fv := s.value(f)
		switch {
		case !f.When.holds(s):
			fv.SetZero()
		case fv.Kind() == reflect.Struct:
			e.defaults(fv, prefix+f.Key+".")
		default:
			e.setDefault(s, f, prefix)
		}
	}
}

// renew replaces the parameters of a Choice after its kind changes. A key that the old kind also had keeps its value if
// its default is the same, or if the function keeps returns true for the key. All other keys take their defaults. Two
// defaults of Auto do not count as the same, because two kinds derive them differently.
func (e *editor) renew(v reflect.Value, prefix string) {
	old := e.kinds.view(v)
	choice := v.Field(0)
	k, ok := old.choice.find(choice.Field(0).String())
	if !ok {
		choice.Field(1).SetZero()
		return
	}
	choice.Field(1).Set(reflect.ValueOf(k.New()))
	s := e.kinds.view(v)
	for _, f := range s.fields[1:] {
		fv := s.value(f)
		g, had := old.field(f.Key)
		switch {
		case !f.When.holds(s):
		case fv.Kind() == reflect.Struct:
			e.defaults(fv, prefix+f.Key+".")
		case had && g.Type() == f.Type() &&
			(slices.EqualFunc(g.Defaults, f.Defaults, sameDefault) || e.kept(prefix+f.Key)) && g.When.holds(old):
			fv.Set(old.value(g))
		default:
			e.setDefault(s, f, prefix)
		}
	}
}

func sameDefault(a, b Alternative) bool {
	return a.Text == b.Text && a.Text != Auto && a.When.Describe("") == b.When.Describe("")
}

// setDefault sets one key to the profile's value or, if the profile has none, to the default in the key's tag. A key
// without a default keeps its value.
func (e *editor) setDefault(s section, f Field, prefix string) {
	word, ok := e.profiles.find(e.profile(), s, prefix, f)
	if !ok {
		if len(f.Defaults) == 0 {
			return
		}
		for _, a := range f.Defaults {
			if a.When.holds(s) {
				word = a.Text
			}
		}
	}
	fv := s.value(f)
	if fv.Type() == reflect.TypeFor[[]string]() {
		fv.Set(reflect.ValueOf(strings.Split(word, ", ")))
		return
	}
	if err := f.read(fv, word); err != nil {
		panic(fmt.Sprintf("schema: default of %s%s: %v", prefix, f.Key, err))
	}
}

// change calls the function set, which changes the control f of the section v. Then it updates the keys that depend on
// this control.
func (e *editor) change(v reflect.Value, f Field, prefix string, set func()) {
	s := e.kinds.view(v)
	before := make([]bool, len(s.fields))
	for i, g := range s.fields {
		before[i] = g.When.holds(s)
	}
	old := text(s.value(f))
	set()
	if text(s.value(f)) == old {
		return
	}
	if s.chooses(f) {
		e.renew(v, prefix)
		return
	}
	for i, g := range s.fields {
		gv := s.value(g)
		switch holds := g.When.holds(s); {
		case g.Key == f.Key:
		case !holds:
			gv.SetZero()
		case before[i] && e.kept(prefix+g.Key):
		case !before[i] || g.defaultDependsOn(f.Key):
			if gv.Kind() == reflect.Struct {
				e.defaults(gv, prefix+g.Key+".")
			} else {
				e.setDefault(s, g, prefix)
			}
		}
	}
}

func (e *editor) kept(key string) bool { return e.keeps != nil && e.keeps(key) }

func (f Field) defaultDependsOn(key string) bool {
	return slices.ContainsFunc(f.Defaults, func(a Alternative) bool { return a.When.mentions(key) })
}

// section applies a mapping to a section. The document and entries of lists must contain all required keys.
func (e *editor) section(n ast.Node, v reflect.Value, prefix string, entry bool) {
	given := e.entries(n, prefix, v.Type())
	if given == nil {
		return
	}
	if entry && e.missing(n, v, prefix, given, true) {
		return // the other keys depend on the kind
	}
	if value, ok := given["kind"]; ok {
		if s := e.kinds.view(v); s.choice != nil {
			e.give(v, s.fields[0], value, prefix)
			if e.wrong(prefix + "kind") {
				return // the other keys depend on the kind
			}
		}
	}
	s := e.kinds.view(v)
	for _, f := range e.kinds.Fields(v.Type()) {
		if value, ok := given[f.Key]; ok && !s.has(f.Key) {
			e.noEffect(value, prefix+f.Key, s.elsewhere(f.Key, prefix))
		}
	}
	// Controls are set first, so that a document may list its keys in any order.
	for _, controls := range []bool{true, false} {
		for _, f := range s.fields {
			if value, ok := given[f.Key]; ok && f.control == controls && !s.chooses(f) {
				e.give(v, f, value, prefix)
			}
		}
	}
	switch {
	case entry && len(e.overrides) > 0:
		e.unchecked = append(e.unchecked, func() {
			if v, _, err := find(e.root, strings.TrimSuffix(prefix, ".")); err == nil {
				e.missing(n, v, prefix, given, false)
			}
		})
	case entry:
		e.missing(n, v, prefix, given, false)
	}
}

// noEffect reports a key that has no effect at present. If other assignments follow, it only queues the key.
func (e *editor) noEffect(value ast.Node, key, rule string) {
	if len(e.overrides) == 0 && !e.defers {
		e.fail(value, key, shown(value), rule)
		return
	}
	e.waiting = append(e.waiting, waiting{value, key, rule})
}

// giveWaiting sets the queued keys that now have an effect, controls first.
func (e *editor) giveWaiting() {
	for _, controls := range []bool{true, false} {
		list := e.waiting
		e.waiting = nil
		for _, w := range list {
			_, f, err := find(e.root, w.key)
			if err != nil || f.control != controls {
				e.waiting = append(e.waiting, w)
				continue
			}
			switch v, prefix := e.parent(w.key); {
			case !f.When.holds(e.kinds.view(v)):
				e.waiting = append(e.waiting, w)
			case !e.overridden(w.key):
				e.give(v, f, w.value, prefix)
			}
		}
	}
}

// wrong reports whether a key has a problem.
func (e *editor) wrong(key string) bool {
	return slices.ContainsFunc(e.problems, func(p Problem) bool { return p.Key == key })
}

// undecided reports whether a key f has an effect only with a certain value of a control that has a problem. Then the
// problem of the control is the only one to report, because the intended value may bring the key into effect.
func (e *editor) undecided(s section, f Field, prefix string) bool {
	return s.choice != nil && e.wrong(prefix+"kind") ||
		slices.ContainsFunc(f.When, func(and []test) bool {
			return slices.ContainsFunc(and, func(t test) bool {
				g, _ := s.field(t.key)
				return e.wrong(prefix+t.key) || e.undecided(s, g, prefix)
			})
		})
}

// undecidedAt is undecided for a full key. If the key is in a list that could not be read, it returns whether an
// override may correct the list; unread is whether the source has problems.
func (e *editor) undecidedAt(key string, unread bool) bool {
	_, f, err := find(e.root, key)
	if other, ok := err.(elsewhere); ok {
		return e.wrong(other.kind)
	}
	if err != nil {
		return unread && len(e.overrides) > 0
	}
	v, prefix := e.parent(key)
	return e.undecided(e.kinds.view(v), f, prefix)
}

// give sets one key of a section to its value in the source.
func (e *editor) give(v reflect.Value, f Field, value ast.Node, prefix string) {
	s := e.kinds.view(v)
	key, fv := prefix+f.Key, s.value(f)
	switch {
	case f.When.holds(s):
		e.place(v, f, prefix, func() { e.value(value, f, fv, key) })
	case !e.undecided(s, f, prefix):
		e.noEffect(value, key, f.noEffect(s, prefix))
	}
}

// place calls the function set, which stores the value of a key of section v, and then changes what the key controls.
func (e *editor) place(v reflect.Value, f Field, prefix string, set func()) {
	switch {
	case e.isProfile(prefix + f.Key):
		e.reprofile(set)
	case f.control:
		e.change(v, f, prefix, set)
	default:
		set()
	}
}

// missing reports the required keys that an entry lacks, either controls or all others.
// It returns whether there are any.
func (e *editor) missing(n ast.Node, v reflect.Value, prefix string, given map[string]ast.Node, controls bool) bool {
	before := len(e.problems)
	s := e.kinds.view(v)
	for _, f := range s.fields {
		if _, ok := given[f.Key]; ok || !f.Required || f.control != controls || !f.When.holds(s) {
			continue
		}
		if word := e.overrider(prefix + f.Key); word != "" && controls {
			e.change(v, f, prefix, func() { e.scalar(n, f, s.value(f), prefix+f.Key, word) })
			continue
		}
		rule := "missing"
		if accepted := cmp.Or(strings.Join(f.OneOf, ", "), f.Bounds()); accepted != "" {
			rule += " (accepted: " + accepted + ")"
		}
		e.fail(n, prefix+f.Key, "", rule)
	}
	return len(e.problems) > before
}

// value sets a key to a mapping, a list or a scalar.
func (e *editor) value(n ast.Node, f Field, v reflect.Value, key string) {
	switch {
	case v.Kind() == reflect.Struct:
		e.section(n, v, key+".", false)
	case isTree(v.Type()):
		v.Set(reflect.ValueOf(e.tree(n, key)))
	case v.Kind() == reflect.Slice:
		if word, ok := Scalar(n); ok && f.single {
			v.Set(reflect.ValueOf([]string{word}))
			return
		}
		e.list(n, f, v, key)
	default:
		if s, ok := e.single(n, key); ok {
			e.scalar(n, f, v, key, s)
		}
	}
}

func (e *editor) scalar(n ast.Node, f Field, v reflect.Value, key, s string) {
	fresh := reflect.New(v.Type()).Elem()
	err := f.read(fresh, s)
	if better := e.overrider(key); better != "" && better != s && (err != nil || f.check(fresh) != "") {
		e.scalar(n, f, v, key, better) // then the other keys are read with the later value of their control
		return
	}
	if err != nil {
		rule := explain(s, err)
		if accepted := f.Bounds(); accepted != "" {
			rule += "; accepted: " + accepted
		}
		e.fail(n, key, "", rule)
		return
	}
	if rule := f.check(fresh); rule != "" {
		if v.Kind() == reflect.String {
			s = quote(fresh)
		}
		e.fail(n, key, s, rule) // as the source spells it
		return
	}
	if f.File {
		fresh.SetString(e.resolve(s))
	}
	v.Set(fresh)
}

// explain returns the rule that an unreadable value breaks. Errors of the unit types already begin with the value;
// explain puts the value before other errors.
func explain(s string, err error) string {
	if strings.Contains(err.Error(), strconv.Quote(s)) {
		return err.Error()
	}
	return strconv.Quote(s) + ": " + err.Error()
}

func (e *editor) list(n ast.Node, f Field, v reflect.Value, key string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		want := "want a list"
		if value, ok := Scalar(n); ok && !isList(v.Type()) {
			want += " such as [" + value + "]"
		}
		e.fail(n, key, "", want+", got "+DescribeNode(n))
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
		if s, ok := e.single(item, at); ok {
			fresh.Index(i).SetString(s)
		}
	}
	if len(e.problems) > before {
		return
	}
	if fresh.Len() == 0 {
		fresh = reflect.Zero(v.Type()) // empty lists are nil, so that equal documents compare equal
	}
	if rule := f.check(fresh); rule != "" {
		e.fail(n, key, quote(fresh), rule)
		return
	}
	v.Set(fresh)
}

// fail reports an error in a value of the source, unless an override replaces that value.
func (e *editor) fail(n ast.Node, key, value, rule string) {
	if e.overridden(key) {
		return
	}
	p := Problem{Source: e.source, Key: key, Value: value, Rule: rule}
	if e.places != nil {
		p.Line, p.Column = Position(n)
	}
	e.problems = append(e.problems, p)
}

func (e *editor) note(n ast.Node, key string) {
	if line, column := Position(n); line > 0 && e.places != nil {
		e.places[key] = Place{line, column}
	}
}

// entries returns the values of the mapping n by key. It reports duplicate keys. Unless t is nil, it also reports keys
// that t does not have. If n is not a mapping, it reports this and returns nil.
func (e *editor) entries(n ast.Node, prefix string, t reflect.Type) map[string]ast.Node {
	values, ok := Entries(n)
	if !ok {
		e.fail(n, strings.TrimSuffix(prefix, "."), "", "want keys and values, got "+DescribeNode(n))
		return nil
	}
	var known []Field
	if t != nil {
		known = e.kinds.Fields(t)
	}
	given := map[string]ast.Node{}
	for _, m := range values {
		word, ok := Scalar(m.Key)
		if !ok || word == "" {
			e.fail(m.Key, prefix, "", "want a plain key, got "+DescribeNode(m.Key))
			continue
		}
		key := prefix + word
		if _, ok := fieldNamed(known, word); !ok && t != nil {
			kind := ""
			if i := slices.IndexFunc(values, func(v *ast.MappingValueNode) bool {
				word, _ := Scalar(v.Key)
				return word == "kind"
			}); i >= 0 {
				kind, _ = Scalar(values[i].Value)
			}
			e.fail(m.Key, key, "", e.kinds.unknownKey(e.root.Type(), key, prefix, t, kind, e.words...).Error())
			continue
		}
		if first, ok := given[word]; ok {
			e.twice(first, m.Key, key)
			continue
		}
		given[word] = m.Value
		e.note(m.Value, key)
	}
	return given
}

// twice reports that a key is given twice. first is its first value, again the second key.
func (e *editor) twice(first, again ast.Node, key string) {
	rule := "given twice"
	if line, _ := Position(first); line > 0 {
		rule += fmt.Sprintf("; the first is in line %d", line)
	}
	e.fail(again, key, "", rule)
}

// shown returns the quoted text of a scalar for errors, "" for other values.
func shown(n ast.Node) string {
	if s, ok := Scalar(n); ok {
		return strconv.Quote(s)
	}
	return ""
}
