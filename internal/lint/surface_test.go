package lint

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSurfaceIsPublic finds exported declarations of public packages that name a type of an internal package, because
// users of the module could not write the name of that type. It also finds packages that have a type Params but
// no function Default.
func TestSurfaceIsPublic(t *testing.T) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	compiled := map[string]string{}
	var public []string
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
		if strings.HasPrefix(path, module) && !isInternal(path) && !strings.HasPrefix(path, module+"cmd/") {
			public = append(public, path)
		}
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(compiled[path])
	})
	if len(public) < 50 {
		t.Fatalf("only %d public packages", len(public))
	}
	for _, path := range public {
		p, err := load.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.Scope().Lookup("Params") != nil && p.Scope().Lookup("Default") == nil {
			t.Errorf("%s has Params and no function Default", path)
		}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				s := surface{t: t, of: strings.TrimPrefix(path, module) + "." + name}
				s.declaration(o)
			}
		}
	}
}

// surface collects the types that an exported declaration names.
type surface struct {
	t  *testing.T
	of string
}

func isInternal(path string) bool {
	return strings.HasPrefix(path, module) && strings.Contains("/"+path+"/", "/internal/")
}

// declaration checks an object, and the fields and methods of a type.
func (s surface) declaration(o types.Object) {
	name, ok := o.(*types.TypeName)
	if !ok {
		s.names(o.Type())
		return
	}
	if name.IsAlias() {
		s.names(types.Unalias(o.Type()))
		return
	}
	named := o.Type().(*types.Named)
	s.parameters(named.TypeParams())
	s.names(named.Underlying())
	for m := range named.Methods() {
		if m.Exported() {
			on := surface{s.t, s.of + "." + m.Name()}
			on.names(m.Type())
		}
	}
}

func (s surface) parameters(list *types.TypeParamList) {
	for p := range list.TypeParams() {
		s.names(p.Constraint())
	}
}

// names complains about each internal type that a type refers to.
func (s surface) names(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		s.named(t.Obj(), t.TypeArgs())
	case *types.Named:
		s.named(t.Obj(), t.TypeArgs())
	case *types.Map:
		s.names(t.Key())
		s.names(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		s.names(t.Elem())
	case *types.Signature:
		s.parameters(t.TypeParams())
		s.names(t.Params())
		s.names(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			s.names(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				on := surface{s.t, s.of + "." + f.Name()}
				on.names(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				on := surface{s.t, s.of + "." + m.Name()}
				on.names(m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			s.names(e)
		}
	case *types.Union:
		for e := range t.Terms() {
			s.names(e.Type())
		}
	}
}

func (s surface) named(o *types.TypeName, args *types.TypeList) {
	if o.Pkg() != nil && isInternal(o.Pkg().Path()) {
		s.t.Errorf("%s names %s.%s, which users of the module cannot", s.of, o.Pkg().Path(), o.Name())
	}
	for a := range args.Types() {
		s.names(a)
	}
}
