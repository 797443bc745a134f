package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Grid is a base scenario and the settings that vary.
type Grid struct {
	Name  string
	Base  string   // a preset or the path of a scenario file
	Set   []string // changes for all runs, each "key=value"
	Axes  []axis
	Seeds int
	Sizes [2]unit.Bytes // upper limits of short and medium flow sizes
	Names figure.Names

	places map[string]schema.Problem // position of each assignment in the file; the Problem has no rule
}

// axis is a group of settings that vary together.
type axis struct {
	Name    string
	Choices []value
}

// value is a value of an axis, with the settings that it stands for.
type value struct {
	Label string
	Set   []string
}

// file is the text of a campaign file.
type file struct {
	Name  string      `yaml:"name" required:"yes"`
	Base  string      `yaml:"base" required:"yes"`
	Set   schema.Tree `yaml:"set"`
	Vary  schema.Tree `yaml:"vary" required:"yes"`
	Seeds int         `yaml:"seeds" default:"1" range:">=1 <=10000"`
	Sizes []string    `yaml:"sizes" default:"100KB, 1MB"`
}

// JSONSchema returns the JSON Schema of campaign files.
func JSONSchema() []byte {
	return schema.JSONSchema(new(file), schema.Described{Title: "Campaign of pintlab"})
}

// maxRuns is the largest number of runs of a campaign.
const maxRuns = 100_000

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// LoadGrid reads a campaign file. A base that is not a preset is a path relative to the file.
func LoadGrid(path string) (*Grid, error) {
	data, err := input.ReadFile(path, input.Settings)
	if err != nil {
		return nil, err
	}
	c, err := parseGrid(data, path)
	if err == nil && !slices.Contains(scenario.Presets(), c.Base) && !filepath.IsAbs(c.Base) {
		c.Base = filepath.Join(filepath.Dir(path), c.Base)
	}
	return c, err
}

// parseGrid reads a campaign. Errors contain source, the name of the text.
func parseGrid(data []byte, source string) (*Grid, error) {
	var f file
	l := schema.Language{Rules: rules, Empty: "empty; want the keys name, base and vary"}
	l.Default(&f)
	if err := l.Parse(&f, data, schema.Source{Name: source}); err != nil {
		return nil, err
	}
	g := &Grid{Name: f.Name, Base: f.Base, Set: assignments(f.Set), Axes: lists.Map(f.Vary, axisOf), Seeds: f.Seeds}
	g.Sizes, _ = Borders(f.Sizes) // rules has already checked the borders
	g.places = map[string]schema.Problem{}
	for _, s := range f.settings() {
		at := schema.Problem{Source: source, Line: s.Line, Column: s.Column, Key: s.where}
		g.places["--set "+s.key+"="+s.value] = at
	}
	return g, nil
}

// located adds to each error of a run the lines of the campaign file that cause the error. It returns each error
// once.
func (c *Grid) located(err error) error {
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var problems schema.Problems
	var others []error
	for _, e := range list {
		var own schema.Problems
		if !errors.As(e, &own) {
			others = append(others, e)
		}
		for _, p := range own {
			if at, ok := c.places[p.Source]; ok {
				p.Source, p.Line, p.Column, p.Key = at.Source, at.Line, at.Column, at.Key
			}
			if !slices.Contains(problems, p) {
				problems = append(problems, p)
			}
		}
	}
	if len(problems) == 0 {
		return errors.Join(others...)
	}
	return problems
}

// axisOf returns an axis from an entry of vary, which contains values of a scenario key, or labels with keys and
// values.
func axisOf(b schema.Branch) axis {
	a := axis{Name: b.Key}
	for _, v := range b.Values {
		a.Choices = append(a.Choices, value{v, []string{b.Key + "=" + v}})
	}
	for _, c := range b.Keys {
		a.Choices = append(a.Choices, value{c.Key, assignments(c.Keys)})
	}
	return a
}

func assignments(keys schema.Tree) []string {
	return lists.Map(keys, func(b schema.Branch) string { return b.Key + "=" + b.Value })
}

// rules checks the rules that the tags of a file cannot express.
func rules(document any, c *schema.Checker) {
	f := document.(*file)
	c.FailIf(!nameRule.MatchString(f.Name), "name",
		"want 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or a digit")
	if err := plots.CheckText(f.Base); err != nil || f.Base == "" {
		c.Fail("base", "want a preset or a scenario file, without control characters")
	}
	if _, err := Borders(f.Sizes); err != nil {
		c.Fail("sizes", err.Error())
	}
	runs := f.Seeds
	for _, b := range f.Vary {
		checkAxis(b, c)
		runs = min(runs*max(len(b.Values), len(b.Keys), 1), maxRuns+1)
	}
	c.FailIf(runs > maxRuns, "vary", fmt.Sprintf("more than %d runs", maxRuns))
	f.checkKeys(c)
}

// checkAxis checks the names in an entry of vary, because they become columns and cells of the rows.
func checkAxis(b schema.Branch, c *schema.Checker) {
	where, choices := "vary."+b.Key, axisOf(b).Choices
	if _, err := emptyRows(nil, b.Key); err != nil {
		c.Fail(where, "this name cannot be a column of the rows")
	}
	switch {
	case b.Values == nil && b.Keys == nil:
		c.Fail(where, "want a list of values, or names with keys and values")
	case len(choices) == 0:
		c.Fail(where, "want at least one value")
	}
	for i, x := range choices {
		if err := plots.CheckText(x.Label); err != nil {
			c.Fail(where, err.Error()+": want a label that fits in a table")
			continue
		}
		at := fmt.Sprintf("%s.%d", where, i)
		if b.Keys != nil {
			at = where + "." + x.Label
			c.FailIf(b.Keys[i].Keys == nil, at, "want keys and values")
		}
		given := slices.ContainsFunc(choices[:i], func(o value) bool { return o.Label == x.Label })
		c.FailIf(given, at, fmt.Sprintf("%q is given twice", x.Label))
	}
}

// setting is a scenario key that a file sets.
type setting struct {
	key, value, where string // place in the file, such as "vary.a.one.cc.eta"
	axis, choice      string // entry of vary and its value; "" for settings that all runs share
	schema.Place
}

// settings returns the keys that the file sets.
func (f *file) settings() (list []setting) {
	add := func(keys schema.Tree, where, axis, choice string) {
		for _, b := range keys {
			list = append(list, setting{b.Key, b.Value, where + "." + b.Key, axis, choice, b.Place})
		}
	}
	add(f.Set, "set", "", "")
	for _, a := range f.Vary {
		where := "vary." + a.Key
		for i, v := range a.Values {
			list = append(list, setting{a.Key, v, where, a.Key, v, a.Places[i]})
		}
		for _, x := range a.Keys {
			add(x.Keys, where+"."+x.Key, a.Key, x.Key)
		}
	}
	return list
}

// checkKeys reports keys that are set twice, because otherwise an axis would silently override a setting. Choices of
// one axis may set the same key, because they exclude each other.
func (f *file) checkKeys(c *schema.Checker) {
	single := func(keys schema.Tree, where string) {
		for _, b := range keys {
			c.FailIf(b.Values != nil || b.Keys != nil, where+"."+b.Key, "want a single value")
		}
	}
	single(f.Set, "set")
	for _, a := range f.Vary {
		for _, x := range a.Keys {
			single(x.Keys, "vary."+a.Key+"."+x.Key)
		}
	}
	list := f.settings()
	for i, b := range list {
		if i > 0 && b.where == list[i-1].where {
			continue // another value of the same list
		}
		if scenario.Overlap(b.key, "seed") {
			c.Fail(b.where, "seeds cannot be varied like other keys: the key seeds sets their number, and --seed "+
				"sets the first seed")
			continue
		}
		twice := slices.IndexFunc(list[:i], func(a setting) bool {
			return scenario.Overlap(a.key, b.key) && (a.axis != b.axis || a.choice == b.choice)
		})
		if twice >= 0 {
			first := list[twice]
			c.Fail(b.where, fmt.Sprintf("the key is set twice, also by %s in line %d", first.where, first.Line))
		}
	}
}

// Borders parses the upper limits of short and medium flow sizes.
func Borders(words []string) (borders [2]unit.Bytes, err error) {
	if len(words) != 2 {
		return borders, errors.New("want two sizes: of the largest short flow and of the largest medium flow")
	}
	for i, w := range words {
		if borders[i], err = unit.ParseBytes(w); err != nil {
			return borders, err
		}
	}
	if borders[0] < 1 || borders[1] <= borders[0] {
		return borders, errors.New("want ascending sizes of at least 1B")
	}
	return borders, nil
}
