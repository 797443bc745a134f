package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// Profiles are sets of defaults by name: for each, the values by which its defaults
// differ from those of the tags. The key "profile" of a document chooses one.
type Profiles map[string]map[string]string

// ParseProfile reads "key value" lines; # starts a comment.
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

// List is what a profile sets for documents like this one, as "key=value" in the order
// of the keys. A key counts only in documents where it has an effect.
func (p Profiles) List(profile string, document any) []string {
	var list []string
	for _, key := range Keys(reflect.TypeOf(document).Elem(), "") {
		if v, ok := p[profile][key]; ok {
			list = append(list, key+"="+v)
		}
	}
	return list
}

// profile is the profile of the document.
func (e *editor) profile() string {
	s := view(e.root)
	if f, ok := s.field("profile"); ok {
		return s.value(f).String()
	}
	return ""
}

func (e *editor) isProfile(key string) bool { return key == "profile" && len(e.profiles) > 0 }

// reprofile runs set, which changes the profile, and gives every key that the old or
// the new one sets its default under the new one.
func (e *editor) reprofile(set func()) {
	old := e.profile()
	set()
	if e.profile() == old {
		return
	}
	for _, key := range Keys(e.root.Type(), "") {
		_, was := e.profiles[old][key]
		_, is := e.profiles[e.profile()][key]
		if !was && !is {
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
		s := view(parent)
		if !f.When.holds(s) {
			continue
		}
		e.change(parent, f, prefix, func() { e.setDefault(s, f, prefix) })
	}
}

// parent is the section that has a key which find knows, and the prefix of its keys.
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
