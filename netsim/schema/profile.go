package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Profiles are named sets of defaults: each maps keys to values that replace the defaults in the tags. The
// key "profile" of a document selects one.
type Profiles map[string]map[string]string

// ParseProfile reads lines of "key value"; # starts a comment. "key@kind" applies the value to one kind of
// a Choice only.
func ParseProfile(s string) (map[string]string, error) {
	values := map[string]string{}
	for _, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch len(words) {
		case 0:
		case 2:
			values[words[0]] = words[1]
		default:
			return nil, fmt.Errorf("malformed profile line %q", line)
		}
	}
	return values, nil
}

// List returns the defaults of a profile for the type of document, as "key=value" in the order of the keys,
// or "key@kind=value" for one kind of a Choice.
func (p Profiles) List(profile string, document any) []string {
	var list []string
	for _, key := range kindsOf(reflect.ValueOf(document).Elem()).keys(reflect.TypeOf(document).Elem(), "") {
		for _, k := range p.of(profile, key) {
			list = append(list, k+"="+p[profile][k])
		}
	}
	return list
}

// of returns the entries of a profile for a key, with and without a kind.
func (p Profiles) of(profile, key string) []string {
	var list []string
	for k := range p[profile] {
		if k == key || strings.HasPrefix(k, key+"@") {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// find returns a profile's value for a key of a section. An entry for the kind, such as "cc.rate_ai@dctcp",
// takes precedence over "cc.rate_ai".
func (p Profiles) find(profile string, s section, prefix string, f Field) (string, bool) {
	if s.choice != nil {
		if word, ok := p[profile][prefix+f.Key+"@"+s.value(s.fields[0]).String()]; ok {
			return word, true
		}
	}
	word, ok := p[profile][prefix+f.Key]
	return word, ok
}

func (e *editor) profile() string {
	s := e.kinds.view(e.root)
	if f, ok := s.field("profile"); ok {
		return s.value(f).String()
	}
	return ""
}

func (e *editor) isProfile(key string) bool { return key == "profile" && len(e.profiles) > 0 }

// reprofile calls the function set, which changes the profile, and then resets every key of the old or the new profile
// to its new default.
func (e *editor) reprofile(set func()) {
	old := e.profile()
	set()
	if e.profile() == old {
		return
	}
	for _, key := range e.kinds.keys(e.root.Type(), "") {
		if len(e.profiles.of(old, key)) == 0 && len(e.profiles.of(e.profile(), key)) == 0 {
			continue
		}
		_, f, err := find(e.root, key)
		if _, other := err.(elsewhere); other {
			continue
		}
		if err != nil {
			panic("schema: profile key " + key + ": " + err.Error())
		}
		parent, prefix := e.parent(key)
		s := e.kinds.view(parent)
		_, was := e.profiles.find(old, s, prefix, f)
		_, is := e.profiles.find(e.profile(), s, prefix, f)
		if !was && !is || !f.When.holds(s) {
			continue
		}
		e.change(parent, f, prefix, func() { e.setDefault(s, f, prefix) })
	}
}

// parent returns the section that contains a key, and the prefix of the section's keys. It panics if the function find
// does not find the section.
func (e *editor) parent(key string) (reflect.Value, string) {
	dot := lastDot(key)
	if dot < 0 {
		return e.root, ""
	}
	v, _, err := find(e.root, key[:dot])
	if err != nil {
		panic("schema: " + key + ": " + err.Error())
	}
	return v, key[:dot+1]
}
