package ir

import (
	"math/big"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

func (el *elaborator) block(en *env, b *syntax.Block) *Block {
	out := &Block{}
	if b != nil {
		inner := en.child()
		for _, s := range b.Stmts {
			el.stmt(inner, s, out)
		}
	}
	return out
}

// body elaborates a statement as a block.
func (el *elaborator) body(en *env, s syntax.Stmt) *Block {
	if b, ok := s.(*syntax.Block); ok {
		return el.block(en, b)
	}
	out := &Block{}
	if s != nil {
		el.stmt(en.child(), s, out)
	}
	return out
}

func (el *elaborator) stmt(en *env, s syntax.Stmt, out *Block) {
	add := func(x Stmt) { out.Stmts = append(out.Stmts, x) }
	at := At{Pos: s.Position()}
	switch s := s.(type) {
	case *syntax.Block:
		add(&Nested{At: at, Block: el.block(en, s)})
	case *syntax.DeclStmt:
		el.localDecl(en, s.Decl, out)
	case *syntax.Assign:
		el.assign(en, s, out)
	case *syntax.ExprStmt:
		el.exprStmt(en, s, out)
	case *syntax.If:
		el.ifStmt(en, s, out)
	case *syntax.Switch:
		el.switchStmt(en, s, out)
	case *syntax.Return:
		if s.X != nil && en.result != nil {
			add(&Assign{At: at, Dst: en.result, Src: el.exprAs(en, s.X, en.result.Type)})
		}
		add(&Return{At: at})
	case *syntax.Exit:
		add(&Exit{At: at})
	case *syntax.For:
		el.forStmt(en, s, out)
	case *syntax.ForIn:
		el.forIn(en, s, out)
	case *syntax.Break:
		add(&Break{At: at})
	case *syntax.Continue:
		add(&Continue{At: at})
	}
}

func (el *elaborator) localDecl(en *env, d syntax.Decl, out *Block) {
	switch d := d.(type) {
	case *syntax.VarDecl:
		o, ok := el.info.Defs[d].(*types.VarObj)
		if !ok {
			return
		}
		p := whole(el.newVar(d.Name, types.Subst(o.Type, en.types), d.Pos))
		a := &Assign{At: At{Pos: d.Pos}, Dst: p, Decl: true}
		if d.Init != nil {
			a.Src = el.exprAs(en, d.Init, p.Type)
		} else {
			a.Src, a.Reset = el.zero(p.Type, d.Pos), true
		}
		out.Stmts = append(out.Stmts, a)
		en.bind[o] = p
	case *syntax.ConstDecl:
		o, ok := el.info.Defs[d].(*types.ConstObj)
		if !ok {
			return
		}
		en.bind[o] = el.constant(en, o)
	case *syntax.Instance:
		if o, ok := el.info.Defs[d].(*types.InstObj); ok && o.Ctor != nil {
			en.bind[o] = el.make(en, o.Ctor, controlName(en.path, d.Annotations, d.Name), d.Name, d.Pos)
		}
	}
}

func (el *elaborator) assign(en *env, s *syntax.Assign, out *Block) {
	dst := el.lvalue(en, s.Left)
	if dst == nil {
		el.errorIf(el.typeOf(en, s.Left) != types.Invalid, s.Left.Position(), "this cannot be assigned to")
		return
	}
	at := At{Pos: s.Pos}
	var src Expr
	if bin := el.info.Compound[s]; bin != nil {
		dst = el.freeze(dst, out)
		right := el.expr(en, bin.Y)
		node := Node{T: el.typeOf(en, bin), Pos: s.Pos}
		left := &Load{Node: Node{T: dst.Type, Pos: s.Pos}, LValue: dst}
		src = el.convert(el.binary(node, bin.Op, left, right), dst.Type)
	} else {
		src = el.exprAs(en, s.Right, dst.Type)
		if Runs(src) {
			dst = el.freeze(dst, out)
		}
	}
	out.Stmts = append(out.Stmts, &Assign{At: at, Dst: dst, Src: src})
}

// freeze evaluates the run-time indices of an lvalue into temporaries. Code that runs before the lvalue is used can
// then not change which element the lvalue refers to.
func (el *elaborator) freeze(p *LValue, out *Block) *LValue {
	var q *LValue
	for i, d := range p.Dyn {
		if d.Kind != DynIndex {
			continue
		}
		if q == nil {
			c := *p
			c.Dyn = append([]Dyn(nil), p.Dyn...)
			q = &c
		}
		t := el.temp(d.Index.Type(), p.Pos)
		out.Stmts = append(out.Stmts, &Assign{At: At{Pos: p.Pos}, Dst: t, Src: d.Index, Decl: true})
		q.Dyn[i].Index = &Load{Node: Node{T: t.Type, Pos: p.Pos}, LValue: t}
	}
	if q == nil {
		return p
	}
	return q
}

func (el *elaborator) exprStmt(en *env, s *syntax.ExprStmt, out *Block) {
	c := el.info.Calls[s.Call]
	if c == nil {
		return
	}
	if c.Kind == types.CallBuiltin && c.Name != "isValid" {
		el.builtin(en, s.Call, c, out)
		return
	}
	x := el.call(en, s.Call)
	if isConst(x) {
		return
	}
	out.Stmts = append(out.Stmts, &Eval{At: At{Pos: s.Pos}, X: x})
}

func (el *elaborator) builtin(en *env, e *syntax.Call, c *types.Call, out *Block) {
	p := el.lvalue(en, c.Recv)
	if p == nil {
		el.errorf(e.Pos, "%s needs a header that is stored somewhere", c.Name)
		return
	}
	at := At{Pos: e.Pos}
	switch c.Name {
	case "setValid", "setInvalid":
		out.Stmts = append(out.Stmts, &SetValid{At: at, LValue: p, Valid: c.Name == "setValid"})
	default:
		k, ok := el.expr(en, c.Args[0]).(*Const)
		if !ok {
			el.errorf(e.Pos, "the count of %s is not known at compile time", c.Name)
			return
		}
		if k.Val.Sign() < 0 {
			el.errorf(e.Pos, "the count of %s is negative", c.Name)
			return
		}
		n := p.Type.(*types.Stack).Size
		if k.Val.IsInt64() && k.Val.Int64() < int64(n) {
			n = int(k.Val.Int64())
		}
		out.Stmts = append(out.Stmts, &Shift{At: at, LValue: p, Push: c.Name == "push_front", Count: n})
	}
}

func (el *elaborator) ifStmt(en *env, s *syntax.If, out *Block) {
	cond := el.expr(en, s.Cond)
	if c, ok := cond.(*Const); ok && c.T != types.Invalid {
		// Only one branch is kept. The other branch is elaborated only to report its errors.
		then, other := el.body(en, s.Then), el.body(en, s.Else)
		if c.Val.Sign() == 0 {
			then = other
		}
		out.Stmts = append(out.Stmts, &Nested{At: At{Pos: s.Pos}, Block: then})
		return
	}
	st := &If{At: At{Pos: s.Pos}, Cond: cond, Then: el.body(en, s.Then)}
	if s.Else != nil {
		st.Else = el.body(en, s.Else)
	}
	out.Stmts = append(out.Stmts, st)
}

func (el *elaborator) switchStmt(en *env, s *syntax.Switch, out *Block) {
	st := &Switch{At: At{Pos: s.Pos}, X: el.runtime(en, s.X)}
	_, isRun := el.typeOf(en, s.X).(*types.ActionRun)
	var pending SwitchCase
	for _, k := range s.Cases {
		switch {
		case isAnyLabel(k.Label):
			pending.Default = true
		case isRun:
			v := big.NewInt(int64(el.info.Labels[k]))
			pending.Values = append(pending.Values, number(v, st.X.Type(), k.Pos))
		default:
			v := el.exprAs(en, k.Label, st.X.Type())
			if c, ok := v.(*Const); ok {
				pending.Values = append(pending.Values, c)
			} else {
				el.errorf(k.Pos, "the label is not known at compile time")
			}
		}
		if k.Body != nil {
			pending.Body = el.block(en, k.Body)
			st.Cases = append(st.Cases, pending)
			pending = SwitchCase{}
		}
	}
	out.Stmts = append(out.Stmts, st)
}

func isAnyLabel(e syntax.Expr) bool {
	_, ok := e.(*syntax.Any)
	return ok
}

func (el *elaborator) forStmt(en *env, s *syntax.For, out *Block) {
	inner := en.child()
	for _, x := range s.Init {
		el.stmt(inner, x, out)
	}
	l := &Loop{At: At{Pos: s.Pos}, Cond: el.expr(inner, s.Cond), Body: el.body(inner, s.Body), Post: &Block{}}
	for _, x := range s.Post {
		el.stmt(inner, x, l.Post)
	}
	out.Stmts = append(out.Stmts, l)
}

// forIn elaborates a for-in loop as a loop over a counter. The counter has one bit more than the elements of a
// range, so that the counter can pass the largest value.
func (el *elaborator) forIn(en *env, s *syntax.ForIn, out *Block) {
	o, ok := el.info.Defs[s].(*types.VarObj)
	if !ok {
		return
	}
	inner := en.child()
	var v *LValue
	if s.Type != nil {
		v = whole(el.newVar(s.Var.Name, types.Subst(o.Type, en.types), s.Var.Pos))
		inner.bind[o] = v
	} else if v, ok = en.lookup(o).(*LValue); !ok {
		return
	}
	body := &Block{}
	var lo, hi Expr
	var ct types.Type
	at := At{Pos: s.Pos}
	if r, ok := s.Over.(*syntax.Range); ok {
		b, ok := types.Strip(v.Type).(*types.Bit)
		if !ok {
			el.errorf(s.Pos, "a loop over a range needs a variable of type bit<> or int<>")
			return
		}
		ct = &types.Bit{Width: b.Width + 1, Signed: b.Signed}
		lo = el.cast(el.exprAs(en, r.X, v.Type), ct, s.Pos)
		hi = el.cast(el.exprAs(en, r.Y, v.Type), ct, s.Pos)
	} else {
		ct = types.Unsigned(32)
	}
	i := el.temp(ct, s.Pos)
	read := &Load{Node: Node{T: ct, Pos: s.Pos}, LValue: i}
	if lo != nil {
		end := el.temp(ct, s.Pos)
		out.Stmts = append(out.Stmts, &Assign{At: at, Dst: end, Src: hi, Decl: true})
		hi = &Load{Node: Node{T: ct, Pos: s.Pos}, LValue: end}
		body.Stmts = append(body.Stmts, &Assign{At: at, Dst: v, Src: el.cast(read, v.Type, s.Pos)})
	} else {
		n := el.elementsOf(en, s, v, read, body)
		if n == 0 {
			return
		}
		lo, hi = number(new(big.Int), ct, s.Pos), number(big.NewInt(int64(n-1)), ct, s.Pos)
	}
	out.Stmts = append(out.Stmts, &Assign{At: at, Dst: i, Src: lo, Decl: true})
	body.Stmts = append(body.Stmts, &Nested{At: at, Block: el.body(inner, s.Body)})
	node := Node{T: types.Bool, Pos: s.Pos}
	out.Stmts = append(out.Stmts, &Loop{At: at,
		Cond: &Binary{Node: node, Op: "<=", X: read, Y: hi},
		Body: body,
		Post: &Block{Stmts: []Stmt{&Assign{At: at, Dst: i,
			Src: &Binary{Node: Node{T: ct, Pos: s.Pos}, Op: "+", X: read, Y: number(big.NewInt(1), ct, s.Pos)}}}},
	})
}

// elementsOf adds to the body a switch that sets the variable to element i of a list or stack.
func (el *elaborator) elementsOf(en *env, s *syntax.ForIn, v *LValue, i Expr, body *Block) int {
	over := el.expr(en, s.Over)
	sw := &Switch{At: At{Pos: s.Pos}, X: i}
	n := 0
	for ; ; n++ {
		t, _ := types.Element(over.Type(), n)
		if t == nil {
			break
		}
		x := el.convert(el.part(over, n, s.Pos), v.Type)
		sw.Cases = append(sw.Cases, SwitchCase{
			Values: []*Const{number(big.NewInt(int64(n)), i.Type(), s.Pos)},
			Body:   &Block{Stmts: []Stmt{&Assign{At: At{Pos: s.Pos}, Dst: v, Src: x}}},
		})
	}
	body.Stmts = append(body.Stmts, sw)
	return n
}

func at(p syntax.Pos) At { return At{Pos: p} }
