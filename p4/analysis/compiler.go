package analysis

import (
	"maps"
	"slices"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// compiler finds code that p4c 1.2.4 refuses or warns of, although the specification allows it:
//
//   - a table property that has the name of a parameter, and a declaration that hides another declaration;
//   - a size property of a table whose entries are constant;
//   - unused tables, unused instances and unused parameters of actions;
//   - tables that are applied twice;
//   - explicit transitions to reject, and parsers without an end;
//   - computed table keys that need a name, because p4c cannot make one;
//   - calls and switches that BMv2 does not allow in actions;
//   - direct meters that are not read, or are read into two places;
//   - accesses to fields of invalid headers;
//   - statements that exist only since version 1.2.5 of P4_16.
//
// It also finds a default action before the list of actions, which p4c allows and the specification
// does not. It skips declarations of the architecture.
func (l *linter) compiler(p *interp.Program) {
	for _, s := range p.Info.Shadows {
		switch {
		case ofArchitecture(s.Pos):
		case s.Property && s.OfParam:
			l.at(s.Pos, "shadow", "property '%s' of the table has the same name as a parameter (%s): p4c refuses this",
				s.Name, s.Of)
		case s.Property:
			l.at(s.Pos, "shadow", "property '%s' of the table has the same name as a declaration (%s): p4c warns",
				s.Name, s.Of)
		default:
			l.at(s.Pos, "shadow", "'%s' hides the declaration at %s: p4c warns", s.Name, s.Of)
		}
	}
	l.direct(p.IR)
	for _, c := range p.Pipelines() {
		l.headers(c)
	}
	u := usage{linter: l, info: p.Info, used: map[types.Object]bool{}, applied: map[*types.TableObj]syntax.Pos{}}
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

// direct finds direct counters without a table, and direct meters that p4c refuses, because no action reads them or
// because they are read into two places.
func (l *linter) direct(p *ir.Program) {
	reads, applied := map[*ir.Extern]*ir.LValue{}, map[*ir.Table]bool{}
	ir.Walk(p, func(x ir.Expr) {
		if a, ok := x.(*ir.Apply); ok {
			applied[a.Table] = true
		}
		call, ok := x.(*ir.ExternCall)
		if !ok || call.Name != "read" || call.Extern != "direct_meter" {
			return
		}
		to, first := call.Args[0].LValue, reads[call.Instance]
		if first == nil {
			reads[call.Instance] = to
		} else if first.Var != to.Var || first.Off != to.Off {
			l.at(call.Pos, "meter", "direct_meter '%s' is read into %s here and into %s at another place: p4c "+
				"accepts only one result variable", call.Instance.Local, to.Text, first.Text)
		}
	})
	attached := map[*ir.Extern]*ir.Table{}
	for _, t := range p.Tables {
		for _, q := range t.Properties {
			attached[q.Extern] = t
			if q.Extern == nil || q.Extern.Type != "direct_meter" || !applied[t] {
				continue
			}
			if reads[q.Extern] == nil {
				l.at(q.Pos, "meter", "no action of table '%s' reads its direct_meter '%s': p4c refuses this",
					t.Local, q.Extern.Local)
			}
		}
	}
	for _, e := range p.Externs {
		if e.Type == "direct_counter" && attached[e] == nil {
			l.at(e.Pos, "unused", "direct_counter '%s' counts for no table: p4c warns and leaves it out", e.Local)
		}
	}
}

func ofArchitecture(at syntax.Pos) bool { return strings.HasPrefix(at.File, "<") }

// usage checks the declarations inside parsers and controls.
type usage struct {
	*linter
	info    *types.Info
	used    map[types.Object]bool
	applied map[*types.TableObj]syntax.Pos // where each table is applied first
}

func (u usage) block(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.BlockDecl:
		u.decls(d.Locals)
		for _, s := range d.States {
			u.rejects(s)
		}
		if d.Kind == syntax.KindParser {
			u.ends(d)
		}
	case *syntax.ActionDecl:
		u.action(d)
	}
	syntax.Inspect(d, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclStmt:
			u.decl(n.Decl)
		case *syntax.For, *syntax.ForIn:
			u.at(n.Position(), "version", "a loop: P4_16 has loops since version 1.2.5")
		case *syntax.Call:
			c := u.info.Calls[n]
			if c == nil || c.Kind != types.CallTable {
				break
			}
			if first, ok := u.applied[c.Table]; ok {
				u.at(n.Pos, "twice", "table '%s' is also applied at %s: p4c refuses this for BMv2 unless the same "+
					"statements follow in both places", c.Table.Name(), first)
				break
			}
			u.applied[c.Table] = n.Pos
		case *syntax.Assign:
			if n.Op != "=" {
				u.at(n.Pos, "version", "%s: P4_16 has compound assignments since version 1.2.5", n.Op)
			}
		}
		return true
	})
}

func (u usage) decls(list []syntax.Decl) {
	for _, d := range list {
		u.decl(d)
		if a, ok := d.(*syntax.ActionDecl); ok {
			u.action(a)
		}
		t, ok := d.(*syntax.TableDecl)
		if !ok {
			continue
		}
		u.keys(t)
		for _, p := range t.Properties {
			switch {
			case p.Name == "size" && t.ConstEntries:
				u.at(p.Pos, "entries", "table '%s' has constant entries and a size: p4c warns", t.Name)
			case p.Name == "default_action" && p.Early:
				u.at(p.Pos, "order", "default_action comes before the actions of table '%s': the specification "+
					"requires it after them (section 14.2.1.3), but p4c accepts both", t.Name)
			}
		}
	}
}

// keys finds keys that p4c cannot name, constant keys, and action arguments that apply a table.
func (u usage) keys(t *syntax.TableDecl) {
	for _, k := range t.Keys {
		switch {
		case u.info.Values[k.Expr] != nil:
			u.at(k.Pos, "key", "a key of table '%s' is constant: p4c warns", t.Name)
		case k.Annotations.Find("name") == nil && !u.named(k.Expr):
			u.at(k.Pos, "key", "a key of table '%s' is computed and has no name for the control plane: p4c refuses "+
				"this without @name(\"...\")", t.Name)
		}
	}
	for _, a := range t.Actions {
		for _, x := range a.Args {
			syntax.Inspect(x.Value, func(n syntax.Node) bool {
				if e, ok := n.(*syntax.Call); ok && u.info.Calls[e] != nil && u.info.Calls[e].Kind == types.CallTable {
					u.at(e.Pos, "action", "a table is applied in an argument of an action: p4c refuses this")
				}
				return true
			})
		}
	}
}

// named reports whether p4c makes a control-plane name for a key.
func (u usage) named(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Name:
		return true
	case *syntax.Member:
		return u.named(x.X)
	case *syntax.Index:
		return u.named(x.X) && u.info.Values[x.I] != nil
	case *syntax.Slice:
		return u.named(x.X)
	case *syntax.Binary: // a mask
		return x.Op == "&" && (u.named(x.X) && u.info.Values[x.Y] != nil || u.named(x.Y) && u.info.Values[x.X] != nil)
	case *syntax.Call:
		m, ok := x.Fun.(*syntax.Member)
		return ok && m.Name == "isValid" && u.named(m.X)
	}
	return false
}

// action finds code that BMv2 does not allow in actions: a switch, and a call or an exit under a condition.
func (u usage) action(d *syntax.ActionDecl) {
	conditional := func(n syntax.Node) bool {
		switch s := n.(type) {
		case *syntax.Exit:
			u.at(s.Pos, "action", "exit depends on a condition in action '%s': p4c refuses this for BMv2", d.Name)
		case *syntax.ExprStmt:
			if c := u.info.Calls[s.Call]; c != nil &&
				slices.Contains([]types.CallKind{types.CallBuiltin, types.CallExtern, types.CallMethod}, c.Kind) {
				u.at(s.Pos, "action", "a call depends on a condition in action '%s': p4c refuses this for BMv2", d.Name)
			}
		}
		return true
	}
	syntax.Inspect(d, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Switch:
			u.at(n.Pos, "action", "action '%s' contains a switch statement: p4c refuses this for BMv2", d.Name)
		case *syntax.If:
			syntax.Inspect(n.Then, conditional)
			syntax.Inspect(n.Else, conditional)
		}
		return true
	})
}

// ends finds a parser that never ends.
func (u usage) ends(d *syntax.BlockDecl) {
	states := map[string]*syntax.StateDecl{}
	for _, s := range d.States {
		states[s.Name] = s
	}
	reached := map[string]bool{}
	var reach func(name string)
	reach = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		if s := states[name]; s != nil {
			if s.Next == nil {
				reached["reject"] = true
			}
			for _, t := range nextOf(s) {
				reach(t.Name)
			}
		}
	}
	reach("start")
	if !reached["accept"] && !reached["reject"] {
		u.at(d.Pos, "parser", "parser '%s' reaches neither accept nor reject: p4c refuses this", d.Name)
	}
}

// nextOf lists the targets of a state's transition.
func nextOf(s *syntax.StateDecl) []syntax.Ident {
	if s.Next == nil {
		return nil
	}
	list := []syntax.Ident{s.Next.Target}
	for _, c := range s.Next.Cases {
		list = append(list, c.Target)
	}
	return list
}

// rejects finds transitions to reject.
func (u usage) rejects(s *syntax.StateDecl) {
	for _, t := range nextOf(s) {
		if t.Name == "reject" {
			u.at(t.Pos, "reject", "a transition to reject: simple_switch continues as after accept, and p4c warns")
		}
	}
}

// decl finds unused tables, unused instances, and unused parameters of used actions. p4c warns of them.
func (u usage) decl(d syntax.Decl) {
	o := u.info.Defs[d]
	switch o := o.(type) {
	case *types.TableObj, *types.InstObj:
		if !u.used[o] {
			u.at(d.Position(), "unused", "'%s' is not used: p4c warns", d.DeclName())
		}
	case *types.ActionObj:
		for i, p := range o.Params {
			if at := o.Decl.Params[i]; u.used[o] && !u.used[p] {
				u.at(at.Pos, "unused", "parameter '%s' of action '%s' is not used: p4c warns", at.Name, o.Name())
			}
		}
	}
}
