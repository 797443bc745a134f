package types

import (
	"math/big"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp/syntax"
)

// operand is a checked expression.
type operand struct {
	t  Type
	v  *big.Int // the value, if it is a constant number
	lv bool     // the expression can be assigned to
}

var bad = operand{t: Invalid}

// expr checks an expression and records its type and value.
func (c *checker) expr(e syntax.Expr) operand {
	if t, ok := c.info.Types[e]; ok && c.info.Values[e] != nil {
		return operand{t: t, v: c.info.Values[e]} // defaults are checked again at every use
	}
	x := c.expr1(e)
	if x.t == nil {
		x.t = Invalid
	}
	c.info.Types[e] = x.t
	if x.v != nil {
		c.info.Values[e] = x.v
	}
	return x
}

// exprAs checks an expression that must fit a type.
func (c *checker) exprAs(e syntax.Expr, t Type, what string) operand {
	x := c.expr(e)
	c.fits(e, x, t, what)
	return x
}

// value checks an expression that must have a value at run time.
func (c *checker) value(e syntax.Expr) operand {
	x := c.expr(e)
	if isBlockType(x.t) || x.t == Void || x.t == matchKind {
		return c.bad(e.Position(), "%s cannot be used as a value", x.t)
	}
	return x
}

func (c *checker) expr1(e syntax.Expr) operand {
	switch e := e.(type) {
	case *syntax.IntLit:
		v, t, large, err := Literal(e.Text)
		if err != nil {
			return c.bad(e.Pos, "%v", err)
		}
		if large {
			c.errs.Warnf(e.Pos, "the value of %s does not fit its width and is cut to %s", e.Text, v)
		}
		return operand{t: t, v: v}
	case *syntax.BoolLit:
		return operand{t: Bool, v: BoolValue(e.Value)}
	case *syntax.StringLit:
		return operand{t: String}
	case *syntax.Name:
		return c.name(e)
	case *syntax.TypeName:
		c.errorf(e.Pos, "a type cannot be used as a value")
	case *syntax.Member:
		return c.member(e)
	case *syntax.Index:
		return c.index(e)
	case *syntax.Slice:
		return c.slice(e)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Cond:
		return c.cond(e)
	case *syntax.Cast:
		return c.cast(e)
	case *syntax.Call:
		return c.call(e)
	case *syntax.ListExpr:
		elems := lists.Map(e.Elems, func(x syntax.Expr) Type { return c.value(x).t })
		return operand{t: NewTuple(elems)}
	case *syntax.RecordExpr:
		r := &record{}
		for i, n := range e.Names {
			for _, m := range r.Names {
				c.errorIf(m == n.Name, n.Pos, "field '%s' has a value already", n.Name)
			}
			r.Names = append(r.Names, n.Name)
			r.Elems = append(r.Elems, c.value(e.Values[i]).t)
		}
		return operand{t: r}
	case *syntax.InvalidExpr:
		return operand{t: NoHeader}
	case *syntax.DefaultExpr:
		return operand{t: Default}
	case *syntax.Mask, *syntax.Range, *syntax.Any:
		c.errorf(e.Position(), "a set cannot be used as a value")
	}
	return bad
}

func (c *checker) name(e *syntax.Name) operand {
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
		return operand{t: o.Type, lv: o.Dir == syntax.Out || o.Dir == syntax.InOut}
	case *InstObj:
		return operand{t: o.Type}
	case *ValueSetObj:
		return operand{t: &Set{Elem: o.Elem}}
	case *matchKindObj:
		return operand{t: matchKind}
	case *typeObj:
		c.errorf(e.Pos, "'%s' is a type, expected a value", e.Name)
	case *TableObj:
		c.errorf(e.Pos, "table '%s' can only be used as %s.apply()", e.Name, e.Name)
	case *ActionObj:
		c.errorf(e.Pos, "action '%s' can only be called", e.Name)
	case *funcSet:
		c.errorf(e.Pos, "function '%s' can only be called", e.Name)
	default:
		c.errorf(e.Pos, "'%s' cannot be used as a value", e.Name)
	}
	return bad
}

// member checks X.Name outside of calls.
func (c *checker) member(e *syntax.Member) operand {
	if t, ok := e.X.(*syntax.TypeName); ok {
		return c.typeMember(e, c.typ(t.Type))
	}
	x := c.expr(e.X)
	switch t := x.t.(type) {
	case *Struct:
		if i := t.FieldIndex(e.Name); i >= 0 {
			return operand{t: t.Fields[i].Type, lv: x.lv}
		}
		c.errorf(e.NamePos.Pos, "%s '%s' has no field '%s'", t.Kind, t, e.Name)
	case *record:
		for i, n := range t.Names {
			if n == e.Name {
				return operand{t: t.Elems[i]}
			}
		}
		c.errorf(e.NamePos.Pos, "%s has no field '%s'", t, e.Name)
	case *Stack:
		return c.stackMember(e, t, x)
	case *Applied:
		switch e.Name {
		case "hit", "miss":
			return operand{t: Bool}
		case "action_run":
			return operand{t: c.actionRun(e.X)}
		}
		c.errorf(e.NamePos.Pos,
			"the result of applying a table has no member '%s': expected hit, miss or action_run", e.Name)
	default:
		c.errorIf(t != Invalid, e.NamePos.Pos, "%s has no member '%s'", x.t, e.Name)
	}
	return bad
}

func (c *checker) stackMember(e *syntax.Member, t *Stack, x operand) operand {
	switch e.Name {
	case "size":
		return operand{t: Unsigned(32), v: big.NewInt(int64(t.Size))}
	case "lastIndex":
		c.errorIf(c.ctx.in != inParser, e.NamePos.Pos, "lastIndex of a header stack can only be used in a parser")
		return operand{t: Unsigned(32)}
	case "next", "last":
		c.errorIf(c.ctx.in != inParser, e.NamePos.Pos, "%s of a header stack can only be used in a parser", e.Name)
		return operand{t: t.Elem, lv: x.lv}
	}
	return c.bad(e.NamePos.Pos,
		"a header stack has no member '%s': expected next, last, lastIndex, size, push_front or pop_front", e.Name)
}

// typeMember checks E.member of an enum or error.
func (c *checker) typeMember(e *syntax.Member, t Type) operand {
	switch t := t.(type) {
	case *Enum:
		i := t.memberIndex(e.Name)
		if i < 0 {
			return c.bad(e.NamePos.Pos, "enum '%s' has no member '%s'", t.Name, e.Name)
		}
		if t.Base != nil {
			return operand{t: t, v: t.Values[i]}
		}
		return operand{t: t, v: big.NewInt(int64(i))}
	case *Basic:
		if t == Error {
			i := c.errorIndex(e.Name)
			if i < 0 {
				return c.bad(e.NamePos.Pos, "error.%s is not declared", e.Name)
			}
			return operand{t: t, v: big.NewInt(int64(i))}
		}
		if t == Invalid {
			return bad
		}
	}
	return c.bad(e.NamePos.Pos, "type %s has no member '%s'", t, e.Name)
}

func (c *checker) actionRun(x syntax.Expr) Type {
	r := &ActionRun{}
	if call, ok := x.(*syntax.Call); ok {
		if info := c.info.Calls[call]; info != nil && info.Table != nil {
			for _, a := range info.Table.Actions {
				r.Actions = append(r.Actions, a.Action.name)
			}
		}
	}
	return r
}

func (c *checker) index(e *syntax.Index) operand {
	x := c.expr(e.X)
	i := c.value(e.I)
	if x.t == Invalid || i.t == Invalid {
		return bad
	}
	if _, ok := Strip(i.t).(*Bit); !ok && i.t != Int {
		return c.bad(e.I.Position(), "the index has type %s, expected a number", i.t)
	}
	switch t := x.t.(type) {
	case *Stack:
		if i.v != nil && (i.v.Sign() < 0 || i.v.Cmp(big.NewInt(int64(t.Size))) >= 0) {
			return c.bad(e.I.Position(), "index %s is outside the header stack of %s", i.v,
				number.Count(t.Size, "element"))
		}
		return operand{t: t.Elem, lv: x.lv}
	case *Tuple:
		if i.v == nil {
			return c.bad(e.I.Position(), "the index of a tuple must be known at compile time")
		}
		if i.v.Sign() < 0 || i.v.Cmp(big.NewInt(int64(len(t.Elems)))) >= 0 {
			return c.bad(e.I.Position(), "index %s is outside the tuple of %s", i.v,
				number.Count(len(t.Elems), "element"))
		}
		return operand{t: t.Elems[i.v.Int64()], lv: x.lv}
	}
	return c.bad(e.Pos, "%s cannot be indexed: expected a header stack or a tuple", x.t)
}

func (c *checker) slice(e *syntax.Slice) operand {
	x := c.value(e.X)
	hi, ok1 := c.constInt(e.Hi, "the upper end of the slice")
	lo, ok2 := c.constInt(e.Lo, "the lower end of the slice")
	if x.t == Invalid || !ok1 || !ok2 {
		return bad
	}
	t, ok := Strip(x.t).(*Bit)
	if !ok {
		if x.t == Int && x.v != nil && 0 <= lo && lo <= hi && hi < MaxWidth {
			return operand{t: Unsigned(hi - lo + 1), v: SliceBits(x.v, hi, lo)}
		}
		return c.bad(e.Pos, "%s cannot be sliced: expected bit<> or int<>", x.t)
	}
	if lo < 0 || hi < lo || hi >= t.Width {
		return c.bad(e.Pos, "slice [%d:%d] is outside %s: expected %d >= high >= low >= 0", hi, lo, x.t, t.Width-1)
	}
	r := operand{t: Unsigned(hi - lo + 1), lv: x.lv}
	if x.v != nil {
		r.v = SliceBits(x.v, hi, lo)
	}
	return r
}

func (c *checker) unary(e *syntax.Unary) operand {
	x := c.value(e.X)
	t := Arithmetic(x.t)
	var ok bool
	switch e.Op {
	case "!":
		t = x.t
		ok = x.t == Bool
	case "~":
		_, ok = t.(*Bit)
	default:
		_, ok = t.(*Bit)
		ok = ok || x.t == Int
	}
	if x.t == Invalid {
		return bad
	}
	if !ok {
		return c.bad(e.Pos, "operator %s cannot be applied to %s", e.Op, x.t)
	}
	r := operand{t: t}
	if x.v != nil {
		r.v = c.folded(e.Pos)(UnaryOp(e.Op, x.v, t))
	}
	return r
}

// folded returns the result of a constant operation, or reports its error.
func (c *checker) folded(at syntax.Pos) func(*big.Int, error) *big.Int {
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
func Arithmetic(t Type) Type {
	if e, ok := t.(*Enum); ok && e.Base != nil {
		return e.Base
	}
	return t
}

// Common returns the type to which both operands of ==, <, ?: and so on are converted, or nil if
// there is none.
func Common(a, b Type) Type {
	switch {
	case Identical(a, b):
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

func (c *checker) binary(e *syntax.Binary) operand {
	x, y := c.value(e.X), c.value(e.Y)
	if x.t == Invalid || y.t == Invalid {
		return bad
	}
	mismatch := func() operand {
		return c.bad(e.Pos, "operator %s cannot be applied to %s and %s%s", e.Op, x.t, y.t, hint(x.t, y.t))
	}
	var r operand
	switch e.Op {
	case "&&", "||":
		if x.t != Bool || y.t != Bool {
			return mismatch()
		}
		r.t = Bool
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
		if _, ok := t.(*Bit); !ok && t != Int {
			if n, isNew := t.(*New); !isNew || !Is[*Bit](Strip(n)) {
				return mismatch()
			}
		}
		return c.compared(e, x, y, t)
	case "<<", ">>":
		return c.shift(e, x, y, mismatch)
	case "++":
		a, ok1 := Arithmetic(x.t).(*Bit)
		b, ok2 := Arithmetic(y.t).(*Bit)
		if !ok1 || !ok2 {
			if x.t == String && y.t == String {
				return operand{t: String}
			}
			return mismatch()
		}
		t := &Bit{Width: a.Width + b.Width, Signed: a.Signed}
		if t.Width > MaxWidth {
			return c.bad(e.Pos, "the result of ++ has %d bits, more than the %d supported", t.Width, MaxWidth)
		}
		r.t = t
		if x.v != nil && y.v != nil {
			r.v = Concat(x.v, y.v, b, t)
		}
		return r
	}
	return c.arith(e, x, y, mismatch)
}

func (c *checker) compared(e *syntax.Binary, x, y operand, t Type) operand {
	c.fits(e.X, x, t, "the left side")
	c.fits(e.Y, y, t, "the right side")
	r := operand{t: Bool}
	if x.v != nil && y.v != nil {
		b, err := Compare(e.Op, convertConst(x.v, t), convertConst(y.v, t))
		if err == nil {
			r.v = BoolValue(b)
		}
	}
	return r
}

// comparable reports whether == is defined on the type.
func comparable(t Type) bool {
	switch x := t.(type) {
	case *Basic:
		return x == Bool || x == Int || x == Error || x == String || x == NoHeader
	case *Bit, *Varbit, *Enum, *Struct, *Stack, *Tuple, *New, *record, *Var:
		return true
	}
	return false
}

func (c *checker) shift(e *syntax.Binary, x, y operand, mismatch func() operand) operand {
	t := Arithmetic(x.t)
	if _, ok := t.(*Bit); !ok && t != Int {
		return mismatch()
	}
	if b, ok := Strip(y.t).(*Bit); ok {
		if b.Signed {
			return c.bad(e.Y.Position(),
				"the shift amount has type %s, expected bit<> or a number that is not negative", y.t)
		}
	} else if y.t != Int {
		return mismatch()
	}
	r := operand{t: t}
	if y.v != nil && y.v.Sign() < 0 {
		return c.bad(e.Y.Position(), "shift by a negative number")
	}
	if x.v != nil && y.v != nil {
		r.v = c.folded(e.Pos)(BinaryOp(e.Op, x.v, y.v, t))
	}
	return r
}

func (c *checker) arith(e *syntax.Binary, x, y operand, mismatch func() operand) operand {
	t := Common(Arithmetic(x.t), Arithmetic(y.t))
	b, isBit := t.(*Bit)
	if saturates := e.Op == "|+|" || e.Op == "|-|"; !isBit && (saturates || t != Int) {
		return mismatch()
	}
	if e.Op == "/" || e.Op == "%" {
		if isBit && b.Signed {
			return c.bad(e.Pos, "operator %s is not defined on %s: expected bit<> or int", e.Op, t)
		}
		for _, o := range []operand{x, y} {
			if o.t == Int && o.v != nil && o.v.Sign() < 0 {
				return c.bad(e.Pos, "operator %s is not defined on negative numbers", e.Op)
			}
		}
		if y.v != nil && y.v.Sign() == 0 {
			return c.bad(e.Y.Position(), "division by zero")
		}
	}
	r := operand{t: t}
	if x.v != nil && y.v != nil {
		r.v = c.folded(e.Pos)(BinaryOp(e.Op, convertConst(x.v, t), convertConst(y.v, t), t))
	}
	return r
}

func (c *checker) cond(e *syntax.Cond) operand {
	k := c.value(e.C)
	x, y := c.value(e.X), c.value(e.Y)
	c.errorIf(k.t != Bool && k.t != Invalid, e.C.Position(), "the condition of ?: has type %s, expected bool", k.t)
	if x.t == Invalid || y.t == Invalid {
		return bad
	}
	t := Common(x.t, y.t)
	if t == nil {
		return c.bad(e.Pos, "the two values of ?: have types %s and %s%s", x.t, y.t, hint(x.t, y.t))
	}
	if t == Int && k.v == nil && !c.static(e.C) {
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

func (c *checker) cast(e *syntax.Cast) operand {
	t := c.typ(e.Type)
	x := c.value(e.X)
	if t == Invalid || x.t == Invalid {
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
	if x.v != nil && (IsScalar(t) || t == Int) {
		r.v = Convert(x.v, t)
	}
	return r
}
