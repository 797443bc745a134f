package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// Open is the preset of that name, or else the scenario in that file.
func Open(nameOrPath string) (Scenario, error) {
	if slices.Contains(Presets(), nameOrPath) {
		return Preset(nameOrPath)
	}
	s, err := Load(nameOrPath)
	if os.IsNotExist(err) {
		hint := ""
		if p := suggest(nameOrPath, Presets()); p != "" {
			hint = fmt.Sprintf("; did you mean the preset %s?", p)
		}
		return Scenario{}, fmt.Errorf("%s: neither a file nor a preset%s (presets: %s)", nameOrPath, hint, join(Presets()))
	}
	return s, err
}

// Load reads the scenario file at path. Relative paths in it are relative to it.
func Load(path string) (Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Scenario{}, err
	}
	return parse(data, path, filepath.Dir(path), Preset)
}

// Parse reads a scenario from YAML (or JSON, which is YAML). Keys that it does
// not give have the defaults of its profile or, after "extends: PRESET", the
// values of that preset. The error is a Problems with everything that is wrong:
// unknown and duplicate keys, wrong types, values out of range, settings without
// effect. source names the text in errors.
func Parse(data []byte, source string) (Scenario, error) {
	return parse(data, source, "", Preset)
}

func parse(data []byte, source, dir string, preset func(string) (Scenario, error)) (Scenario, error) {
	n, err := parseYAML(data, source)
	if err != nil {
		return Scenario{}, err
	}
	s := Default()
	e := &editor{root: &s, source: source, dir: dir, places: map[string]place{}}
	if n == nil {
		return Scenario{}, Problems{{Source: source, Rule: "empty; want keys such as topology, workload and cc"}}
	}
	n = e.extend(n, preset)
	e.section(n, reflect.ValueOf(&s).Elem(), "", false)
	if len(e.problems) == 0 {
		e.locate(s.problems())
	}
	slices.SortStableFunc(e.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if err := e.problems.err(); err != nil {
		return Scenario{}, err
	}
	return s, nil
}

// extend takes "extends: PRESET" out of the document and starts from there.
func (e *editor) extend(n ast.Node, preset func(string) (Scenario, error)) ast.Node {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return n
	}
	rest := *m
	rest.Values = nil
	for _, v := range m.Values {
		if word, ok := scalar(v.Key); !ok || word != "extends" {
			rest.Values = append(rest.Values, v)
			continue
		}
		name, ok := scalar(v.Value)
		if !ok {
			e.fail(v.Value, "extends", "", "want the name of a preset, got "+nodeName(v.Value))
			continue
		}
		base, err := preset(name)
		if err != nil {
			e.fail(v.Value, "extends", fmt.Sprintf("%q", name), err.Error())
			continue
		}
		*e.root = base
	}
	return &rest
}

// locate adds problems of the whole scenario, each with the place of its key, or
// of the setting that calls for the rule, or of the section around the key,
// whichever the document gives.
func (e *editor) locate(ps Problems) {
	for _, p := range ps {
		p.Source = e.source
		at, ok := e.places[p.Key]
		if !ok {
			at, ok = e.places[p.because]
		}
		for key := p.Key; !ok && lastDot(key) >= 0; {
			key = key[:lastDot(key)]
			at, ok = e.places[key]
		}
		p.Line, p.Column = at.line, at.column
		e.problems = append(e.problems, p)
	}
}

func (e *editor) resolve(path string) string {
	if e.dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.dir, path)
}

// jsonString writes s as a JSON string.
func jsonString(b *bytes.Buffer, s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	b.Write(quoted)
}
