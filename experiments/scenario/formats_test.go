package scenario_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/reference/formats is generated from testdata/formats. Each line {{FOLDER.TYPE TAG}} becomes a table with a row
// for each field of the type that has the tag.
func TestFormatsAreCurrent(t *testing.T) {
	f := &formats{packages: map[string]map[string]declared{}, described: map[string]string{}}
	pages := map[string]string{}
	for _, f.page = range []string{"README.md", "run.md", "inputs.md", "figures.md", "json.md"} {
		text, err := os.ReadFile(filepath.Join("testdata", "formats", f.page))
		if err != nil {
			t.Fatal(err)
		}
		if pages[f.page], err = f.fill(string(text)); err != nil {
			t.Fatal(err)
		}
	}
	current(t, "formats", pages)
}

// fill returns a page with its tables.
func (f *formats) fill(text string) (string, error) {
	var b strings.Builder
	b.WriteString(generated)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			f.title = strings.TrimSpace(title)
		}
		m := regexp.MustCompile(`^\{\{(\S+)\.(\w+) (\w+)\}\}\n$`).FindStringSubmatch(line)
		if m == nil {
			b.WriteString(line)
			continue
		}
		f.tag, f.rows = m[3], nil
		if err := f.fields(m[1], m[2], "", map[string]bool{}); err != nil {
			return "", fmt.Errorf("%s%w", line, err)
		}
		b.WriteString("| " + map[string]string{"json": "key", "col": "column", "parquet": "column"}[f.tag] +
			" | type | unit | meaning |\n|---|---|---|---|\n")
		b.WriteString(strings.Join(f.rows, ""))
	}
	return b.String(), nil
}

// formats makes the tables of docs/reference/formats.
type formats struct {
	packages  map[string]map[string]declared // by folder and name
	described map[string]string              // link to the section with the keys of a type, by folder and name
	page      string                         // the file
	title     string                         // title of the section
	tag       string                         // json, col or parquet
	rows      []string
}

// declared is a type and the packages that its file imports.
type declared struct {
	expr    ast.Expr
	imports map[string]string // folder by name
}

// fields adds the fields of a struct type, including the fields of embedded types and of types of fields. It omits
// names in seen, which already have a row. Fields that have only a name share a row.
func (f *formats) fields(folder, name, prefix string, seen map[string]bool) error {
	d, err := f.find(folder, name)
	if err != nil {
		return err
	}
	st, ok := d.expr.(*ast.StructType)
	if !ok {
		return fmt.Errorf("%s.%s is no struct", folder, name)
	}
	for _, field := range st.Fields.List {
		folder, typ, of := d.resolve(folder, field.Type)
		if len(field.Names) == 0 {
			if where := f.described[folder+"."+of]; where != "" {
				f.rows = append(f.rows, "| | | | also the keys of "+where+" |\n")
				continue
			}
			if err := f.fields(folder, of, prefix, seen); err != nil {
				return err
			}
			continue
		}
		if field.Tag == nil {
			continue
		}
		text, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			return err
		}
		tag := reflect.StructTag(text)
		key, options, _ := strings.Cut(tag.Get(f.tag), ",")
		if key == "" || key == "-" || seen[prefix+key] {
			continue
		}
		seen[prefix+key] = true
		inner, err := f.find(folder, of)
		nested := false
		if err == nil {
			_, nested = inner.expr.(*ast.StructType)
			if of, ok := inner.expr.(*ast.Ident); ok {
				typ = strings.Replace(typ, "object", kindOf(of.Name), 1)
			}
		}
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			typ += ", or absent"
		} else if strings.Contains(options, "optional") || tag.Get("json") != "" && strings.HasPrefix(typ, "null") {
			typ = strings.TrimPrefix(typ, "null or ") + " or null"
		}
		typ = strings.TrimPrefix(typ, "null or ")
		meaning := strings.TrimSuffix(strings.Join(strings.Fields(field.Doc.Text()+field.Comment.Text()), " "), ".")
		id := folder + "." + of
		if where := f.described[id]; nested && where != "" {
			meaning = strings.TrimPrefix(strings.TrimSuffix(meaning, ".")+"; keys as of "+where, "; ")
		}
		rest := fmt.Sprintf(" | %s | %s | %s |\n", typ, unitOf(tag, key), strings.ReplaceAll(meaning, "|", `\|`))
		row := "| `" + prefix + key + "`"
		if n := len(f.rows) - 1; n >= 0 && meaning == "" && strings.HasSuffix(f.rows[n], "`"+rest) { // share a row
			row, f.rows = strings.TrimSuffix(f.rows[n], rest)+", `"+prefix+key+"`", f.rows[:n]
		}
		f.rows = append(f.rows, row+rest)
		if nested && f.described[id] == "" {
			f.described[id] = fmt.Sprintf("[`%s`](%s#%s)", prefix+key, f.page, anchor(f.title))
			if err := f.fields(folder, of, prefix+key+".", seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve returns three things about the Go type of a field: the folder of its package, the type of its values in the
// documented file (such as integer), and its name.
func (d declared) resolve(folder string, e ast.Expr) (string, string, string) {
	switch e := e.(type) {
	case *ast.StarExpr:
		in, typ, name := d.resolve(folder, e.X)
		return in, "null or " + typ, name
	case *ast.ArrayType:
		in, typ, name := d.resolve(folder, e.Elt)
		return in, "array of " + typ + "s", name
	case *ast.MapType:
		return folder, "object", ""
	case *ast.IndexExpr:
		return d.resolve(folder, e.X)
	case *ast.SelectorExpr:
		in := d.imports[e.X.(*ast.Ident).Name]
		switch name := e.Sel.Name; in + "." + name {
		case "experiments/results/columns.Number":
			return in, "number or null", ""
		case "pint/query.Fraction":
			return in, "string", ""
		default:
			return in, "object", name
		}
	case *ast.Ident:
		switch e.Name {
		case "Fraction": // writes itself
			return folder, "string", ""
		case "T": // a number of accuracy.Numbers
			return folder, "number or null", ""
		}
		return folder, kindOf(e.Name), e.Name
	}
	return folder, "object", ""
}

// kindOf returns the JSON type of a Go type.
func kindOf(name string) string {
	switch {
	case name == "string" || name == "bool":
		return strings.Replace(name, "bool", "boolean", 1)
	case strings.HasPrefix(name, "float"):
		return "number"
	case regexp.MustCompile(`^u?int\d*$`).MatchString(name):
		return "integer"
	}
	return "object"
}

// units maps endings of names to units.
var units = regexp.MustCompile(`(?:^|_)(ps|ns|us|s|seconds|bytes|bps|mb|mpps|percent)$`)

// unitOf returns the unit of a field.
func unitOf(tag reflect.StructTag, key string) string {
	if u := tag.Get("unit"); u != "" {
		return u
	}
	if m := units.FindStringSubmatch(key); m != nil {
		return strings.NewReplacer("seconds", "s", "bytes", "B", "bps", "bit/s", "mb", "MB", "mpps", "million/s",
			"percent", "%").Replace(m[1])
	}
	return ""
}

// anchor returns the end of a link to a section.
func anchor(title string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// find returns a type that a package declares.
func (f *formats) find(folder, name string) (declared, error) {
	if f.packages[folder] == nil {
		f.packages[folder] = map[string]declared{}
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil {
			return declared{}, err
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				return declared{}, err
			}
			imports := map[string]string{}
			for _, i := range parsed.Imports {
				path := strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), "pintlab/")
				imports[filepath.Base(path)] = path
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if ts, ok := n.(*ast.TypeSpec); ok {
					f.packages[folder][ts.Name.Name] = declared{ts.Type, imports}
				}
				return true
			})
		}
	}
	d, ok := f.packages[folder][name]
	if !ok {
		return d, fmt.Errorf("no type %s in %s", name, folder)
	}
	if generic, ok := d.expr.(*ast.IndexExpr); ok {
		return f.find(folder, generic.X.(*ast.Ident).Name)
	}
	return d, nil
}
