package types

import (
	"slices"

	"pintlab/p4/interp/syntax"
)

// declared resolves the type of a variable, field, constant or parameter. The type must be
// complete: without '_', and with type arguments for every generic type (specification,
// section 7.2.10).
func (c *checker) declared(t syntax.Type, what string) Type {
	r := c.typ(t)
	switch {
	case hasDontCare(r):
		c.errorf(t.Position(), "the type of %s has '_', which only stands for a type argument that is inferred", what)
	case bare(r):
		c.errorf(t.Position(), "the type of %s needs type arguments: %s<...>", what, r)
	case r == Void:
		c.errorf(t.Position(), "%s cannot have type void", what)
	default:
		return r
	}
	return Invalid
}

func hasDontCare(t Type) bool {
	switch x := t.(type) {
	case *Var:
		return x.Name == "_"
	case *Tuple:
		return slices.ContainsFunc(x.Elems, hasDontCare)
	case *Struct:
		return slices.ContainsFunc(x.Args, hasDontCare)
	case *Extern:
		return slices.ContainsFunc(x.Args, hasDontCare)
	case *Stack:
		return hasDontCare(x.Elem)
	}
	return false
}

// bare reports whether the type is generic and has no arguments.
func bare(t Type) bool {
	switch x := t.(type) {
	case *Struct:
		return len(x.Params) > 0 && len(x.Args) == 0
	case *Extern:
		return len(x.Params) > 0 && len(x.Args) == 0
	case *Stack:
		return bare(x.Elem)
	}
	return false
}

// owner is a kind of declaration with parameters.
type owner uint8

const (
	ofFunction owner = iota
	ofAction
	ofExtern  // extern functions, methods and constructors
	ofBlock   // the parameters of apply
	ofPackage // packages, and constructors of parsers and controls
)

// paramFits checks a parameter against the rules of its owner (specification, sections 6.8 and
// 7.2.12). Constructor parameters have no direction, because their arguments are known at compile
// time. Parameters for extern objects have no direction either. Only constructors take parsers,
// controls and packages. Types without values at run time cannot be out or inout.
func (c *checker) paramFits(p Param, of owner) {
	switch {
	case of == ofPackage && p.Dir != syntax.None:
		c.errorf(p.Pos, "parameter '%s' of a constructor has direction %s: expected none", p.Name, p.Dir)
	case isBlockType(p.Type) && p.Dir != syntax.None:
		c.errorf(p.Pos, "parameter '%s' has type %s and direction %s: expected none", p.Name, p.Type, p.Dir)
	case of != ofPackage && of != ofExtern && (Is[*Block](p.Type) || Is[*Package](p.Type)):
		c.errorf(p.Pos, "parameter '%s' has type %s, which only a constructor can take", p.Name, p.Type)
	case (p.Dir == syntax.Out || p.Dir == syntax.InOut) && (p.Type == Int || p.Type == String || p.Type == matchKind):
		c.errorf(p.Pos, "%s parameter '%s' has type %s, which has no values at run time", p.Dir, p.Name, p.Type)
	case p.Optional && (of == ofFunction || of == ofAction):
		c.errorf(p.Pos,
			"parameter '%s' is @optional: only parameters of externs, packages, parsers and controls can be", p.Name)
	}
}

// argsKnown checks that the arguments of parameters without direction are known at compile time. Functions and
// externs require this (specification, section 6.8).
func (c *checker) argsKnown(info *Call, what string) {
	for i, p := range info.Sig.Params {
		a := info.Args[i]
		if p.Dir != syntax.None || a == nil {
			continue
		}
		x := c.info.Types[a]
		if x == Invalid || isBlockType(x) || c.static(a) {
			continue
		}
		if n, ok := a.(*syntax.Name); ok && c.ctx.in == inFunction {
			if o, ok := c.info.Uses[n].(*ParamObj); ok && o.Dir == syntax.None {
				continue // known where the function is called
			}
		}
		c.errorf(a.Position(), "argument '%s' of %s is not known at compile time: the parameter has no direction",
			p.Name, what)
	}
}

// oneVarbit checks that a header has at most one field of variable size, because extract has only one size argument.
func (c *checker) oneVarbit(d *syntax.Aggregate, s *Struct) {
	first := ""
	for _, f := range s.Fields {
		if _, ok := Strip(f.Type).(*Varbit); !ok {
			continue
		}
		c.errorIf(first != "", f.Pos, "header '%s' has a second varbit field '%s' after '%s'", d.Name, f.Name, first)
		first = f.Name
	}
}

// overload adds a method or constructor. Overloads must differ in the number or the names of their
// parameters (specification, section 7.2.10.2).
func (c *checker) overload(list []*Signature, s *Signature, d *syntax.FuncDecl) []*Signature {
	for _, other := range list {
		c.errorIf(other.Name == s.Name && sameParamNames(other, s), d.Pos,
			"'%s' with these parameters is already declared at %s", s.Name, other.Pos)
	}
	return append(list, s)
}

// instanceAllowed checks where types may be instantiated. A parser must not contain an instance of a control, nor a
// control an instance of a parser. A package is made at the top level, where parsers and controls cannot be made
// (specification, chapters 13, 14 and 16, and section 11.3.2).
func (c *checker) instanceAllowed(d *syntax.Instance, t Type) {
	c.nameFits(d.Annotations)
	switch x := t.(type) {
	case *Block:
		c.errorIf(c.ctx.in == atTop, d.Pos,
			"%s '%s' cannot be instantiated at the top level, only as an argument of a package, or inside another %s",
			x.Kind, x.Name, x.Kind)
		if c.ctx.in == inControl && x.Kind == "parser" || c.ctx.in == inParser && x.Kind == "control" {
			c.errorf(d.Pos, "%s '%s' cannot be instantiated here: a parser has only parsers inside, "+
				"a control only controls", x.Kind, x.Name)
		}
	case *Package:
		c.errorIf(c.ctx.in != atTop, d.Pos, "package '%s' can only be instantiated at the top level", x.Name)
	}
}

// nameFits checks the annotation @name, which has one string.
func (c *checker) nameFits(as syntax.Annotations) {
	if a := as.Find("name"); a != nil {
		if _, ok := as.StringArg("name"); !ok {
			c.errorf(a.Pos, "@name needs one string, as in @name(\"x\")")
		}
	}
}
