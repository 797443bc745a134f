package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	root   = "../.."
	module = "pintlab/"
)

func report(t *testing.T, bad []string) {
	t.Helper()
	for _, b := range bad {
		t.Error(b)
	}
}

func TestLayersOfTheModule(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var packages []Package
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		p := Package{Path: strings.TrimPrefix(words[0], module)}
		for _, i := range words[1:] {
			if rest, ok := strings.CutPrefix(i, module); ok {
				p.Imports = append(p.Imports, rest)
			}
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list knows %d packages only", len(packages))
	}
	report(t, Layers(packages))
	report(t, Protocols(packages))
}

func TestSourcesOfTheModule(t *testing.T) {
	documented, promised := map[string]bool{}, map[method]bool{}
	var files []File
	walk(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" {
			return
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, data, parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		f := File{Name: name, AST: parsed, Set: set}
		files = append(files, f)
		Promised(f, promised)
		if !f.isTest() {
			documented[f.folder()] = documented[f.folder()] || parsed.Doc != nil
		}
		if formatted, err := format.Source(data); err != nil || !bytes.Equal(formatted, data) {
			t.Errorf("%s: not formatted with gofmt", name)
		}
	})
	for _, f := range files {
		report(t, Imports(f))
		report(t, Comments(f, promised))
		report(t, Names(f))
		report(t, Skips(f))
		report(t, Spelling(f))
	}
	var folders []string
	for folder, ok := range documented {
		if !ok {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	for _, folder := range folders {
		t.Errorf("%s: no file has a package comment", folder)
	}
}

func TestTextsOfTheModule(t *testing.T) {
	hosts := privateHosts(t)
	walk(t, func(name string, data []byte) {
		if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || path.Base(name) == "go.sum" {
			return
		}
		if !strings.HasPrefix(name, "internal/lint/") { // the file has examples of what is forbidden
			report(t, Texts(name, string(data), hosts))
		}
		own := strings.HasPrefix(name, "internal/lint/") // the file has examples of what is forbidden
		if ext := path.Ext(name); !own && (ext == ".md" || ext == ".go") {
			report(t, Links(root, name, string(data)))
		}
	})
}

// opens lists the files that may read files without internal/input, which enforces limits while it reads, and the
// reasons.
var opens = map[string]string{
	"internal/input/input.go":               "the limits themselves",
	"workloads/packets/reader.go":           "captures: binary, packet by packet",
	"experiments/pintlab/int.go":            "captures",
	"experiments/pintlab/pintread.go":       "captures",
	"p4/replay/network_run.go":              "captures",
	"p4/replay/replay.go":                   "captures",
	"p4/validate/bmv2_switch.go":            "what simple_switch has written",
	"experiments/results/store/memory.go":   "what the system says",
	"experiments/results/store/machine.go":  "what the system says",
	"experiments/results/store/manifest.go": "digests of regular files",
	"experiments/results/store/parquet.go":  "binary, and of the size that the manifest lists",
	"experiments/internal/validate/acks.go": "line by line, as far as ours go",
}

// Files that users name are read through internal/input, so that an endless device or a file of NULs causes an error of
// one line instead of using all memory.
func TestFilesAreReadWithLimits(t *testing.T) {
	unused := maps.Clone(opens)
	walk(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/lint/") {
			return
		}
		if !bytes.Contains(data, []byte("os.Open(")) && !bytes.Contains(data, []byte("os.ReadFile(")) {
			return
		}
		if _, ok := opens[name]; !ok {
			t.Errorf("%s: os.Open or os.ReadFile; read through internal/input, or say in this test why not", name)
		}
		delete(unused, name)
	})
	for name := range unused {
		t.Errorf("%s opens nothing: remove its line from this test", name)
	}
}

// creates lists the files that may create files without internal/outfile, and the reasons.
var creates = map[string]string{
	"internal/outfile/pending.go":                     "the writer itself",
	"internal/outfile/file.go":                        "the writer itself",
	"internal/outfile/dir.go":                         "the writer itself",
	"experiments/results/store/dir.go":                "in a directory that internal/outfile makes",
	"experiments/results/store/manifest.go":           "in a directory that internal/outfile makes",
	"experiments/pintlab/new.go":                      "in a directory that internal/outfile makes",
	"experiments/internal/figures/figure/manifest.go": "in a directory that internal/outfile makes",
	"p4/validate/bmv2_switch.go":                      "in a scratch directory",
	"experiments/internal/measure/bench/bench.go":     "a scratch directory",
	"experiments/results/store/spill.go":              "a file without a name",
}

// Files are written through internal/outfile, so that an interrupt leaves no temporary and no incomplete file.
func TestFilesAreWrittenWhole(t *testing.T) {
	unused := maps.Clone(creates)
	calls := regexp.MustCompile(`\bos\.(Create|CreateTemp|MkdirTemp|WriteFile|OpenFile|Rename)\(`)
	walk(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "internal/lint/") || !calls.Match(data) {
			return
		}
		if _, ok := creates[name]; !ok {
			t.Errorf("%s: %s); write through internal/outfile, or say in this test why not", name, calls.Find(data))
		}
		delete(unused, name)
	})
	for name := range unused {
		t.Errorf("%s makes no file: remove its line from this test", name)
	}
}

func TestLinesAreShort(t *testing.T) {
	walk(t, func(name string, data []byte) {
		if path.Ext(name) == ".go" {
			report(t, Wide(name, string(data)))
		}
	})
}

// privateHosts returns the module proxies of this machine except the public one.
func privateHosts(t *testing.T) []string {
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	var hosts []string
	for _, proxy := range strings.FieldsFunc(strings.TrimSpace(string(out)),
		func(r rune) bool { return r == ',' || r == '|' }) {
		u, err := url.Parse(proxy)
		if err == nil && u.Host != "" && u.Hostname() != "proxy.golang.org" && u.Hostname() != "localhost" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// walk calls the function use for each file of the module that is source or documentation.
func walk(t *testing.T, use func(name string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if name == ".git" || name == "results" || path.Base(name) == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".md", ".yaml", ".yml", ".txt", ".p4", ".sh", ".mod", "":
		default:
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		use(name, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLayers(t *testing.T) {
	tests := []struct {
		path    string
		imports []string
		want    string
	}{
		{"netsim", []string{"netsim/topo", "netsim/unit", "internal/hash"}, ""},
		{"netsim/route", []string{"netsim/topo", "netsim/unit"}, ""},
		{"transport/reno", []string{"transport", "netsim"}, ""},
		{"pint/query", []string{"pint", "int", "int/sketch/kll", "netsim"}, ""},
		{"int/sketchint", []string{"int", "int/sketch/tower", "int/fridge", "netsim"}, ""},
		{"int/lightguardian", []string{"int/sketch/sumax", "netsim/telemetry"}, ""},
		{"experiments/internal/figures/pint",
			[]string{"experiments/sim", "experiments/internal/campaign", "plots", "p4/fixedpoint"}, ""},
		{"experiments/sim", []string{"experiments/scenario", "experiments/results/store"}, ""},
		{"experiments/sim", []string{"experiments/internal/campaign"},
			"experiments/sim (layer \"experiments/sim\") imports experiments/internal/campaign (layer " +
				"\"experiments/internal/campaign\"), which is not below it"},
		{"experiments/pintlab", []string{"experiments/internal/figures", "plots", "netsim/unit"}, ""},
		{"netsim/topo", []string{"netsim"},
			`netsim/topo (layer "netsim/") imports netsim (layer "netsim"), which is not below it`},
		{"netsim/unit", []string{"netsim/topo"},
			`netsim/unit (layer "netsim/unit") imports netsim/topo (layer "netsim/"), which is not below it`},
		{"netsim", []string{"transport"},
			`netsim (layer "netsim") imports transport (layer "transport"), which is not below it`},
		{"transport", []string{"int"},
			`transport (layer "transport") imports int (layer "int"), which is not below it`},
		{"hpcc", []string{"pint/approx"},
			`hpcc (layer "hpcc") imports pint/approx (layer "pint"), which is not below it`},
		{"int", []string{"int/sketchint"},
			`int (layer "int") imports int/sketchint (layer "int/sketchint"), which is not below it`},
		{"int/sketch/rows", []string{"netsim/unit"},
			"int/sketch/rows imports netsim/unit, but int/sketch is a leaf: it may import only internal"},
		{"int/sketch/rows", []string{"internal/hash", "int/sketch"}, ""},
		{"netsim", []string{"netsim/netsimtest"}, "netsim imports netsim/netsimtest, which is for tests only"},
		{"tools", nil, "tools: in no layer; give it one in internal/lint/check_layers_test.go"},
		{"integers", nil, "integers: in no layer; give it one in internal/lint/check_layers_test.go"},
	}
	for _, tt := range tests {
		got := strings.Join(Layers([]Package{{Path: tt.path, Imports: tt.imports}}), "\n")
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestProtocols(t *testing.T) {
	list := Package{Path: "experiments/protocols", Imports: []string{"netsim/schema", "transport", "hpcc", "int"}}
	for _, tt := range []struct {
		path    string
		imports []string
		want    string
	}{
		{"experiments/sim", []string{"transport", "netsim/schema", "int/fridge"}, ""},
		{"experiments/sim", []string{"transport", "hpcc"},
			"experiments/sim imports hpcc: only experiments/protocols names protocols; ask by an interface of " +
				"netsim/telemetry or transport"},
		{"experiments/scenario/ns3config", []string{"hpcc", "int"}, ""},
		{"pint/deploy", []string{"int"}, ""},
	} {
		got := strings.Join(Protocols([]Package{list, {Path: tt.path, Imports: tt.imports}}), "\n")
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, got, tt.want)
		}
	}
}

func parse(t *testing.T, name, text string) File {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: name, AST: f, Set: set}
}

func TestImports(t *testing.T) {
	tests := []struct{ name, imports, body, want string }{
		{"netsim/a.go", `"math/rand"`, "", "netsim/a.go:2: import of math/rand: use a named stream of internal/hash"},
		{"netsim/a_test.go", `"math/rand"`, "",
			"netsim/a_test.go:2: import of math/rand: use a named stream of internal/hash"},
		{"plots/a.go", `"math/rand/v2"`, "_ = rand.IntN(3)",
			"plots/a.go:3: rand.IntN: its seed is not ours; use a named stream of internal/hash"},
		{"plots/a.go", `r "math/rand/v2"`, "_ = r.Float64()",
			"plots/a.go:3: r.Float64: its seed is not ours; use a named stream of internal/hash"},
		{"plots/a.go", `"math/rand/v2"`, "_ = rand.New(rand.NewPCG(1, 2)).IntN(3)", ""},
		{"netsim/topo/a.go", `"time"`, "",
			"netsim/topo/a.go:2: import of time: simulated time is unit.Time; the clock on the wall decides nothing"},
		{"netsim/a_test.go", `"time"`, "", ""},
		{"experiments/a.go", `"time"`, "", ""},
		{"int/a.go", `"log"`, "", "int/a.go:2: import of log: errors go up; only commands print"},
		{"experiments/pintlab/a.go", `"log"`, "", ""},
		{"int/a.go", `"os"`, "_ = os.Args", "int/a.go:3: os.Args: only commands talk to the terminal"},
		{"int/a.go", `"os"`, "_, _ = os.Open(\"x\")", ""},
		{"hpcc/a.go", `"math"`, "_ = math.Log(3)",
			"hpcc/a.go:3: math.Log: its last bits differ between processors, and these packages decide times, " +
				"windows and digests"},
		{"hpcc/a.go", `"math"`, "_ = math.Sqrt(3)", ""},
		{"pint/a.go", `"pintlab/int"`, "",
			"pint/a.go:2: import of pintlab/int as int: call it inband, or it hides the type int"},
		{"pint/a.go", `inband "pintlab/int"`, "", ""},
		{"int/a.go", `"fmt"`, "fmt.Println()", "int/a.go:3: fmt.Println: only commands talk to the terminal"},
	}
	for _, tt := range tests {
		f := parse(t, tt.name, "package a\nimport "+tt.imports+"\nfunc f() { "+tt.body+" }\n")
		if got := strings.Join(Imports(f), "\n"); got != tt.want {
			t.Errorf("%s, %s, %s: got %q, want %q", tt.name, tt.imports, tt.body, got, tt.want)
		}
	}
}

func TestComments(t *testing.T) {
	const text = `package a

type T struct{}

// F does.
func F() {}
func G() {}
func (T) M() {}
func (*t) M() {}
func (T) P(a, b int) error { return nil }
func (T) P2(a int) error { return nil }

// The things.
const (
	A = 1
	B = 2
)

const C = 3
var d = 4

type t struct{}

type i interface {
	P(x, y int) error
	P2(x, y int) error
}
`
	a, promised := parse(t, "x/a.go", text), map[method]bool{}
	Promised(a, promised)
	got := strings.Join(Comments(a, promised), "\n")
	want := "x/a.go:3: T has no comment\nx/a.go:7: G has no comment\nx/a.go:8: M has no comment\nx/a.go:11: P2 has " +
		"no comment\nx/a.go:19: C has no comment"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Comments(parse(t, "x/a_test.go", text), nil); got != nil {
		t.Errorf("in a test: %v", got)
	}
}

func TestNames(t *testing.T) {
	const text = `package a

// F does.
func F() {}

// The T type is one.
type T struct{}

// G does.
func (T) H() {}

// e and others.
type (
	// e's letter.
	e int
	// g is one.
	f int
)

// Values.
const v = 1
`
	want := `x/a.go:10: the comment of H begins with "G"` + "\n" +
		`x/a.go:17: the comment of f begins with "g"` + "\n" + `x/a.go:21: the comment of v begins with "Values."`
	if got := strings.Join(Names(parse(t, "x/a.go", text)), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWide(t *testing.T) {
	text := strings.Repeat("é", 120) + "\n" + strings.Repeat("a", 121) + "\n\t" + strings.Repeat("a", 117) + "\n" +
		"\tA int `key:\"" + strings.Repeat("a", 117) + "\"`\n"
	got := strings.Join(Wide("a.go", text), "\n")
	if want := "a.go:2: 121 columns, want at most 120\na.go:3: 121 columns, want at most 120"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSkips(t *testing.T) {
	for body, bad := range map[string]bool{
		`t.Skip()`: true, `t.SkipNow()`: true, `t.Skip(err)`: true, `t.Skipf("not here: %v", err)`: true,
		`t.Skip("needs go test without -short")`: false, `t.Skipf("needs %s on the PATH", x)`: false, `skip()`: false,
	} {
		if got := Skips(parse(t, "x/a_test.go", "package a\nfunc f() { "+body+" }\n")); (len(got) > 0) != bad {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func TestSpelling(t *testing.T) {
	const text = "package a\n\n// color is the color of a \"data center\" in color.go, of neighbors.\nvar color = 1\n"
	f := parse(t, "x/a.go", text)
	if got := strings.Join(Spelling(f), "\n"); got != `x/a.go:3: "neighbors", want the British spelling` {
		t.Error(got)
	}
}

func TestTexts(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"a.md", "see /home/me/x", "a.md:1: a path that exists on one machine only"},
		{"a.go", `const p = "/tmp/x"`, "a.go:1: a path that exists on one machine only"},
		{"a_test.go", `const p = "/tmp/x"`, ""},
		{"a.md", "pintlab/workloads, a/tmp/b, https://x.org/home/me", ""},
		{"a.md", "from mirror.example.net", "a.md:1: the name of a private host"},
		{"a.go", "// TODO: later", "a.go:1: unfinished business"},
		{"a.go", "// a todo list", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(Texts(tt.name, tt.line, []string{"mirror.example.net"}), "\n"); got != tt.want {
			t.Errorf("%s: %s: got %q, want %q", tt.name, tt.line, got, tt.want)
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "docs", "a.md"), []byte("## The `a` part, *b*\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := "[x](a.md#the-a-part-b) [y](../docs/a.md) [z](https://example.org/q) " +
		"[w](#here)\n```\n[code](nowhere.md)\n```\n[bad](b.md)\n# Here\n[c](a.md#part) <img src=\"d.svg\">\n"
	got := strings.Join(Links(dir, "docs/README.md", text), "\n") + "\n" +
		strings.Join(Links(dir, "x.go", "// docs/a.md and docs/e.md, [not](f.md)"), "\n")
	want := `docs/README.md:5: link to b.md, which does not exist
docs/README.md:7: link to a.md#part, which does not exist
docs/README.md:7: link to d.svg, which does not exist
x.go:1: link to docs/e.md, which does not exist`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Every key of a scenario is read by the code that builds a run or reports on it: a setting that no code reads would
// have no effect. Reads by methods of the scenario also count if experiments calls these methods.
func TestScenarioKeysAreRead(t *testing.T) {
	const scenario = "experiments/scenario"
	methods := []string{"FullPayload", "Overhead"}
	// No code reads Profile: it only sets the defaults of other keys.
	read := map[string]bool{"Profile": true}
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				read[s.Sel.Name] = true
			}
			return true
		})
	}
	type key struct{ file, name string }
	var keys []key
	walk(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "experiments/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, 0)
		if err != nil {
			t.Error(err)
			return
		}
		if path.Dir(name) != scenario {
			look(f)
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if slices.Contains(methods, n.Name.Name) {
					look(n)
				}
			case *ast.Field:
				if n.Tag != nil && strings.Contains(n.Tag.Value, `yaml:"`) {
					for _, id := range n.Names {
						keys = append(keys, key{name, id.Name})
					}
				}
			}
			return true
		})
	})
	if len(keys) < 50 {
		t.Fatalf("found %d keys only", len(keys))
	}
	for _, k := range keys {
		if !read[k.name] {
			t.Errorf("%s: %s is read by nothing in experiments", k.file, k.name)
		}
	}
}
