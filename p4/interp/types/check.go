package types

import (
	"math/big"
	"slices"

	"pintlab/p4/interp/syntax"
)

// Info is the result of checking.
type Info struct {
	Types  map[syntax.Expr]Type     // types of every expression
	Values map[syntax.Expr]*big.Int // values of expressions that are constant numbers
	Uses   map[syntax.Expr]Object   // of *syntax.Name, and of *syntax.TypeName in calls
	Calls  map[*syntax.Call]*Call
	Named  map[syntax.Type]Type   // the type that each written type stands for
	Defs   map[syntax.Node]Object // objects of declarations
	Params map[*syntax.Param]*ParamObj
	// Targets maps a transition or select case to the state that follows.
	Targets map[syntax.Node]*StateObj
	// Labels maps a switch label over action_run to the index of the action.
	Labels map[*syntax.SwitchCase]int
	// Compound maps an assignment "x += y" to the expression "x + y".
	Compound map[*syntax.Assign]*syntax.Binary
	// Errors are the members of type error, in order of declaration.
	Errors []string
	// Main is the instance named main, or nil.
	Main *InstObj
	// Shadows are the declarations that hide others; p4c warns of them.
	Shadows []Shadow
}

// Shadow describes a declaration that hides another declaration of the same name.
type Shadow struct {
	Name     string
	Pos, Of  syntax.Pos
	Property bool // a property of a table; only p4c treats it as a declared name
	OfParam  bool // the hidden declaration is a parameter
}

type checker struct {
	info   *Info
	errs   *syntax.List
	global *scope
	scope  *scope
	ctx    context
}

// context is the context of the code being checked.
type context struct {
	in     enclosing
	result Type // result type of the function
	loops  int
}

// enclosing is the declaration that encloses the code being checked.
type enclosing uint8

const (
	atTop enclosing = iota
	inParser
	inControl
	inAction
	inFunction
)

// Check checks a program. Problems go to errs.
func Check(prog *syntax.Program, errs *syntax.List) *Info {
	c := &checker{
		errs:   errs,
		global: &scope{names: map[string]Object{}},
		info: &Info{
			Types:   map[syntax.Expr]Type{},
			Values:  map[syntax.Expr]*big.Int{},
			Uses:    map[syntax.Expr]Object{},
			Calls:   map[*syntax.Call]*Call{},
			Named:   map[syntax.Type]Type{},
			Defs:    map[syntax.Node]Object{},
			Params:  map[*syntax.Param]*ParamObj{},
			Targets: map[syntax.Node]*StateObj{},
			Labels:  map[*syntax.SwitchCase]int{},

			Compound: map[*syntax.Assign]*syntax.Binary{},
		},
	}
	c.scope = c.global
	for _, d := range prog.Decls {
		if errs.Full() {
			break
		}
		c.decl(d)
	}
	if m, ok := c.global.names["main"].(*InstObj); ok {
		c.info.Main = m
	}
	return c.info
}

func (c *checker) errorf(n syntax.Pos, format string, args ...any) {
	c.errs.Errorf(n, format, args...)
}

// errorIf reports an error if the condition holds.
func (c *checker) errorIf(wrong bool, n syntax.Pos, format string, args ...any) {
	if wrong {
		c.errs.Errorf(n, format, args...)
	}
}

// bad reports an error in an expression.
func (c *checker) bad(n syntax.Pos, format string, args ...any) operand {
	c.errs.Errorf(n, format, args...)
	return bad
}

// badType reports an invalid type.
func (c *checker) badType(n syntax.Pos, format string, args ...any) Type {
	c.errs.Errorf(n, format, args...)
	return Invalid
}

// find looks up a name. A name with a leading dot is only looked up in the outermost scope.
func (c *checker) find(name string, global bool) Object {
	if global {
		return c.global.lookup(name)
	}
	return c.scope.lookup(name)
}

func (c *checker) push() { c.scope = &scope{up: c.scope, names: map[string]Object{}} }
func (c *checker) pop()  { c.scope = c.scope.up }

// declare enters a name in the current scope.
func (c *checker) declare(o Object) {
	name := o.Name()
	if old := c.scope.names[name]; old != nil && name != "" {
		c.errorf(o.Position(), "'%s' is already declared at %s", name, old.Position())
		return
	}
	c.shadow(o)
	c.scope.names[name] = o
}

// shadow records that a declaration hides a declaration of an outer scope. A parameter may be hidden only by another
// parameter, or by a declaration of a control outside its actions. p4c uses this rule to keep the copies at the end
// of a call unambiguous.
func (c *checker) shadow(o Object) {
	if c.scope.up == nil {
		return
	}
	of := c.scope.up.lookup(o.Name())
	if of == nil {
		return
	}
	_, param := of.(*ParamObj)
	_, byParam := o.(*ParamObj)
	beside := c.scope.of != nil && c.scope.up.names[o.Name()] == of
	if param && !byParam && !beside {
		c.errorf(o.Position(), "declaration of '%s' shadows a parameter (declared at %s)", o.Name(), of.Position())
		return
	}
	c.info.Shadows = append(c.info.Shadows,
		Shadow{Name: o.Name(), Pos: o.Position(), Of: of.Position(), OfParam: param})
}

// shadowProperty records that a property of a table has the name of a declaration.
func (c *checker) shadowProperty(name string, at syntax.Pos) {
	if of := c.scope.lookup(name); of != nil {
		_, param := of.(*ParamObj)
		c.info.Shadows = append(c.info.Shadows,
			Shadow{Name: name, Pos: at, Of: of.Position(), Property: true, OfParam: param})
	}
}

func (c *checker) decl(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.ConstDecl:
		c.constDecl(d)
	case *syntax.TypedefDecl:
		c.typedef(d)
	case *syntax.Aggregate:
		c.aggregate(d)
	case *syntax.EnumDecl:
		c.enum(d)
	case *syntax.ErrorDecl:
		for _, m := range d.Members {
			if c.errorIndex(m.Name) >= 0 {
				c.errorf(m.Pos, "error.%s is already declared", m.Name)
				continue
			}
			c.info.Errors = append(c.info.Errors, m.Name)
		}
	case *syntax.MatchKindDecl:
		for _, m := range d.Members {
			c.declare(&matchKindObj{obj{m.Name, m.Pos}})
		}
	case *syntax.ExternObject:
		c.externObject(d)
	case *syntax.FuncDecl:
		c.function(d)
	case *syntax.ActionDecl:
		c.action(d)
	case *syntax.TableDecl:
		c.table(d)
	case *syntax.ValueSetDecl:
		c.valueSet(d)
	case *syntax.VarDecl:
		c.varDecl(d)
	case *syntax.BlockDecl:
		c.blockDecl(d)
	case *syntax.PackageDecl:
		c.packageDecl(d)
	case *syntax.Instance:
		c.instance(d)
	}
}

func (c *checker) errorIndex(name string) int { return slices.Index(c.info.Errors, name) }

func (c *checker) constDecl(d *syntax.ConstDecl) {
	t := c.declared(d.Type, "constant '"+d.Name+"'")
	x := c.exprAs(d.Value, t, "the constant '"+d.Name+"'")
	o := &ConstObj{obj: obj{d.Name, d.Pos}, Type: t, Decl: d}
	if x.v != nil {
		o.Value = convertConst(x.v, t)
	} else if x.t != Invalid && x.t != String && !c.static(d.Value) {
		c.errorf(d.Value.Position(), "the value of constant '%s' is not known at compile time", d.Name)
	}
	c.errorIf(t == Void || isBlockType(t), d.Pos, "a constant cannot have type %s", t)
	c.define(d, o)
}

// static reports whether the elaborator may still find a value for the expression, because the expression depends on
// constructor parameters or is composite.
func (c *checker) static(e syntax.Expr) bool {
	known := true
	syntax.Inspect(e, func(n syntax.Node) bool {
		x, ok := n.(syntax.Expr)
		if ok && c.info.Values[x] != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.Name:
			o, param := c.info.Uses[n].(*ParamObj)
			_, constant := c.info.Uses[n].(*ConstObj)
			known = known && (constant || param && o.Ctor)
		case *syntax.Call, *syntax.TypeName, *syntax.Mask, *syntax.Range, *syntax.Any:
			known = false
		}
		return known
	})
	return known
}

func (c *checker) typedef(d *syntax.TypedefDecl) {
	t := c.typ(d.Type)
	if hasDontCare(t) {
		c.errorf(d.Pos, "'_' stands for a type argument that is inferred: it cannot be part of type '%s'", d.Name)
		t = Invalid
	}
	if d.New {
		switch t.(type) {
		case *Bit, *New:
		default:
			c.errorIf(t != Invalid && t != Bool, d.Pos,
				"type '%s' cannot be made from %s: expected bit<>, int<>, bool or another such type", d.Name, t)
		}
		t = &New{Name: d.Name, Under: t}
	}
	c.define(d, &typeObj{obj{d.Name, d.Pos}, t})
}

func (c *checker) aggregate(d *syntax.Aggregate) {
	s := &Struct{Kind: d.Kind, Name: d.Name}
	c.push()
	s.Params = c.typeParams(d.TypeParams)
	for _, f := range d.Fields {
		t := c.declared(f.Type, "field '"+f.Name+"'")
		if s.FieldIndex(f.Name) >= 0 {
			c.errorf(f.Pos, "%s '%s' has a second field '%s'", d.Kind, d.Name, f.Name)
			continue
		}
		if ok, want := fieldAllowed(d.Kind, t); !ok {
			c.errorf(f.Pos, "field '%s' of %s '%s' has type %s, expected %s", f.Name, d.Kind, d.Name, t, want)
			t = Invalid
		}
		s.Fields = append(s.Fields, Field{Name: f.Name, Type: t, Pos: f.Pos, Lists: c.fieldLists(f.Annotations)})
	}
	c.pop()
	if d.Kind == syntax.KindHeader {
		c.oneVarbit(d, s)
	}
	s.seal()
	var t Type = s
	if parts(s) > maxParts {
		c.errorf(d.Pos, "%s '%s' has more than %d parts", d.Kind, d.Name, maxParts)
		t = Invalid
	}
	c.define(d, &typeObj{obj{d.Name, d.Pos}, t})
}

// fieldLists returns the arguments of @field_list annotations: numbers, constants and members
// of enums with values.
func (c *checker) fieldLists(as syntax.Annotations) []int {
	var lists []int
	for _, a := range as {
		if a.Name != "field_list" {
			continue
		}
		c.errorIf(len(a.Args) == 0, a.Pos, "@field_list needs the numbers of field lists, as in @field_list(1, 2)")
		for _, x := range a.Args {
			if n, ok := c.constInt(x, "the number of a field list"); ok {
				lists = append(lists, n)
			}
		}
	}
	return lists
}

// fieldAllowed reports whether a field may have type t, and what is expected (specification 1.2.4, section 7.2.8).
func fieldAllowed(kind string, t Type) (ok bool, want string) {
	if t == Invalid || hasVars(t) {
		return true, ""
	}
	switch kind {
	case syntax.KindUnion:
		return IsHeader(t), "a header"
	case syntax.KindHeader:
		return headerField(t), "bit<>, int<>, varbit<>, bool, a serialisable enum or a struct of these"
	}
	switch x := Strip(t).(type) {
	case *Basic:
		return x == Bool || x == Error || x == String, "a type that has values at run time"
	case *Extern, *Block, *Package, *Set:
		return false, "a type that has values at run time"
	}
	return true, ""
}

func headerField(t Type) bool {
	switch x := Strip(t).(type) {
	case *Bit, *Varbit:
		return true
	case *Basic:
		return x == Bool
	case *Struct:
		if x.Kind != syntax.KindStruct {
			return false
		}
		for _, f := range x.Fields {
			if _, varbit := Strip(f.Type).(*Varbit); varbit || !headerField(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *checker) enum(d *syntax.EnumDecl) {
	e := &Enum{Name: d.Name}
	if d.Base != nil {
		t := c.typ(d.Base)
		if b, ok := t.(*Bit); ok {
			e.Base = b
		} else if t != Invalid {
			c.errorf(d.Pos, "enum '%s' has base type %s, expected bit<> or int<>", d.Name, t)
		}
	}
	c.errorIf(len(d.Members) == 0, d.Pos, "enum '%s' has no members", d.Name)
	for _, m := range d.Members {
		if e.memberIndex(m.Name) >= 0 {
			c.errorf(m.Pos, "enum '%s' has a second member '%s'", d.Name, m.Name)
			continue
		}
		e.Members = append(e.Members, m.Name)
		switch {
		case d.Base != nil && m.Value == nil:
			c.errorf(m.Pos, "member '%s' of serialisable enum '%s' needs a value", m.Name, d.Name)
			e.Values = append(e.Values, new(big.Int))
		case d.Base == nil && m.Value != nil:
			c.errorf(m.Pos, "member '%s' has a value, but enum '%s' has no base type such as bit<8>", m.Name, d.Name)
		case d.Base != nil:
			v := new(big.Int)
			if e.Base != nil {
				x := c.exprAs(m.Value, e.Base, "the value of '"+m.Name+"'")
				if x.v != nil {
					c.errorIf(e.Base.Wrap(x.v).Cmp(x.v) != 0, m.Pos,
						"the value %s of '%s' does not fit %s", x.v, m.Name, e.Base)
					v = convertConst(x.v, e.Base)
				} else if x.t != Invalid {
					c.errorf(m.Pos, "the value of '%s' is not known at compile time", m.Name)
				}
			}
			e.Values = append(e.Values, v)
		}
	}
	c.define(d, &typeObj{obj{d.Name, d.Pos}, e})
}

func (c *checker) typeParams(ids []syntax.Ident) []*Var {
	var vars []*Var
	for _, id := range ids {
		v := &Var{Name: id.Name}
		c.declare(&typeObj{obj{id.Name, id.Pos}, v})
		vars = append(vars, v)
	}
	return vars
}

// paramList resolves parameters without declaring them.
func (c *checker) paramList(list []*syntax.Param, of owner) []Param {
	var out []Param
	seen := map[string]bool{}
	for _, p := range list {
		c.errorIf(seen[p.Name], p.Pos, "a second parameter is named '%s'", p.Name)
		seen[p.Name] = true
		q := Param{Name: p.Name, Dir: p.Dir, Type: c.declared(p.Type, "parameter '"+p.Name+"'"),
			Default: p.Default, Pos: p.Pos,
			Optional: p.Annotations.Find("optional") != nil}
		c.paramFits(q, of)
		if p.Default != nil {
			c.errorIf(p.Dir == syntax.Out || p.Dir == syntax.InOut, p.Pos,
				"%s parameter '%s' cannot have a default value", p.Dir, p.Name)
			c.exprAs(p.Default, q.Type, "the default of parameter '"+p.Name+"'")
		}
		out = append(out, q)
	}
	return out
}

// declareParams enters parameters in the current scope.
func (c *checker) declareParams(list []*syntax.Param, resolved []Param, ctor bool) []*ParamObj {
	var out []*ParamObj
	for i, p := range list {
		o := &ParamObj{obj: obj{p.Name, p.Pos}, Dir: p.Dir, Type: resolved[i].Type, Ctor: ctor}
		c.info.Params[p] = o
		c.declare(o)
		out = append(out, o)
	}
	return out
}

func (c *checker) signature(d *syntax.FuncDecl) *Signature {
	s := &Signature{Name: d.Name, Abstract: d.Abstract, Pos: d.Pos, Result: Void}
	s.Vars = c.typeParams(d.TypeParams)
	if d.Result != nil {
		s.Result = c.typ(d.Result)
	}
	of := ofFunction
	if d.Extern {
		of = ofExtern
	}
	s.Params = c.paramList(d.Params, of)
	return s
}

func (c *checker) function(d *syntax.FuncDecl) {
	f := &FuncObj{obj: obj{d.Name, d.Pos}, Decl: d}
	c.push()
	f.Sig = c.signature(d)
	f.Params = c.declareParams(d.Params, f.Sig.Params, false)
	if !d.Extern && d.Body != nil {
		old := c.ctx
		c.ctx = context{in: inFunction, result: f.Sig.Result}
		returns := c.block(d.Body)
		c.errorIf(!returns && f.Sig.Result != Void, d.Body.End.Pos,
			"function '%s' can end without returning a value of type %s", d.Name, f.Sig.Result)
		c.ctx = old
	}
	c.pop()
	c.info.Defs[d] = f
	c.declareFunc(f)
}

func (c *checker) declareFunc(f *FuncObj) {
	switch old := c.scope.names[f.name].(type) {
	case nil:
		c.scope.names[f.name] = &funcSet{obj: f.obj, Funcs: []*FuncObj{f}}
	case *funcSet:
		for _, g := range old.Funcs {
			if sameParamNames(g.Sig, f.Sig) {
				c.errorf(f.pos, "function '%s' with these parameters is already declared at %s", f.name, g.pos)
				return
			}
		}
		old.Funcs = append(old.Funcs, f)
	default:
		c.declare(f)
	}
}

// sameParamNames reports whether calls could not distinguish the two signatures.
func sameParamNames(a, b *Signature) bool {
	return slices.EqualFunc(a.Params, b.Params, func(p, q Param) bool { return p.Name == q.Name })
}

// define adds an object to the current scope. It reports a second object of the same name.
func (c *checker) define(d syntax.Node, o Object) {
	c.info.Defs[d] = o
	c.declare(o)
}

func (c *checker) externObject(d *syntax.ExternObject) {
	e := &Extern{Name: d.Name}
	o := &typeObj{obj{d.Name, d.Pos}, e}
	c.define(d, o) // methods may mention the type
	c.push()
	e.Params = c.typeParams(d.TypeParams)
	for _, f := range d.Ctors {
		c.push()
		e.Ctors = c.overload(e.Ctors, c.signature(f), f)
		c.pop()
	}
	for _, f := range d.Methods {
		c.push()
		e.Methods = c.overload(e.Methods, c.signature(f), f)
		c.pop()
	}
	c.pop()
}

func (c *checker) packageDecl(d *syntax.PackageDecl) {
	p := &Package{Name: d.Name}
	c.push()
	p.Vars = c.typeParams(d.TypeParams)
	p.Params = c.paramList(d.Params, ofPackage)
	c.pop()
	c.define(d, &typeObj{obj{d.Name, d.Pos}, p})
}

func (c *checker) instance(d *syntax.Instance) {
	o := &InstObj{obj: obj{d.Name, d.Pos}, Decl: d, Type: c.typ(d.Type)}
	c.errorIf(d.HasBody, d.Pos, "unsupported: a body for instance '%s' (abstract extern methods)", d.Name)
	if e, ok := o.Type.(*Extern); ok && !d.HasBody {
		for _, m := range e.Methods {
			c.errorIf(m.Abstract, d.Pos,
				"instance '%s' does not implement the abstract method '%s' of %s", d.Name, m.Name, e.Name)
		}
	}
	c.instanceAllowed(d, o.Type)
	o.Ctor = c.construct(d.Pos, o.Type, d.Args)
	if o.Ctor != nil {
		o.Type = o.Ctor.Type
	} else {
		o.Type = Invalid
	}
	c.define(d, o)
}

func isBlockType(t Type) bool {
	switch t.(type) {
	case *Block, *Package, *Extern:
		return true
	}
	return false
}
