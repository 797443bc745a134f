package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// YAML is the complete effective scenario: every key that has an effect, in the
// order of the documentation. Parse reads it back to an equal scenario, provided
// that s is valid; file paths are kept as they are, so the text belongs into the
// working directory.
func (s Scenario) YAML() []byte {
	var b bytes.Buffer
	yamlSection(&b, reflect.ValueOf(s), "", "")
	return b.Bytes()
}

func yamlSection(b *bytes.Buffer, v reflect.Value, first, indent string) {
	fields := fieldsOf(v.Type())
	lead := first
	for _, f := range fields {
		if !f.when.holds(v, fields) {
			continue
		}
		fv := v.Field(f.index)
		switch {
		case fv.Kind() == reflect.Struct:
			fmt.Fprintf(b, "%s%s:\n", lead, f.key)
			yamlSection(b, fv, indent+"  ", indent+"  ")
		case isList(fv.Type()) && fv.Len() > 0:
			fmt.Fprintf(b, "%s%s:\n", lead, f.key)
			for i := range fv.Len() {
				yamlSection(b, fv.Index(i), indent+"  - ", indent+"    ")
			}
		case fv.Kind() == reflect.Slice:
			words := make([]string, fv.Len())
			for i := range words {
				words[i] = yamlScalar(fv.Index(i))
			}
			fmt.Fprintf(b, "%s%s: [%s]\n", lead, f.key, strings.Join(words, ", "))
		default:
			fmt.Fprintf(b, "%s%s: %s\n", lead, f.key, yamlScalar(fv))
		}
		lead = indent
	}
}

// yamlScalar quotes free text, which may look like something else; all other
// values are words and numbers that need none.
func yamlScalar(v reflect.Value) string {
	s := text(v)
	if v.Kind() == reflect.String && (!nameRule.MatchString(s) || strings.EqualFold(s, "null")) {
		return strconv.Quote(s)
	}
	return s
}

// MarshalJSON is the same as YAML, as JSON: quantities are strings with units,
// keys without effect are left out.
func (s Scenario) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	jsonSection(&b, reflect.ValueOf(s))
	return b.Bytes(), nil
}

func jsonSection(b *bytes.Buffer, v reflect.Value) {
	fields := fieldsOf(v.Type())
	b.WriteByte('{')
	first := true
	for _, f := range fields {
		if !f.when.holds(v, fields) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(b, "%q:", f.key)
		jsonValue(b, v.Field(f.index))
	}
	b.WriteByte('}')
}

func jsonValue(b *bytes.Buffer, v reflect.Value) {
	switch {
	case v.Kind() == reflect.Struct:
		jsonSection(b, v)
	case v.Kind() == reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			jsonValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case v.Type() == reflect.TypeFor[bool](), v.Type() == reflect.TypeFor[int](),
		v.Type() == reflect.TypeFor[uint64](), v.Type() == reflect.TypeFor[float64]():
		b.WriteString(text(v))
	default:
		jsonString(b, text(v))
	}
}

// UnmarshalJSON reads what MarshalJSON writes, as strictly as Parse.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	got, err := Parse(data, "JSON")
	if err != nil {
		return err
	}
	*s = got
	return nil
}
