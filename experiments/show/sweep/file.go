package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Grid is a base scenario and the settings that vary.
type Grid struct {
	Name  string
	Base  string   // a preset or the path of a scenario file
	Set   []string // changes for all runs, each "key=value"
	Axes  []Axis
	Seeds int
	Sizes [2]unit.Bytes // largest sizes of short and medium flows
}

// Axis is a group of settings that vary together.
type Axis struct {
	Name    string
	Choices []Choice
}

// Choice is a value of an axis.
type Choice struct {
	Label string
	Set   []string
}

// Limits of a file.
const (
	maxSeeds = 10_000
	maxRuns  = 100_000
)

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Load reads a campaign file. A base that is not a preset is a path relative to the file.
func Load(path string) (*Grid, error) {
	data, err := input.ReadFile(path, input.Settings)
	if err != nil {
		return nil, err
	}
	c, err := Parse(data, path)
	if err == nil && !slices.Contains(scenario.Presets(), c.Base) && !filepath.IsAbs(c.Base) {
		c.Base = filepath.Join(filepath.Dir(path), c.Base)
	}
	return c, err
}

// Parse reads a campaign. source names the text in errors.
func Parse(data []byte, source string) (*Grid, error) {
	n, err := schema.ParseYAML(data, source, input.Settings)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, fmt.Errorf("%s: want one document with the keys name, base and vary", source)
	}
	r := &reader{source: source}
	c := r.campaign(n)
	r.once()
	return c, errors.Join(r.errs...)
}

// reader collects the errors of a file.
type reader struct {
	source string
	errs   []error
	given  []given
}

// given is a scenario key that the file sets.
type given struct {
	key   string
	where string // place in the file, such as "vary.a.one"
	// axis and choice name the entry of vary and its value; they are "set" and "" for settings of all runs.
	axis, choice string
	node         ast.Node
}

// once reports keys that are set twice, so that no setting is lost silently to an axis. Choices of one axis
// may set the same key, because they exclude each other.
func (r *reader) once() {
	for i, b := range r.given {
		if scenario.Overlap(b.key, "seed") {
			r.fail(b.node, "%s: seeds are not set like other keys: seeds says how many there are, --seed the first",
				b.where)
			continue
		}
		for _, a := range r.given[:i] {
			if scenario.Overlap(a.key, b.key) && (a.axis != b.axis || a.choice == b.choice) {
				line, _ := schema.Position(a.node)
				r.fail(b.node, "%s: the key is set twice, also by %s in line %d", b.where, a.where, line)
				break
			}
		}
	}
}

func (r *reader) fail(n ast.Node, format string, args ...any) {
	line, _ := schema.Position(n)
	r.errs = append(r.errs, &schema.YAMLError{Source: r.source, Line: line, Rule: fmt.Sprintf(format, args...)})
}

// pair is a key of a mapping and its value.
type pair struct {
	key   string
	node  ast.Node // node of the key
	value ast.Node
}

// pairs returns the keys of a mapping in the order of the file.
func (r *reader) pairs(n ast.Node, what string) []pair {
	values, ok := schema.Entries(n)
	if !ok {
		r.fail(n, "%s: want keys and values", what)
		return nil
	}
	var out []pair
	for _, v := range values {
		key, ok := schema.Scalar(v.Key)
		if !ok || key == "" {
			r.fail(v, "%s: want plain keys", what)
			continue
		}
		if slices.ContainsFunc(out, func(p pair) bool { return p.key == key }) {
			r.fail(v, "%s: %q is given twice", what, key)
			continue
		}
		out = append(out, pair{key, v.Key, v.Value})
	}
	return out
}

func (r *reader) campaign(n ast.Node) *Grid {
	c := &Grid{Seeds: 1, Sizes: DefaultSizes}
	given := map[string]bool{}
	for _, p := range r.pairs(n, "campaign") {
		given[p.key] = true
		switch p.key {
		case "name":
			c.Name, _ = schema.Scalar(p.value)
			if !nameRule.MatchString(c.Name) {
				r.fail(p.value, "name: %q: want 1 to 64 letters, digits, '.', '_' or '-', "+
					"starting with a letter or a digit", c.Name)
			}
		case "base":
			c.Base, _ = schema.Scalar(p.value)
			if c.Base == "" {
				r.fail(p.value, "base: want a preset or a scenario file")
			} else if err := plots.CheckText(c.Base); err != nil {
				r.fail(p.value, "base: %v: want a name that can stand in a report", err)
			}
		case "set":
			c.Set = r.assignments(p.value, "set", "set", "")
		case "vary":
			c.Axes = r.axes(p.value)
		case "seeds":
			s, _ := schema.Scalar(p.value)
			v, err := strconv.Atoi(s)
			if err != nil || v < 1 || v > maxSeeds {
				r.fail(p.value, "seeds: %q: want a whole number from 1 to %d", s, maxSeeds)
			}
			c.Seeds = v
		case "sizes":
			var words []string
			if list, ok := p.value.(*ast.SequenceNode); ok {
				for _, item := range list.Values {
					w, _ := schema.Scalar(item)
					words = append(words, w)
				}
			}
			var err error
			if c.Sizes, err = Borders(words); err != nil {
				r.fail(p.value, "sizes: %v", err)
			}
		default:
			r.fail(p.node, "%s: unknown key (accepted: name, base, set, vary, seeds, sizes)", p.key)
		}
	}
	for _, key := range []string{"name", "base", "vary"} {
		if !given[key] {
			r.fail(n, "%s: missing", key)
		}
	}
	runs := c.Seeds
	for _, a := range c.Axes {
		if runs *= max(len(a.Choices), 1); runs > maxRuns {
			r.fail(n, "vary: more than %d runs", maxRuns)
			break
		}
	}
	return c
}

// Borders parses the largest sizes of short and medium flows.
func Borders(words []string) (borders [2]unit.Bytes, err error) {
	if len(words) != 2 {
		return borders, fmt.Errorf("%d sizes: want two, those of the largest short and medium flows", len(words))
	}
	for i, w := range words {
		if borders[i], err = unit.ParseBytes(w); err != nil {
			return borders, err
		}
	}
	if borders[0] < 1 || borders[1] <= borders[0] {
		return borders, fmt.Errorf("%v and %v: want rising sizes of at least 1B", borders[0], borders[1])
	}
	return borders, nil
}

// assignments returns the scenario keys of a mapping with their values. what is its place for errors.
func (r *reader) assignments(n ast.Node, what, axis, choice string) []string {
	var out []string
	for _, p := range r.pairs(n, what) {
		v, ok := schema.Scalar(p.value)
		if !ok {
			r.fail(p.value, "%s.%s: want a single value", what, p.key)
			continue
		}
		r.given = append(r.given, given{p.key, what + "." + p.key, axis, choice, p.node})
		out = append(out, p.key+"="+v)
	}
	return out
}

func (r *reader) axes(n ast.Node) []Axis {
	var out []Axis
	for _, p := range r.pairs(n, "vary") {
		a := Axis{Name: p.key}
		what := "vary." + p.key
		if _, err := emptyRows(nil, p.key); err != nil {
			r.fail(p.node, "%s: this name cannot be a column of the rows", what)
			continue
		}
		if list, ok := p.value.(*ast.SequenceNode); ok {
			r.given = append(r.given, given{p.key, what, what, "", p.node})
			for _, item := range list.Values {
				v, ok := schema.Scalar(item)
				if !ok {
					r.fail(item, "%s: want a list of single values, or names with keys and values", what)
					continue
				}
				a.add(r, item, what, Choice{Label: v, Set: []string{p.key + "=" + v}})
			}
		} else {
			for _, c := range r.pairs(p.value, what) {
				a.add(r, c.node, what, Choice{Label: c.key, Set: r.assignments(c.value, what+"."+c.key, what, c.key)})
			}
		}
		if len(a.Choices) == 0 {
			r.fail(p.node, "%s: want at least one value", what)
		}
		out = append(out, a)
	}
	return out
}

func (a *Axis) add(r *reader, n ast.Node, what string, c Choice) {
	if slices.ContainsFunc(a.Choices, func(o Choice) bool { return o.Label == c.Label }) {
		r.fail(n, "%s: %q is given twice", what, c.Label)
		return
	}
	if err := plots.CheckText(c.Label); err != nil {
		r.fail(n, "%s: %v: want a label that can stand in a table", what, err)
		return
	}
	a.Choices = append(a.Choices, c)
}
