package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/spelling"
)

// Checker collects the problems of a document.
type Checker struct {
	root     reflect.Value
	kinds    *Kinds
	lenient  bool // keys without effect may have any value
	problems Problems
}

// Check applies the rules of the tags to a document, a pointer to a struct. If it finds no problem, it calls the
// function rules, which reports keys that contradict each other. This function may rely on all values being in range.
func Check(document any, rules func(*Checker)) Problems {
	return newChecker(document, false).check(rules)
}

// CheckValues is Check for a struct that Go code has filled in: keys without effect may have any value.
func CheckValues(params any, rules func(*Checker)) Problems {
	return newChecker(params, true).check(rules)
}

func newChecker(document any, lenient bool) *Checker {
	root := reflect.ValueOf(document).Elem()
	return &Checker{root: root, kinds: kindsOf(root), lenient: lenient}
}

func (c *Checker) check(rules func(*Checker)) Problems {
	c.section(c.root, "")
	if len(c.problems) == 0 {
		rules(c)
	}
	return c.problems
}

// Fail reports a problem of a key, with its present value.
func (c *Checker) Fail(key, rule string) {
	value := ""
	if v, _, err := find(c.root, key); err == nil && v.Kind() != reflect.Struct {
		value = quote(v)
	}
	c.failValue(key, value, rule)
}

// Add reports problems that other rules have found.
func (c *Checker) Add(ps Problems) { c.problems = append(c.problems, ps...) }

// FailIf calls Fail if the condition holds.
func (c *Checker) FailIf(broken bool, key, rule string) {
	if broken {
		c.Fail(key, rule)
	}
}

// FailFor reports a problem of a key and names the setting that requires the rule. The source may contain only the key,
// or only the setting.
func (c *Checker) FailFor(because, key, rule string) {
	c.Fail(key, rule)
	c.problems[len(c.problems)-1].because = because
}

// FailForIf calls FailFor if the condition holds.
func (c *Checker) FailForIf(broken bool, because, key, rule string) {
	if broken {
		c.FailFor(because, key, rule)
	}
}

func (c *Checker) failValue(key, value, rule string) {
	c.problems = append(c.problems, Problem{Key: key, Value: value, Rule: rule})
}

// section applies the rules of the tags to a section.
func (c *Checker) section(v reflect.Value, prefix string) {
	s := c.kinds.view(v)
	for _, f := range s.fields {
		fv, key := s.value(f), prefix+f.Key
		if !f.When.holds(s) {
			if !c.lenient && !fv.IsZero() {
				c.failValue(key, quote(fv), f.noEffect(s, prefix))
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
				c.section(fv.Index(i), entry(key, i))
			}
		}
	}
}

// entry returns the prefix of the keys of a list entry.
func entry(list string, i int) string { return fmt.Sprintf("%s.%d.", list, i) }

// isList reports whether t is a list of sections.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && !isTree(t)
}

// quote returns a value as an error shows it: words in quotes, the rest bare.
func quote(v reflect.Value) string {
	if isList(v.Type()) || isTree(v.Type()) {
		return number.Count(v.Len(), "entry")
	}
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return text(v)
}

// find returns the value of a full key, such as "workload.0.load", and its field. The
// error contains a suggestion but not the key.
func find(root reflect.Value, key string) (reflect.Value, Field, error) {
	v, rest, at, kinds := root, key, "", kindsOf(root)
	for {
		word, more, nested := strings.Cut(rest, ".")
		s := kinds.view(v)
		f, ok := s.field(word)
		if !ok {
			if rule := s.elsewhere(word, at); rule != "" {
				return reflect.Value{}, Field{}, elsewhere{rule, at + "kind"}
			}
			kind := ""
			if s.choice != nil {
				kind = s.kind.Field(0).String()
			}
			return reflect.Value{}, Field{}, kinds.unknownKey(root.Type(), key, at, v.Type(), kind)
		}
		fv := s.value(f)
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
				return reflect.Value{}, Field{}, fmt.Errorf("%s is a list: %w", at, err)
			}
			if !nested {
				return fv.Index(i), f, nil
			}
			v, rest = fv.Index(i), more
			at += "." + index
		default:
			return reflect.Value{}, Field{}, fmt.Errorf("%s contains no keys", at)
		}
		at += "."
	}
}

// elsewhere is the error for a key that only another kind of the section has.
type elsewhere struct{ rule, kind string } // kind is the full key of the section's kind

func (e elsewhere) Error() string { return e.rule }

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

func fieldNamed(fields []Field, key string) (Field, bool) {
	for _, f := range fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// unknownKey returns an error that suggests the key that was probably meant. The key is in a section of type t, whose
// keys begin with at. kind is the kind of the section, if known. more lists further keys that a scenario accepts.
func (k *Kinds) unknownKey(root reflect.Type, key, at string, t reflect.Type, kind string, more ...string) error {
	if key == "extends" {
		return errors.New("only files can extend others")
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	fields := k.Fields(t)
	if c, ok := k.catalogue(t); ok {
		if i := slices.Index(c.Names(), kind); i >= 0 {
			fields = append([]Field{kindField(c)}, paramFields(c.Kinds[i])...)
		}
	}
	words := lists.Map(fields, func(f Field) string { return f.Key })
	if at == "" {
		words = append(words, more...)
	}
	word := strings.TrimPrefix(key, at)
	word, rest, nested := strings.Cut(word, ".")
	meant := ""
	if s := spelling.Suggest(word, words); s != "" {
		meant = at + s
		if nested {
			meant += "." + rest
		}
	} else {
		keys := k.keys(root, "")
		// The last word may be a key of another section.
		is := func(key string) bool { return key == last || strings.HasSuffix(key, "."+last) }
		if i := slices.IndexFunc(keys, is); i >= 0 {
			meant = keys[i]
		}
	}
	if meant != "" {
		meant = "; did you mean " + meant + "?"
	}
	return fmt.Errorf("unknown key%s (accepted: %s)", meant, strings.Join(words, ", "))
}

// keys lists the full keys of a section; keys in lists have the index 0.
func (k *Kinds) keys(t reflect.Type, prefix string) []string {
	var list []string
	for _, f := range k.Fields(t) {
		ft := f.Type()
		switch {
		case ft.Kind() == reflect.Struct:
			list = append(list, k.keys(ft, prefix+f.Key+".")...)
		case isList(ft):
			list = append(list, prefix+f.Key)
			list = append(list, k.keys(ft.Elem(), prefix+f.Key+".0.")...)
		default:
			list = append(list, prefix+f.Key)
		}
	}
	return list
}
