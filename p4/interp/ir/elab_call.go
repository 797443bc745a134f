package ir

import (
	"fmt"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

func (el *elaborator) call(en *env, e *syntax.Call) Expr {
	c := el.info.Calls[e]
	node := Node{T: el.typeOf(en, e), Pos: e.Pos}
	if c == nil {
		return invalid(e.Pos)
	}
	switch c.Kind {
	case types.CallFunction:
		return el.callFunction(en, e, c, node)
	case types.CallExtern:
		return el.externCall(en, c, node)
	case types.CallMethod:
		return el.methodCall(en, e, c, node)
	case types.CallAction:
		return el.callAction(en, e, c, node)
	case types.CallTable:
		return el.apply(en, c, wantNothing, Node{T: types.Void, Pos: e.Pos})
	case types.CallBlock:
		return el.callBlock(en, e, c, node)
	case types.CallBuiltin:
		if c.Name == "isValid" {
			if p := el.lvalue(en, c.Recv); p != nil {
				return &IsValid{Node: node, LValue: p}
			}
			if x := el.expr(en, c.Recv); types.IsHeader(x.Type()) {
				return &Part{Node: node, X: x} // a header begins with its validity
			}
			el.errorf(e.Pos, "isValid needs a header, or a header union that is stored somewhere")
		}
	}
	return invalid(e.Pos)
}

func (el *elaborator) apply(en *env, c *types.Call, want Want, node Node) Expr {
	t, ok := en.lookup(c.Table).(*Table)
	if !ok {
		return invalid(node.Pos)
	}
	return &Apply{Node: node, Table: t, Want: want}
}

// applied elaborates t.apply().hit, .miss and .action_run.
func (el *elaborator) applied(en *env, m *syntax.Member, node Node) (Expr, bool) {
	e, ok := m.X.(*syntax.Call)
	if !ok {
		return nil, false
	}
	c := el.info.Calls[e]
	if c == nil || c.Kind != types.CallTable {
		return nil, false
	}
	want := map[string]Want{"hit": WantHit, "miss": WantMiss, "action_run": WantAction}[m.Name]
	if want == WantAction {
		node.T = types.Unsigned(32)
	}
	return el.apply(en, c, want, node), true
}

// copies makes the statements that copy arguments to the storage of parameters and back. As the specification
// requires (section 6.8), arguments are evaluated from left to right, and results are copied out in the same order.
func (el *elaborator) copies(en *env, params []Param, args []syntax.Expr, where syntax.Pos) (in, out []Stmt) {
	pre := &Block{}
	values := make([]Expr, len(params))
	lvalues := make([]*LValue, len(params))
	for i, p := range params {
		if p.LValue == nil || args[i] == nil {
			continue
		}
		if p.Dir != syntax.Out && p.Dir != syntax.InOut {
			values[i] = el.exprAs(en, args[i], p.Type)
			continue
		}
		q := el.lvalue(en, args[i])
		if q == nil {
			el.errorIf(el.typeOf(en, args[i]) != types.Invalid, args[i].Position(),
				"the argument for '%s' cannot be written", p.Name)
			continue
		}
		q = el.freeze(q, pre)
		lvalues[i] = q
		if p.Dir == syntax.InOut {
			values[i] = &Load{Node: Node{T: q.Type, Pos: q.Pos}, LValue: q}
		}
	}
	// If evaluating an argument runs code, that code may be the callee itself, so all values are
	// collected before any parameter is set.
	hazard := false
	for i, v := range values {
		hazard = hazard || i > 0 && v != nil && Runs(v)
	}
	if hazard {
		for i, v := range values {
			if v == nil || isConst(v) {
				continue
			}
			t := el.temp(params[i].Type, where)
			pre.Stmts = append(pre.Stmts, &Assign{At: at(where), Dst: t, Src: v, Decl: true})
			values[i] = &Load{Node: Node{T: t.Type, Pos: where}, LValue: t}
		}
	}
	in = pre.Stmts
	for i, p := range params {
		if p.LValue == nil {
			continue
		}
		pos := where
		if args[i] != nil {
			pos = args[i].Position()
		}
		switch {
		case values[i] != nil:
			if l, ok := values[i].(*Load); ok && sameLValue(l.LValue, p.LValue) {
				continue
			}
			in = append(in, &Assign{At: at(pos), Dst: p.LValue, Src: values[i], Decl: true})
		default:
			in = append(in, &Assign{At: at(pos), Dst: p.LValue, Src: el.zero(p.Type, pos), Decl: true, Reset: true})
		}
		if q := lvalues[i]; q != nil && !sameLValue(q, p.LValue) {
			src := &Load{Node: Node{T: p.Type, Pos: pos}, LValue: p.LValue}
			out = append(out, &Assign{At: at(pos), Dst: q, Src: src})
		}
	}
	return in, out
}

func sameLValue(a, b *LValue) bool {
	x, ok1 := a.Static()
	y, ok2 := b.Static()
	return ok1 && ok2 && x == y && types.Slots(a.Type) == types.Slots(b.Type)
}

func (el *elaborator) callFunction(en *env, e *syntax.Call, c *types.Call, node Node) Expr {
	bound := types.Bindings{}
	key := fmt.Sprintf("%p", c.Func)
	for _, v := range c.Sig.Vars {
		bound[v] = types.Subst(c.Bound[v], en.types)
		key += "," + typeKey(bound[v])
	}
	externs := map[int]any{}
	for i, p := range c.Sig.Params {
		if types.Is[*types.Extern](p.Type) && c.Args[i] != nil {
			externs[i] = el.externRef(en, c.Args[i])
			key += fmt.Sprintf(",%p", externs[i])
		}
	}
	f := el.funcs[key]
	if f == nil {
		f = el.function(c.Func, bound, externs, e.Pos)
		el.funcs[key] = f
	}
	if f == nil {
		return invalid(e.Pos)
	}
	call := &Call{Node: node, Function: f}
	call.In, call.Out = el.copies(en, f.Params, c.Args, e.Pos)
	if f.Result != nil {
		call.Result = whole(f.Result)
	}
	return call
}

// typeKey returns a key for a type. Two declared structs with the same name have different keys.
func typeKey(t types.Type) string {
	if s, ok := t.(*types.Struct); ok && s.Origin == nil {
		return fmt.Sprintf("%s@%p", s, s)
	}
	return fmt.Sprintf("%T:%s", t, t)
}

func (el *elaborator) function(
	o *types.FuncObj, bound types.Bindings, externs map[int]any, where syntax.Pos,
) *Function {
	if !el.step(where) {
		return nil
	}
	f := &Function{}
	en := el.global.child()
	en.types = bound
	if t := types.Subst(o.Sig.Result, bound); t != types.Void {
		f.Result = el.newVar(o.Name()+"()", t, o.Position())
		en.result = whole(f.Result)
	}
	for i, p := range o.Params {
		q := Param{Name: p.Name(), Dir: p.Dir, Type: types.Subst(p.Type, bound)}
		if types.Is[*types.Extern](q.Type) {
			en.bind[p] = externs[i]
		} else {
			q.LValue = whole(el.newVar(p.Name(), q.Type, p.Position()))
			en.bind[p] = q.LValue
		}
		f.Params = append(f.Params, q)
	}
	el.prog.Functions = append(el.prog.Functions, f)
	f.Body = el.block(en, o.Decl.Body)
	return f
}

func (el *elaborator) callAction(en *env, e *syntax.Call, c *types.Call, node Node) Expr {
	a := el.actionOf(en, c.Action)
	if a == nil {
		return invalid(e.Pos)
	}
	call := &Call{Node: node, Action: a}
	call.In, call.Out = el.copies(en, a.Params, c.Args, e.Pos)
	return call
}

func (el *elaborator) callBlock(en *env, e *syntax.Call, c *types.Call, node Node) Expr {
	var in *instance
	once := false
	switch {
	case c.Recv == nil:
		b := c.Type.(*types.Block)
		in, _ = el.make(en, &types.Call{Type: b, Sig: &types.Signature{Params: b.Ctor}, Args: defaults(b.Ctor)},
			en.path+b.Name, "", e.Pos).(*instance)
		once = true
	default:
		in, once = el.receiver(en, c.Recv)
	}
	if in == nil {
		return invalid(e.Pos)
	}
	if !in.built {
		lvalues, externs := el.bindParams(en, in, c.Args, once)
		el.build(in, lvalues, externs)
	} else if in.byRef {
		el.errorf(e.Pos, "unsupported: applying %s from several places with different headers or packets", in.name)
		return invalid(e.Pos)
	}
	call := &Call{Node: node, Parser: in.parser, Control: in.control}
	if in.parser == nil && in.control == nil {
		return invalid(e.Pos)
	}
	call.In, call.Out = el.copies(en, in.params, c.Args, e.Pos)
	return call
}

func defaults(params []types.Param) []syntax.Expr {
	out := make([]syntax.Expr, len(params))
	for i, p := range params {
		out[i] = p.Default
	}
	return out
}

// receiver finds the instance that is applied, and reports whether the instance has no other use.
func (el *elaborator) receiver(en *env, recv syntax.Expr) (*instance, bool) {
	n, ok := recv.(*syntax.Name)
	if !ok {
		el.errorf(recv.Position(), "expected the name of an instance before .apply()")
		return nil, false
	}
	switch o := el.info.Uses[n].(type) {
	case *types.InstObj:
		in, _ := el.instanceOf(en, o).(*instance)
		_, local := en.lookup(o).(*instance)
		return in, local && en.uses[o] == 1 && el.global.bind[o] == nil
	case *types.ParamObj:
		in, _ := en.lookup(o).(*instance)
		return in, false
	}
	return nil, false
}

// bindParams chooses the storage of a block's parameters before the block is built. If the block is applied only
// here and the arguments cannot overlap, the parameters use the storage of the arguments. Otherwise they have
// separate storage.
func (el *elaborator) bindParams(en *env, in *instance, args []syntax.Expr, once bool) ([]*LValue, map[int]any) {
	params := in.typ.Params
	lvalues := make([]*LValue, len(params))
	externs := map[int]any{}
	for i, p := range params {
		if types.Is[*types.Extern](p.Type) {
			if args[i] != nil {
				externs[i] = el.externRef(en, args[i])
			}
			continue
		}
		if once && args[i] != nil {
			q := el.lvalue(en, args[i])
			if q != nil && types.Identical(q.Type, p.Type) {
				if _, fixed := q.Static(); fixed && len(q.Siblings) == 0 {
					lvalues[i] = q
				}
			}
		}
	}
	for i, q := range lvalues {
		if q != nil && el.overlaps(lvalues, i, params) {
			lvalues[i] = nil
		}
	}
	for i, p := range params {
		if lvalues[i] == nil && !types.Is[*types.Extern](p.Type) {
			lvalues[i] = whole(el.newVar(p.Name, p.Type, p.Pos))
		} else if lvalues[i] != nil {
			in.byRef = true
		}
	}
	return lvalues, externs
}

// overlaps reports whether argument i shares storage with another argument and at least one of the two is written.
func (el *elaborator) overlaps(lvalues []*LValue, i int, params []types.Param) bool {
	a, n := lvalues[i].Extent()
	for k, q := range lvalues {
		if k == i || q == nil || params[i].Dir <= syntax.In && params[k].Dir <= syntax.In {
			continue
		}
		if b, m := q.Extent(); a < b+m && b < a+n {
			return true
		}
	}
	return false
}

// externRef finds the extern instance or packet that an expression names.
func (el *elaborator) externRef(en *env, e syntax.Expr) any {
	if n, ok := e.(*syntax.Name); ok {
		switch o := el.info.Uses[n].(type) {
		case *types.InstObj:
			return el.instanceOf(en, o)
		case nil:
		default:
			return en.lookup(o)
		}
	}
	el.errorIf(el.typeOf(en, e) != types.Invalid, e.Position(), "expected the name of an extern instance")
	return nil
}

func (el *elaborator) externCall(en *env, c *types.Call, node Node) Expr {
	x := &ExternCall{Node: node, Name: c.Func.Name()}
	el.externArgs(en, x, c)
	return x
}

func (el *elaborator) methodCall(en *env, e *syntax.Call, c *types.Call, node Node) Expr {
	t := types.Subst(c.Type, en.types).(*types.Extern)
	x := &ExternCall{Node: node, Extern: t.Name, Name: c.Name}
	switch r := el.externRef(en, c.Recv).(type) {
	case *Extern:
		x.Instance = r
	case packet:
	default:
		return invalid(e.Pos)
	}
	el.externArgs(en, x, c)
	return x
}

func (el *elaborator) externArgs(en *env, x *ExternCall, c *types.Call) {
	for i, p := range c.Sig.Params {
		t := types.Subst(types.Subst(p.Type, c.Bound), en.types)
		a := Arg{Name: p.Name, Type: t}
		e := c.Args[i]
		switch {
		case e == nil && p.Dir == syntax.Out: // "_": the result is discarded
			a.Out, a.LValue = true, el.temp(t, x.Pos)
		case e == nil:
		case types.Is[*types.Extern](t):
			el.externRef(en, e)
		case p.Dir == syntax.Out || p.Dir == syntax.InOut:
			a.Out, a.In = true, p.Dir == syntax.InOut
			a.LValue = el.lvalue(en, e)
			if a.LValue == nil {
				el.errorIf(el.typeOf(en, e) != types.Invalid, e.Position(),
					"the argument for '%s' cannot be written", p.Name)
				continue
			}
			a.Value = &Load{Node: Node{T: a.LValue.Type, Pos: a.LValue.Pos}, LValue: a.LValue}
		default:
			a.In = true
			a.Value = el.exprAs(en, e, t)
			el.sized(a.Value)
		}
		x.Args = append(x.Args, a)
	}
}

// sized reports numbers without a width inside a list argument of an extern.
func (el *elaborator) sized(x Expr) {
	c, ok := x.(*Composite)
	if !ok {
		return
	}
	for _, e := range c.Elems {
		el.errorIf(e.Type() == types.Int, e.Position(), "a number in a list needs a width here, such as 8w1")
		el.sized(e)
	}
}
