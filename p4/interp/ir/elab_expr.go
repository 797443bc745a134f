package ir

import (
	"fmt"
	"math/big"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// invalid stands for an expression whose error has been reported.
func invalid(at syntax.Pos) Expr {
	return &Const{Node: Node{T: types.Invalid, Pos: at}, Val: new(big.Int)}
}

// exprAs elaborates an expression and converts it to a type.
func (el *elaborator) exprAs(en *env, e syntax.Expr, t types.Type) Expr {
	return el.convert(el.expr(en, e), t)
}

// runtime elaborates an expression whose value must exist at run time.
func (el *elaborator) runtime(en *env, e syntax.Expr) Expr {
	x := el.expr(en, e)
	if x.Type() == types.Int {
		el.errorf(e.Position(), "the number needs a width here, such as 32w%s", syntax.Text(e))
		return invalid(e.Position())
	}
	return x
}

func (el *elaborator) expr(en *env, e syntax.Expr) Expr {
	if v := el.info.Values[e]; v != nil {
		return number(v, el.typeOf(en, e), e.Position())
	}
	node := Node{T: el.typeOf(en, e), Pos: e.Position()}
	switch e := e.(type) {
	case *syntax.StringLit:
		return &Const{Node: node, Val: new(big.Int), Str: e.Value}
	case *syntax.Name:
		return el.name(en, e)
	case *syntax.Member, *syntax.Index:
		return el.memberOrIndex(en, e, node)
	case *syntax.Slice:
		return el.slice(node, el.expr(en, e.X), el.constInt(en, e.Hi), el.constInt(en, e.Lo))
	case *syntax.Unary:
		return el.unary(node, e.Op, el.exprAs(en, e.X, node.T))
	case *syntax.Binary:
		return el.binary(node, e.Op, el.expr(en, e.X), el.expr(en, e.Y))
	case *syntax.Cond:
		return el.cond(node, el.expr(en, e.C), el.exprAs(en, e.X, node.T), el.exprAs(en, e.Y, node.T))
	case *syntax.Cast:
		return el.cast(el.expr(en, e.X), node.T, e.Pos)
	case *syntax.Call:
		return el.call(en, e)
	case *syntax.ListExpr:
		return el.list(en, e, node)
	case *syntax.RecordExpr:
		return el.record(en, e, node)
	case *syntax.InvalidExpr, *syntax.DefaultExpr:
		if node.T == types.Default || node.T == types.NoHeader {
			el.errorf(node.Pos, "the type of this value is not known here")
			return invalid(node.Pos)
		}
		return &Zero{Node: node}
	}
	el.errorIf(node.T != types.Invalid, node.Pos, "unsupported: this expression")
	return invalid(node.Pos)
}

// constInt elaborates a number that the checker has found to be constant.
func (el *elaborator) constInt(en *env, e syntax.Expr) int {
	if c, ok := el.expr(en, e).(*Const); ok && c.Val.IsInt64() {
		return int(c.Val.Int64())
	}
	return 0
}

func (el *elaborator) name(en *env, e *syntax.Name) Expr {
	o := el.info.Uses[e]
	switch b := en.lookup(o).(type) {
	case *LValue:
		q := *b
		q.Pos = e.Pos
		return &Load{Node: Node{T: q.Type, Pos: e.Pos}, LValue: &q}
	case Expr:
		return b
	}
	if c, ok := o.(*types.ConstObj); ok {
		x := el.constant(el.global, c)
		el.global.bind[o] = x
		return x
	}
	el.errorIf(el.typeOf(en, e) != types.Invalid, e.Pos, "'%s' has no value here", e.Name)
	return invalid(e.Pos)
}

// constant evaluates a declared constant.
func (el *elaborator) constant(en *env, c *types.ConstObj) Expr {
	x := el.exprAs(en, c.Decl.Value, types.Subst(c.Type, en.types))
	if !isConst(x) && x.Type() != types.Invalid {
		el.errorf(c.Position(), "the value of constant '%s' is not known at compile time", c.Name())
		return invalid(c.Position())
	}
	return x
}

// memberOrIndex reads X.f or X[i].
func (el *elaborator) memberOrIndex(en *env, e syntax.Expr, node Node) Expr {
	if m, ok := e.(*syntax.Member); ok {
		if x, ok := el.applied(en, m, node); ok {
			return x
		}
		if _, isStack := el.typeOf(en, m.X).(*types.Stack); isStack && m.Name == "lastIndex" {
			p := el.lvalue(en, m.X)
			if p == nil {
				return invalid(node.Pos)
			}
			return &LastIndex{Node: node, LValue: p}
		}
	}
	if p := el.lvalue(en, e); p != nil {
		return &Load{Node: Node{T: p.Type, Pos: node.Pos}, LValue: p}
	}
	// The expression is a part of a value without storage.
	var x Expr
	k := 0
	switch e := e.(type) {
	case *syntax.Member:
		x = el.expr(en, e.X)
		if s, ok := x.Type().(*types.Struct); ok {
			k = s.FieldIndex(e.Name)
		} else if r, ok := e.X.(*syntax.RecordExpr); ok {
			for i, n := range r.Names {
				if n.Name == e.Name {
					k = i
				}
			}
		}
	case *syntax.Index:
		x = el.expr(en, e.X)
		k = el.constInt(en, e.I)
	}
	if k < 0 || x.Type() == types.Invalid {
		return invalid(node.Pos)
	}
	return el.part(x, k, node.Pos)
}

// part takes element k of a composite value.
func (el *elaborator) part(x Expr, k int, at syntax.Pos) Expr {
	t, off := types.Element(x.Type(), k)
	if t == nil {
		return invalid(at)
	}
	node := Node{T: t, Pos: at}
	switch x := x.(type) {
	case *Composite:
		if k < len(x.Elems) {
			return x.Elems[k]
		}
		return &Zero{Node: node}
	case *Zero:
		return el.zero(t, at)
	case *Load:
		return &Load{Node: node, LValue: subLValue(x.LValue, t, off, fmt.Sprintf("%s[%d]", x.LValue.Text, k), at)}
	}
	return &Part{Node: node, X: x, Off: off}
}

// zero returns the default value of a type. For a scalar type it is a number.
func (el *elaborator) zero(t types.Type, at syntax.Pos) Expr {
	if types.IsScalar(t) {
		return number(new(big.Int), t, at)
	}
	return &Zero{Node: Node{T: t, Pos: at}}
}

func subLValue(p *LValue, t types.Type, off int, text string, at syntax.Pos) *LValue {
	q := *p
	q.Type, q.Text, q.Pos = t, text, at
	q.Off += off
	q.Siblings = nil
	return &q
}

// lvalue elaborates an expression that names a part of a variable. For other expressions it returns
// nil.
func (el *elaborator) lvalue(en *env, e syntax.Expr) *LValue {
	switch e := e.(type) {
	case *syntax.Name:
		if p, ok := en.lookup(el.info.Uses[e]).(*LValue); ok {
			q := *p
			q.Pos = e.Pos
			return &q
		}
	case *syntax.Member:
		p := el.lvalue(en, e.X)
		if p == nil || p.Bits != nil {
			return nil
		}
		switch t := p.Type.(type) {
		case *types.Struct:
			if i := t.FieldIndex(e.Name); i >= 0 {
				return memberLValue(p, t, i, e.Pos)
			}
		case *types.Stack:
			if e.Name == "next" || e.Name == "last" {
				return stackLValue(p, t, e)
			}
		}
	case *syntax.Index:
		return el.indexLValue(en, e)
	case *syntax.Slice:
		return el.sliceLValue(en, e)
	}
	return nil
}

func memberLValue(p *LValue, t *types.Struct, i int, at syntax.Pos) *LValue {
	field := func(k int) *LValue {
		f, off := types.Element(t, k)
		return subLValue(p, f, off, p.Text+"."+t.Fields[k].Name, at)
	}
	q := field(i)
	for k := range t.Fields {
		if k != i && t.Kind == syntax.KindUnion {
			q.Siblings = append(q.Siblings, field(k))
		}
	}
	return q
}

func stackLValue(p *LValue, t *types.Stack, e *syntax.Member) *LValue {
	q := subLValue(p, t.Elem, 1, p.Text+"."+e.Name, e.Pos)
	d := Dyn{Kind: DynNext, Stride: types.Slots(t.Elem), Len: t.Size, Counter: p.Var.Slot + p.Off}
	if e.Name == "last" {
		d.Kind = DynLast
	}
	q.Dyn = append(append([]Dyn(nil), p.Dyn...), d)
	return q
}

func (el *elaborator) indexLValue(en *env, e *syntax.Index) *LValue {
	p := el.lvalue(en, e.X)
	if p == nil {
		return nil
	}
	i := el.expr(en, e.I)
	if c, ok := i.(*Const); ok {
		k := -1
		if c.Val.IsInt64() {
			k = int(c.Val.Int64())
		}
		t, off := types.Element(p.Type, k)
		if t == nil {
			el.errorIf(c.T != types.Invalid, e.I.Position(), "index %s is outside %s", c.Val, p.Type)
			t, off = types.Element(p.Type, 0)
			if t == nil {
				return nil
			}
		}
		return subLValue(p, t, off, fmt.Sprintf("%s[%d]", p.Text, k), e.Pos)
	}
	t, ok := p.Type.(*types.Stack)
	if !ok {
		return nil
	}
	q := subLValue(p, t.Elem, 1, p.Text+"["+syntax.Text(e.I)+"]", e.Pos)
	d := Dyn{Kind: DynIndex, Index: i, Stride: types.Slots(t.Elem), Len: t.Size}
	q.Dyn = append(append([]Dyn(nil), p.Dyn...), d)
	return q
}

func (el *elaborator) sliceLValue(en *env, e *syntax.Slice) *LValue {
	p := el.lvalue(en, e.X)
	if p == nil {
		return nil
	}
	hi, lo := el.constInt(en, e.Hi), el.constInt(en, e.Lo)
	b, ok := types.Strip(p.Type).(*types.Bit)
	if !ok || lo < 0 || hi < lo || hi >= b.Width {
		return nil
	}
	q := *p
	q.Type, q.Pos = types.Unsigned(hi-lo+1), e.Pos
	q.Text = fmt.Sprintf("%s[%d:%d]", p.Text, hi, lo)
	if p.Bits != nil { // a slice of a slice
		hi, lo, b = hi+p.Bits.Lo, lo+p.Bits.Lo, p.Bits.Of
	}
	q.Bits = &BitRange{Hi: hi, Lo: lo, Of: b}
	return &q
}

// list elaborates { a, b }.
func (el *elaborator) list(en *env, e *syntax.ListExpr, node Node) Expr {
	if types.IsScalar(node.T) { // braces around the one value of a parameter
		return el.exprAs(en, e.Elems[0], node.T)
	}
	if e.Rest && len(e.Elems) == 0 { // { ... }
		return el.zero(node.T, node.Pos)
	}
	c := &Composite{Node: node}
	var elems []types.Type
	for i, x := range e.Elems {
		t, _ := types.Element(node.T, i)
		v := el.expr(en, x)
		if t != nil {
			v = el.convert(v, t)
		}
		c.Elems = append(c.Elems, v)
		elems = append(elems, v.Type())
	}
	if _, ok := node.T.(*types.Tuple); ok {
		c.T = types.NewTuple(elems)
		return c
	}
	el.fill(c)
	return c
}

// record elaborates { a = x, b = y }. It puts the values in the order of the fields.
func (el *elaborator) record(en *env, e *syntax.RecordExpr, node Node) Expr {
	c := &Composite{Node: node}
	s, ok := node.T.(*types.Struct)
	if !ok {
		var elems []types.Type
		for _, v := range e.Values {
			x := el.expr(en, v)
			c.Elems = append(c.Elems, x)
			elems = append(elems, x.Type())
		}
		c.T = types.NewTuple(elems)
		return c
	}
	c.Elems = make([]Expr, len(s.Fields))
	for i, n := range e.Names {
		if k := s.FieldIndex(n.Name); k >= 0 {
			c.Elems[k] = el.exprAs(en, e.Values[i], s.Fields[k].Type)
		}
	}
	el.fill(c)
	return c
}

// fill sets missing parts of a composite to their default values.
func (el *elaborator) fill(c *Composite) {
	for i := 0; ; i++ {
		t, _ := types.Element(c.T, i)
		if t == nil {
			return
		}
		if i == len(c.Elems) {
			c.Elems = append(c.Elems, nil)
		}
		if c.Elems[i] == nil {
			c.Elems[i] = el.zero(t, c.Pos)
		}
	}
}

// convert converts a value to a type that it is assignable to.
func (el *elaborator) convert(x Expr, t types.Type) Expr {
	from := x.Type()
	if t == nil || t == types.Invalid || from == types.Invalid || types.Identical(from, t) {
		return x
	}
	switch x := x.(type) {
	case *Const:
		if b, ok := types.Strip(t).(*types.Bit); ok {
			return number(b.Wrap(x.Val), t, x.Pos)
		}
	case *Zero:
		return el.zero(t, x.Pos)
	case *Composite:
		c := &Composite{Node: Node{T: t, Pos: x.Pos}}
		for i, e := range x.Elems {
			et, _ := types.Element(t, i)
			c.Elems = append(c.Elems, el.convert(e, et))
		}
		el.fill(c)
		return c
	}
	if from == types.Int {
		el.errorf(x.Position(), "the value of this number is not known at compile time")
		return invalid(x.Position())
	}
	if types.IsScalar(t) && types.IsScalar(from) {
		return el.cast(x, t, x.Position())
	}
	if _, isTuple := from.(*types.Tuple); isTuple {
		c := &Composite{Node: Node{T: t, Pos: x.Position()}}
		for i := 0; ; i++ {
			et, _ := types.Element(t, i)
			if ft, _ := types.Element(from, i); et == nil || ft == nil {
				break
			}
			c.Elems = append(c.Elems, el.convert(el.part(x, i, x.Position()), et))
		}
		el.fill(c)
		return c
	}
	return x
}

// cast converts between types, including conversions that need an explicit cast.
func (el *elaborator) cast(x Expr, t types.Type, at syntax.Pos) Expr {
	if types.Identical(x.Type(), t) || t == types.Invalid {
		return x
	}
	if c, ok := x.(*Const); ok && (types.IsScalar(t) || t == types.Int) {
		return number(types.Convert(c.Val, t), t, at)
	}
	if types.IsScalar(t) && types.IsScalar(x.Type()) {
		return &Cast{Node: Node{T: t, Pos: at}, X: x}
	}
	return el.convert(x, t)
}

func (el *elaborator) unary(node Node, op string, x Expr) Expr {
	if c, ok := x.(*Const); ok && c.T != types.Invalid {
		v, err := types.UnaryOp(op, c.Val, node.T)
		if err == nil {
			return number(v, node.T, node.Pos)
		}
	}
	if op == "+" || x.Type() == types.Invalid {
		return x
	}
	el.notInt(node, x)
	return &Unary{Node: node, Op: op, X: x}
}

// notInt reports a computation on int that could not be folded.
func (el *elaborator) notInt(node Node, xs ...Expr) {
	for _, x := range xs {
		if _, isConst := x.(*Const); x.Type() == types.Int && !isConst {
			el.errorf(node.Pos, "the value of this number is not known at compile time")
		}
	}
}

func (el *elaborator) binary(node Node, op string, x, y Expr) Expr {
	if x.Type() == types.Invalid || y.Type() == types.Invalid {
		return invalid(node.Pos)
	}
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		t := types.Common(x.Type(), y.Type())
		if t == nil {
			t = x.Type()
		}
		if op[0] == '<' || op[0] == '>' {
			t = types.Arithmetic(t)
		}
		x, y = el.convert(x, t), el.convert(y, t)
	case "&&", "||":
		return el.logic(node, op, x, y)
	case "<<", ">>":
		x = el.convert(x, node.T)
	case "++":
		x = el.convert(x, types.Arithmetic(x.Type()))
		y = el.convert(y, types.Arithmetic(y.Type()))
	default:
		x, y = el.convert(x, node.T), el.convert(y, node.T)
	}
	a, ok1 := x.(*Const)
	b, ok2 := y.(*Const)
	if ok1 && ok2 && a.T != types.String {
		if v := el.fold(node, op, a, b); v != nil {
			return v
		}
	}
	el.notInt(node, x)
	if op != "<<" && op != ">>" {
		el.notInt(node, y)
	}
	el.errorIf(ok2 && (op == "/" || op == "%") && b.Val.Sign() == 0, node.Pos, "division by zero")
	return &Binary{Node: node, Op: op, X: x, Y: y}
}

func (el *elaborator) fold(node Node, op string, a, b *Const) Expr {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		v, err := types.Compare(op, a.Val, b.Val)
		if err != nil {
			return nil
		}
		return number(types.BoolValue(v), types.Bool, node.Pos)
	case "++":
		at, ok1 := types.Strip(node.T).(*types.Bit)
		bt, ok2 := types.Strip(b.T).(*types.Bit)
		if !ok1 || !ok2 {
			return nil
		}
		return number(types.Concat(a.Val, b.Val, bt, at), node.T, node.Pos)
	}
	v, err := types.BinaryOp(op, a.Val, b.Val, node.T)
	if err != nil {
		el.errorf(node.Pos, "%v", err)
		return invalid(node.Pos)
	}
	return number(v, node.T, node.Pos)
}

func (el *elaborator) logic(node Node, op string, x, y Expr) Expr {
	if c, ok := x.(*Const); ok {
		if (c.Val.Sign() != 0) == (op == "||") {
			return c
		}
		return y
	}
	if c, ok := y.(*Const); ok && (c.Val.Sign() != 0) == (op == "&&") {
		return x
	}
	return &Binary{Node: node, Op: op, X: x, Y: y}
}

func (el *elaborator) cond(node Node, c, x, y Expr) Expr {
	if k, ok := c.(*Const); ok && k.T != types.Invalid {
		if k.Val.Sign() != 0 {
			return x
		}
		return y
	}
	if node.T == types.Int {
		el.errorf(node.Pos, "the value of this number is not known at compile time")
		return invalid(node.Pos)
	}
	return &Cond{Node: node, C: c, X: x, Y: y}
}

func (el *elaborator) slice(node Node, x Expr, hi, lo int) Expr {
	if c, ok := x.(*Const); ok && c.T != types.Invalid {
		return number(types.SliceBits(c.Val, hi, lo), node.T, node.Pos)
	}
	if x.Type() == types.Invalid {
		return x
	}
	if s, ok := x.(*Slice); ok {
		return &Slice{Node: node, X: s.X, Hi: hi + s.Lo, Lo: lo + s.Lo}
	}
	return &Slice{Node: node, X: x, Hi: hi, Lo: lo}
}
