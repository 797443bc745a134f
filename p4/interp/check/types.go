package check

import (
	"math/big"
	"slices"

	"pintlab/internal/lists"
	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/constant"
	"pintlab/p4/interp/types"
)

// typ resolves a type as written.
func (c *checker) typ(t ast.Type) types.Type {
	if r, ok := c.info.Named[t]; ok {
		return r
	}
	r := c.resolve(t)
	if types.Parts(r) > types.MaxParts {
		c.errorf(t.Position(), "the type has more than %d parts", types.MaxParts)
		r = types.Invalid
	}
	c.info.Named[t] = r
	return r
}

func (c *checker) resolve(t ast.Type) types.Type {
	switch t := t.(type) {
	case *ast.BaseType:
		switch t.Name {
		case "bool":
			return types.Bool
		case "int":
			return types.Int
		case "bit":
			return types.Unsigned(1)
		case "string":
			return types.String
		case "error":
			return types.Error
		case "match_kind":
			return types.MatchKind
		case "void":
			return types.Void
		}
	case *ast.SizedType:
		return c.sized(t)
	case *ast.TupleType:
		elems := lists.Map(t.Elems, func(e ast.Type) types.Type { return c.declared(e, "an element of the tuple") })
		return types.NewTuple(elems)
	case *ast.ListType:
		return c.badType(t.Pos, "unsupported: type list<>")
	case *ast.StackType:
		return c.stack(t)
	case *ast.AnyType:
		return &types.Var{Name: "_"}
	case *ast.NamedType:
		return c.named(t)
	}
	return c.badType(t.Position(), "unknown type")
}

func (c *checker) sized(t *ast.SizedType) types.Type {
	w, ok := c.constInt(t.Width, "the width of "+t.Name+"<>")
	if !ok {
		return types.Invalid
	}
	switch {
	case w < 0:
		return c.badType(t.Width.Position(), "width %d of %s<> is negative", w, t.Name)
	case w > types.MaxWidth:
		return c.badType(t.Width.Position(), "width %d of %s<> is more than the %d bits supported", w, t.Name, types.MaxWidth)
	case w == 0 && t.Name == "int":
		return c.badType(t.Width.Position(), "int<0> does not exist: expected a width of 1 or more")
	}
	if t.Name == "varbit" {
		return &types.Varbit{Max: w}
	}
	return &types.Bit{Width: w, Signed: t.Name == "int"}
}

// constInt evaluates an expression that must be a number known at compile time.
func (c *checker) constInt(e ast.Expr, what string) (int, bool) {
	x := c.expr(e)
	if x.t == types.Invalid {
		return 0, false
	}
	if x.v == nil {
		c.errorf(e.Position(), "%s is not known at compile time", what)
		return 0, false
	}
	if _, isBit := types.Strip(Arithmetic(x.t)).(*types.Bit); !isBit && x.t != types.Int {
		c.errorf(e.Position(), "%s has type %s, expected a number", what, x.t)
		return 0, false
	}
	if !x.v.IsInt64() || x.v.CmpAbs(big.NewInt(1<<40)) > 0 {
		c.errorf(e.Position(), "%s is too large: %s", what, x.v)
		return 0, false
	}
	return int(x.v.Int64()), true
}

func (c *checker) stack(t *ast.StackType) types.Type {
	elem := c.typ(t.Elem)
	n, ok := c.constInt(t.Size, "the size of the header stack")
	if !ok || elem == types.Invalid {
		return types.Invalid
	}
	s, isStruct := elem.(*types.Struct)
	if !isStruct || s.Kind == ast.KindStruct {
		return c.badType(t.Elem.Position(), "a stack of %s: expected a header or header_union", elem)
	}
	if n < 1 || n > types.MaxParts {
		return c.badType(t.Size.Position(), "a header stack of %d elements: expected 1 to %d", n, types.MaxParts)
	}
	return &types.Stack{Elem: s, Size: n}
}

func (c *checker) named(t *ast.NamedType) types.Type {
	o := c.find(t.Name, t.Global)
	if o == nil {
		c.errs.Undeclared(t.Pos, "type ", t.Name)
		return types.Invalid
	}
	to, ok := o.(*TypeObj)
	if !ok {
		return c.badType(t.Pos, "'%s' is not a type (declared at %s)", t.Name, o.Position())
	}
	args := lists.Map(t.Args, c.typ)
	want, made := generic(to.Type, args)
	if len(args) == 0 {
		return to.Type // the arguments of a generic type are inferred later
	}
	if want != len(args) {
		return c.badType(t.Pos, "type '%s' has %d type arguments here, expected %d", t.Name, len(args), want)
	}
	return made
}

// generic returns the number of type arguments that the type takes, and the type instantiated with
// args if that is their number.
func generic(t types.Type, args []types.Type) (want int, made types.Type) {
	switch x := t.(type) {
	case *types.Struct:
		if want = len(x.Params); want == len(args) {
			made = x.Instantiate(args)
		}
	case *types.Extern:
		if want = len(x.Params); want == len(args) {
			made = x.Instantiate(args)
		}
	case *types.Block:
		if want = len(x.Vars); want == len(args) {
			made = x.Instantiate(args)
		}
	case *types.Package:
		want = len(x.Vars)
		made = x // the arguments are checked against the blocks by shape
	}
	return want, made
}

// convertConst converts a constant to a type that it is assignable to.
func convertConst(v *big.Int, t types.Type) *big.Int {
	if v == nil {
		return nil
	}
	if b, ok := types.Strip(t).(*types.Bit); ok {
		return constant.Wrap(v, b)
	}
	return v
}

// assignable reports whether a value of type from may be used for type to, with the implicit
// conversions of the specification (section 8.11.2): int to bit<> and int<>, a serialisable enum to
// its base, lists and records to types that they fit.
func assignable(to, from types.Type) bool {
	if types.Identical(to, from) {
		return true
	}
	switch from {
	case types.Default:
		return true
	case types.NoHeader:
		return types.IsHeader(to) || types.IsUnion(to)
	case types.Int:
		_, ok := to.(*types.Bit)
		return ok
	}
	switch f := from.(type) {
	case *types.Enum:
		return f.Base != nil && types.Identical(f.Base, to)
	case *types.Tuple:
		elems, ok := elements(to, len(f.Elems))
		return ok && slices.EqualFunc(elems, f.Elems, assignable)
	case *types.Record:
		s, ok := to.(*types.Struct)
		if !ok || s.Kind == ast.KindUnion || len(s.Fields) != len(f.Names) {
			return false
		}
		for i, n := range f.Names {
			k := s.FieldIndex(n)
			if k < 0 || !assignable(s.Fields[k].Type, f.Elems[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// castable reports whether an explicit cast is allowed (section 8.11.1).
func castable(to, from types.Type) (bool, string) {
	if assignable(to, from) {
		return true, ""
	}
	// A type made by "type" converts only to and from its underlying type.
	if n, ok := to.(*types.New); ok {
		return castable(n.Under, from)
	}
	if n, ok := from.(*types.New); ok {
		return castable(to, n.Under)
	}
	if e, ok := to.(*types.Enum); ok && e.Base != nil {
		return castable(e.Base, from)
	}
	if e, ok := from.(*types.Enum); ok && e.Base != nil {
		return castable(to, e.Base)
	}
	tb, toBit := to.(*types.Bit)
	fb, fromBit := from.(*types.Bit)
	switch {
	case toBit && fromBit:
		if tb.Signed != fb.Signed && tb.Width != fb.Width {
			return false, ": change the sign and the width in two casts"
		}
		return true, ""
	case toBit && from == types.Bool, fromBit && to == types.Bool:
		w := fb
		if toBit {
			w = tb
		}
		return w.Width == 1 && !w.Signed, ": only bit<1> and bool convert into each other"
	case to == types.Bool && from == types.Int:
		return true, ""
	case to == types.Int && fromBit:
		return true, ""
	}
	return false, ""
}

// hint adds advice to a message about types that do not fit.
func hint(to, from types.Type) string {
	_, toBit := to.(*types.Bit)
	_, fromBit := from.(*types.Bit)
	if toBit && fromBit {
		return "; write a cast"
	}
	return ""
}

// display reports whether the expression is written with braces or is "...". The type of such an
// expression depends on its context.
func display(e ast.Expr) bool {
	switch e.(type) {
	case *ast.ListExpr, *ast.RecordExpr, *ast.InvalidExpr, *ast.DefaultExpr:
		return true
	}
	return false
}

// fits reports an error unless expression e, checked as x, may be used for type t. It records t as
// the type of an expression in braces.
func (c *checker) fits(e ast.Expr, x operand, t types.Type, what string) {
	if x.t == types.Invalid || t == types.Invalid {
		return
	}
	if _, isVar := t.(*types.Var); isVar || types.Is[*types.Record](t) {
		return
	}
	if display(e) && c.displayFits(e, t, what) {
		c.info.Types[e] = t
		return
	}
	if !assignable(t, x.t) && !(x.t == types.Int && newBits(t)) {
		c.errorf(e.Position(), "%s has type %s, expected %s%s", what, x.t, t, hint(t, x.t))
		return
	}
	b, ok := types.Strip(t).(*types.Bit)
	if ok && x.t == types.Int && x.v != nil && !literalFits(x.v, b) {
		c.errs.Warnf(e.Position(), "the value %s does not fit %s and is cut to %s", x.v, t, constant.Wrap(x.v, b))
	}
}

// newBits reports whether a type is made by "type" from bit<> or int<>. A number without a width may be assigned
// to such a type and passed for it, as in p4c, but not compared with it.
func newBits(t types.Type) bool {
	n, ok := t.(*types.New)
	return ok && types.Is[*types.Bit](n.Under)
}

// literalFits reports whether a number may be written for the type without a warning.
// Negative numbers may be written for bit<W> ("-1" is all ones).
func literalFits(v *big.Int, t *types.Bit) bool {
	lo, hi := constant.Range(t)
	if !t.Signed {
		lo = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(max(t.Width-1, 0))))
	}
	return v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0
}

// displayFits checks an expression in braces element by element. It returns false if the type has
// no elements; the caller then reports the mismatch.
func (c *checker) displayFits(e ast.Expr, t types.Type, what string) bool {
	switch e := e.(type) {
	case *ast.DefaultExpr:
		return true
	case *ast.InvalidExpr:
		return types.IsHeader(t) || types.IsUnion(t)
	case *ast.ListExpr:
		elems, ok := elements(t, len(e.Elems))
		if !ok {
			return false
		}
		if _, isStack := t.(*types.Stack); len(e.Elems) > len(elems) || len(e.Elems) < len(elems) && !e.Rest && !isStack {
			c.errorf(e.Pos, "%s has %d elements, expected %d for %s", what, len(e.Elems), len(elems), t)
			return true
		}
		for i, x := range e.Elems {
			c.fits(x, operand{t: c.info.Types[x], v: c.info.Values[x]}, elems[i], "an element of "+what)
		}
		return true
	case *ast.RecordExpr:
		s, ok := t.(*types.Struct)
		if !ok || s.Kind == ast.KindUnion {
			return false
		}
		for i, n := range e.Names {
			k := s.FieldIndex(n.Name)
			if k < 0 {
				c.errorf(n.Pos, "%s '%s' has no field '%s'", s.Kind, s, n.Name)
				continue
			}
			x := e.Values[i]
			c.fits(x, operand{t: c.info.Types[x], v: c.info.Values[x]}, s.Fields[k].Type, "field '"+n.Name+"'")
		}
		c.errorIf(len(e.Names) < len(s.Fields) && !e.Rest, e.Pos, "%s gives %d of the %d fields of %s", what, len(e.Names), len(s.Fields), t)
		return true
	}
	return false
}

// elements returns the types of the parts of t that a list of n values fills.
func elements(t types.Type, n int) ([]types.Type, bool) {
	switch t := t.(type) {
	case *types.Stack:
		return slices.Repeat([]types.Type{t.Elem}, min(n, t.Size)), true
	case *types.Tuple, *types.Struct:
		var elems []types.Type
		for e := range types.Elements(t) {
			elems = append(elems, e)
		}
		return elems, !types.IsUnion(t)
	}
	return nil, false
}
