package random

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// A place is a position in a scenario file where a certain key may be.
type place struct {
	lines    []string // lines of the file before the key; with them the key has an effect
	outer    []string // lines of the file before the section
	indent   string
	prefix   string // prefix of the full key
	field    schema.Field
	siblings []schema.Field
}

// placesOf lists the places of all keys of a section. If the section has kinds, it does so for each kind.
func placesOf(section reflect.Type, prefix, indent string, outer []string) (list []place) {
	all := new(scenario.Scenario).Kinds()
	c, choice := all.Catalogues[section]
	if !choice {
		return fieldsOf(all.Fields(section), prefix, indent, outer)
	}
	list = append(list, place{outer, outer, indent, prefix, all.Fields(section)[0], nil})
	for _, k := range c.Kinds {
		kind := append(slices.Clip(outer), indent+"kind: "+k.Name)
		list = append(list, fieldsOf(schema.Fields(reflect.TypeOf(k.New()).Elem()), prefix, indent, kind)...)
	}
	return list
}

func fieldsOf(fields []schema.Field, prefix, indent string, outer []string) (list []place) {
	for _, f := range fields {
		p := place{
			slices.Concat(outer, settings(append(kinds(f, fields), enabling(f, fields, "")...), indent)), outer, indent,
			prefix, f, fields,
		}
		list = append(list, p)
		head := append(slices.Clip(p.lines), indent+f.Key+":")
		switch t := f.Type(); {
		case t.Kind() == reflect.Struct:
			list = append(list, placesOf(t, prefix+f.Key+".", indent+"  ", head)...)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			list = append(list, placesOf(t.Elem(), prefix+f.Key+".0.", indent+"    ", append(head, indent+"  -"))...)
		}
	}
	return list
}

// kinds returns assignments of the keys, other than f, that an entry must have and whose values are words.
func kinds(f schema.Field, fields []schema.Field) (list []string) {
	for _, g := range fields {
		if g.Required && g.OneOf != nil && g.Key != f.Key {
			list = append(list, g.Key+"="+g.OneOf[0])
		}
	}
	return list
}

// settings writes assignments as lines of a file. If a key is assigned several times, only the last assignment is
// written.
func settings(assignments []string, indent string) (lines []string) {
	for i, a := range assignments {
		key, value, _ := strings.Cut(a, "=")
		if !slices.ContainsFunc(assignments[i+1:], func(b string) bool { return strings.HasPrefix(b, key+"=") }) {
			lines = append(lines, indent+key+": "+value)
		}
	}
	return lines
}

// A mistake is a wrong line in a file, together with the words that the error message must contain in addition to the
// place and the key.
type mistake struct {
	before []string // lines of the file
	line   string   // the wrong line, without its indent
	says   []string
	column int    // column of the error in the line, counted from 0
	key    string // wrong key, without the keys of the sections around it
}

// mistakes lists the possible mistakes at a place.
func (p place) mistakes() (list []mistake) {
	f := p.field
	wrong := func(value string, says ...string) {
		list = append(list, mistake{p.lines, f.Key + ": " + value, says, len(f.Key) + 2, f.Key})
	}
	inside := func(value, key string, says ...string) {
		list = append(list, mistake{p.lines, f.Key + ": " + value, says, len(f.Key) + 3, f.Key + "." + key})
	}
	wrong("&anchor 1", "anchor")
	switch t := f.Type(); {
	case t.Kind() == reflect.Struct:
		wrong("", "want keys and values", "nothing")
		wrong("5", "want keys and values", `"5"`)
		wrong("[a]", "want keys and values", "a list")
		inside("{nonesuchkey: 1}", "nonesuchkey", "unknown key (accepted: ")
	case t.Kind() == reflect.Slice:
		wrong("", "want a list", "nothing")
		wrong("5", "want a list", `"5"`)
		wrong("{a: 1}", "want a list", "keys and values")
		inside("[[1]]", "0", "a list")
		if f.OneOf != nil {
			wrong("[nonesuchword]", append(f.OneOf, "nonesuchword")...)
		}
	default:
		wrong("", "want a single value", "nothing")
		wrong("[1]", "want a single value", "a list")
		wrong("{a: 1}", "want a single value", "keys and values")
		list = append(list, p.values()...)
	}
	accepted := []string{"unknown key"}
	for _, g := range p.siblings {
		accepted = append(accepted, g.Key)
	}
	list = append(list,
		mistake{append(slices.Clip(p.lines), p.indent+f.Key+": 1"), f.Key + ": 1",
			[]string{fmt.Sprintf("given twice; the first is in line %d", len(p.lines)+1)}, 0, f.Key},
		mistake{p.outer, f.Key + "qx: 1", []string{"unknown key"}, 0, f.Key + "qx"},
		mistake{p.outer, "wwwwwwwwwwwwwwww: 1", accepted, 0, "wwwwwwwwwwwwwwww"})
	if before, ok := p.withoutEffect(); ok {
		list = append(list,
			mistake{before, f.Key + ": 17", []string{"has no effect (only with " + p.prefix, `"17"`}, len(f.Key) + 2,
				f.Key})
	}
	return list
}

// values returns mistakes in a single value.
func (p place) values() (list []mistake) {
	f := p.field
	wrong := func(value string, says ...string) {
		list = append(list,
			mistake{p.lines, f.Key + ": " + value, append(slices.Clip(says), value), len(f.Key) + 2, f.Key})
	}
	switch f.Type().Kind() {
	case reflect.String:
		if f.OneOf != nil {
			wrong("nonesuchword", f.OneOf...)
		}
		if f.File {
			list = append(list,
				mistake{p.lines, f.Key + `: ""`, []string{"want the path of a file"}, len(f.Key) + 2, f.Key})
		}
	case reflect.Bool:
		wrong("maybe", "want true or false")
	default:
		wrong("much", f.Bounds())
		units := map[reflect.Type]string{
			reflect.TypeFor[unit.Time](): "ms", reflect.TypeFor[unit.Rate](): "Gbps",
			reflect.TypeFor[unit.Bytes](): "KB", reflect.TypeFor[unit.Limit](): "KB",
		}[f.Type()]
		if units != "" {
			wrong("17", f.Bounds(), units)
			wrong("17parsec", f.Bounds(), units)
		}
		for _, value := range extremesOf(f) {
			if !within(f, value) {
				wrong(value, f.Bounds())
			}
		}
	}
	return list
}

// withoutEffect returns lines to write before the key so that the key has no effect. ok is false if there are no such
// lines.
func (p place) withoutEffect() (lines []string, ok bool) {
	if len(p.field.When) == 0 {
		return nil, false
	}
	accepted := map[string][]string{} // by key, of all terms
	terms := strings.Split(p.field.When.Describe(""), ", or ")
	for _, term := range terms {
		key, values, _ := strings.Cut(strings.Split(term, " and ")[0], " = ")
		accepted[key] = append(accepted[key], strings.Split(values, " or ")...)
	}
	set := kinds(p.field, p.siblings)
	for _, g := range p.siblings {
		if accepted[g.Key] == nil {
			continue
		}
		words := g.OneOf
		if g.Type().Kind() == reflect.Bool {
			words = []string{"true", "false"}
		}
		i := slices.IndexFunc(words, func(w string) bool { return !slices.Contains(accepted[g.Key], w) })
		if i < 0 {
			return nil, false
		}
		set = append(append(set, enabling(g, p.siblings, "")...), g.Key+"="+words[i])
	}
	return slices.Concat(p.outer, settings(set, p.indent)), true
}

// A file with one mistake, at any key of any kind of any section, is refused. The message contains the line and
// column, the full key, the value and the accepted values.
func TestMistakes(t *testing.T) {
	tried, seen := 0, map[string]bool{}
	for _, p := range placesOf(reflect.TypeFor[scenario.Scenario](), "", "", nil) {
		rule := fmt.Sprint(p.prefix, p.field.Key, p.field.Type(), p.field.Bounds(), p.field.OneOf,
			p.field.When.Describe(""))
		if seen[rule] {
			continue // the same key of another kind has been tested
		}
		seen[rule] = true
		for _, m := range p.mistakes() {
			text := strings.Join(append(slices.Clip(m.before), p.indent+m.line), "\n") + "\n"
			if seen[text] {
				continue
			}
			seen[text] = true
			tried++
			_, err := scenario.Parse([]byte(text), "f.yaml")
			if err == nil {
				t.Errorf("accepted:\n%s", text)
				continue
			}
			if missing := m.misses(err.Error(), p, len(m.before)+1); missing != "" {
				t.Errorf("no %q in\n%v\nabout\n%s", missing, err, text)
			}
		}
	}
	t.Logf("%d files", tried)
}

// misses returns a text that is missing in the message, or "" if one line of the message has the place, the key and
// all words.
func (m mistake) misses(message string, p place, line int) (missing string) {
	at := fmt.Sprintf("f.yaml:%d:%d: %s: ", line, len(p.indent)+1+m.column, p.prefix+m.key)
	missing = at
	for said := range strings.Lines(message) {
		rest, ok := strings.CutPrefix(said, at)
		if !ok {
			continue
		}
		i := slices.IndexFunc(m.says, func(word string) bool { return !strings.Contains(rest, word) })
		if i < 0 {
			return ""
		}
		missing = m.says[i]
	}
	return missing
}

// If a required key is missing in an entry of a list, the file is refused. The message contains the place of the
// entry, the full key and the accepted values.
func TestMissingKeys(t *testing.T) {
	for _, p := range placesOf(reflect.TypeFor[scenario.Scenario](), "", "", nil) {
		if !p.field.Required {
			continue
		}
		lines := p.lines
		if strings.HasSuffix(lines[len(lines)-1], "-") {
			lines = append(slices.Clip(lines), p.indent+"{}")
		}
		_, err := scenario.Parse([]byte(strings.Join(lines, "\n")+"\n"), "f.yaml")
		accepted := p.field.Bounds()
		if p.field.OneOf != nil {
			accepted = strings.Join(p.field.OneOf, ", ")
		}
		want := p.prefix + p.field.Key + ": missing"
		if accepted != "" {
			want += " (accepted: " + accepted + ")"
		}
		if err == nil || !strings.Contains(err.Error(), ": "+want) ||
			!strings.HasPrefix(err.Error(),
				fmt.Sprintf("f.yaml:%d:%d: ", slices.Index(lines, lines[len(lines)-1])+1, len(p.indent)+1)) {
			t.Errorf("no place and %q in\n%v\nabout\n%s", want, err, strings.Join(lines, "\n"))
		}
	}
}
