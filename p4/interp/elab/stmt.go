package elab

import (
	"math/big"

	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/check"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
	"pintlab/p4/interp/types"
)

func (el *elaborator) block(en *env, b *ast.Block) *ir.Block {
	out := &ir.Block{}
	if b != nil {
		inner := en.child()
		for _, s := range b.Stmts {
			el.stmt(inner, s, out)
		}
	}
	return out
}

// body elaborates a statement as a block.
func (el *elaborator) body(en *env, s ast.Stmt) *ir.Block {
	if b, ok := s.(*ast.Block); ok {
		return el.block(en, b)
	}
	out := &ir.Block{}
	if s != nil {
		el.stmt(en.child(), s, out)
	}
	return out
}

func (el *elaborator) stmt(en *env, s ast.Stmt, out *ir.Block) {
	add := func(x ir.Stmt) { out.Stmts = append(out.Stmts, x) }
	at := ir.At{Pos: s.Position()}
	switch s := s.(type) {
	case *ast.Block:
		add(&ir.Nested{At: at, Block: el.block(en, s)})
	case *ast.DeclStmt:
		el.localDecl(en, s.Decl, out)
	case *ast.Assign:
		el.assign(en, s, out)
	case *ast.ExprStmt:
		el.exprStmt(en, s, out)
	case *ast.If:
		el.ifStmt(en, s, out)
	case *ast.Switch:
		el.switchStmt(en, s, out)
	case *ast.Return:
		if s.X != nil && en.result != nil {
			add(&ir.Assign{At: at, Dst: en.result, Src: el.exprAs(en, s.X, en.result.Type)})
		}
		add(&ir.Return{At: at})
	case *ast.Exit:
		add(&ir.Exit{At: at})
	case *ast.For:
		el.forStmt(en, s, out)
	case *ast.ForIn:
		el.forIn(en, s, out)
	case *ast.Break:
		add(&ir.Break{At: at})
	case *ast.Continue:
		add(&ir.Continue{At: at})
	}
}

func (el *elaborator) localDecl(en *env, d ast.Decl, out *ir.Block) {
	switch d := d.(type) {
	case *ast.VarDecl:
		o, ok := el.info.Defs[d].(*check.VarObj)
		if !ok {
			return
		}
		p := whole(el.newVar(d.Name, types.Subst(o.Type, en.types), d.Pos))
		a := &ir.Assign{At: ir.At{Pos: d.Pos}, Dst: p, Decl: true}
		if d.Init != nil {
			a.Src = el.exprAs(en, d.Init, p.Type)
		} else {
			a.Src, a.Reset = el.zero(p.Type, d.Pos), true
		}
		out.Stmts = append(out.Stmts, a)
		en.bind[o] = p
	case *ast.ConstDecl:
		o, ok := el.info.Defs[d].(*check.ConstObj)
		if !ok {
			return
		}
		en.bind[o] = el.constant(en, o)
	case *ast.Instance:
		if o, ok := el.info.Defs[d].(*check.InstObj); ok && o.Ctor != nil {
			en.bind[o] = el.make(en, o.Ctor, controlName(en.path, d.Annotations, d.Name), d.Name, d.Pos)
		}
	}
}

func (el *elaborator) assign(en *env, s *ast.Assign, out *ir.Block) {
	dst := el.place(en, s.Left)
	if dst == nil {
		el.errorIf(el.typeOf(en, s.Left) != types.Invalid, s.Left.Position(), "this cannot be assigned to")
		return
	}
	at := ir.At{Pos: s.Pos}
	var src ir.Expr
	if bin := el.info.Compound[s]; bin != nil {
		dst = el.freeze(dst, out)
		right := el.expr(en, bin.Y)
		node := ir.Node{T: el.typeOf(en, bin), Pos: s.Pos}
		left := &ir.Load{Node: ir.Node{T: dst.Type, Pos: s.Pos}, Place: dst}
		src = el.convert(el.binary(node, bin.Op, left, right), dst.Type)
	} else {
		src = el.exprAs(en, s.Right, dst.Type)
		if ir.Runs(src) {
			dst = el.freeze(dst, out)
		}
	}
	out.Stmts = append(out.Stmts, &ir.Assign{At: at, Dst: dst, Src: src})
}

// freeze evaluates the run-time indices of a place into temporaries, so that code that runs before
// the place is used cannot change which place it is.
func (el *elaborator) freeze(p *ir.Place, out *ir.Block) *ir.Place {
	var q *ir.Place
	for i, d := range p.Dyn {
		if d.Kind != ir.DynIndex {
			continue
		}
		if q == nil {
			c := *p
			c.Dyn = append([]ir.Dyn(nil), p.Dyn...)
			q = &c
		}
		t := el.temp(d.Index.Type(), p.Pos)
		out.Stmts = append(out.Stmts, &ir.Assign{At: ir.At{Pos: p.Pos}, Dst: t, Src: d.Index, Decl: true})
		q.Dyn[i].Index = &ir.Load{Node: ir.Node{T: t.Type, Pos: p.Pos}, Place: t}
	}
	if q == nil {
		return p
	}
	return q
}

func (el *elaborator) exprStmt(en *env, s *ast.ExprStmt, out *ir.Block) {
	c := el.info.Calls[s.Call]
	if c == nil {
		return
	}
	if c.Kind == check.CallBuiltin && c.Name != "isValid" {
		el.builtin(en, s.Call, c, out)
		return
	}
	x := el.call(en, s.Call)
	if isConst(x) {
		return
	}
	out.Stmts = append(out.Stmts, &ir.Eval{At: ir.At{Pos: s.Pos}, X: x})
}

func (el *elaborator) builtin(en *env, e *ast.Call, c *check.Call, out *ir.Block) {
	p := el.place(en, c.Recv)
	if p == nil {
		el.errorf(e.Pos, "%s needs a header that is stored somewhere", c.Name)
		return
	}
	at := ir.At{Pos: e.Pos}
	switch c.Name {
	case "setValid", "setInvalid":
		out.Stmts = append(out.Stmts, &ir.SetValid{At: at, Place: p, Valid: c.Name == "setValid"})
	default:
		k, ok := el.expr(en, c.Args[0]).(*ir.Const)
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
		out.Stmts = append(out.Stmts, &ir.Shift{At: at, Place: p, Push: c.Name == "push_front", Count: n})
	}
}

func (el *elaborator) ifStmt(en *env, s *ast.If, out *ir.Block) {
	cond := el.expr(en, s.Cond)
	if c, ok := cond.(*ir.Const); ok && c.T != types.Invalid {
		// Only one branch is kept; the other is elaborated to report its errors.
		then, other := el.body(en, s.Then), el.body(en, s.Else)
		if c.Val.Sign() == 0 {
			then = other
		}
		out.Stmts = append(out.Stmts, &ir.Nested{At: ir.At{Pos: s.Pos}, Block: then})
		return
	}
	st := &ir.If{At: ir.At{Pos: s.Pos}, Cond: cond, Then: el.body(en, s.Then)}
	if s.Else != nil {
		st.Else = el.body(en, s.Else)
	}
	out.Stmts = append(out.Stmts, st)
}

func (el *elaborator) switchStmt(en *env, s *ast.Switch, out *ir.Block) {
	st := &ir.Switch{At: ir.At{Pos: s.Pos}, X: el.runtime(en, s.X)}
	_, isRun := el.typeOf(en, s.X).(*types.ActionRun)
	var pending ir.SwitchCase
	for _, k := range s.Cases {
		switch {
		case isAnyLabel(k.Label):
			pending.Default = true
		case isRun:
			v := big.NewInt(int64(el.info.Labels[k]))
			pending.Values = append(pending.Values, number(v, st.X.Type(), k.Pos))
		default:
			v := el.exprAs(en, k.Label, st.X.Type())
			if c, ok := v.(*ir.Const); ok {
				pending.Values = append(pending.Values, c)
			} else {
				el.errorf(k.Pos, "the label is not known at compile time")
			}
		}
		if k.Body != nil {
			pending.Body = el.block(en, k.Body)
			st.Cases = append(st.Cases, pending)
			pending = ir.SwitchCase{}
		}
	}
	out.Stmts = append(out.Stmts, st)
}

func isAnyLabel(e ast.Expr) bool {
	_, ok := e.(*ast.Any)
	return ok
}

func (el *elaborator) forStmt(en *env, s *ast.For, out *ir.Block) {
	inner := en.child()
	for _, x := range s.Init {
		el.stmt(inner, x, out)
	}
	l := &ir.Loop{At: ir.At{Pos: s.Pos}, Cond: el.expr(inner, s.Cond), Body: el.body(inner, s.Body), Post: &ir.Block{}}
	for _, x := range s.Post {
		el.stmt(inner, x, l.Post)
	}
	out.Stmts = append(out.Stmts, l)
}

// forIn elaborates a for-in loop as a loop over a counter with one bit more than the elements, so
// that the counter can pass the largest value.
func (el *elaborator) forIn(en *env, s *ast.ForIn, out *ir.Block) {
	o, ok := el.info.Defs[s].(*check.VarObj)
	if !ok {
		return
	}
	inner := en.child()
	var v *ir.Place
	if s.Type != nil {
		v = whole(el.newVar(s.Var.Name, types.Subst(o.Type, en.types), s.Var.Pos))
		inner.bind[o] = v
	} else if v, ok = en.lookup(o).(*ir.Place); !ok {
		return
	}
	body := &ir.Block{}
	var lo, hi ir.Expr
	var ct types.Type
	at := ir.At{Pos: s.Pos}
	if r, ok := s.Over.(*ast.Range); ok {
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
	read := &ir.Load{Node: ir.Node{T: ct, Pos: s.Pos}, Place: i}
	if lo != nil {
		end := el.temp(ct, s.Pos)
		out.Stmts = append(out.Stmts, &ir.Assign{At: at, Dst: end, Src: hi, Decl: true})
		hi = &ir.Load{Node: ir.Node{T: ct, Pos: s.Pos}, Place: end}
		body.Stmts = append(body.Stmts, &ir.Assign{At: at, Dst: v, Src: el.cast(read, v.Type, s.Pos)})
	} else {
		n := el.elementsOf(en, s, v, read, body)
		if n == 0 {
			return
		}
		lo, hi = number(new(big.Int), ct, s.Pos), number(big.NewInt(int64(n-1)), ct, s.Pos)
	}
	out.Stmts = append(out.Stmts, &ir.Assign{At: at, Dst: i, Src: lo, Decl: true})
	body.Stmts = append(body.Stmts, &ir.Nested{At: at, Block: el.body(inner, s.Body)})
	node := ir.Node{T: types.Bool, Pos: s.Pos}
	out.Stmts = append(out.Stmts, &ir.Loop{At: at,
		Cond: &ir.Binary{Node: node, Op: "<=", X: read, Y: hi},
		Body: body,
		Post: &ir.Block{Stmts: []ir.Stmt{&ir.Assign{At: at, Dst: i,
			Src: &ir.Binary{Node: ir.Node{T: ct, Pos: s.Pos}, Op: "+", X: read, Y: number(big.NewInt(1), ct, s.Pos)}}}},
	})
}

// elementsOf adds to the body a switch that sets the variable to element i of a list or stack.
func (el *elaborator) elementsOf(en *env, s *ast.ForIn, v *ir.Place, i ir.Expr, body *ir.Block) int {
	over := el.expr(en, s.Over)
	sw := &ir.Switch{At: ir.At{Pos: s.Pos}, X: i}
	n := 0
	for ; ; n++ {
		t, _ := types.Element(over.Type(), n)
		if t == nil {
			break
		}
		x := el.convert(el.part(over, n, s.Pos), v.Type)
		sw.Cases = append(sw.Cases, ir.SwitchCase{
			Values: []*ir.Const{number(big.NewInt(int64(n)), i.Type(), s.Pos)},
			Body:   &ir.Block{Stmts: []ir.Stmt{&ir.Assign{At: ir.At{Pos: s.Pos}, Dst: v, Src: x}}},
		})
	}
	body.Stmts = append(body.Stmts, sw)
	return n
}

func at(p source.Pos) ir.At { return ir.At{Pos: p} }
