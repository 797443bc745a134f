package analysis

import (
	"fmt"
	"maps"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/check"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
)

// compiler finds what p4c 1.2.4 refuses or warns of, although the specification allows it:
// a property of a table with the name of a parameter, declarations that hide others, a size
// of a table whose entries are constant, what is declared and not used, tables that are applied
// at two places, an explicit transition to reject, and statements of version 1.2.5; and what
// the specification does not allow and p4c does: a default action before the list of actions.
// What the architecture declares is not looked at.
func (l *linter) compiler(p *interp.Program) {
	for _, s := range p.Info.Shadows {
		switch {
		case ofArchitecture(s.Pos):
		case s.Property && s.OfParam:
			l.at(s.Pos, "shadow", "property '%s' of the table has the name of a parameter (%s): p4c refuses it", s.Name, s.Of)
		case s.Property:
			l.at(s.Pos, "shadow", "property '%s' of the table has the name of a declaration (%s): p4c warns", s.Name, s.Of)
		default:
			l.at(s.Pos, "shadow", "'%s' hides that of %s: p4c warns", s.Name, s.Of)
		}
	}
	attached := map[*ir.Extern]bool{}
	for _, t := range p.IR.Tables {
		for _, q := range t.Properties {
			attached[q.Extern] = true
		}
	}
	for _, e := range p.IR.Externs {
		if e.Type == "direct_counter" && !attached[e] {
			l.at(e.Pos, "unused", "direct_counter '%s' counts for no table: p4c warns and leaves it out", e.Local)
		}
	}
	u := usage{linter: l, info: p.Info, used: map[check.Object]bool{}, applied: map[*check.TableObj]source.Pos{}}
	for o := range maps.Values(p.Info.Uses) {
		u.used[o] = true
	}
	for o := range maps.Values(p.Info.Targets) {
		u.used[o] = true
	}
	for _, d := range p.AST.Decls {
		if !ofArchitecture(d.Position()) {
			u.block(d)
		}
	}
}

func ofArchitecture(at source.Pos) bool { return strings.HasPrefix(at.File, "<") }

// usage looks at the declarations inside parsers and controls.
type usage struct {
	*linter
	info    *check.Info
	used    map[check.Object]bool
	applied map[*check.TableObj]source.Pos // where first
}

func (u usage) block(d ast.Decl) {
	switch d := d.(type) {
	case *ast.ParserDecl:
		u.decls(d.Locals)
		for _, s := range d.States {
			if s.Name != "start" {
				u.decl(s)
			}
			u.rejects(s)
		}
	case *ast.ControlDecl:
		u.decls(d.Locals)
	}
	ast.Inspect(d, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.DeclStmt:
			u.decl(n.Decl)
		case *ast.For, *ast.ForIn:
			u.at(n.Position(), "version", "a loop: P4_16 has loops since version 1.2.5")
		case *ast.Call:
			c := u.info.Calls[n]
			if c == nil || c.Kind != check.CallTable {
				return
			}
			if first, ok := u.applied[c.Table]; ok {
				u.at(n.Pos, "twice", "table '%s' is also applied at %s: p4c refuses it for BMv2 unless the same follows at both", c.Table.Name(), first)
				return
			}
			u.applied[c.Table] = n.Pos
		case *ast.Assign:
			if n.Op != "=" {
				u.at(n.Pos, "version", "%s: P4_16 has compound assignments since version 1.2.5", n.Op)
			}
		}
	})
}

func (u usage) decls(list []ast.Decl) {
	for _, d := range list {
		u.decl(d)
		t, ok := d.(*ast.TableDecl)
		if !ok {
			continue
		}
		for _, p := range t.Properties {
			switch {
			case p.Name == "size" && t.ConstEntries:
				u.at(p.Pos, "entries", "table '%s' has constant entries and a size: p4c warns", t.Name)
			case p.Name == "default_action" && p.Early:
				u.at(p.Pos, "order", "default_action comes before the actions of table '%s': the specification wants it behind them (section 14.2.1.3), p4c does not mind", t.Name)
			}
		}
	}
}

// rejects finds transitions to reject.
func (u usage) rejects(s *ast.StateDecl) {
	if s.Next == nil {
		return
	}
	targets := []ast.Ident{s.Next.Target}
	for _, c := range s.Next.Cases {
		targets = append(targets, c.Target)
	}
	for _, t := range targets {
		if t.Name == "reject" {
			u.at(t.Pos, "reject", "a transition to reject: simple_switch goes on as after accept, and p4c warns")
		}
	}
}

func (u usage) decl(d ast.Decl) {
	if !u.used[u.info.Defs[d]] {
		u.at(d.Position(), "unused", "'%s' is not used: p4c warns", d.DeclName())
	}
}

// at adds a finding once.
func (l *linter) at(pos source.Pos, rule, format string, args ...any) {
	f := Finding{Pos: pos, Rule: rule, Msg: fmt.Sprintf(format, args...)}
	if !l.seen[f] {
		l.seen[f] = true
		l.out = append(l.out, f)
	}
}
