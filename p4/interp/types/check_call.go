package types

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp/syntax"
)

func (c *checker) call(e *syntax.Call) operand {
	switch f := e.Fun.(type) {
	case *syntax.Name:
		return c.callName(e, f)
	case *syntax.TypeName:
		t := c.typ(f.Type)
		info := c.construct(e.Pos, t, e.Args)
		if info == nil {
			return bad
		}
		c.info.Calls[e] = info
		return operand{t: info.Type}
	case *syntax.Member:
		return c.callMember(e, f)
	}
	return c.badCall(e, e.Pos, "this cannot be called: expected a function, action, method or constructor")
}

// badCall reports an invalid call.
func (c *checker) badCall(e *syntax.Call, at syntax.Pos, format string, args ...any) operand {
	c.checkArgs(e.Args)
	return c.bad(at, format, args...)
}

// checkArgs checks the arguments of an invalid call, so that their errors are also reported.
func (c *checker) checkArgs(args []*syntax.Arg) {
	for _, a := range args {
		if a.Value != nil {
			c.expr(a.Value)
		}
	}
}

func (c *checker) callName(e *syntax.Call, f *syntax.Name) operand {
	switch o := c.find(f.Name, f.Global).(type) {
	case nil:
		c.checkArgs(e.Args)
		kind := "function or action "
		if c.ctx.in == atTop {
			kind = "parser, control or extern "
		}
		c.errs.Undeclared(f.Pos, kind, f.Name)
	case *ActionObj:
		c.info.Uses[f] = o
		c.errorIf(c.ctx.in == inParser || c.ctx.in == inFunction, e.Pos,
			"action '%s' cannot be called from a parser or function", f.Name)
		info := c.match(e, []*Signature{o.Sig}, "action '"+f.Name+"'")
		if info == nil {
			return bad
		}
		info.Kind, info.Action = CallAction, o
		c.info.Calls[e] = info
		return operand{t: Void}
	case *funcSet:
		c.info.Uses[f] = o
		sigs := make([]*Signature, len(o.Funcs))
		for i, g := range o.Funcs {
			sigs[i] = g.Sig
		}
		info := c.match(e, sigs, "function '"+f.Name+"'")
		if info == nil {
			return bad
		}
		c.argsKnown(info, "function '"+f.Name+"'")
		for _, g := range o.Funcs {
			if g.Sig == info.Sig {
				info.Func = g
			}
		}
		info.Kind = CallFunction
		if info.Func.Decl.Extern {
			info.Kind = CallExtern
			c.errorIf(f.Name == "verify" && c.ctx.in != inParser, e.Pos, "verify can only be called in a parser")
		}
		c.info.Calls[e] = info
		r := operand{t: Subst(info.Sig.Result, info.Bound)}
		if info.Kind == CallExtern && f.Name == "static_assert" {
			r.v = c.staticAssert(e, info.Args)
		}
		return r
	default:
		c.badCall(e, f.Pos, "'%s' cannot be called (declared at %s)", f.Name, o.Position())
	}
	return bad
}

// staticAssert returns the value of static_assert if its argument is already known. If the argument depends on
// constructor parameters, each instance is checked later.
func (c *checker) staticAssert(e *syntax.Call, args []syntax.Expr) *big.Int {
	v := c.info.Values[args[0]]
	if v == nil || v.Sign() != 0 {
		return v
	}
	msg := ""
	if len(args) > 1 {
		if s, ok := args[1].(*syntax.StringLit); ok {
			msg = ": " + s.Value
		}
	}
	c.errorf(e.Pos, "static_assert failed%s", msg)
	return nil
}

// builtins are the methods of headers, unions and stacks.
var builtins = map[string]*Signature{
	"isValid":    {Name: "isValid", Result: Bool},
	"setValid":   {Name: "setValid", Result: Void},
	"setInvalid": {Name: "setInvalid", Result: Void},
	"push_front": {Name: "push_front", Result: Void, Params: []Param{{Name: "count", Type: Int}}},
	"pop_front":  {Name: "pop_front", Result: Void, Params: []Param{{Name: "count", Type: Int}}},
}

func (c *checker) callMember(e *syntax.Call, f *syntax.Member) operand {
	if t, ok := f.X.(*syntax.TypeName); ok {
		return c.callOnType(e, f, t)
	}
	// A table is not a value, so its name is looked up here.
	if n, ok := f.X.(*syntax.Name); ok {
		if t, ok := c.scope.lookup(n.Name).(*TableObj); ok {
			c.info.Uses[n] = t
			return c.applyTable(e, f, t)
		}
	}
	x := c.expr(f.X)
	switch t := x.t.(type) {
	case *Extern:
		return c.callMethod(e, f, t)
	case *Block:
		return c.applyBlock(e, f, t, f.X)
	}
	if strings.HasPrefix(f.Name, "minSizeIn") || strings.HasPrefix(f.Name, "maxSizeIn") {
		return c.sizeOf(e, f, x.t)
	}
	return c.callBuiltin(e, f, x)
}

func (c *checker) callBuiltin(e *syntax.Call, f *syntax.Member, x operand) operand {
	sig := builtins[f.Name]
	ok := false
	_, isStack := x.t.(*Stack)
	switch f.Name {
	case "isValid":
		ok = IsHeader(x.t) || IsUnion(x.t)
	case "setValid", "setInvalid":
		ok = IsHeader(x.t)
	case "push_front", "pop_front":
		ok = isStack
	}
	if !ok {
		c.checkArgs(e.Args)
		c.errorIf(x.t != Invalid, f.NamePos.Pos, "%s has no method '%s'", x.t, f.Name)
		return bad
	}
	c.errorIf(f.Name != "isValid" && !x.lv, f.X.Position(),
		"%s changes its header, which cannot be written here", f.Name)
	info := c.match(e, []*Signature{sig}, f.Name)
	if info == nil {
		return bad
	}
	if len(info.Args) == 1 && c.info.Values[info.Args[0]] == nil && !c.static(info.Args[0]) {
		c.errorf(info.Args[0].Position(), "the count of %s must be known at compile time", f.Name)
	}
	info.Kind, info.Name, info.Recv = CallBuiltin, f.Name, f.X
	c.info.Calls[e] = info
	return operand{t: sig.Result}
}

// sizeOf checks the methods minSizeInBits and so on, whose results are constants.
func (c *checker) sizeOf(e *syntax.Call, f *syntax.Member, t Type) operand {
	if t == Invalid {
		return bad
	}
	least, most, fixed := sizeRange(t)
	n := map[string]int{"minSizeInBits": least, "minSizeInBytes": (least + 7) / 8,
		"maxSizeInBits": most, "maxSizeInBytes": (most + 7) / 8}
	v, ok := n[f.Name]
	if !ok || len(e.Args) > 0 || !fixed {
		return c.bad(f.NamePos.Pos, "%s has no method '%s' with %s", t, f.Name, number.Count(len(e.Args), "argument"))
	}
	r := operand{t: Int, v: big.NewInt(int64(v))}
	return r
}

// sizeRange returns the smallest and largest size of a value in bits. A header may have a varbit
// field; a union has the sizes of its smallest and its largest member.
func sizeRange(t Type) (least, most int, ok bool) {
	switch x := Strip(t).(type) {
	case *Varbit:
		return 0, x.Max, true
	case *Stack:
		l, m, ok := sizeRange(x.Elem)
		return l * x.Size, m * x.Size, ok
	case *Struct, *Tuple:
		if IsUnion(x) {
			least = math.MaxInt
		}
		for e := range Elements(x) {
			l, m, ok := sizeRange(e)
			if !ok {
				return 0, 0, false
			}
			if IsUnion(x) {
				least, most = min(least, l), max(most, m)
			} else {
				least, most = least+l, most+m
			}
		}
		return min(least, most), most, true // a union may have no members
	}
	n, _ := Bits(t)
	return n, n, IsScalar(t)
}

func (c *checker) callOnType(e *syntax.Call, f *syntax.Member, tn *syntax.TypeName) operand {
	t := c.typ(tn.Type)
	if b, ok := t.(*Block); ok {
		return c.applyBlock(e, f, b, nil)
	}
	if strings.HasPrefix(f.Name, "minSizeIn") || strings.HasPrefix(f.Name, "maxSizeIn") {
		return c.sizeOf(e, f, t)
	}
	c.checkArgs(e.Args)
	c.errorIf(t != Invalid, f.NamePos.Pos, "type %s has no method '%s'", t, f.Name)
	return bad
}

func (c *checker) applyTable(e *syntax.Call, f *syntax.Member, t *TableObj) operand {
	if f.Name != "apply" || len(e.Args) > 0 {
		return c.badCall(e, f.NamePos.Pos, "a table has only the method apply()")
	}
	c.errorIf(c.ctx.in != inControl, e.Pos, "table '%s' can only be applied in the apply block of its control", t.name)
	c.info.Calls[e] = &Call{Kind: CallTable, Table: t, Recv: f.X}
	return operand{t: &Applied{Table: t.name}}
}

// applyBlock checks X.apply(args) of a parser or control. x is nil if the type itself is applied; this makes an
// anonymous instance.
func (c *checker) applyBlock(e *syntax.Call, f *syntax.Member, b *Block, x syntax.Expr) operand {
	if f.Name != "apply" {
		return c.badCall(e, f.NamePos.Pos, "a %s has only the method apply()", b.Kind)
	}
	want := inControl
	if b.Kind == "parser" {
		want = inParser
	}
	c.errorIf(c.ctx.in != want, e.Pos, "a %s can only be applied from a %s", b.Kind, b.Kind)
	if x == nil {
		c.errorIf(b.Decl == nil, e.Pos, "%s has no body and cannot be applied", b)
		for _, p := range b.Ctor {
			if p.Default == nil && !p.Optional {
				c.errorf(e.Pos, "%s needs constructor arguments and cannot be applied without an instance", b)
				break
			}
		}
	}
	info := c.match(e, []*Signature{{Name: b.Name, Params: b.Params, Result: Void}}, b.Kind+" '"+b.Name+"'")
	if info == nil {
		return bad
	}
	info.Kind, info.Recv, info.Type = CallBlock, x, b
	c.info.Calls[e] = info
	return operand{t: Void}
}

func (c *checker) callMethod(e *syntax.Call, f *syntax.Member, t *Extern) operand {
	sigs := lists.Keep(t.Methods, func(m *Signature) bool { return m.Name == f.Name })
	if len(sigs) == 0 {
		return c.badCall(e, f.NamePos.Pos, "extern %s has no method '%s'", t, f.Name)
	}
	info := c.match(e, sigs, fmt.Sprintf("method '%s' of %s", f.Name, t))
	if info == nil {
		return bad
	}
	info.Kind, info.Name, info.Recv, info.Type = CallMethod, f.Name, f.X, t
	c.argsKnown(info, "method '"+f.Name+"'")
	c.errorIf(info.Sig.Abstract, e.Pos, "unsupported: abstract extern method '%s'", f.Name)
	c.info.Calls[e] = info
	return operand{t: Subst(info.Sig.Result, info.Bound)}
}

// match chooses the signature that the arguments fit and checks them against it.
func (c *checker) match(e *syntax.Call, sigs []*Signature, what string) *Call {
	s, args := c.fitting(e.Pos, sigs, e.Args, what)
	if s == nil {
		return nil
	}
	return c.matchOne(e, s, args, what)
}

// fitting returns the signature that the arguments fit, or nil if they fit none. It also returns the arguments in
// the order of the signature's parameters.
func (c *checker) fitting(
	at syntax.Pos, sigs []*Signature, list []*syntax.Arg, what string,
) (*Signature, []syntax.Expr) {
	var problem string
	var counts []string
	for _, s := range sigs {
		var args []syntax.Expr
		if args, problem = align(s.Params, list); problem == "" {
			return s, args
		}
		counts = append(counts, fmt.Sprint(len(s.Params)))
	}
	c.checkArgs(list)
	if len(sigs) == 1 {
		c.errorf(at, "%s: %s", what, problem)
	} else {
		c.errorf(at, "%s has %s here, expected %s",
			what, number.Count(len(list), "argument"), strings.Join(counts, " or "))
	}
	return nil, nil
}

// align puts arguments in the order of the parameters. An omitted argument is nil.
func align(params []Param, args []*syntax.Arg) ([]syntax.Expr, string) {
	out := make([]syntax.Expr, len(params))
	given := make([]bool, len(params))
	for i, a := range args {
		k := i
		if a.Name != "" {
			k = -1
			for j, p := range params {
				if p.Name == a.Name {
					k = j
				}
			}
			if k < 0 {
				return nil, fmt.Sprintf("there is no parameter '%s'", a.Name)
			}
			if given[k] {
				return nil, fmt.Sprintf("parameter '%s' has two arguments", a.Name)
			}
		} else if k >= len(params) {
			return nil, fmt.Sprintf("%s, expected %d", number.Count(len(args), "argument"), len(params))
		}
		if i > 0 && (a.Name == "") != (args[0].Name == "") {
			return nil, "arguments with and without names are mixed"
		}
		out[k], given[k] = a.Value, true
	}
	for i, p := range params {
		if !given[i] && p.Default == nil && !p.Optional {
			if len(args) == 0 || args[0].Name == "" {
				return nil, fmt.Sprintf("%s, expected %d", number.Count(len(args), "argument"), len(params))
			}
			return nil, fmt.Sprintf("no argument for parameter '%s'", p.Name)
		}
		if out[i] == nil {
			out[i] = p.Default
		}
	}
	return out, ""
}

// matchOne infers the type arguments and checks each argument.
func (c *checker) matchOne(e *syntax.Call, s *Signature, args []syntax.Expr, what string) *Call {
	info := &Call{Sig: s, Bound: Bindings{}, Args: args}
	targs := lists.Map(e.TypeArgs, c.typ)
	if len(targs) > 0 && len(targs) != len(s.Vars) {
		c.checkArgs(e.Args)
		c.errorf(e.Pos, "%s has %s here, expected %d", what, number.Count(len(targs), "type argument"), len(s.Vars))
		return nil
	}
	for i, t := range targs {
		if v, ok := t.(*Var); !ok || v.Name != "_" {
			info.Bound[s.Vars[i]] = t
		}
	}
	if !c.inferArgs(e.Pos, info, s.Params, s.Vars, what) {
		return nil
	}
	for _, v := range s.Vars {
		if t := info.Bound[v]; t != nil && isBlockType(t) {
			c.errorf(e.Pos, "%s: %s cannot be used as a value", what, t)
			return nil
		}
		if info.Bound[v] == nil {
			if s.Result == Type(v) {
				c.errorf(e.Pos, "%s: the type argument %s cannot be inferred; write %s<...>(...)", what, v, s.Name)
				return nil
			}
			info.Bound[v] = Void // a type parameter that nothing depends on
		}
	}
	return info
}

// inferArgs checks arguments against parameters whose types mention vars.
func (c *checker) inferArgs(at syntax.Pos, info *Call, params []Param, vars []*Var, what string) bool {
	ops := make([]operand, len(params))
	for i, a := range info.Args {
		if a != nil {
			ops[i] = c.expr(a)
		}
	}
	good := true
	for _, braces := range []bool{false, true} { // expressions whose type does not depend on the context come first
		for i, p := range params {
			a := info.Args[i]
			if a == nil || display(a) != braces || braces && !hasVars(Subst(p.Type, info.Bound)) {
				continue // an expression in braces gets the type of the parameter, if that is already known
			}
			if len(vars) > 0 && !infer(p.Type, ops[i].t, vars, info.Bound) {
				c.errorf(a.Position(), "argument '%s' of %s has type %s, which does not agree with the other arguments",
					p.Name, what, ops[i].t)
				good = false
			}
		}
	}
	if !good {
		return false
	}
	for i, p := range params {
		a := info.Args[i]
		if a == nil {
			if p.Dir == syntax.InOut {
				c.errorf(at, "%s: '_' for inout parameter '%s': only the value of an out parameter can be "+
					"ignored", what, p.Name)
			} else if p.Dir == syntax.Out && hasVars(Subst(p.Type, info.Bound)) {
				c.errorf(at, "%s: the type of parameter '%s' is not known: write it as a type argument", what, p.Name)
			}
			continue
		}
		t := Subst(p.Type, info.Bound)
		c.arg(a, ops[i], p, t, what)
	}
	return good
}

func (c *checker) arg(a syntax.Expr, x operand, p Param, t Type, what string) {
	name := fmt.Sprintf("argument '%s' of %s", p.Name, what)
	if x.t == Invalid || t == Invalid {
		return
	}
	if p.Dir == syntax.Out || p.Dir == syntax.InOut {
		if !x.lv {
			c.errorf(a.Position(), "%s is %s: expected something that can be written", name, p.Dir)
			return
		}
		c.errorIf(!Identical(x.t, t), a.Position(),
			"%s has type %s, expected %s exactly, since it is %s", name, x.t, t, p.Dir)
		return
	}
	if want, ok := t.(*Block); ok {
		have, ok := x.t.(*Block)
		c.errorIf(!ok || !sameShape(want, have), a.Position(),
			"%s is %s, whose parameters do not fit %s", name, x.t, want)
		return
	}
	// Braces may enclose the single value of a scalar parameter.
	if l, ok := a.(*syntax.ListExpr); ok && len(l.Elems) == 1 && !l.Rest && IsScalar(t) {
		c.info.Types[a] = t
		c.fits(l.Elems[0], operand{t: c.info.Types[l.Elems[0]], v: c.info.Values[l.Elems[0]]}, t, name)
		return
	}
	c.fits(a, x, t, name)
}

// construct checks a constructor call for an instance of type t.
func (c *checker) construct(at syntax.Pos, t Type, list []*syntax.Arg) *Call {
	var sigs []*Signature
	var vars []*Var
	what := fmt.Sprintf("constructor of %s", t)
	switch t := t.(type) {
	case *Extern:
		sigs = t.Ctors
		c.errorIf(len(sigs) == 0, at, "extern %s has no constructor", t)
		vars = t.Params
	case *Block:
		if t.Decl == nil {
			c.errorf(at, "%s has no body and cannot be instantiated", t)
			break
		}
		sigs = []*Signature{{Name: t.Name, Params: t.Ctor, Result: t}}
	case *Package:
		sigs = []*Signature{{Name: t.Name, Params: t.Params, Result: t}}
		vars = t.Vars
	default:
		c.errorIf(t != Invalid, at, "%s cannot be instantiated: expected an extern, parser, control or package", t)
	}
	if len(sigs) == 0 {
		c.checkArgs(list)
		return nil
	}
	s, args := c.fitting(at, sigs, list, what)
	if s == nil {
		return nil
	}
	info := &Call{Kind: CallCtor, Type: t, Sig: s, Bound: Bindings{}, Args: args}
	if !c.inferArgs(at, info, s.Params, vars, what) {
		return nil
	}
	if e, ok := t.(*Extern); ok && len(vars) > 0 {
		info.Type = c.inferExtern(at, e, info)
	}
	return info
}

// inferExtern instantiates a generic extern with the type arguments that its constructor implies.
func (c *checker) inferExtern(at syntax.Pos, e *Extern, info *Call) Type {
	var args []Type
	for _, v := range e.Params {
		a := info.Bound[v]
		if a == nil {
			return c.badType(at, "the type argument %s of %s is missing: write %s<...>(...)", v, e.Name, e.Name)
		}
		args = append(args, a)
	}
	return e.instantiate(args)
}
