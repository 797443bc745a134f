package types

import (
	"math/big"
	"slices"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp/syntax"
)

// typ resolves a type as written.
func (c *checker) typ(t syntax.Type) Type {
	if r, ok := c.info.Named[t]; ok {
		return r
	}
	r := c.resolve(t)
	if parts(r) > maxParts {
		c.errorf(t.Position(), "the type has more than %d parts", maxParts)
		r = Invalid
	}
	c.info.Named[t] = r
	return r
}

func (c *checker) resolve(t syntax.Type) Type {
	switch t := t.(type) {
	case *syntax.BaseType:
		switch t.Name {
		case "bool":
			return Bool
		case "int":
			return Int
		case "bit":
			return Unsigned(1)
		case "string":
			return String
		case "error":
			return Error
		case "match_kind":
			return matchKind
		case "void":
			return Void
		}
	case *syntax.SizedType:
		return c.sized(t)
	case *syntax.TupleType:
		elems := lists.Map(t.Elems, func(e syntax.Type) Type { return c.declared(e, "an element of the tuple") })
		return NewTuple(elems)
	case *syntax.ListType:
		return c.badType(t.Pos, "unsupported: type list<>")
	case *syntax.StackType:
		return c.stack(t)
	case *syntax.AnyType:
		return &Var{Name: "_"}
	case *syntax.NamedType:
		return c.named(t)
	}
	return c.badType(t.Position(), "unknown type")
}

func (c *checker) sized(t *syntax.SizedType) Type {
	w, ok := c.constInt(t.Width, "the width of "+t.Name+"<>")
	if !ok {
		return Invalid
	}
	switch {
	case w < 0:
		return c.badType(t.Width.Position(), "width %d of %s<> is negative", w, t.Name)
	case w > MaxWidth:
		return c.badType(t.Width.Position(), "width %d of %s<> is more than the %d bits supported", w, t.Name, MaxWidth)
	case w == 0 && t.Name == "int":
		return c.badType(t.Width.Position(), "int<0> does not exist: expected a width of 1 or more")
	}
	if t.Name == "varbit" {
		return &Varbit{Max: w}
	}
	return &Bit{Width: w, Signed: t.Name == "int"}
}

// constInt evaluates an expression that must be a number known at compile time.
func (c *checker) constInt(e syntax.Expr, what string) (int, bool) {
	x := c.expr(e)
	if x.t == Invalid {
		return 0, false
	}
	if x.v == nil {
		c.errorf(e.Position(), "%s is not known at compile time", what)
		return 0, false
	}
	if _, isBit := Strip(Arithmetic(x.t)).(*Bit); !isBit && x.t != Int {
		c.errorf(e.Position(), "%s has type %s, expected a number", what, x.t)
		return 0, false
	}
	if !x.v.IsInt64() || x.v.CmpAbs(big.NewInt(1<<40)) > 0 {
		c.errorf(e.Position(), "%s is too large: %s", what, x.v)
		return 0, false
	}
	return int(x.v.Int64()), true
}

func (c *checker) stack(t *syntax.StackType) Type {
	elem := c.typ(t.Elem)
	n, ok := c.constInt(t.Size, "the size of the header stack")
	if !ok || elem == Invalid {
		return Invalid
	}
	s, isStruct := elem.(*Struct)
	if !isStruct || s.Kind == syntax.KindStruct {
		return c.badType(t.Elem.Position(), "a stack of %s: expected a header or header_union", elem)
	}
	if n < 1 || n > maxParts {
		return c.badType(t.Size.Position(), "a header stack of %d elements: expected 1 to %d", n, maxParts)
	}
	return &Stack{Elem: s, Size: n}
}

func (c *checker) named(t *syntax.NamedType) Type {
	o := c.find(t.Name, t.Global)
	if o == nil {
		c.errs.Undeclared(t.Pos, "type ", t.Name)
		return Invalid
	}
	to, ok := o.(*typeObj)
	if !ok {
		return c.badType(t.Pos, "'%s' is not a type (declared at %s)", t.Name, o.Position())
	}
	args := lists.Map(t.Args, c.typ)
	want, made := generic(to.Type, args)
	if len(args) == 0 {
		return to.Type // the arguments of a generic type are inferred later
	}
	if want != len(args) {
		return c.badType(t.Pos, "type '%s' has %s here, expected %d", t.Name, number.Count(len(args), "type argument"),
			want)
	}
	return made
}

// generic returns the number of type arguments that the type takes. If args has this number of types, it also
// returns the type instantiated with args.
func generic(t Type, args []Type) (want int, made Type) {
	switch x := t.(type) {
	case *Struct:
		if want = len(x.Params); want == len(args) {
			made = x.instantiate(args)
		}
	case *Extern:
		if want = len(x.Params); want == len(args) {
			made = x.instantiate(args)
		}
	case *Block:
		if want = len(x.Vars); want == len(args) {
			made = x.instantiate(args)
		}
	case *Package:
		want = len(x.Vars)
		made = x // the arguments are checked against the blocks by shape
	}
	return want, made
}

// convertConst converts a constant to a type that it is assignable to.
func convertConst(v *big.Int, t Type) *big.Int {
	if v == nil {
		return nil
	}
	if b, ok := Strip(t).(*Bit); ok {
		return b.Wrap(v)
	}
	return v
}

// assignable reports whether a value of type from may be used for type to, possibly after an implicit conversion of
// the specification (section 8.11.2). Such conversions are from int to bit<> and int<>, from a serialisable enum to
// its base, and from lists and records to types that they fit.
func assignable(to, from Type) bool {
	if Identical(to, from) {
		return true
	}
	switch from {
	case Default:
		return true
	case NoHeader:
		return IsHeader(to) || IsUnion(to)
	case Int:
		_, ok := to.(*Bit)
		return ok
	}
	switch f := from.(type) {
	case *Enum:
		return f.Base != nil && Identical(f.Base, to)
	case *Tuple:
		elems, ok := elements(to, len(f.Elems))
		return ok && slices.EqualFunc(elems, f.Elems, assignable)
	case *record:
		s, ok := to.(*Struct)
		if !ok || s.Kind == syntax.KindUnion || len(s.Fields) != len(f.Names) {
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
func castable(to, from Type) (bool, string) {
	if assignable(to, from) {
		return true, ""
	}
	// A type made by "type" converts only to and from its underlying type.
	if n, ok := to.(*New); ok {
		return castable(n.Under, from)
	}
	if n, ok := from.(*New); ok {
		return castable(to, n.Under)
	}
	if e, ok := to.(*Enum); ok && e.Base != nil {
		return castable(e.Base, from)
	}
	if e, ok := from.(*Enum); ok && e.Base != nil {
		return castable(to, e.Base)
	}
	tb, toBit := to.(*Bit)
	fb, fromBit := from.(*Bit)
	switch {
	case toBit && fromBit:
		if tb.Signed != fb.Signed && tb.Width != fb.Width {
			return false, ": change the sign and the width in two casts"
		}
		return true, ""
	case toBit && from == Bool, fromBit && to == Bool:
		w := fb
		if toBit {
			w = tb
		}
		return w.Width == 1 && !w.Signed, ": only bit<1> and bool convert into each other"
	case to == Bool && from == Int:
		return true, ""
	case to == Int && fromBit:
		return true, ""
	}
	return false, ""
}

// hint adds advice to a message about types that do not fit.
func hint(to, from Type) string {
	_, toBit := to.(*Bit)
	_, fromBit := from.(*Bit)
	if toBit && fromBit {
		return "; write a cast"
	}
	return ""
}

// display reports whether the expression is written with braces or is "...". The type of such an
// expression depends on its context.
func display(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.ListExpr, *syntax.RecordExpr, *syntax.InvalidExpr, *syntax.DefaultExpr:
		return true
	}
	return false
}

// fits reports an error unless expression e, checked as x, may be used for type t. If e is written in braces, fits
// records t as its type.
func (c *checker) fits(e syntax.Expr, x operand, t Type, what string) {
	if x.t == Invalid || t == Invalid {
		return
	}
	if _, isVar := t.(*Var); isVar || Is[*record](t) {
		return
	}
	if display(e) && c.displayFits(e, t, what) {
		c.info.Types[e] = t
		return
	}
	if !assignable(t, x.t) && !(x.t == Int && newBits(t)) {
		c.errorf(e.Position(), "%s has type %s, expected %s%s", what, x.t, t, hint(t, x.t))
		return
	}
	b, ok := Strip(t).(*Bit)
	if ok && x.t == Int && x.v != nil && !literalFits(x.v, b) {
		c.errs.Warnf(e.Position(), "the value %s does not fit %s and is cut to %s", x.v, t, b.Wrap(x.v))
	}
}

// newBits reports whether a type is made by "type" from bit<> or int<>. As in p4c, a number without a width may be
// assigned to a variable of such a type and passed for a parameter of it, but not compared with it.
func newBits(t Type) bool {
	n, ok := t.(*New)
	return ok && Is[*Bit](n.Under)
}

// literalFits reports whether a number may be written for the type without a warning.
// Negative numbers may be written for bit<W> ("-1" is all ones).
func literalFits(v *big.Int, t *Bit) bool {
	lo, hi := t.Range()
	if !t.Signed {
		lo = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(max(t.Width-1, 0))))
	}
	return v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0
}

// displayFits checks an expression in braces element by element. It returns false if the type has
// no elements; the caller then reports the mismatch.
func (c *checker) displayFits(e syntax.Expr, t Type, what string) bool {
	switch e := e.(type) {
	case *syntax.DefaultExpr:
		return true
	case *syntax.InvalidExpr:
		return IsHeader(t) || IsUnion(t)
	case *syntax.ListExpr:
		elems, ok := elements(t, len(e.Elems))
		if !ok {
			return false
		}
		if _, isStack := t.(*Stack); len(e.Elems) > len(elems) || len(e.Elems) < len(elems) && !e.Rest && !isStack {
			c.errorf(e.Pos, "%s has %s, expected %d for %s", what, number.Count(len(e.Elems), "element"), len(elems), t)
			return true
		}
		for i, x := range e.Elems {
			c.fits(x, operand{t: c.info.Types[x], v: c.info.Values[x]}, elems[i], "an element of "+what)
		}
		return true
	case *syntax.RecordExpr:
		s, ok := t.(*Struct)
		if !ok || s.Kind == syntax.KindUnion {
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
		c.errorIf(len(e.Names) < len(s.Fields) && !e.Rest, e.Pos,
			"%s gives %d of the %d fields of %s", what, len(e.Names), len(s.Fields), t)
		return true
	}
	return false
}

// elements returns the types of the parts of t that a list of n values fills.
func elements(t Type, n int) ([]Type, bool) {
	switch t := t.(type) {
	case *Stack:
		return slices.Repeat([]Type{t.Elem}, min(n, t.Size)), true
	case *Tuple, *Struct:
		var elems []Type
		for e := range Elements(t) {
			elems = append(elems, e)
		}
		return elems, !IsUnion(t)
	}
	return nil, false
}
