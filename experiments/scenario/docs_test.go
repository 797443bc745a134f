package scenario

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/scenario.md")

// docs/scenario.md is the comments and tags of the section structs, and nothing
// that could drift away from them.
func TestDocsAreCurrent(t *testing.T) {
	comments, err := fieldComments(".")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(docsHead)
	writeSection(t, &b, comments, reflect.TypeFor[Scenario](), "")
	b.WriteString("\n## Profiles\n\n`profile: ns3-artifact` changes these defaults to what the published HPCC-PINT simulator does. " +
		"A line counts where its key has an effect; each key can also be set alone.\n\n| key | default | ns3-artifact |\n|---|---|---|\n")
	list, err := Expand(ProfileNS3)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		key, value, _ := strings.Cut(a, "=")
		fmt.Fprintf(&b, "| `%s` | `%s` | `%s` |\n", key, defaultText(t, key), value)
	}
	b.WriteString("\n## Presets\n\n| name | what |\n|---|---|\n")
	for _, name := range Presets() {
		title, err := PresetTitle(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, title)
	}
	b.WriteString("\n## The published simulator's `config.txt`\n\n" + docsNS3 + "\n| key | here |\n|---|---|\n")
	for _, k := range ns3Keys {
		here := "used"
		switch {
		case k.ignored != "":
			here = "ignored: " + k.ignored
		case k.mode != "":
			here = "used in CC_MODE " + map[string]string{INT: "3", PINT: "10"}[k.mode] + " only"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, here)
	}

	name := filepath.Join("..", "..", "docs", "scenario.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is not what the comments say; run: go test ./experiments/scenario -run TestDocsAreCurrent -update", name)
	}
}

const docsHead = `# Scenario files

A scenario describes one run completely. It is a YAML file (JSON works, too); ` + "`pintlab run --print-config`" + ` prints
the effective one, which can be run again. Quantities carry their unit: times s, ms, us, ns, ps; rates bps, Kbps, Mbps, Gbps,
Tbps; sizes B, KB, MB, GB (powers of ten), KiB, MiB, GiB (powers of two). Keys that are not given have their defaults;
` + "`extends: PRESET`" + ` starts from a preset instead. Unknown and duplicate keys, values out of range and keys that have no
effect are errors.

` + "`--set cc.eta=0.9`" + ` changes one key; entries of lists are numbered: ` + "`--set workload.0.load=0.7`" + `. When a kind changes,
the keys that belong to it start from their defaults.

This page is made from the comments in the code.
`

const docsNS3 = `` + "`pintlab run --config config.txt`" + ` reads it into the profile ` + "`ns3-artifact`" + `. Paths are relative to the file, or else to the
directory above it. Keys that are ignored are named once; unknown keys, other values of ` + "`CC_MODE`" + ` than 3 and 10, and values
that ask for what is not there (such as ` + "`ENABLE_TRACE 1`" + `) are errors. A key that is absent has that simulator's default.
`

// writeSection writes the table of a section and then the sections below it.
func writeSection(t *testing.T, b *strings.Builder, comments map[string]string, rt reflect.Type, prefix string) {
	t.Helper()
	if prefix == "" {
		b.WriteString("\n## Sections\n\n")
	} else {
		fmt.Fprintf(b, "\n## `%s`\n\n", strings.TrimSuffix(prefix, "."))
		writeComment(b, comments[rt.Name()])
	}
	b.WriteString("| key | default | accepted | only with | meaning |\n|---|---|---|---|---|\n")
	var below []field
	for _, f := range fieldsOf(rt) {
		sf := rt.Field(f.index)
		comment := comments[rt.Name()+"."+sf.Name]
		if comment == "" {
			t.Errorf("%s.%s has no comment", rt.Name(), sf.Name)
		}
		comment = strings.TrimSuffix(strings.Join(strings.Fields(comment), " "), ".")
		if sf.Type.Kind() == reflect.Struct || isList(sf.Type) {
			below = append(below, f)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.key, defaults(f, sf.Type), accepted(f, sf.Type), f.when.describe(""), comment)
	}
	for _, f := range below {
		ft := rt.Field(f.index).Type
		key := prefix + f.key
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

func defaults(f field, rt reflect.Type) string {
	switch {
	case rt.Kind() == reflect.Struct:
		return "see below"
	case f.required:
		return "required"
	}
	var words []string
	for i, a := range f.defaults {
		s := "`" + a.text + "`"
		if i > 0 {
			s += " (" + a.when.describe("") + ")"
		}
		words = append(words, s)
	}
	return strings.Join(words, ", ")
}

func accepted(f field, rt reflect.Type) string {
	switch {
	case f.oneof != nil:
		return "`" + strings.Join(f.oneof, "` `") + "`"
	case rt.Kind() == reflect.Bool:
		return "`true` `false`"
	case f.file:
		return "path"
	case f.bounds != nil && rt.Kind() == reflect.Slice:
		return f.describeBounds() + " entries"
	case f.bounds != nil:
		return f.describeBounds()
	}
	return ""
}

// defaultText is the default of a key where it has an effect.
func defaultText(t *testing.T, key string) string {
	for _, kind := range []string{INT, PINT} {
		s, err := Default().With("telemetry.kind=" + kind)
		if err != nil {
			t.Fatal(err)
		}
		if key == "telemetry.precision" && kind == PINT {
			continue
		}
		v, _, err := find(reflect.ValueOf(&s).Elem(), key)
		if err != nil {
			t.Fatal(err)
		}
		if !v.IsZero() || v.Kind() == reflect.Bool {
			return text(v)
		}
	}
	t.Errorf("%s has no default anywhere", key)
	return ""
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
					for _, n := range field.Names {
						comments[ts.Name.Name+"."+n.Name] = field.Doc.Text()
					}
				}
			}
		}
	}
	return comments, nil
}
