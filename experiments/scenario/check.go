package scenario

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Validate returns everything that is wrong with s as a Problems error, or nil.
// A setting that has no effect in this combination is wrong, too.
func (s Scenario) Validate() error { return s.problems().err() }

func (s Scenario) problems() Problems {
	c := &checker{root: &s}
	c.section(reflect.ValueOf(&s).Elem(), "")
	if len(c.problems) > 0 {
		// The rules below reason about values that are known to be in range.
		return c.problems
	}
	if !nameRule.MatchString(s.Name) {
		c.fail("name", "want 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or a digit")
	}
	s.Topology.check(c)
	s.checkTransport(c)
	s.Telemetry.check(c)
	s.checkCC(c)
	s.checkNetwork(c)
	s.checkWorkload(c)
	s.checkRun(c)
	return c.problems
}

// checker collects problems.
type checker struct {
	root     *Scenario
	problems Problems
}

// fail reports the key, whose present value is looked up.
func (c *checker) fail(key, rule string) {
	value := ""
	if v, _, err := find(reflect.ValueOf(c.root).Elem(), key); err == nil && v.Kind() != reflect.Struct {
		value = quote(v)
	}
	c.failValue(key, value, rule)
}

// failFor reports the key and names the setting that calls for the rule, which
// may be the only one of the two that the source gives.
func (c *checker) failFor(because, key, rule string) {
	c.fail(key, rule)
	c.problems[len(c.problems)-1].because = because
}

func (c *checker) failValue(key, value, rule string) {
	c.problems = append(c.problems, Problem{Key: key, Value: value, Rule: rule})
}

// section applies the rules of the tags.
func (c *checker) section(v reflect.Value, prefix string) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		fv, key := v.Field(f.index), prefix+f.key
		if !f.when.holds(v, fields) {
			if !fv.IsZero() {
				c.failValue(key, quote(fv), f.noEffect(v, fields, prefix))
			}
			continue
		}
		if fv.Kind() == reflect.Struct {
			c.section(fv, key+".")
			continue
		}
		if rule := f.check(fv); rule != "" {
			c.failValue(key, quote(fv), rule)
		}
		if isList(fv.Type()) {
			for i := range fv.Len() {
				c.section(fv.Index(i), fmt.Sprintf("%s.%d.", key, i))
			}
		}
	}
}

// isList reports whether t is a list of sections.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// quote is a value as an error shows it: words in quotes, the rest bare.
func quote(v reflect.Value) string {
	if isList(v.Type()) {
		return fmt.Sprintf("%d entries", v.Len())
	}
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return text(v)
}

// find is the value of a full key such as "workload.0.load" and the field that
// describes it. The error is a rule without the key, with a suggestion.
func find(root reflect.Value, key string) (reflect.Value, field, error) {
	v, rest, at := root, key, ""
	for {
		word, more, nested := strings.Cut(rest, ".")
		fields := fieldsOf(v.Type())
		f, ok := fieldNamed(fields, word)
		if !ok {
			return reflect.Value{}, field{}, unknownKey(root.Type(), key, at, fields)
		}
		fv := v.Field(f.index)
		at += word
		if !nested {
			return fv, f, nil
		}
		switch {
		case fv.Kind() == reflect.Struct:
			v, rest = fv, more
		case isList(fv.Type()):
			index, more, nested := strings.Cut(more, ".")
			i, err := parseIndex(index, fv.Len())
			if err != nil {
				return reflect.Value{}, field{}, fmt.Errorf("%s is a list: %w", at, err)
			}
			if !nested {
				return fv.Index(i), f, nil
			}
			v, rest = fv.Index(i), more
			at += "." + index
		default:
			return reflect.Value{}, field{}, fmt.Errorf("%s has no keys of its own", at)
		}
		at += "."
	}
}

func parseIndex(s string, n int) (int, error) {
	for i := range n {
		if fmt.Sprint(i) == s {
			return i, nil
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("it is empty, so %q is not an entry", s)
	}
	return 0, fmt.Errorf("want the number of an entry, 0 to %d, not %q", n-1, s)
}

func fieldNamed(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// unknownKey says which key was probably meant.
func unknownKey(root reflect.Type, key, at string, fields []field) error {
	last := key[strings.LastIndexByte(key, '.')+1:]
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	if at == "" {
		keys = append(keys, "extends")
	}
	word := strings.TrimPrefix(key, at)
	word, rest, nested := strings.Cut(word, ".")
	if s := suggest(word, keys); s != "" {
		full := at + s
		if nested {
			full += "." + rest
		}
		return fmt.Errorf("unknown key; did you mean %s?", full)
	}
	// Right word, wrong section.
	for _, k := range allKeys(root, "") {
		if k == last || strings.HasSuffix(k, "."+last) {
			return fmt.Errorf("unknown key; did you mean %s?", k)
		}
	}
	return fmt.Errorf("unknown key (accepted: %s)", strings.Join(keys, ", "))
}

// allKeys lists the full keys of a section, lists with the index 0.
func allKeys(t reflect.Type, prefix string) []string {
	var keys []string
	for _, f := range fieldsOf(t) {
		ft := t.Field(f.index).Type
		switch {
		case ft.Kind() == reflect.Struct:
			keys = append(keys, allKeys(ft, prefix+f.key+".")...)
		case isList(ft):
			keys = append(keys, prefix+f.key)
			keys = append(keys, allKeys(ft.Elem(), prefix+f.key+".0.")...)
		default:
			keys = append(keys, prefix+f.key)
		}
	}
	return keys
}
