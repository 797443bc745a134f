package scenario

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

//go:embed profiles/ns3-artifact.txt
var ns3Profile string

// The profiles.
const (
	ProfileDefault = "default"
	ProfileNS3     = "ns3-artifact"
)

// profiles has the values by which the defaults of a profile differ from those
// of the tags. It is never written to after it is made.
var profiles = map[string]map[string]string{
	ProfileDefault: {},
	ProfileNS3:     parseProfile(ns3Profile),
}

// parseProfile reads "key value" lines; # starts a comment.
func parseProfile(s string) map[string]string {
	values := map[string]string{}
	for _, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch len(words) {
		case 0:
		case 2:
			values[words[0]] = words[1]
		default:
			panic("scenario: malformed profile line " + line)
		}
	}
	return values
}

// Expand lists what a profile sets, as "key=value" in the order of the keys. A
// key counts only in scenarios where it has an effect.
func Expand(profile string) ([]string, error) {
	values, ok := profiles[profile]
	if !ok {
		return nil, fmt.Errorf("profile %q is not known (accepted: %s, %s)", profile, ProfileDefault, ProfileNS3)
	}
	var list []string
	for _, key := range allKeys(reflect.TypeFor[Scenario](), "") {
		if v, ok := values[key]; ok {
			list = append(list, key+"="+v)
		}
	}
	return list, nil
}

// reprofile gives every key that the old or the new profile sets its default
// under the new one.
func (e *editor) reprofile(old string) {
	if e.root.Profile == old {
		return
	}
	root := reflect.ValueOf(e.root).Elem()
	for _, key := range allKeys(root.Type(), "") {
		_, was := profiles[old][key]
		_, is := profiles[e.root.Profile][key]
		if !was && !is {
			continue
		}
		_, f, err := find(root, key)
		if err != nil {
			panic("scenario: profile key " + key + ": " + err.Error())
		}
		parent, prefix := root, key[:lastDot(key)+1]
		if prefix != "" {
			parent, _, _ = find(root, key[:lastDot(key)])
		}
		fields := fieldsOf(parent.Type())
		if !f.when.holds(parent, fields) {
			continue
		}
		e.change(parent, fields, f, prefix, func() { e.setDefault(parent, fields, f, prefix) })
	}
}

// profileNames are the accepted values of the key profile.
func profileNames() []string {
	names := make([]string, 0, len(profiles))
	for name := range profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
