package validate

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/check"
	"pintlab/p4/interp/source"
)

// What p4c 1.2.4 warns of (local names that hide others, what is declared and not used), and
// what it does not know: loops and compound assignments.
func TestProgramsHaveNothingThatP4CWarnsOf(t *testing.T) {
	for _, p := range Programs() {
		prog, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range warnings(prog) {
			t.Errorf("%s: %s", p.Name, w)
		}
	}
}

func TestWarnings(t *testing.T) {
	prog, err := interp.LoadText("w.p4", `#include <v1model.p4>
struct headers { }
struct metadata { }
bit<8> twice(in bit<8> x) { return x + x; }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    state start { transition accept; }
    state alone { transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    bit<8> fine;
    bit<8> alone;
    bit<8> twice;
    action a(bit<8> fine) { }
    table t { actions = { a; } default_action = a(1); }
    register<bit<8>>(4) V;
    apply { fine = 1; twice = fine; bit<8> meta; }
}
control L(inout headers hdr, inout metadata meta) {
    apply { bit<8> x = 1; x += 2; for (bit<8> i in 8w1 .. 2) { x = x + i; } }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers hdr) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
`, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(warnings(prog), "\n")
	want := `w.p4:7:11: 'alone' is not used
w.p4:12:12: 'alone' is not used
w.p4:13:12: 'twice' hides that of w.p4:4:8
w.p4:15:11: 't' is not used
w.p4:16:5: 'V' hides that of w.p4:9:9
w.p4:16:5: 'V' is not used
w.p4:14:21: parameter 'fine' hides that of w.p4:11:12
w.p4:17:44: 'meta' hides that of w.p4:10:45
w.p4:17:44: 'meta' is not used
w.p4:20:27: a compound assignment
w.p4:20:35: a loop`
	if got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

// warnings are those about the parsers and controls of a program.
func warnings(prog *interp.Program) []string {
	r := reader{info: prog.Info, used: map[check.Object]bool{}}
	for _, o := range prog.Info.Uses {
		r.used[o] = true
	}
	for _, o := range prog.Info.Targets {
		r.used[o] = true
	}
	globals := names{}
	for _, d := range prog.AST.Decls {
		globals.add(d)
		if k, ok := d.(*ast.MatchKindDecl); ok {
			for _, m := range k.Members {
				globals[m.Name] = m.Pos
			}
		}
	}
	for _, d := range prog.AST.Decls {
		if strings.HasPrefix(d.Position().File, "<") {
			continue // of the architecture
		}
		switch d := d.(type) {
		case *ast.ParserDecl:
			r.block(globals, d.Params, d.Locals)
			for _, state := range d.States {
				r.local(globals, state)
			}
		case *ast.ControlDecl:
			inside := r.block(globals, d.Params, d.Locals)
			ast.Inspect(d, func(n ast.Node) {
				switch n := n.(type) {
				case *ast.DeclStmt:
					r.local(inside, n.Decl)
				case *ast.For, *ast.ForIn:
					r.warn(n.Position(), "a loop")
				case *ast.Assign:
					if n.Op != "=" {
						r.warn(n.Pos, "a compound assignment")
					}
				}
			})
		}
	}
	return r.found
}

// names are those of a scope and of the scopes around it.
type names map[string]source.Pos

func (n names) add(d ast.Decl) { n[d.DeclName()] = d.Position() }

func (n names) clone() names {
	c := names{}
	for k, v := range n {
		c[k] = v
	}
	return c
}

// reader looks at the declarations of a program.
type reader struct {
	info  *check.Info
	used  map[check.Object]bool
	found []string
}

func (r *reader) warn(at source.Pos, format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf("%s: ", at)+fmt.Sprintf(format, args...))
}

// local looks at a declaration inside a block.
func (r *reader) local(outside names, d ast.Decl) {
	if at, ok := outside[d.DeclName()]; ok {
		r.warn(d.Position(), "'%s' hides that of %s", d.DeclName(), at)
	}
	if !r.used[r.info.Defs[d]] && d.DeclName() != "start" {
		r.warn(d.Position(), "'%s' is not used", d.DeclName())
	}
}

// block looks at parameters and declarations of a parser or control and returns the names
// inside.
func (r *reader) block(outside names, params []*ast.Param, locals []ast.Decl) names {
	inside := outside.clone()
	parameters := func(list []*ast.Param, around names) {
		for _, p := range list {
			if at, ok := around[p.Name]; ok {
				r.warn(p.Pos, "parameter '%s' hides that of %s", p.Name, at)
			}
		}
	}
	parameters(params, outside)
	for _, p := range params {
		inside[p.Name] = p.Pos
	}
	around := inside.clone()
	for _, d := range locals {
		r.local(around, d)
		inside.add(d)
	}
	for _, d := range locals {
		if a, ok := d.(*ast.ActionDecl); ok {
			parameters(a.Params, inside)
		}
	}
	return inside
}
