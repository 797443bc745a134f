package ir

import (
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// build elaborates the body of a parser or control. params contains the storage of each parameter, or nil for
// packets and other externs. externs contains the externs by the index of the parameter.
func (el *elaborator) build(in *instance, params []*LValue, externs map[int]any) {
	if in.built {
		return
	}
	in.built = true
	if !el.step(in.at) {
		return
	}
	en := el.global.child()
	en.path = in.name + "."
	d := in.typ.Decl
	for i, p := range d.Params {
		t := in.typ.Params[i].Type
		in.params = append(in.params, Param{Name: p.Name, Dir: p.Dir, Type: t, LValue: params[i]})
		o := el.info.Params[p]
		switch {
		case o == nil:
		case params[i] != nil:
			q := *params[i]
			q.Text = p.Name
			en.bind[o] = &q
		case externs[i] != nil:
			en.bind[o] = externs[i]
		default:
			en.bind[o] = packet{}
		}
	}
	for i, p := range d.CtorParams {
		if o := el.info.Params[p]; o != nil && i < len(in.args) {
			en.bind[o] = in.args[i]
		}
	}
	en.uses = el.countUses(d)
	init := &Block{}
	if d.Kind == syntax.KindParser {
		in.parser = &Parser{Init: init}
		el.prog.Parsers = append(el.prog.Parsers, in.parser)
		el.locals(en, d.Locals, init, nil)
		el.states(en, d, in.parser)
	} else {
		in.control = &Control{Name: in.name, Init: init}
		el.prog.Controls = append(el.prog.Controls, in.control)
		el.locals(en, d.Locals, init, in.control)
		in.control.Body = el.block(en, d.Body)
	}
}

func (el *elaborator) locals(en *env, list []syntax.Decl, init *Block, c *Control) {
	for _, l := range list {
		switch l := l.(type) {
		case *syntax.ActionDecl:
			if o, ok := el.info.Defs[l].(*types.ActionObj); ok {
				en.bind[o] = el.action(en, o)
			}
		case *syntax.TableDecl:
			if o, ok := el.info.Defs[l].(*types.TableObj); ok {
				t := el.table(en, o)
				en.bind[o] = t
				c.Tables = append(c.Tables, t)
			}
		case *syntax.ValueSetDecl:
			if o, ok := el.info.Defs[l].(*types.ValueSetObj); ok {
				en.bind[o] = el.valueSet(en, o)
			}
		default:
			el.localDecl(en, l, init)
		}
	}
}

// countUses counts how often a block names each local instance. An instance that is applied in only one place can
// work on the caller's storage.
func (el *elaborator) countUses(d syntax.Decl) map[*types.InstObj]int {
	uses := map[*types.InstObj]int{}
	syntax.Inspect(d, func(n syntax.Node) bool {
		if x, ok := n.(*syntax.Name); ok {
			if o, ok := el.info.Uses[x].(*types.InstObj); ok {
				uses[o]++
			}
		}
		return true
	})
	return uses
}

func (el *elaborator) valueSet(en *env, o *types.ValueSetObj) *ValueSet {
	v := &ValueSet{Name: controlName(en.path, o.Decl.Annotations, o.Name()), Pos: o.Position(), Size: o.Size}
	v.Types = types.Leaves(o.Elem, nil)
	el.prog.ValueSets = append(el.prog.ValueSets, v)
	return v
}

// states elaborates the states of a parser.
func (el *elaborator) states(en *env, d *syntax.BlockDecl, p *Parser) {
	en.states = map[*types.StateObj]*State{}
	for _, s := range d.States {
		o, ok := el.info.Defs[s].(*types.StateObj)
		if !ok {
			continue
		}
		st := &State{Pos: s.Pos, Index: len(p.States)}
		en.states[o] = st
		p.States = append(p.States, st)
		if s.Name == "start" {
			p.Start = st
		}
	}
	for _, s := range d.States {
		o, _ := el.info.Defs[s].(*types.StateObj)
		st := en.states[o]
		if st == nil {
			continue
		}
		body := en.child()
		st.Body = &Block{}
		for _, x := range s.Stmts {
			el.stmt(body, x, st.Body)
		}
		st.Next = el.transition(body, s)
	}
}

func (el *elaborator) target(en *env, n syntax.Node) *State {
	o := el.info.Targets[n]
	switch {
	case o == nil:
		return Reject
	case o.Decl != nil:
		return en.states[o]
	case o.Name() == "accept":
		return accept
	}
	return Reject
}

func (el *elaborator) transition(en *env, s *syntax.StateDecl) *Select {
	if s.Next == nil {
		return &Select{Cases: []SelectCase{{Target: Reject}}}
	}
	t := s.Next
	if t.Select == nil {
		return &Select{Cases: []SelectCase{{Target: el.target(en, t)}}}
	}
	sel := &Select{}
	for _, e := range t.Select {
		sel.Keys = append(sel.Keys, el.expr(en, e))
	}
	for _, c := range t.Cases {
		k := SelectCase{Target: el.target(en, c)}
		if len(c.Keys) == 1 && len(sel.Keys) > 1 {
			if n, ok := c.Keys[0].(*syntax.Name); ok {
				if o, ok := el.info.Uses[n].(*types.ValueSetObj); ok {
					k.ValueSet, _ = en.lookup(o).(*ValueSet)
				}
			}
		} else if len(sel.Keys) > 0 {
			for i, key := range c.Keys {
				k.Sets = append(k.Sets, el.set(en, key, sel.Keys[i].Type()))
			}
		}
		sel.Cases = append(sel.Cases, k)
	}
	return sel
}

func (el *elaborator) set(en *env, e syntax.Expr, t types.Type) Set {
	switch e := e.(type) {
	case *syntax.Any:
		return Set{Kind: SetAny}
	case *syntax.Mask:
		t = types.Strip(t)
		return Set{Kind: SetMask, X: el.exprAs(en, e.X, t), Y: el.exprAs(en, e.Y, t)}
	case *syntax.Range:
		t = types.Strip(t)
		return Set{Kind: SetRange, X: el.exprAs(en, e.X, t), Y: el.exprAs(en, e.Y, t)}
	case *syntax.Name:
		if o, ok := el.info.Uses[e].(*types.ValueSetObj); ok {
			vs, _ := en.lookup(o).(*ValueSet)
			return Set{Kind: SetValueSet, ValueSet: vs}
		}
	}
	return Set{Kind: SetValue, X: el.exprAs(en, e, t)}
}
