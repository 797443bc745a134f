package scenario_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

var update = flag.Bool("update", false, "rewrite docs/scenario.md and docs/formats.md")

// docs/scenario.md is the comments and tags of the section structs, and nothing
// that could drift away from them.
func TestDocsAreCurrent(t *testing.T) {
	comments := &comments{packages: map[string]map[string]string{}}
	var b strings.Builder
	b.WriteString(docsHead + limits())
	writeSection(t, &b, comments, reflect.TypeFor[scenario.Scenario](), "")
	b.WriteString("\n## Profiles\n\n`profile: ns3-artifact` changes these defaults to what the published " +
		"HPCC-PINT simulator does. " +
		"A line counts where its key has an effect; each key can also be set alone.\n\n" +
		"| key | default | ns3-artifact |\n|---|---|---|\n")
	list, err := scenario.Expand(scenario.ProfileNS3)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		key, value, _ := strings.Cut(a, "=")
		key, kind, of := strings.Cut(key, "@")
		if of {
			fmt.Fprintf(&b, "| `%s` with `%s` | `auto` | `%s` |\n", key, kind, value)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | `%s` |\n", key, defaultText(t, key), value)
	}
	b.WriteString("\n## Presets\n\n| name | what |\n|---|---|\n")
	for _, name := range scenario.Presets() {
		title, err := scenario.PresetTitle(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, title)
	}
	b.WriteString("\n## The published simulator's `config.txt`\n\n" + docsNS3 + "\n| key | here |\n|---|---|\n")
	for _, k := range ns3config.Keys {
		here := "used"
		switch {
		case k.Ignored != "":
			here = "ignored: " + k.Ignored
		case k.Modes != "":
			here = "used in CC_MODE " + strings.ReplaceAll(k.Modes, " ", ", ") + " only"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, here)
	}

	current(t, "scenario.md", b.String())
}

// current compares a page of docs with the page that the code generates.
func current(t *testing.T, page, want string) {
	t.Helper()
	name := filepath.Join("..", "..", "docs", page)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is not what the comments say; run: go test ./experiments/scenario -run AreCurrent -update", name)
	}
}

//go:embed testdata/scenario-head.md
var docsHead string

// limits describes how large and how small the values of keys may be.
func limits() string {
	var b strings.Builder
	b.WriteString("Every number has a lower and an upper limit (accepted). Where a key does not call for a " +
		"narrower limit, the limit of its kind applies:\n\n| values | limit | because |\n|---|---|---|\n")
	for _, l := range []struct {
		values string
		most   any
		why    string
	}{
		{"times", unit.MaxTime, "the clock of a run ends after 106 days, and times are added"},
		{"rates", unit.MaxRate, "the clock of a run counts picoseconds, and 64 bytes take 51.2 of them there"},
		{"sizes", unit.MaxBytes.Short(), "a link of 1 Mbps takes as long for it as the clock of a run shows"},
		{"whole numbers", schema.MostInt, "the numbers of nodes and flows have 32 bits"},
	} {
		fmt.Fprintf(&b, "| %s | at most %v | %s |\n", l.values, l.most, l.why)
	}
	fmt.Fprintf(&b, "| real numbers | 0, or at least %v | 1 + 1e-16 is 1 in a number of 64 bits, "+
		"and hashes that decide by a probability have 53 |\n", schema.LeastFloat)
	return b.String()
}

//go:embed testdata/scenario-ns3.md
var docsNS3 string

// writeSection writes the table of a section and then the sections below it.
func writeSection(t *testing.T, b *strings.Builder, comments *comments, rt reflect.Type, prefix string) {
	t.Helper()
	if prefix == "" {
		b.WriteString("\n## Sections\n\n")
	} else {
		fmt.Fprintf(b, "\n## `%s`\n\n", strings.TrimSuffix(prefix, "."))
		writeComment(b, comments.of(t, rt, "")+kinds(rt))
	}
	b.WriteString("| key | default | accepted | only with | meaning |\n|---|---|---|---|---|\n")
	var below []schema.Field
	catalogue, choice := schema.CatalogueOf(rt)
	for _, f := range schema.AllFields(rt) {
		comment, with := "", f.When.Describe("")
		switch {
		case !choice:
			comment = comments.line(t, f)
		case f.Key == "kind":
			comment = oneLine(comments.of(t, rt, "Kind"))
		default:
			comment, with = comments.byKind(t, catalogue, f), onlyWith(catalogue, f.Key)
		}
		if ft := f.Type(); ft.Kind() == reflect.Struct || isList(ft) {
			below = append(below, f)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n",
			f.Key, byKind(catalogue, f, defaults), byKind(catalogue, f, accepted), with, comment)
	}
	for _, f := range below {
		ft := f.Type()
		key := prefix + f.Key
		if isList(ft) {
			ft, key = ft.Elem(), key+".N"
		}
		writeSection(t, b, comments, ft, key+".")
	}
}

// writeComment writes the comment of a type, its indented list of kinds as
// preformatted text.
func writeComment(b *strings.Builder, comment string) {
	text, kinds, ok := strings.Cut(comment, "\n\n\t")
	b.WriteString(strings.Join(strings.Fields(text), " ") + "\n\n")
	if !ok {
		return
	}
	kinds, rest, _ := strings.Cut(kinds, "\n\n")
	b.WriteString("```\n" + strings.ReplaceAll(strings.TrimSpace(kinds), "\n\t", "\n") + "\n```\n\n")
	if rest = strings.Join(strings.Fields(rest), " "); rest != "" {
		b.WriteString(rest + "\n\n")
	}
}

// onlyWith says with which kinds a key has an effect, and what else these ask for.
func onlyWith(c schema.Catalogue, key string) string {
	var terms []string
	var always []string // kinds in which it always has one
	at := -1            // where they stand among the terms
	for _, k := range c.Kinds {
		for _, f := range schema.Fields(reflect.TypeOf(k.New()).Elem()) {
			if f.Key != key {
				continue
			}
			when := f.When.Describe("")
			if when == "" {
				if at < 0 {
					at, terms = len(terms), append(terms, "")
				}
				always = append(always, k.Name)
			} else if !slices.Contains(terms, when) {
				terms = append(terms, when)
			}
		}
	}
	if at >= 0 {
		terms[at] = "kind = " + strings.Join(always, " or ")
	}
	return strings.Join(terms, ", or ")
}

// byKind returns what text says of a key in all kinds that have it: the most frequent text, and then the
// others with their kinds.
func byKind(c schema.Catalogue, f schema.Field, text func(schema.Field) string) string {
	texts, kinds := textsOf(c, f, text)
	if len(texts) < 2 {
		return text(f)
	}
	base := texts[0]
	for _, s := range texts {
		if len(kinds[s]) > len(kinds[base]) {
			base = s
		}
	}
	words := []string{base}
	for _, s := range texts {
		if s != base {
			words = append(words, s+" (kind = "+strings.Join(kinds[s], " or ")+")")
		}
	}
	return strings.Join(words, ", ")
}

// textsOf returns the different texts of a key in all kinds that have it, and the kinds of each.
func textsOf(
	c schema.Catalogue, f schema.Field, text func(schema.Field) string,
) (texts []string, kinds map[string][]string) {
	kinds = map[string][]string{}
	for _, k := range c.Kinds {
		for _, g := range schema.Fields(reflect.TypeOf(k.New()).Elem()) {
			if g.Key == f.Key {
				s := text(g)
				if kinds[s] == nil {
					texts = append(texts, s)
				}
				kinds[s] = append(kinds[s], k.Name)
			}
		}
	}
	return texts, kinds
}

func defaults(f schema.Field) string {
	switch {
	case f.Type().Kind() == reflect.Struct:
		return "see below"
	case f.Required:
		return "required"
	}
	var words []string
	for i, a := range f.Defaults {
		s := "`" + a.Text + "`"
		if i > 0 {
			s += " (" + a.When.Describe("") + ")"
		}
		words = append(words, s)
	}
	return strings.Join(words, ", ")
}

func accepted(f schema.Field) string {
	switch rt := f.Type(); {
	case f.OneOf != nil:
		return "`" + strings.Join(f.OneOf, "` `") + "`"
	case rt.Kind() == reflect.Bool:
		return "`true` `false`"
	case f.File:
		return "path"
	case rt.Kind() == reflect.Slice && f.Bounds() != "":
		return f.Bounds() + " entries"
	}
	return f.Bounds()
}

// defaultText is the default of a key where it has an effect.
func defaultText(t *testing.T, key string) string {
	t.Helper()
	for _, set := range [][]string{
		{"telemetry.kind=int"}, {"telemetry.kind=pint"},
		{"cc.kind=dcqcn", "telemetry.kind=none", "network.ecn.enabled=true"},
	} {
		s, err := scenario.Default().With(set...)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Split(key, ".") {
			section, _ := v.(map[string]any)
			v = section[word]
		}
		if v != nil {
			return fmt.Sprint(v)
		}
	}
	t.Errorf("%s has no default anywhere", key)
	return ""
}

func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// kinds lists the kinds of a section with their summaries, as comments list them.
func kinds(rt reflect.Type) string {
	c, ok := schema.CatalogueOf(rt)
	if !ok {
		return ""
	}
	widest := 0
	for _, k := range c.Kinds {
		widest = max(widest, len(k.Name))
	}
	var b strings.Builder
	b.WriteString("\n")
	for _, k := range c.Kinds {
		fmt.Fprintf(&b, "\n\t%-*s  %s", widest, k.Name, k.Summary)
	}
	return b.String()
}

// comments are the comments of struct types and their fields, by package.
type comments struct{ packages map[string]map[string]string }

// of is the comment of a type, or of a field of it.
func (c *comments) of(t *testing.T, rt reflect.Type, field string) string {
	t.Helper()
	dir := filepath.Join("..", "..", strings.TrimPrefix(rt.PkgPath(), "pintlab/"))
	known, ok := c.packages[dir]
	if !ok {
		var err error
		if known, err = fieldComments(dir); err != nil {
			t.Fatal(err)
		}
		c.packages[dir] = known
	}
	if field == "" {
		return known[rt.Name()]
	}
	return known[rt.Name()+"."+field]
}

// line is the comment of a key in one line.
func (c *comments) line(t *testing.T, f schema.Field) string {
	t.Helper()
	comment := oneLine(c.of(t, f.Owner, f.Name))
	if comment == "" {
		t.Errorf("%v.%s has no comment", f.Owner, f.Name)
	}
	return comment
}

// byKind returns the comment of a key in all kinds that have it: a single one if all are equal, otherwise each
// with its kinds.
func (c *comments) byKind(t *testing.T, catalogue schema.Catalogue, f schema.Field) string {
	t.Helper()
	texts, kinds := textsOf(catalogue, f, func(f schema.Field) string { return c.line(t, f) })
	if len(texts) == 1 {
		return texts[0]
	}
	for i, s := range texts {
		texts[i] = "kind = " + strings.Join(kinds[s], " or ") + ": " + s
	}
	return strings.Join(texts, ". ")
}

func oneLine(comment string) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(comment), " "), ".")
}

// fieldComments are the comments of the struct types of a package and of their
// fields, by "Type" and "Type.Field".
func fieldComments(dir string) (map[string]string, error) {
	comments := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				ts := spec.(*ast.TypeSpec)
				st, ok := ts.Type.(*ast.StructType)
				if !ok {
					continue
				}
				comments[ts.Name.Name] = g.Doc.Text()
				for _, field := range st.Fields.List {
					if len(field.Names) == 0 { // an embedded Choice: what its kind says
						comments[ts.Name.Name+".Kind"] = field.Doc.Text()
					}
					for _, n := range field.Names {
						comments[ts.Name.Name+"."+n.Name] = field.Doc.Text()
					}
				}
			}
		}
	}
	return comments, nil
}

// The table of parameters in docs/controls.md has the defaults of every number that a
// congestion control takes.
func TestControlsHaveTheirDefaults(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "controls.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Parameters and where they come from\n")
	table, _, _ = strings.Cut(table, "\n## ")
	given := map[string][]string{} // values by control and key
	control := ""
	key := regexp.MustCompile("((?:`\\w+` and )*`\\w+`) (\\S+)")
	values := strings.NewReplacer(" us", "us", " Mb/s", "Mbps", " Gb/s", "Gbps", " KB", "KB", " MB", "MB", " B",
		"B", "1/256", "0.00390625", "1/16", "0.0625")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			continue
		}
		if name := strings.TrimPrefix(cells[0], "|"); strings.TrimSpace(name) != "" {
			control = name
		}
		for _, m := range key.FindAllStringSubmatch(values.Replace(cells[1]), -1) {
			for _, word := range strings.Split(m[1], " and ") {
				for _, k := range protocols.Controls().Names() {
					if strings.Contains(control, "`"+k+"`") {
						at := k + " " + strings.Trim(word, "`")
						given[at] = append(given[at], strings.Trim(m[2], ",;:"))
					}
				}
			}
		}
	}
	for _, k := range protocols.Controls().Kinds {
		if k.Name == "fixed" {
			continue // is of no source
		}
		for _, f := range schema.Fields(reflect.TypeOf(k.New()).Elem()) {
			if kind := f.Type().Kind(); kind == reflect.String || kind == reflect.Bool {
				continue
			}
			for _, a := range f.Defaults {
				if at := k.Name + " " + f.Key; !slices.Contains(given[at], a.Text) {
					t.Errorf("docs/controls.md, table of parameters: the row of `%s` has %v for `%s`; write `%[3]s` "+
						"%s", k.Name, given[at], f.Key, a.Text)
				}
			}
		}
	}
}
