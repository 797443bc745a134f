package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/spelling"
	"pintlab/netsim/schema"
)

// Open returns the preset with that name. If no preset has the name, it returns the scenario in the file with that
// name. The assignments have the form that Set accepts. Relative paths are relative to the file. The file may contain a
// wrong value if an assignment replaces it.
func Open(nameOrPath string, assignments ...string) (Scenario, error) {
	return (*Language)(nil).Open(nameOrPath, assignments...)
}

// Open is like the function Open, but for scenarios in language l.
func (l *Language) Open(nameOrPath string, assignments ...string) (Scenario, error) {
	s, _, err := l.OpenNoting(nameOrPath, assignments...)
	return s, err
}

// OpenNoting is like Open. It also returns the assignments that the congestion control has added. These are settings of
// the transport, marking, trimming and telemetry that the control needs and that were not given.
func (l *Language) OpenNoting(nameOrPath string, assignments ...string) (s Scenario, brought []string, err error) {
	if slices.Contains(Presets(), nameOrPath) {
		return l.preset(nameOrPath, nil, assignments...)
	}
	data, err := input.ReadFile(nameOrPath, input.Document)
	if err == nil {
		return l.parse(data, nameOrPath, filepath.Dir(nameOrPath), nil, assignments...)
	}
	if info, failed := os.Stat(nameOrPath); failed == nil && info.IsDir() {
		err = fmt.Errorf("%s: want a scenario, but this is a directory (pintlab report shows the results in a "+
			"directory)", nameOrPath)
	}
	if os.IsNotExist(err) {
		hint := ""
		if p := spelling.Suggest(nameOrPath, Presets()); p != "" {
			hint = fmt.Sprintf("; did you mean the preset %s?", p)
		}
		err = fmt.Errorf("%s: neither a file nor a preset%s (presets: %s)", nameOrPath, hint, join(Presets()))
	}
	return Scenario{}, nil, err
}

// Parse reads a scenario from YAML (or JSON, which is YAML). Missing keys have the defaults of the profile
// or, after "extends: PRESET", the values of that preset. The error is a Problems that lists everything
// wrong: unknown and duplicate keys, wrong types, values out of range, settings without effect. source
// names the text in errors.
func Parse(data []byte, source string) (Scenario, error) { return (*Language)(nil).Parse(data, source) }

// Parse is like the function Parse, but for scenarios in language l.
func (l *Language) Parse(data []byte, source string) (Scenario, error) {
	s, _, err := l.parse(data, source, "", nil)
	return s, err
}

// parse also returns the assignments that the congestion control adds. via lists the presets that extend the text.
func (l *Language) parse(
	data []byte, source, dir string, via []string, assignments ...string,
) (s Scenario, brought []string, err error) {
	s = l.Default()
	d := l.document()
	d.Complete = func(document any, given func(string) (bool, bool)) (_ []string, kept func(string) bool) {
		brought, kept = bring(document.(*Scenario), given)
		return brought, kept
	}
	err = d.Parse(&s, data, schema.Source{Name: source, Dir: dir, Extend: func(name string) (any, error) {
		base, _, err := l.preset(name, via)
		return &base, err
	}}, assignments...)
	if err != nil {
		return Scenario{}, nil, err
	}
	return s, brought, nil
}

// Set changes keys of s by assignments "key=value", as schema.Language.Set does. It changes s only if all
// assignments and the resulting scenario are valid. The error is a Problems.
func (s *Scenario) Set(assignments ...string) error {
	changed := s.Clone()
	if err := s.Language.document().Set(&changed, assignments...); err != nil {
		return err
	}
	*s = changed
	return nil
}

// Keys lists the keys that have an effect in s, with their values and accepted values.
func (s Scenario) Keys() []schema.Present { return schema.PresentKeys(&s) }

// Files lists the keys that name input files, with their paths.
func (s Scenario) Files() []schema.Present { return schema.Files(&s) }

// Overlap reports whether two keys concern the same values. This is so if the keys are equal, or if one of them is a
// section or list that contains the other.
func Overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// With returns a copy of s with Set applied.
func (s Scenario) With(assignments ...string) (Scenario, error) {
	c := s.Clone()
	err := c.Set(assignments...)
	return c, err
}

// YAML returns the effective scenario: every key that has an effect, in the order of docs/reference/scenario. If the
// scenario is valid, Parse returns the same scenario from this text. File paths are not changed, so relative paths
// refer to the working directory.
func (s Scenario) YAML() []byte { return schema.YAML(&s) }

// MarshalJSON returns the same keys as YAML, in JSON. Quantities are strings with units.
func (s Scenario) MarshalJSON() ([]byte, error) { return schema.JSON(&s), nil }

// UnmarshalJSON parses the result of MarshalJSON, as strictly as Parse.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	got, err := s.Language.Parse(data, "JSON")
	if err != nil {
		return err
	}
	*s = got
	return nil
}

func join(words []string) string { return strings.Join(words, ", ") }
