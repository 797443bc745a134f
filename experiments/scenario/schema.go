package scenario

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"pintlab/netsim/unit"
)

// A section of a scenario is a struct whose field tags say all there is to know
// about a key:
//
//	yaml:"rto_min"          the key
//	default:"1ms"           its value if nothing is said; "1ms; kind=gobackn: 4ms"
//	                        where it depends on another key of the section
//	when:"kind=newreno"     it has an effect only then; "a=x|y & b=z or c=w"
//	oneof:"exact|floor-ns"  the accepted words
//	range:">0 <=1"          the accepted numbers
//	required:"yes"          must be given in each element of a list
//	file:"yes"              a path, relative to the file that names it
//
// A key on which others depend is a control. When a control changes, keys that
// come into effect take their defaults, keys that go out of effect become zero.
// Controls stand before the keys that depend on them.
type field struct {
	index    int
	key      string
	defaults []alternative // the last one that holds counts
	when     condition
	oneof    []string
	bounds   []bound
	required bool
	file     bool
	control  bool
}

type alternative struct {
	when condition
	text string
}

// condition is an "or" of "and"s; the empty condition always holds.
type condition [][]test

type test struct {
	key    string
	values []string
}

type bound struct{ op, limit string }

// schema is the fields of every section of a scenario. It is made once and never
// changed.
var schema = makeSchema(reflect.TypeFor[Scenario](), map[reflect.Type][]field{})

func makeSchema(t reflect.Type, into map[reflect.Type][]field) map[reflect.Type][]field {
	into[t] = readTags(t)
	for i := range t.NumField() {
		switch ft := t.Field(i).Type; {
		case ft.Kind() == reflect.Struct:
			makeSchema(ft, into)
		case isList(ft):
			makeSchema(ft.Elem(), into)
		}
	}
	return into
}

// fieldsOf is the schema of a section.
func fieldsOf(t reflect.Type) []field { return schema[t] }

// readTags panics if a tag is malformed, which a test over all sections rules out.
func readTags(t reflect.Type) []field {
	fields := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		f := field{
			index:    i,
			key:      sf.Tag.Get("yaml"),
			when:     parseCondition(sf.Tag.Get("when")),
			required: sf.Tag.Get("required") == "yes",
			file:     sf.Tag.Get("file") == "yes",
		}
		if f.key == "" {
			panic("scenario: " + t.Name() + "." + sf.Name + " has no key")
		}
		if s := sf.Tag.Get("oneof"); s != "" {
			f.oneof = strings.Split(s, "|")
		}
		if s, ok := sf.Tag.Lookup("default"); ok {
			f.defaults = parseDefaults(s)
		}
		for _, s := range strings.Fields(sf.Tag.Get("range")) {
			limit := strings.TrimLeft(s, "<>=")
			f.bounds = append(f.bounds, bound{op: s[:len(s)-len(limit)], limit: limit})
		}
		fields = append(fields, f)
	}
	for i := range fields {
		fields[i].control = isControl(fields[i].key, fields)
	}
	return fields
}

func isControl(key string, fields []field) bool {
	for _, f := range fields {
		if f.when.mentions(key) {
			return true
		}
		for _, a := range f.defaults {
			if a.when.mentions(key) {
				return true
			}
		}
	}
	return false
}

func parseCondition(s string) condition {
	if s == "" {
		return nil
	}
	var c condition
	for _, term := range strings.Split(s, " or ") {
		var and []test
		for _, t := range strings.Split(term, " & ") {
			key, values, ok := strings.Cut(t, "=")
			if !ok {
				panic("scenario: malformed condition " + s)
			}
			and = append(and, test{key: key, values: strings.Split(values, "|")})
		}
		c = append(c, and)
	}
	return c
}

func parseDefaults(s string) []alternative {
	parts := strings.Split(s, "; ")
	alts := []alternative{{text: parts[0]}}
	for _, p := range parts[1:] {
		when, text, ok := strings.Cut(p, ": ")
		if !ok {
			panic("scenario: malformed default " + s)
		}
		alts = append(alts, alternative{when: parseCondition(when), text: text})
	}
	return alts
}

// holds reports whether the condition is met by the section.
func (c condition) holds(section reflect.Value, fields []field) bool {
	if len(c) == 0 {
		return true
	}
	for _, and := range c {
		all := true
		for _, t := range and {
			all = all && t.holds(section, fields)
		}
		if all {
			return true
		}
	}
	return false
}

func (t test) holds(section reflect.Value, fields []field) bool {
	for _, f := range fields {
		if f.key != t.key {
			continue
		}
		have := text(section.Field(f.index))
		for _, v := range t.values {
			if have == v {
				return true
			}
		}
		return false
	}
	panic("scenario: a condition names the key " + t.key + ", which " + section.Type().Name() + " does not have")
}

func (c condition) mentions(key string) bool {
	for _, and := range c {
		for _, t := range and {
			if t.key == key {
				return true
			}
		}
	}
	return false
}

// noEffect says what must be the case for a key of the section to have an
// effect. If that depends on a key that has no effect itself, it says what that
// one needs.
func (f field) noEffect(section reflect.Value, fields []field, prefix string) string {
	for _, and := range f.when {
		for _, t := range and {
			g, _ := fieldNamed(fields, t.key)
			if len(f.when) == 1 && !g.when.holds(section, fields) {
				return g.noEffect(section, fields, prefix)
			}
		}
	}
	return "has no effect (only with " + f.when.describe(prefix) + ")"
}

// describe is the condition for people, with the full names of its keys.
func (c condition) describe(prefix string) string {
	terms := make([]string, len(c))
	for i, and := range c {
		tests := make([]string, len(and))
		for j, t := range and {
			tests[j] = prefix + t.key + " = " + strings.Join(t.values, " or ")
		}
		terms[i] = strings.Join(tests, " and ")
	}
	return strings.Join(terms, ", or ")
}

// text is a scalar as it is written in a scenario.
func text(v reflect.Value) string {
	if b, ok := v.Interface().(unit.Bytes); ok {
		return sizeText(b)
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("scenario: %v", err)) // the unit types never fail
		}
		return string(b)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = text(v.Index(i))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	panic("scenario: no text for " + v.Type().String())
}

// sizeText is a size in the unit that needs the fewest digits, all of them:
// 32MB is a round number of KiB, too, but nobody would write it so.
func sizeText(b unit.Bytes) string {
	best := strconv.FormatInt(int64(b), 10) + "B"
	for _, u := range []struct {
		size unit.Bytes
		name string
	}{{unit.KB, "KB"}, {unit.MB, "MB"}, {unit.GB, "GB"}, {unit.KiB, "KiB"}, {unit.MiB, "MiB"}, {unit.GiB, "GiB"}} {
		if s := strconv.FormatInt(int64(b/u.size), 10) + u.name; b > 0 && b%u.size == 0 && len(s) < len(best) {
			best = s
		}
	}
	return best
}

// setText reads a scalar from its text. The error says what is accepted.
func setText(v reflect.Value, s string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(s))
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(s) {
			return fmt.Errorf("want UTF-8")
		}
		v.SetString(s)
	case reflect.Bool:
		if s != "true" && s != "false" {
			return fmt.Errorf("want true or false")
		}
		v.SetBool(s == "true")
	case reflect.Int:
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return fmt.Errorf("want a whole number between %d and %d", math.MinInt32, math.MaxInt32)
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number between 0 and %d", uint64(math.MaxUint64))
		}
		v.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, "xX_") {
			return fmt.Errorf("want a decimal number")
		}
		v.SetFloat(x)
	default:
		panic("scenario: cannot read a " + v.Type().String())
	}
	return nil
}

// check is the rule that v breaks, or "".
func (f field) check(v reflect.Value) string {
	if f.oneof != nil {
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				if rule := f.checkWord(v.Index(i).String()); rule != "" {
					return rule
				}
			}
			return ""
		}
		return f.checkWord(v.String())
	}
	if f.file && v.String() == "" {
		return "want the path of a file"
	}
	for _, b := range f.bounds {
		if !b.holds(v) {
			return "want " + f.describeBounds()
		}
	}
	return ""
}

func (f field) checkWord(word string) string {
	for _, w := range f.oneof {
		if w == word {
			return ""
		}
	}
	rule := "not known (accepted: " + strings.Join(f.oneof, ", ") + ")"
	if s := suggest(word, f.oneof); s != "" {
		rule += fmt.Sprintf("; did you mean %q?", s)
	}
	return rule
}

func (f field) describeBounds() string {
	words := make([]string, len(f.bounds))
	for i, b := range f.bounds {
		words[i] = b.op + " " + b.limit
	}
	return strings.Join(words, " and ")
}

// holds compares v with the limit, which is written like a value of v's type.
// A slice is compared by its length.
func (b bound) holds(v reflect.Value) bool {
	var c int
	switch {
	case v.Kind() == reflect.Slice:
		n, err := strconv.Atoi(b.limit)
		if err != nil {
			panic("scenario: malformed range limit " + b.limit)
		}
		c = cmp.Compare(v.Len(), n)
	default:
		limit := reflect.New(v.Type()).Elem()
		if err := setText(limit, b.limit); err != nil {
			panic("scenario: malformed range limit " + b.limit)
		}
		switch v.Kind() {
		case reflect.Float64:
			if math.IsNaN(v.Float()) {
				return false
			}
			c = cmp.Compare(v.Float(), limit.Float())
		case reflect.Uint64:
			c = cmp.Compare(v.Uint(), limit.Uint())
		default:
			c = cmp.Compare(v.Int(), limit.Int())
		}
	}
	switch b.op {
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	}
	panic("scenario: malformed range operator " + b.op)
}
