// Package check resolves names and checks types (P4_16 specification 1.2.4, chapters 6
// to 16). It does not change the tree; it returns its results in an Info.
//
// Some checks are left to the elaborator, which sees each instance with the values of its
// constructor parameters. There an int expression must have a value known at compile time.
package check

import (
	"math/big"
	"slices"

	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/constant"
	"pintlab/p4/interp/source"
	"pintlab/p4/interp/types"
)

// Info is the result of checking.
type Info struct {
	Types  map[ast.Expr]types.Type // of every expression
	Values map[ast.Expr]*big.Int   // of expressions that are constant numbers
	Uses   map[ast.Expr]Object     // of *ast.Name, and of *ast.TypeName in calls
	Calls  map[*ast.Call]*Call
	Named  map[ast.Type]types.Type // of types as written
	Defs   map[ast.Node]Object     // of declarations
	Params map[*ast.Param]*ParamObj
	// Targets holds the state that a transition or select case goes to.
	Targets map[ast.Node]*StateObj
	// Labels holds the action index of a switch label over action_run.
	Labels map[*ast.SwitchCase]int
	// Compound holds "x + y" for the assignment "x += y".
	Compound map[*ast.Assign]*ast.Binary
	// Errors are the members of type error, in order of declaration.
	Errors []string
	// Main is the instance named main, or nil.
	Main *InstObj
	// Shadows are the declarations that hide others; p4c warns of them.
	Shadows []Shadow
}

// Shadow is a declaration that hides another one of the same name.
type Shadow struct {
	Name     string
	Pos, Of  source.Pos
	Property bool // a property of a table, which only p4c takes for a name
	OfParam  bool // the hidden one is a parameter
}

type checker struct {
	info   *Info
	errs   *source.List
	global *scope
	scope  *scope
	ctx    context
}

// context is the context of the code being checked.
type context struct {
	place  place
	result types.Type // of the function
	loops  int
}

type place uint8

const (
	atTop place = iota
	inParser
	inControl
	inAction
	inFunction
)

// Check checks a program. Problems go to errs.
func Check(prog *ast.Program, errs *source.List) *Info {
	c := &checker{
		errs:   errs,
		global: &scope{names: map[string]Object{}},
		info: &Info{
			Types:   map[ast.Expr]types.Type{},
			Values:  map[ast.Expr]*big.Int{},
			Uses:    map[ast.Expr]Object{},
			Calls:   map[*ast.Call]*Call{},
			Named:   map[ast.Type]types.Type{},
			Defs:    map[ast.Node]Object{},
			Params:  map[*ast.Param]*ParamObj{},
			Targets: map[ast.Node]*StateObj{},
			Labels:  map[*ast.SwitchCase]int{},

			Compound: map[*ast.Assign]*ast.Binary{},
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

func (c *checker) errorf(n source.Pos, format string, args ...any) {
	c.errs.Errorf(n, format, args...)
}

// errorIf reports an error if the condition holds.
func (c *checker) errorIf(wrong bool, n source.Pos, format string, args ...any) {
	if wrong {
		c.errs.Errorf(n, format, args...)
	}
}

// bad reports an error in an expression.
func (c *checker) bad(n source.Pos, format string, args ...any) operand {
	c.errs.Errorf(n, format, args...)
	return bad
}

// badType reports an invalid type.
func (c *checker) badType(n source.Pos, format string, args ...any) types.Type {
	c.errs.Errorf(n, format, args...)
	return types.Invalid
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

// shadow records that a declaration hides one of an outer scope. Only another parameter, or a
// declaration of a control outside its actions, may hide a parameter: p4c uses this rule to keep
// the copies at the end of a call unambiguous.
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
	c.info.Shadows = append(c.info.Shadows, Shadow{Name: o.Name(), Pos: o.Position(), Of: of.Position(), OfParam: param})
}

// shadowProperty records that a property of a table has the name of a declaration.
func (c *checker) shadowProperty(name string, at source.Pos) {
	if of := c.scope.lookup(name); of != nil {
		_, param := of.(*ParamObj)
		c.info.Shadows = append(c.info.Shadows, Shadow{Name: name, Pos: at, Of: of.Position(), Property: true, OfParam: param})
	}
}

func (c *checker) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.ConstDecl:
		c.constDecl(d)
	case *ast.TypedefDecl:
		c.typedef(d)
	case *ast.Aggregate:
		c.aggregate(d)
	case *ast.EnumDecl:
		c.enum(d)
	case *ast.ErrorDecl:
		for _, m := range d.Members {
			if c.errorIndex(m.Name) >= 0 {
				c.errorf(m.Pos, "error.%s is already declared", m.Name)
				continue
			}
			c.info.Errors = append(c.info.Errors, m.Name)
		}
	case *ast.MatchKindDecl:
		for _, m := range d.Members {
			c.declare(&MatchKindObj{obj{m.Name, m.Pos}})
		}
	case *ast.ExternObject:
		c.externObject(d)
	case *ast.FuncDecl:
		c.function(d)
	case *ast.ActionDecl:
		c.action(d)
	case *ast.TableDecl:
		c.table(d)
	case *ast.ValueSetDecl:
		c.valueSet(d)
	case *ast.VarDecl:
		c.varDecl(d)
	case *ast.BlockDecl:
		c.blockDecl(d)
	case *ast.PackageDecl:
		c.packageDecl(d)
	case *ast.Instance:
		c.instance(d)
	}
}

func (c *checker) errorIndex(name string) int { return slices.Index(c.info.Errors, name) }

func (c *checker) constDecl(d *ast.ConstDecl) {
	t := c.declared(d.Type, "constant '"+d.Name+"'")
	x := c.exprAs(d.Value, t, "the constant '"+d.Name+"'")
	o := &ConstObj{obj: obj{d.Name, d.Pos}, Type: t, Decl: d}
	if x.v != nil {
		o.Value = convertConst(x.v, t)
	} else if x.t != types.Invalid && x.t != types.String && !c.static(d.Value) {
		c.errorf(d.Value.Position(), "the value of constant '%s' is not known at compile time", d.Name)
	}
	c.errorIf(t == types.Void || isBlockType(t), d.Pos, "a constant cannot have type %s", t)
	c.define(d, o)
}

// static reports whether the elaborator may still find a value for the expression, because it
// depends on constructor parameters or is composite.
func (c *checker) static(e ast.Expr) bool {
	known := true
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if ok && c.info.Values[x] != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.Name:
			o, param := c.info.Uses[n].(*ParamObj)
			_, constant := c.info.Uses[n].(*ConstObj)
			known = known && (constant || param && o.Ctor)
		case *ast.Call, *ast.TypeName, *ast.Mask, *ast.Range, *ast.Any:
			known = false
		}
		return known
	})
	return known
}

func (c *checker) typedef(d *ast.TypedefDecl) {
	t := c.typ(d.Type)
	if hasDontCare(t) {
		c.errorf(d.Pos, "'_' stands for a type argument that is inferred: it cannot be part of type '%s'", d.Name)
		t = types.Invalid
	}
	if d.New {
		switch t.(type) {
		case *types.Bit, *types.New:
		default:
			c.errorIf(t != types.Invalid && t != types.Bool, d.Pos, "type '%s' cannot be made from %s: expected bit<>, int<>, bool or another such type", d.Name, t)
		}
		t = &types.New{Name: d.Name, Under: t}
	}
	c.define(d, &TypeObj{obj{d.Name, d.Pos}, t})
}

func (c *checker) aggregate(d *ast.Aggregate) {
	s := &types.Struct{Kind: d.Kind, Name: d.Name}
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
			t = types.Invalid
		}
		s.Fields = append(s.Fields, types.Field{Name: f.Name, Type: t, Pos: f.Pos, Lists: c.fieldLists(f.Annotations)})
	}
	c.pop()
	if d.Kind == ast.KindHeader {
		c.oneVarbit(d, s)
	}
	s.Seal()
	var t types.Type = s
	if types.Parts(s) > types.MaxParts {
		c.errorf(d.Pos, "%s '%s' has more than %d parts", d.Kind, d.Name, types.MaxParts)
		t = types.Invalid
	}
	c.define(d, &TypeObj{obj{d.Name, d.Pos}, t})
}

// fieldLists returns the arguments of @field_list annotations: numbers, constants and members
// of enums with values.
func (c *checker) fieldLists(as ast.Annotations) []int {
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
func fieldAllowed(kind string, t types.Type) (ok bool, want string) {
	if t == types.Invalid || types.HasVars(t) {
		return true, ""
	}
	switch kind {
	case ast.KindUnion:
		return types.IsHeader(t), "a header"
	case ast.KindHeader:
		return headerField(t), "bit<>, int<>, varbit<>, bool, a serialisable enum or a struct of these"
	}
	switch x := types.Strip(t).(type) {
	case *types.Basic:
		return x == types.Bool || x == types.Error || x == types.String, "a type that has values at run time"
	case *types.Extern, *types.Block, *types.Package, *types.Set:
		return false, "a type that has values at run time"
	}
	return true, ""
}

func headerField(t types.Type) bool {
	switch x := types.Strip(t).(type) {
	case *types.Bit, *types.Varbit:
		return true
	case *types.Basic:
		return x == types.Bool
	case *types.Struct:
		if x.Kind != ast.KindStruct {
			return false
		}
		for _, f := range x.Fields {
			if _, varbit := types.Strip(f.Type).(*types.Varbit); varbit || !headerField(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *checker) enum(d *ast.EnumDecl) {
	e := &types.Enum{Name: d.Name}
	if d.Base != nil {
		t := c.typ(d.Base)
		if b, ok := t.(*types.Bit); ok {
			e.Base = b
		} else if t != types.Invalid {
			c.errorf(d.Pos, "enum '%s' has base type %s, expected bit<> or int<>", d.Name, t)
		}
	}
	c.errorIf(len(d.Members) == 0, d.Pos, "enum '%s' has no members", d.Name)
	for _, m := range d.Members {
		if e.MemberIndex(m.Name) >= 0 {
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
					c.errorIf(constant.Wrap(x.v, e.Base).Cmp(x.v) != 0, m.Pos, "the value %s of '%s' does not fit %s", x.v, m.Name, e.Base)
					v = convertConst(x.v, e.Base)
				} else if x.t != types.Invalid {
					c.errorf(m.Pos, "the value of '%s' is not known at compile time", m.Name)
				}
			}
			e.Values = append(e.Values, v)
		}
	}
	c.define(d, &TypeObj{obj{d.Name, d.Pos}, e})
}

func (c *checker) typeParams(ids []ast.Ident) []*types.Var {
	var vars []*types.Var
	for _, id := range ids {
		v := &types.Var{Name: id.Name}
		c.declare(&TypeObj{obj{id.Name, id.Pos}, v})
		vars = append(vars, v)
	}
	return vars
}

// paramList resolves parameters without declaring them.
func (c *checker) paramList(list []*ast.Param, of owner) []types.Param {
	var out []types.Param
	seen := map[string]bool{}
	for _, p := range list {
		c.errorIf(seen[p.Name], p.Pos, "a second parameter is named '%s'", p.Name)
		seen[p.Name] = true
		q := types.Param{Name: p.Name, Dir: p.Dir, Type: c.declared(p.Type, "parameter '"+p.Name+"'"), Default: p.Default, Pos: p.Pos,
			Optional: p.Annotations.Find("optional") != nil}
		c.paramFits(q, of)
		if p.Default != nil {
			c.errorIf(p.Dir == ast.Out || p.Dir == ast.InOut, p.Pos, "%s parameter '%s' cannot have a default value", p.Dir, p.Name)
			c.exprAs(p.Default, q.Type, "the default of parameter '"+p.Name+"'")
		}
		out = append(out, q)
	}
	return out
}

// declareParams enters parameters in the current scope.
func (c *checker) declareParams(list []*ast.Param, resolved []types.Param, ctor bool) []*ParamObj {
	var out []*ParamObj
	for i, p := range list {
		o := &ParamObj{obj: obj{p.Name, p.Pos}, Dir: p.Dir, Type: resolved[i].Type, Ctor: ctor}
		c.info.Params[p] = o
		c.declare(o)
		out = append(out, o)
	}
	return out
}

func (c *checker) signature(d *ast.FuncDecl) *types.Signature {
	s := &types.Signature{Name: d.Name, Abstract: d.Abstract, Pos: d.Pos, Result: types.Void}
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

func (c *checker) function(d *ast.FuncDecl) {
	f := &FuncObj{obj: obj{d.Name, d.Pos}, Decl: d}
	c.push()
	f.Sig = c.signature(d)
	f.Params = c.declareParams(d.Params, f.Sig.Params, false)
	if !d.Extern && d.Body != nil {
		old := c.ctx
		c.ctx = context{place: inFunction, result: f.Sig.Result}
		returns := c.block(d.Body)
		c.errorIf(!returns && f.Sig.Result != types.Void, d.Body.End.Pos, "function '%s' can end without returning a value of type %s", d.Name, f.Sig.Result)
		c.ctx = old
	}
	c.pop()
	c.info.Defs[d] = f
	c.declareFunc(f)
}

func (c *checker) declareFunc(f *FuncObj) {
	switch old := c.scope.names[f.name].(type) {
	case nil:
		c.scope.names[f.name] = &FuncSet{obj: f.obj, Funcs: []*FuncObj{f}}
	case *FuncSet:
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
func sameParamNames(a, b *types.Signature) bool {
	return slices.EqualFunc(a.Params, b.Params, func(p, q types.Param) bool { return p.Name == q.Name })
}

// define adds an object to the current scope and reports a second one of the same name.
func (c *checker) define(d ast.Node, o Object) {
	c.info.Defs[d] = o
	c.declare(o)
}

func (c *checker) externObject(d *ast.ExternObject) {
	e := &types.Extern{Name: d.Name}
	o := &TypeObj{obj{d.Name, d.Pos}, e}
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

func (c *checker) packageDecl(d *ast.PackageDecl) {
	p := &types.Package{Name: d.Name}
	c.push()
	p.Vars = c.typeParams(d.TypeParams)
	p.Params = c.paramList(d.Params, ofPackage)
	c.pop()
	c.define(d, &TypeObj{obj{d.Name, d.Pos}, p})
}

func (c *checker) instance(d *ast.Instance) {
	o := &InstObj{obj: obj{d.Name, d.Pos}, Decl: d, Type: c.typ(d.Type)}
	c.errorIf(d.HasBody, d.Pos, "unsupported: a body for instance '%s' (abstract extern methods)", d.Name)
	if e, ok := o.Type.(*types.Extern); ok && !d.HasBody {
		for _, m := range e.Methods {
			c.errorIf(m.Abstract, d.Pos, "instance '%s' does not say what the abstract method '%s' of %s does", d.Name, m.Name, e.Name)
		}
	}
	c.instanceAllowed(d, o.Type)
	o.Ctor = c.construct(d.Pos, o.Type, d.Args)
	if o.Ctor != nil {
		o.Type = o.Ctor.Type
	} else {
		o.Type = types.Invalid
	}
	c.define(d, o)
}

func isBlockType(t types.Type) bool {
	switch t.(type) {
	case *types.Block, *types.Package, *types.Extern:
		return true
	}
	return false
}
