package check

import (
	"math/big"

	"pintlab/internal/lists"
	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/constant"
	"pintlab/p4/interp/source"
	"pintlab/p4/interp/types"
)

// operand is a checked expression.
type operand struct {
	t  types.Type
	v  *big.Int // the value, if it is a constant number
	lv bool     // it can be assigned to
}

var bad = operand{t: types.Invalid}

// expr checks an expression and records its type and value.
func (c *checker) expr(e ast.Expr) operand {
	if t, ok := c.info.Types[e]; ok && c.info.Values[e] != nil {
		return operand{t: t, v: c.info.Values[e]} // defaults are checked again at every use
	}
	x := c.expr1(e)
	if x.t == nil {
		x.t = types.Invalid
	}
	c.info.Types[e] = x.t
	if x.v != nil {
		c.info.Values[e] = x.v
	}
	return x
}

// exprAs checks an expression that must fit a type.
func (c *checker) exprAs(e ast.Expr, t types.Type, what string) operand {
	x := c.expr(e)
	c.fits(e, x, t, what)
	return x
}

// value checks an expression that must have a value at run time.
func (c *checker) value(e ast.Expr) operand {
	x := c.expr(e)
	if isBlockType(x.t) || x.t == types.Void || x.t == types.MatchKind {
		return c.bad(e.Position(), "%s cannot be used as a value", x.t)
	}
	return x
}

func (c *checker) expr1(e ast.Expr) operand {
	switch e := e.(type) {
	case *ast.IntLit:
		v, t, large, err := constant.Literal(e.Text)
		if err != nil {
			return c.bad(e.Pos, "%v", err)
		}
		if large {
			c.errs.Warnf(e.Pos, "the value of %s does not fit its width and is cut to %s", e.Text, v)
		}
		return operand{t: t, v: v}
	case *ast.BoolLit:
		return operand{t: types.Bool, v: constant.Bool(e.Value)}
	case *ast.StringLit:
		return operand{t: types.String}
	case *ast.Name:
		return c.name(e)
	case *ast.TypeName:
		c.errorf(e.Pos, "a type cannot be used as a value")
	case *ast.Member:
		return c.member(e)
	case *ast.Index:
		return c.index(e)
	case *ast.Slice:
		return c.slice(e)
	case *ast.Unary:
		return c.unary(e)
	case *ast.Binary:
		return c.binary(e)
	case *ast.Cond:
		return c.cond(e)
	case *ast.Cast:
		return c.cast(e)
	case *ast.Call:
		return c.call(e)
	case *ast.ListExpr:
		elems := lists.Map(e.Elems, func(x ast.Expr) types.Type { return c.value(x).t })
		return operand{t: types.NewTuple(elems)}
	case *ast.RecordExpr:
		r := &types.Record{}
		for i, n := range e.Names {
			for _, m := range r.Names {
				c.errorIf(m == n.Name, n.Pos, "field '%s' has a value already", n.Name)
			}
			r.Names = append(r.Names, n.Name)
			r.Elems = append(r.Elems, c.value(e.Values[i]).t)
		}
		return operand{t: r}
	case *ast.InvalidExpr:
		return operand{t: types.NoHeader}
	case *ast.DefaultExpr:
		return operand{t: types.Default}
	case *ast.Mask, *ast.Range, *ast.Any:
		c.errorf(e.Position(), "a set cannot be used as a value")
	}
	return bad
}

func (c *checker) name(e *ast.Name) operand {
	o := c.find(e.Name, e.Global)
	if o == nil {
		c.errs.Undeclared(e.Pos, "", e.Name)
		return bad
	}
	c.info.Uses[e] = o
	switch o := o.(type) {
	case *ConstObj:
		return operand{t: o.Type, v: o.Value}
	case *VarObj:
		return operand{t: o.Type, lv: true}
	case *ParamObj:
		return operand{t: o.Type, lv: o.Dir == ast.Out || o.Dir == ast.InOut}
	case *InstObj:
		return operand{t: o.Type}
	case *ValueSetObj:
		return operand{t: &types.Set{Elem: o.Elem}}
	case *MatchKindObj:
		return operand{t: types.MatchKind}
	case *TypeObj:
		c.errorf(e.Pos, "'%s' is a type, expected a value", e.Name)
	case *TableObj:
		c.errorf(e.Pos, "table '%s' can only be used as %s.apply()", e.Name, e.Name)
	case *ActionObj:
		c.errorf(e.Pos, "action '%s' can only be called", e.Name)
	case *FuncSet:
		c.errorf(e.Pos, "function '%s' can only be called", e.Name)
	default:
		c.errorf(e.Pos, "'%s' cannot be used as a value", e.Name)
	}
	return bad
}

// member checks X.Name outside of calls.
func (c *checker) member(e *ast.Member) operand {
	if t, ok := e.X.(*ast.TypeName); ok {
		return c.typeMember(e, c.typ(t.Type))
	}
	x := c.expr(e.X)
	switch t := x.t.(type) {
	case *types.Struct:
		if i := t.FieldIndex(e.Name); i >= 0 {
			return operand{t: t.Fields[i].Type, lv: x.lv}
		}
		c.errorf(e.NamePos.Pos, "%s '%s' has no field '%s'", t.Kind, t, e.Name)
	case *types.Record:
		for i, n := range t.Names {
			if n == e.Name {
				return operand{t: t.Elems[i]}
			}
		}
		c.errorf(e.NamePos.Pos, "%s has no field '%s'", t, e.Name)
	case *types.Stack:
		return c.stackMember(e, t, x)
	case *types.Applied:
		switch e.Name {
		case "hit", "miss":
			return operand{t: types.Bool}
		case "action_run":
			return operand{t: c.actionRun(e.X)}
		}
		c.errorf(e.NamePos.Pos, "the result of applying a table has no member '%s': expected hit, miss or action_run", e.Name)
	default:
		c.errorIf(t != types.Invalid, e.NamePos.Pos, "%s has no member '%s'", x.t, e.Name)
	}
	return bad
}

func (c *checker) stackMember(e *ast.Member, t *types.Stack, x operand) operand {
	switch e.Name {
	case "size":
		return operand{t: types.Unsigned(32), v: big.NewInt(int64(t.Size))}
	case "lastIndex":
		c.errorIf(c.ctx.place != inParser, e.NamePos.Pos, "lastIndex of a header stack can only be used in a parser")
		return operand{t: types.Unsigned(32)}
	case "next", "last":
		c.errorIf(c.ctx.place != inParser, e.NamePos.Pos, "%s of a header stack can only be used in a parser", e.Name)
		return operand{t: t.Elem, lv: x.lv}
	}
	return c.bad(e.NamePos.Pos, "a header stack has no member '%s': expected next, last, lastIndex, size, push_front or pop_front", e.Name)
}

// typeMember checks E.member of an enum or error.
func (c *checker) typeMember(e *ast.Member, t types.Type) operand {
	switch t := t.(type) {
	case *types.Enum:
		i := t.MemberIndex(e.Name)
		if i < 0 {
			return c.bad(e.NamePos.Pos, "enum '%s' has no member '%s'", t.Name, e.Name)
		}
		if t.Base != nil {
			return operand{t: t, v: t.Values[i]}
		}
		return operand{t: t, v: big.NewInt(int64(i))}
	case *types.Basic:
		if t == types.Error {
			i := c.errorIndex(e.Name)
			if i < 0 {
				return c.bad(e.NamePos.Pos, "error.%s is not declared", e.Name)
			}
			return operand{t: t, v: big.NewInt(int64(i))}
		}
		if t == types.Invalid {
			return bad
		}
	}
	return c.bad(e.NamePos.Pos, "type %s has no member '%s'", t, e.Name)
}

func (c *checker) actionRun(x ast.Expr) types.Type {
	r := &types.ActionRun{}
	if call, ok := x.(*ast.Call); ok {
		if info := c.info.Calls[call]; info != nil && info.Table != nil {
			for _, a := range info.Table.Actions {
				r.Actions = append(r.Actions, a.Action.name)
			}
		}
	}
	return r
}

func (c *checker) index(e *ast.Index) operand {
	x := c.expr(e.X)
	i := c.value(e.I)
	if x.t == types.Invalid || i.t == types.Invalid {
		return bad
	}
	if _, ok := types.Strip(i.t).(*types.Bit); !ok && i.t != types.Int {
		return c.bad(e.I.Position(), "the index has type %s, expected a number", i.t)
	}
	switch t := x.t.(type) {
	case *types.Stack:
		if i.v != nil && (i.v.Sign() < 0 || i.v.Cmp(big.NewInt(int64(t.Size))) >= 0) {
			return c.bad(e.I.Position(), "index %s is outside the header stack of %d elements", i.v, t.Size)
		}
		return operand{t: t.Elem, lv: x.lv}
	case *types.Tuple:
		if i.v == nil {
			return c.bad(e.I.Position(), "the index of a tuple must be known at compile time")
		}
		if i.v.Sign() < 0 || i.v.Cmp(big.NewInt(int64(len(t.Elems)))) >= 0 {
			return c.bad(e.I.Position(), "index %s is outside the tuple of %d elements", i.v, len(t.Elems))
		}
		return operand{t: t.Elems[i.v.Int64()], lv: x.lv}
	}
	return c.bad(e.Pos, "%s cannot be indexed: expected a header stack or a tuple", x.t)
}

func (c *checker) slice(e *ast.Slice) operand {
	x := c.value(e.X)
	hi, ok1 := c.constInt(e.Hi, "the upper end of the slice")
	lo, ok2 := c.constInt(e.Lo, "the lower end of the slice")
	if x.t == types.Invalid || !ok1 || !ok2 {
		return bad
	}
	t, ok := types.Strip(x.t).(*types.Bit)
	if !ok {
		if x.t == types.Int && x.v != nil && 0 <= lo && lo <= hi && hi < types.MaxWidth {
			return operand{t: types.Unsigned(hi - lo + 1), v: constant.Slice(x.v, hi, lo)}
		}
		return c.bad(e.Pos, "%s cannot be sliced: expected bit<> or int<>", x.t)
	}
	if lo < 0 || hi < lo || hi >= t.Width {
		return c.bad(e.Pos, "slice [%d:%d] is outside %s: expected %d >= high >= low >= 0", hi, lo, x.t, t.Width-1)
	}
	r := operand{t: types.Unsigned(hi - lo + 1), lv: x.lv}
	if x.v != nil {
		r.v = constant.Slice(x.v, hi, lo)
	}
	return r
}

func (c *checker) unary(e *ast.Unary) operand {
	x := c.value(e.X)
	t := Arithmetic(x.t)
	var ok bool
	switch e.Op {
	case "!":
		t = x.t
		ok = x.t == types.Bool
	case "~":
		_, ok = t.(*types.Bit)
	default:
		_, ok = t.(*types.Bit)
		ok = ok || x.t == types.Int
	}
	if x.t == types.Invalid {
		return bad
	}
	if !ok {
		return c.bad(e.Pos, "operator %s cannot be applied to %s", e.Op, x.t)
	}
	r := operand{t: t}
	if x.v != nil {
		r.v = c.folded(e.Pos)(constant.Unary(e.Op, x.v, t))
	}
	return r
}

// folded returns the result of a constant operation, or reports its error.
func (c *checker) folded(at source.Pos) func(*big.Int, error) *big.Int {
	return func(v *big.Int, err error) *big.Int {
		if err != nil {
			c.errorf(at, "%v", err)
			return nil
		}
		return v
	}
}

// Arithmetic returns the type in which operators compute. For a serialisable enum it is the base
// type.
func Arithmetic(t types.Type) types.Type {
	if e, ok := t.(*types.Enum); ok && e.Base != nil {
		return e.Base
	}
	return t
}

// Common returns the type to which both operands of ==, <, ?: and so on are converted, or nil if
// there is none.
func Common(a, b types.Type) types.Type {
	switch {
	case types.Identical(a, b):
		return a
	case assignable(a, b):
		return a
	case assignable(b, a):
		return b
	}
	a, b = Arithmetic(a), Arithmetic(b)
	switch {
	case assignable(a, b):
		return a
	case assignable(b, a):
		return b
	}
	return nil
}

func (c *checker) binary(e *ast.Binary) operand {
	x, y := c.value(e.X), c.value(e.Y)
	if x.t == types.Invalid || y.t == types.Invalid {
		return bad
	}
	mismatch := func() operand {
		return c.bad(e.Pos, "operator %s cannot be applied to %s and %s%s", e.Op, x.t, y.t, hint(x.t, y.t))
	}
	var r operand
	switch e.Op {
	case "&&", "||":
		if x.t != types.Bool || y.t != types.Bool {
			return mismatch()
		}
		r.t = types.Bool
		if x.v != nil && (x.v.Sign() != 0) == (e.Op == "||") {
			r.v = x.v
		} else if x.v != nil && y.v != nil {
			r.v = y.v
		}
		return r
	case "==", "!=":
		t := Common(x.t, y.t)
		if t == nil || !comparable(t) {
			return mismatch()
		}
		return c.compared(e, x, y, t)
	case "<", "<=", ">", ">=":
		t := Common(Arithmetic(x.t), Arithmetic(y.t))
		if _, ok := t.(*types.Bit); !ok && t != types.Int {
			if n, isNew := t.(*types.New); !isNew || !types.Is[*types.Bit](types.Strip(n)) {
				return mismatch()
			}
		}
		return c.compared(e, x, y, t)
	case "<<", ">>":
		return c.shift(e, x, y, mismatch)
	case "++":
		a, ok1 := Arithmetic(x.t).(*types.Bit)
		b, ok2 := Arithmetic(y.t).(*types.Bit)
		if !ok1 || !ok2 {
			if x.t == types.String && y.t == types.String {
				return operand{t: types.String}
			}
			return mismatch()
		}
		t := &types.Bit{Width: a.Width + b.Width, Signed: a.Signed}
		if t.Width > types.MaxWidth {
			return c.bad(e.Pos, "the result of ++ has %d bits, more than the %d supported", t.Width, types.MaxWidth)
		}
		r.t = t
		if x.v != nil && y.v != nil {
			r.v = constant.Concat(x.v, y.v, b, t)
		}
		return r
	}
	return c.arith(e, x, y, mismatch)
}

func (c *checker) compared(e *ast.Binary, x, y operand, t types.Type) operand {
	c.fits(e.X, x, t, "the left side")
	c.fits(e.Y, y, t, "the right side")
	r := operand{t: types.Bool}
	if x.v != nil && y.v != nil {
		b, err := constant.Compare(e.Op, convertConst(x.v, t), convertConst(y.v, t))
		if err == nil {
			r.v = constant.Bool(b)
		}
	}
	return r
}

// comparable reports whether == is defined on the type.
func comparable(t types.Type) bool {
	switch x := t.(type) {
	case *types.Basic:
		return x == types.Bool || x == types.Int || x == types.Error || x == types.String || x == types.NoHeader
	case *types.Bit, *types.Varbit, *types.Enum, *types.Struct, *types.Stack, *types.Tuple, *types.New, *types.Record, *types.Var:
		return true
	}
	return false
}

func (c *checker) shift(e *ast.Binary, x, y operand, mismatch func() operand) operand {
	t := Arithmetic(x.t)
	if _, ok := t.(*types.Bit); !ok && t != types.Int {
		return mismatch()
	}
	if b, ok := types.Strip(y.t).(*types.Bit); ok {
		if b.Signed {
			return c.bad(e.Y.Position(), "the shift amount has type %s, expected bit<> or a number that is not negative", y.t)
		}
	} else if y.t != types.Int {
		return mismatch()
	}
	r := operand{t: t}
	if y.v != nil && y.v.Sign() < 0 {
		return c.bad(e.Y.Position(), "shift by a negative number")
	}
	if x.v != nil && y.v != nil {
		r.v = c.folded(e.Pos)(constant.Binary(e.Op, x.v, y.v, t))
	}
	return r
}

func (c *checker) arith(e *ast.Binary, x, y operand, mismatch func() operand) operand {
	t := Common(Arithmetic(x.t), Arithmetic(y.t))
	b, isBit := t.(*types.Bit)
	if saturates := e.Op == "|+|" || e.Op == "|-|"; !isBit && (saturates || t != types.Int) {
		return mismatch()
	}
	if e.Op == "/" || e.Op == "%" {
		if isBit && b.Signed {
			return c.bad(e.Pos, "operator %s is not defined on %s: expected bit<> or int", e.Op, t)
		}
		for _, o := range []operand{x, y} {
			if o.t == types.Int && o.v != nil && o.v.Sign() < 0 {
				return c.bad(e.Pos, "operator %s is not defined on negative numbers", e.Op)
			}
		}
		if y.v != nil && y.v.Sign() == 0 {
			return c.bad(e.Y.Position(), "division by zero")
		}
	}
	r := operand{t: t}
	if x.v != nil && y.v != nil {
		r.v = c.folded(e.Pos)(constant.Binary(e.Op, convertConst(x.v, t), convertConst(y.v, t), t))
	}
	return r
}

func (c *checker) cond(e *ast.Cond) operand {
	k := c.value(e.C)
	x, y := c.value(e.X), c.value(e.Y)
	c.errorIf(k.t != types.Bool && k.t != types.Invalid, e.C.Position(), "the condition of ?: has type %s, expected bool", k.t)
	if x.t == types.Invalid || y.t == types.Invalid {
		return bad
	}
	t := Common(x.t, y.t)
	if t == nil {
		return c.bad(e.Pos, "the two values of ?: have types %s and %s%s", x.t, y.t, hint(x.t, y.t))
	}
	if t == types.Int && k.v == nil && !c.static(e.C) {
		return c.bad(e.Pos, "the values of ?: need a width, such as 8w1")
	}
	c.fits(e.X, x, t, "the first value")
	c.fits(e.Y, y, t, "the second value")
	r := operand{t: t}
	if k.v != nil && x.v != nil && y.v != nil {
		r.v = convertConst(y.v, t)
		if k.v.Sign() != 0 {
			r.v = convertConst(x.v, t)
		}
	}
	return r
}

func (c *checker) cast(e *ast.Cast) operand {
	t := c.typ(e.Type)
	x := c.value(e.X)
	if t == types.Invalid || x.t == types.Invalid {
		return operand{t: t}
	}
	if display(e.X) {
		c.fits(e.X, x, t, "the value")
		return operand{t: t}
	}
	if ok, why := castable(t, x.t); !ok {
		c.errorf(e.Pos, "cannot cast %s to %s%s", x.t, t, why)
		return operand{t: t}
	}
	r := operand{t: t}
	if x.v != nil && (types.IsScalar(t) || t == types.Int) {
		r.v = constant.Cast(x.v, t)
	}
	return r
}
