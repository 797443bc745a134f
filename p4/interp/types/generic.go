package types

import (
	"slices"

	"pintlab/internal/lists"
)

// Bindings maps type parameters to types.
type Bindings map[*Var]Type

// bind pairs parameters with arguments.
func bind(vars []*Var, args []Type) Bindings {
	b := make(Bindings, len(vars))
	for i, v := range vars {
		if i < len(args) {
			b[v] = args[i]
		}
	}
	return b
}

// Subst replaces type parameters in a type.
func Subst(t Type, b Bindings) Type {
	if len(b) == 0 || t == nil {
		return t
	}
	switch x := t.(type) {
	case *Var:
		if r, ok := b[x]; ok {
			return r
		}
	case *Tuple:
		return NewTuple(substAll(x.Elems, b))
	case *Set:
		return &Set{Subst(x.Elem, b)}
	case *Stack:
		if s, ok := Subst(x.Elem, b).(*Struct); ok {
			return &Stack{s, x.Size}
		}
	case *Struct:
		if x.Origin != nil {
			return x.Origin.instantiate(substAll(x.Args, b))
		}
	case *Extern:
		if x.Origin != nil {
			return x.Origin.instantiate(substAll(x.Args, b))
		}
	case *Block:
		if x.Origin != nil {
			return x.Origin.instantiate(substAll(x.Args, b))
		}
	}
	return t
}

func substAll(ts []Type, b Bindings) []Type {
	return lists.Map(ts, func(t Type) Type { return Subst(t, b) })
}

// substParams replaces type parameters in parameters.
func substParams(ps []Param, b Bindings) []Param {
	return lists.Map(ps, func(p Param) Param {
		p.Type = Subst(p.Type, b)
		return p
	})
}

// subst replaces type parameters in a signature.
func (s *Signature) subst(b Bindings) *Signature {
	if len(b) == 0 {
		return s
	}
	c := *s
	c.Params = substParams(s.Params, b)
	c.Result = Subst(s.Result, b)
	return &c
}

// instantiate makes a concrete struct from a generic one.
func (t *Struct) instantiate(args []Type) *Struct {
	b := bind(t.Params, args)
	s := &Struct{Kind: t.Kind, Name: t.Name, Origin: t, Args: args}
	for _, f := range t.Fields {
		f.Type = Subst(f.Type, b)
		s.Fields = append(s.Fields, f)
	}
	s.seal()
	return s
}

// instantiate makes a concrete extern from a generic one.
func (t *Extern) instantiate(args []Type) *Extern {
	b := bind(t.Params, args)
	e := &Extern{Name: t.Name, Origin: t, Args: args}
	for _, c := range t.Ctors {
		e.Ctors = append(e.Ctors, c.subst(b))
	}
	for _, m := range t.Methods {
		e.Methods = append(e.Methods, m.subst(b))
	}
	return e
}

// instantiate makes a concrete parser or control type from a generic one.
func (t *Block) instantiate(args []Type) *Block {
	b := bind(t.Vars, args)
	return &Block{Kind: t.Kind, Name: t.Name, Params: substParams(t.Params, b), Ctor: substParams(t.Ctor, b),
		Decl: t.Decl, Origin: t, Args: args}
}

// hasVars reports whether a type parameter occurs in the type.
func hasVars(t Type) bool {
	any := func(ts []Type) bool { return slices.ContainsFunc(ts, hasVars) }
	switch x := t.(type) {
	case *Var:
		return true
	case *Tuple:
		return any(x.Elems)
	case *record:
		return any(x.Elems)
	case *Set:
		return hasVars(x.Elem)
	case *Stack:
		return hasVars(x.Elem)
	case *Struct:
		return any(x.Args)
	case *Extern:
		return any(x.Args)
	case *Block:
		return any(x.Args)
	}
	return false
}

// infer matches the type of a parameter with the type of an argument, and records in b the types of the type
// parameters that are among vars. If a type parameter was first matched with an integer literal, it takes the width
// of a later argument. infer returns false if the types cannot agree.
func infer(param, arg Type, vars []*Var, b Bindings) bool {
	if arg == Invalid || arg == Default {
		return true
	}
	switch p := param.(type) {
	case *Var:
		for _, v := range vars {
			if v == p {
				return bindVar(p, arg, b)
			}
		}
	case *Tuple:
		if a, ok := arg.(*Tuple); ok && len(a.Elems) == len(p.Elems) {
			return inferAll(p.Elems, a.Elems, vars, b)
		}
	case *Set:
		if a, ok := arg.(*Set); ok {
			return infer(p.Elem, a.Elem, vars, b)
		}
		return infer(p.Elem, arg, vars, b)
	case *Stack:
		if a, ok := arg.(*Stack); ok && a.Size == p.Size {
			return infer(p.Elem, a.Elem, vars, b)
		}
	case *Struct:
		if a, ok := arg.(*Struct); ok && p.Origin != nil && p.Origin == a.Origin {
			return inferAll(p.Args, a.Args, vars, b)
		}
	case *Extern:
		if a, ok := arg.(*Extern); ok && p.Origin != nil && p.Origin == a.Origin {
			return inferAll(p.Args, a.Args, vars, b)
		}
	case *Block:
		if a, ok := arg.(*Block); ok && a.Kind == p.Kind {
			return inferBlock(p, a, vars, b)
		}
		return false
	}
	return true // whether the types fit is decided after substitution
}

func inferAll(ps, as []Type, vars []*Var, b Bindings) bool {
	return slices.EqualFunc(ps, as, func(p, a Type) bool { return infer(p, a, vars, b) })
}

func inferBlock(p, a *Block, vars []*Var, b Bindings) bool {
	return slices.EqualFunc(p.Params, a.Params, func(x, y Param) bool {
		return x.Dir == y.Dir && infer(x.Type, y.Type, vars, b)
	})
}

func bindVar(v *Var, arg Type, b Bindings) bool {
	old, ok := b[v]
	switch {
	case !ok, old == Int:
		if _, isBit := Strip(arg).(*Bit); ok && !isBit && arg != Int {
			return false
		}
		b[v] = arg
		return true
	case arg == Int:
		_, isBit := Strip(old).(*Bit)
		return isBit
	}
	if literal(arg) && !literal(old) {
		return true // { ... } gets the type of the other argument
	}
	if literal(old) && !literal(arg) {
		b[v] = arg
		return true
	}
	return Identical(old, arg)
}

// literal reports whether the type belongs to a { ... } expression, or to a tuple that contains
// integer literals.
func literal(t Type) bool {
	switch x := t.(type) {
	case *record:
		return true
	case *Tuple:
		return slices.ContainsFunc(x.Elems, func(e Type) bool { return e == Int || literal(e) })
	}
	return false
}

// sameShape reports whether two parsers or controls, or types of them, have the same parameters.
func sameShape(want, have *Block) bool {
	return want.Kind == have.Kind &&
		slices.EqualFunc(want.Params, have.Params, func(x, y Param) bool {
			return x.Dir == y.Dir && Identical(x.Type, y.Type)
		})
}
