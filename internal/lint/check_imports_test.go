package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A rule forbids something in some folders.
type rule struct {
	pkg     string   // import path
	names   []string // the functions and variables that are forbidden; nil: the import itself
	in      []string // folders that must not use it; nil: all
	notIn   []string // exceptions within these folders
	inTests bool     // the rule also applies to test files
	because string
}

// program lists the folders of the commands.
var program = []string{"cmd", "experiments/pintlab"}

var rules = []rule{
	{pkg: "math/rand", inTests: true, because: "use a named stream of internal/hash"},
	{pkg: "math/rand/v2", names: []string{"ExpFloat64", "Float32", "Float64", "Int", "Int32", "Int32N", "Int64",
		"Int64N", "IntN", "N", "NormFloat64", "Perm", "Shuffle", "Uint", "Uint32", "Uint32N", "Uint64",
		"Uint64N", "UintN"},
		inTests: true, because: "its seed is not ours; use a named stream of internal/hash"},
	// workloads/packets is exempt because capture files contain the time of day.
	{pkg: "time", in: []string{"netsim", "transport", "hpcc", "pint", "int", "workloads"},
		notIn:   []string{"workloads/packets"},
		because: "simulated time is unit.Time; the clock on the wall decides nothing"},
	{pkg: "log", notIn: program, because: "errors go up; only commands print"},
	{pkg: "log/slog", notIn: program, because: "errors go up; only commands print"},
	{pkg: "text/template", because: "it calls methods by name, so the linker keeps every method: 6 MB"},
	{pkg: "html/template", because: "it calls methods by name, so the linker keeps every method: 6 MB"},
	{pkg: "net/http", because: "nothing here talks to a network"},
	{pkg: "os", names: []string{"Args", "Exit", "Stdin", "Stdout", "Stderr"}, notIn: program,
		because: "only commands talk to the terminal"},
	{pkg: "fmt", names: []string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"}, notIn: program,
		because: "only commands talk to the terminal"},
	{pkg: "math", names: []string{"Acosh", "Asinh", "Atanh", "Cbrt", "Cosh", "Erf", "Exp", "Exp2", "Expm1", "Gamma",
		"Log", "Log10", "Log1p", "Log2", "Pow", "Sin", "Sinh", "Tan", "Tanh"},
		in:      []string{"netsim", "transport", "hpcc", "workloads", "pint/approx", "pint/global"},
		because: "its last bits differ between processors, and these packages decide times, windows and digests"},
	{pkg: "container/heap", in: []string{"netsim"}, because: "elements travel through interfaces"},
}

// File is a parsed source file of the module.
type File struct {
	Name string // path in the module: "netsim/port.go"
	AST  *ast.File
	Set  *token.FileSet
}

func (f File) folder() string {
	if i := strings.LastIndexByte(f.Name, '/'); i >= 0 {
		return f.Name[:i]
	}
	return ""
}

func (f File) isTest() bool { return strings.HasSuffix(f.Name, "_test.go") }

func (f File) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.Name, f.Set.Position(n.Pos()).Line)
}

// Imports complains about packages and functions that a file must not use.
func Imports(f File) []string {
	var bad []string
	names := map[string]string{} // import paths, by the name that the file uses for the package
	for _, spec := range f.AST.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the compiler complains
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if path == "math/rand/v2" {
			name = "rand"
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
		for _, r := range rules {
			if r.pkg == path && r.names == nil && r.applies(f) {
				bad = append(bad, fmt.Sprintf("%s: import of %s: %s", f.at(spec), path, r.because))
			}
		}
		if strings.HasSuffix(path, "/int") && name != "inband" {
			bad = append(bad, fmt.Sprintf("%s: import of %s as %s: call it inband, or it hides the type int",
				f.at(spec), path, name))
		}
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, r := range rules {
			if r.pkg == names[x.Name] && slices.Contains(r.names, sel.Sel.Name) && r.applies(f) {
				bad = append(bad, fmt.Sprintf("%s: %s.%s: %s", f.at(n), x.Name, sel.Sel.Name, r.because))
			}
		}
		return true
	})
	return bad
}

// applies reports whether the rule applies to the file.
func (r rule) applies(f File) bool {
	under := func(folder string) bool { return strings.HasPrefix(f.folder()+"/", folder+"/") }
	if f.isTest() && !r.inTests || slices.ContainsFunc(r.notIn, under) {
		return false
	}
	return r.in == nil || slices.ContainsFunc(r.in, under)
}

// wellKnown are methods that need no comment, because they implement interfaces of the standard library.
var wellKnown = []string{"Error", "Is", "Len", "Less", "String", "Swap", "Unwrap"}

// method describes a method by what one file shows of it: the name, and the numbers of parameters and results.
type method struct {
	name            string
	params, results int
}

func methodOf(name string, t *ast.FuncType) method {
	return method{name, t.Params.NumFields(), t.Results.NumFields()}
}

// Promised adds to the set `to` the methods of the interfaces that f declares. The comments of these methods are at the
// interface.
func Promised(f File, to map[method]bool) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if i, ok := n.(*ast.InterfaceType); ok && !f.isTest() {
			for _, m := range i.Methods.List {
				if t, ok := m.Type.(*ast.FuncType); ok {
					to[methodOf(m.Names[0].Name, t)] = true
				}
			}
		}
		return true
	})
}

// Comments complains about exported declarations without a comment, except in tests. Methods of a declared interface
// need none.
func Comments(f File, promised map[method]bool) []string {
	if f.isTest() || f.AST.Name.Name == "main" {
		return nil
	}
	var bad []string
	missing := func(n ast.Node, name string) {
		bad = append(bad, fmt.Sprintf("%s: %s has no comment", f.at(n), name))
	}
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			known := d.Recv != nil &&
				(slices.Contains(wellKnown, d.Name.Name) || promised[methodOf(d.Name.Name, d.Type)])
			if d.Name.IsExported() && d.Doc == nil && !known && receiverIsExported(d) {
				missing(d, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
						missing(s, s.Name.Name)
					}
				case *ast.ValueSpec:
					// One comment may describe a group.
					if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						missing(s, s.Names[0].Name)
					}
				}
			}
		}
	}
	return bad
}

// Names complains about doc comments that do not begin with the name of their function, type, variable or constant. A
// comment in a group of constants or variables may be about several of them.
func Names(f File) []string {
	var bad []string
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		words := strings.Fields(doc.Text())
		if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && strings.TrimSuffix(strings.TrimRight(words[0], ",.:;"), "'s") != name.Name {
			bad = append(bad, fmt.Sprintf("%s: the comment of %s begins with %q", f.at(name), name.Name, words[0]))
		}
	}
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !f.isTest() { // comments of tests describe the test
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				alone := !d.Lparen.IsValid()
				if s, ok := spec.(*ast.TypeSpec); ok && s.Doc != nil {
					check(s.Name, s.Doc)
				} else if ok && alone {
					check(s.Name, d.Doc)
				} else if v, ok := spec.(*ast.ValueSpec); ok && alone && !f.isTest() && len(v.Names) == 1 {
					check(v.Names[0], d.Doc)
				}
			}
		}
	}
	return bad
}

// Skips complains about calls that skip a test and whose text does not name what the test needs: a path, a tool, a
// flag.
func Skips(f File) []string {
	if !f.isTest() {
		return nil
	}
	var bad []string
	ast.Inspect(f.AST, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
			return true
		}
		if x, ok := s.X.(*ast.Ident); !ok || !slices.Contains([]string{"t", "b", "tb"}, x.Name) {
			return true // not a call on a test
		}
		if text, ok := firstText(call); !ok || !strings.Contains(text, "need") {
			bad = append(bad, fmt.Sprintf("%s: a skip that does not name what the test needs", f.at(n)))
		}
		return true
	})
	return bad
}

// firstText returns the first argument of a call if this argument is a string literal. If it is a sum of strings,
// firstText returns the first of them.
func firstText(call *ast.CallExpr) (string, bool) {
	if len(call.Args) == 0 {
		return "", false
	}
	first := call.Args[0]
	for sum, ok := first.(*ast.BinaryExpr); ok; sum, ok = first.(*ast.BinaryExpr) {
		first = sum.X
	}
	lit, ok := first.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	return lit.Value, true
}

func receiverIsExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
