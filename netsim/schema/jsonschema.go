package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Described contains the texts of a JSON Schema that are not in the tags.
type Described struct {
	Title   string
	Words   map[string]string  // keys of the file that are not keys of the struct, and their meanings
	Comment func(Field) string // meaning of a key without the full stop at its end, "" if it has none

	kinds *Kinds
}

// object is a part of a JSON Schema.
type object map[string]any

// JSONSchema returns the JSON Schema (draft 7) of documents such as document, a pointer to a struct. Editors use the
// schema to complete and check keys. It accepts every valid document. Among the conditions under which keys have an
// effect, the schema checks only the kind of a Choice; descriptions name the other conditions.
func JSONSchema(document any, d Described) []byte {
	root := reflect.ValueOf(document).Elem()
	d.kinds = kindsOf(root)
	s := d.section(root.Type(), true)
	for word, meaning := range d.Words {
		s["properties"].(object)[word] = object{"type": "string", "description": meaning}
	}
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = d.Title
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("schema: %v", err)) // objects, lists, words and numbers cause no errors
	}
	return b.Bytes()
}

// section returns the schema of a section, or of an entry of a list, which must contain the required keys.
func (d Described) section(t reflect.Type, entry bool) object {
	c, ok := d.kinds.catalogue(t)
	if !ok {
		return d.keys(d.kinds.of(t), entry)
	}
	kind := kindField(c)
	always := object{"type": "object", "properties": object{kind.Key: d.key(kind)}}
	var cases []object
	for _, k := range c.Kinds {
		when := object{"properties": object{"kind": object{"const": k.Name}}, "required": []string{"kind"}}
		keys := d.keys(append([]Field{kind}, paramFields(k)...), entry)
		keys["description"] = k.Summary
		cases = append(cases, object{"if": when, "then": keys})
	}
	if entry && kind.Required {
		always["required"] = []string{"kind"}
	} else { // the file may extend another, so that the kind is not known
		when := object{"not": object{"required": []string{"kind"}}}
		cases = append(cases, object{"if": when, "then": d.anyKind(c)})
	}
	always["allOf"] = cases
	return always
}

// anyKind returns the schema of a section without its kind: with the keys of all kinds. A key whose values differ
// between kinds may have any value.
func (d Described) anyKind(c Catalogue) object {
	properties := object{}
	for _, k := range c.Kinds {
		for _, f := range paramFields(k) {
			s := d.value(f)
			if known, ok := properties[f.Key]; ok && !reflect.DeepEqual(known, s) {
				s = object{}
			}
			properties[f.Key] = s
		}
	}
	return object{"properties": properties, "additionalProperties": false}
}

// keys returns the schema of a mapping with these keys.
func (d Described) keys(fields []Field, entry bool) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		properties[f.Key] = d.key(f)
		if entry && f.Required && len(f.When) == 0 {
			required = append(required, f.Key)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// key returns the schema of a key.
func (d Described) key(f Field) object {
	s := d.value(f)
	var words []string
	if d.Comment != nil {
		if comment := d.Comment(f); comment != "" {
			words = append(words, comment+".")
		}
	}
	if len(f.Defaults) == 1 && f.Defaults[0].Text != "" {
		words = append(words, "Default: "+f.Defaults[0].Text+".")
	}
	if bounds := f.Bounds(); bounds != "" {
		words = append(words, "Accepted: "+bounds+".")
	}
	if with := f.When.Describe(""); with != "" {
		words = append(words, "Only with "+with+".")
	}
	if len(words) > 0 {
		s["description"] = strings.Join(words, " ")
	}
	return s
}

// value returns the schema of the values of a key.
func (d Described) value(f Field) object {
	switch t := f.Type(); {
	case t.Kind() == reflect.Struct:
		return d.section(t, false)
	case isTree(t):
		return object{"type": "object"}
	case isList(t):
		return f.length(object{"type": "array", "items": d.section(t.Elem(), true)})
	case t.Kind() == reflect.Slice:
		items := f.word()
		list := f.length(object{"type": "array", "items": items})
		if f.single {
			return object{"anyOf": []object{items, list}}
		}
		return list
	}
	words := []object{f.scalar()}
	if f.Auto() {
		words = append(words, object{"const": Auto})
	}
	if f.also != "" {
		words = append(words, object{"const": f.also})
	}
	if len(words) == 1 {
		return words[0]
	}
	return object{"anyOf": words}
}

// word returns the schema of a word, which YAML may take for a number or a bool.
func (f Field) word() object {
	if f.OneOf != nil {
		return object{"enum": f.OneOf}
	}
	return object{"type": []string{"string", "number", "boolean"}}
}

// length adds the limits of the length of a list.
func (f Field) length(list object) object {
	for _, b := range f.bounds {
		n, err := strconv.Atoi(b.limit)
		switch {
		case err != nil:
			panic("schema: malformed range limit " + b.limit)
		case b.op == ">=":
			list["minItems"] = n
		case b.op == "<=":
			list["maxItems"] = n
		}
	}
	return list
}

// measured is a type of numbers with a unit.
type measured interface {
	// Units returns the accepted units.
	Units() []string
}

// scalar returns the schema of a single value, without the words that are accepted in place of a number.
func (f Field) scalar() object {
	t := f.Type()
	if u, ok := reflect.Zero(t).Interface().(measured); ok {
		return object{"type": "string", "pattern": `^[0-9]+(\.[0-9]+)?(` + strings.Join(u.Units(), "|") + ")$"}
	}
	if _, ok := reflect.Zero(reflect.PointerTo(t)).Interface().(encoding.TextUnmarshaler); ok {
		return f.word()
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return f.limits(object{"type": "integer"})
	case reflect.Uint64:
		return f.limits(object{"type": "integer", "minimum": 0})
	case reflect.Float64:
		return f.limits(object{"type": "number"})
	}
	return f.word()
}

// limits adds the limits of a number.
func (f Field) limits(number object) object {
	for _, b := range f.bounds {
		name := map[string]string{
			">": "exclusiveMinimum", ">=": "minimum", "<": "exclusiveMaximum", "<=": "maximum",
		}[b.op]
		number[name] = json.Number(b.limit)
	}
	return number
}
