package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/schema"
)

// language returns how scenarios are written.
func language() *schema.Language {
	return &schema.Language{
		Profiles: profiles, Rules: rules, Empty: "empty; want keys such as topology, workload and cc",
		Complete: func(document any, given func(string) (bool, bool)) []string {
			return bring(document.(*Scenario), given)
		},
	}
}

// Open returns the preset of that name, or else the scenario in that file, with
// assignments as Set takes them. Relative paths in a file are relative to it. A value that an assignment replaces may be wrong
// in the file.
func Open(nameOrPath string, assignments ...string) (Scenario, error) {
	s, _, err := OpenNoting(nameOrPath, assignments...)
	return s, err
}

// OpenNoting returns Open that also returns what the congestion control has brought along, as
// assignments: the transport, marking, trimming and telemetry that it needs and that nothing gave.
func OpenNoting(nameOrPath string, assignments ...string) (s Scenario, brought []string, err error) {
	if slices.Contains(Presets(), nameOrPath) {
		return preset(nameOrPath, nil, assignments...)
	}
	data, err := input.ReadFile(nameOrPath, input.Document)
	if err == nil {
		return parse(data, nameOrPath, filepath.Dir(nameOrPath), Preset, assignments...)
	}
	if os.IsNotExist(err) {
		hint := ""
		if p := schema.Suggest(nameOrPath, Presets()); p != "" {
			hint = fmt.Sprintf("; did you mean the preset %s?", p)
		}
		err = fmt.Errorf("%s: neither a file nor a preset%s (presets: %s)", nameOrPath, hint, join(Presets()))
	}
	return Scenario{}, nil, err
}

// Parse reads a scenario from YAML (or JSON, which is YAML). Keys that it does
// not give have the defaults of its profile or, after "extends: PRESET", the
// values of that preset. The error is a Problems with everything that is wrong:
// unknown and duplicate keys, wrong types, values out of range, settings without
// effect. source names the text in errors.
func Parse(data []byte, source string) (Scenario, error) {
	s, _, err := parse(data, source, "", Preset)
	return s, err
}

// parse also returns what the congestion control brings, as assignments.
func parse(data []byte, source, dir string, preset func(string) (Scenario, error), assignments ...string) (s Scenario, brought []string, err error) {
	s = Default()
	l := language()
	l.Complete = func(document any, given func(string) (bool, bool)) []string {
		brought = bring(document.(*Scenario), given)
		return brought
	}
	err = l.Parse(&s, data, schema.Source{Name: source, Dir: dir, Extend: func(name string) (any, error) {
		base, err := preset(name)
		return &base, err
	}}, assignments...)
	if err != nil {
		return Scenario{}, nil, err
	}
	return s, brought, nil
}

// Set changes keys of s, each given as "key=value" such as
// "transport.rto_min=2ms", "workload.0.load=0.7" or, for a list,
// "run.outputs=[fct.txt]". Keys on which others depend, such as cc.kind, are set
// first: keys that they bring into effect take their defaults. The scenario is
// not changed unless all of them, and the scenario that results, are valid. The
// error is a Problems.
func (s *Scenario) Set(assignments ...string) error {
	changed := s.Clone()
	if err := language().Set(&changed, assignments...); err != nil {
		return err
	}
	*s = changed
	return nil
}

// Keys lists the keys that have an effect in s, with their values and what they accept.
func (s Scenario) Keys() []schema.Present { return schema.PresentKeys(&s) }

// Files lists the keys that name input files, with their paths.
func (s Scenario) Files() []schema.Present { return schema.Files(&s) }

// Overlap reports whether two keys concern the same values: they are equal, or one is a
// section or a list that holds the other.
func Overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// With returns a copy of s with Set applied.
func (s Scenario) With(assignments ...string) (Scenario, error) {
	c := s.Clone()
	err := c.Set(assignments...)
	return c, err
}

// YAML returns the complete effective scenario: every key that has an effect, in the
// order of the documentation. Parse reads it back to an equal scenario, provided
// that s is valid; file paths are kept as they are, so the text belongs into the
// working directory.
func (s Scenario) YAML() []byte { return schema.YAML(&s) }

// MarshalJSON returns the same as YAML, as JSON: quantities are strings with units,
// keys without effect are left out.
func (s Scenario) MarshalJSON() ([]byte, error) { return schema.JSON(&s), nil }

// UnmarshalJSON reads what MarshalJSON writes, as strictly as Parse.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	got, err := Parse(data, "JSON")
	if err != nil {
		return err
	}
	*s = got
	return nil
}

func join(words []string) string { return strings.Join(words, ", ") }
