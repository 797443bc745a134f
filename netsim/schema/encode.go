package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// YAML returns a document, a pointer to a struct, with every key that has an effect, in
// the order of the keys. Language.Parse reads a valid document back unchanged. File paths
// are written as they are.
func YAML(document any) []byte {
	var b bytes.Buffer
	root := reflect.ValueOf(document).Elem()
	kindsOf(root).yaml(&b, root, "", "")
	return b.Bytes()
}

func (k *Kinds) yaml(b *bytes.Buffer, v reflect.Value, first, indent string) {
	s := k.view(v)
	lead := first
	for _, f := range s.fields {
		if !f.When.holds(s) || k.silent(f, s) {
			continue
		}
		fv := s.value(f)
		switch {
		case fv.Kind() == reflect.Struct:
			fmt.Fprintf(b, "%s%s:\n", lead, f.Key)
			k.yaml(b, fv, indent+"  ", indent+"  ")
		case isList(fv.Type()) && fv.Len() > 0:
			fmt.Fprintf(b, "%s%s:\n", lead, f.Key)
			for i := range fv.Len() {
				k.yaml(b, fv.Index(i), indent+"  - ", indent+"    ")
			}
		case fv.Kind() == reflect.Slice:
			words := make([]string, fv.Len())
			for i := range words {
				words[i] = yamlScalar(fv.Index(i))
			}
			fmt.Fprintf(b, "%s%s: [%s]\n", lead, f.Key, strings.Join(words, ", "))
		default:
			fmt.Fprintf(b, "%s%s: %s\n", lead, f.Key, yamlScalar(fv))
		}
		lead = indent
	}
}

// silent reports whether a key is left out because its absence means the same value.
func (k *Kinds) silent(f Field, s section) bool {
	switch f.omit {
	case "empty":
		return s.value(f).Len() == 0
	case "default":
		if v := s.value(f); v.Kind() == reflect.Struct {
			in := k.view(v)
			return !slices.ContainsFunc(in.fields, func(g Field) bool { return g.When.holds(in) && !k.silent(g, in) })
		}
		return len(f.Defaults) == 1 && text(s.value(f)) == f.Defaults[0].Text
	}
	return false
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// yamlScalar returns a scalar as YAML. It quotes text that YAML could mistake for another
// type.
func yamlScalar(v reflect.Value) string {
	s := text(v)
	if v.Kind() == reflect.String && (!plainWord.MatchString(s) || strings.EqualFold(s, "null")) {
		return strconv.Quote(s)
	}
	return s
}

// JSON returns the keys of YAML as JSON: quantities are strings with units.
func JSON(document any) []byte {
	var b bytes.Buffer
	root := reflect.ValueOf(document).Elem()
	kindsOf(root).json(&b, root)
	return b.Bytes()
}

func (k *Kinds) json(b *bytes.Buffer, v reflect.Value) {
	s := k.view(v)
	b.WriteByte('{')
	first := true
	for _, f := range s.fields {
		if !f.When.holds(s) || k.silent(f, s) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(b, "%q:", f.Key)
		k.jsonValue(b, s.value(f))
	}
	b.WriteByte('}')
}

func (k *Kinds) jsonValue(b *bytes.Buffer, v reflect.Value) {
	switch {
	case v.Kind() == reflect.Struct:
		k.json(b, v)
	case v.Kind() == reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			k.jsonValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case isAuto(v):
		jsonString(b, Auto)
	case v.Type() == reflect.TypeFor[bool](), v.Type() == reflect.TypeFor[int](),
		v.Type() == reflect.TypeFor[uint64](), v.Type() == reflect.TypeFor[float64]():
		b.WriteString(text(v))
	default:
		jsonString(b, text(v))
	}
}

func jsonString(b *bytes.Buffer, s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // every string has a JSON form
	}
	b.Write(quoted)
}
