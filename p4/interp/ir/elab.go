package ir

import (
	"fmt"
	"math/big"
	"slices"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// Limits of one program. Real programs are far below them.
const (
	maxFrame     = 1 << 20 // words of storage
	maxInstances = 10000   // parsers, controls, functions, tables and externs
)

// Options adapts elaboration to an architecture.
type Options struct {
	// Package is the package type that main must have.
	Package string
	// Share returns the name of the storage that a parameter of a package argument uses; "" means storage for this
	// parameter alone. Parameters with the same name share storage.
	Share func(arg, param int) string
}

// Elaborate builds the graph. It returns nil if the program has no usable main. Other problems go
// to errs; the graph must then not be used.
func Elaborate(info *types.Info, opts Options, errs *syntax.List) *Program {
	el := &elaborator{info: info, opts: opts, errs: errs,
		prog:  &Program{Errors: info.Errors, Shared: map[string]*LValue{}},
		funcs: map[string]*Function{},
	}
	el.global = &env{bind: map[types.Object]any{}}
	if !el.main() {
		return nil
	}
	el.prog.FrameSize = el.words
	el.controlNames()
	return el.prog
}

// controlNames checks that the control plane can distinguish tables, the actions of a table, externs and
// value sets: names given by @name must not collide (specification, section 18.3.3). As in p4c,
// actions of different tables may share a name.
func (el *elaborator) controlNames() {
	seen := map[string]syntax.Pos{}
	unique := func(kind, name string, at syntax.Pos) {
		key := kind + " " + name
		if other, ok := seen[key]; ok && other != at {
			el.errorf(at, "the control plane already has another %s with the name '%s' (declared at "+
				"%s)", kind, name, other)
			return
		}
		seen[key] = at
	}
	for _, t := range el.prog.Tables {
		unique("table", t.Name, t.Pos)
		for _, u := range t.Actions {
			unique("action of table "+t.Name, u.Action.Name, u.Action.Pos)
		}
	}
	for _, x := range el.prog.Externs {
		unique(x.Type, x.Name, x.Pos)
	}
	for _, v := range el.prog.ValueSets {
		unique("value set", v.Name, v.Pos)
	}
}

type elaborator struct {
	info   *types.Info
	opts   Options
	errs   *syntax.List
	prog   *Program
	global *env
	funcs  map[string]*Function
	words  int
	temps  int
	count  int
}

// env holds the meaning of names in one instance. The values of bind are *LValue for
// variables and parameters, ir.Expr for constants, *ir.Extern, *instance, *ir.Action,
// *ir.Table, *ir.ValueSet and packet.
type env struct {
	up     *env
	bind   map[types.Object]any
	types  types.Bindings
	path   string // control-plane prefix: "" or "name."
	result *LValue
	states map[*types.StateObj]*State
	uses   map[*types.InstObj]int // how often instances are named in this block
}

// packet stands for packet_in or packet_out; there is one of each at a time.
type packet struct{}

func (e *env) lookup(o types.Object) any {
	for ; e != nil; e = e.up {
		if b, ok := e.bind[o]; ok {
			return b
		}
	}
	return nil
}

func (e *env) child() *env {
	return &env{up: e, bind: map[types.Object]any{}, types: e.types, path: e.path, result: e.result,
		states: e.states, uses: e.uses}
}

func (el *elaborator) errorf(at syntax.Pos, format string, args ...any) {
	el.errs.Errorf(at, format, args...)
}

// errorIf reports an error if the condition holds.
func (el *elaborator) errorIf(wrong bool, at syntax.Pos, format string, args ...any) {
	if wrong {
		el.errs.Errorf(at, format, args...)
	}
}

// typeOf returns the type of an expression in this instance.
func (el *elaborator) typeOf(en *env, e syntax.Expr) types.Type {
	t := el.info.Types[e]
	if t == nil {
		return types.Invalid
	}
	return types.Subst(t, en.types)
}

func (el *elaborator) newVar(name string, t types.Type, at syntax.Pos) *Var {
	v := &Var{Name: name, Type: t, Slot: el.words, Pos: at}
	n := types.Slots(t)
	if el.words+n > maxFrame {
		el.errorf(at, "the program needs more than %d words of storage", maxFrame)
		v.Slot = 0
		return v
	}
	el.words += n
	el.prog.Vars = append(el.prog.Vars, v)
	return v
}

// temp allocates a variable that has no name in the source.
func (el *elaborator) temp(t types.Type, at syntax.Pos) *LValue {
	el.temps++
	v := el.newVar(fmt.Sprintf("$%d", el.temps), t, at)
	return whole(v)
}

func whole(v *Var) *LValue {
	return &LValue{Var: v, Type: v.Type, Pos: v.Pos, Text: v.Name}
}

// step counts instances; it returns false if there are too many.
func (el *elaborator) step(at syntax.Pos) bool {
	el.count++
	el.errorIf(el.count == maxInstances, at, "the program has more than %d instances and functions", maxInstances)
	return el.count < maxInstances
}

// main elaborates the package instance.
func (el *elaborator) main() bool {
	m := el.info.Main
	if m == nil {
		el.errorf(syntax.Pos{}, "the program has no instance 'main': expected %s(...) main;", el.opts.Package)
		return false
	}
	p, ok := m.Type.(*types.Package)
	if !ok || m.Ctor == nil {
		el.errorIf(m.Type != types.Invalid, m.Position(),
			"main is %s, expected an instance of package %s", m.Type, el.opts.Package)
		return false
	}
	if p.Name != el.opts.Package {
		el.errorf(m.Position(), "main is an instance of package '%s', expected %s", p.Name, el.opts.Package)
		return false
	}
	for i, a := range m.Ctor.Args {
		arg := PackageArg{Name: p.Params[i].Name}
		if a != nil {
			el.packageArg(i, a, &arg)
		}
		el.prog.Args = append(el.prog.Args, arg)
	}
	return true
}

func (el *elaborator) packageArg(i int, a syntax.Expr, arg *PackageArg) {
	v, _ := el.static(el.global, a, "").(*instance)
	if v == nil {
		return
	}
	params := make([]*LValue, len(v.typ.Params))
	for k, p := range v.typ.Params {
		if types.Is[*types.Extern](p.Type) {
			continue
		}
		name := el.opts.Share(i, k)
		if name == "" {
			params[k] = whole(el.newVar(p.Name, p.Type, p.Pos))
			continue
		}
		old := el.prog.Shared[name]
		if old == nil || types.Slots(old.Type) != types.Slots(p.Type) {
			old = whole(el.newVar(name, p.Type, p.Pos))
			el.prog.Shared[name] = old
		}
		q := *old
		q.Text = p.Name
		params[k] = &q
	}
	el.build(v, params, nil)
	arg.Parser, arg.Control = v.parser, v.control
}

// static evaluates a constructor argument, which is an instance or a constant. name is the
// control-plane name for an instance made here.
func (el *elaborator) static(en *env, e syntax.Expr, name string) any {
	switch e := e.(type) {
	case *syntax.Name:
		switch o := el.info.Uses[e].(type) {
		case *types.InstObj:
			return el.instanceOf(en, o)
		case *types.ParamObj:
			if b := en.lookup(o); b != nil {
				return b
			}
		}
	case *syntax.Call:
		if c := el.info.Calls[e]; c != nil && c.Kind == types.CallCtor {
			return el.make(en, c, name, "", e.Pos)
		}
	}
	x := el.expr(en, e)
	if !isConst(x) {
		el.errorIf(x.Type() != types.Invalid, e.Position(),
			"the argument of a constructor is not known at compile time")
	}
	return x
}

// instanceOf returns what the name of an instance stands for. Instances declared at the top level are made when they
// are first needed.
func (el *elaborator) instanceOf(en *env, o *types.InstObj) any {
	if b := en.lookup(o); b != nil {
		return b
	}
	if o.Ctor == nil {
		return nil
	}
	b := el.make(el.global, o.Ctor, controlName("", o.Decl.Annotations, o.Name()), o.Name(), o.Position())
	el.global.bind[o] = b
	return b
}

// controlName returns the control-plane name of a declaration. The control-plane name consists of the path of
// instances and the name in the @name annotation or, without an annotation, the name in the source. If the
// annotation begins with a dot, the name is absolute and has no path.
func controlName(path string, as syntax.Annotations, name string) string {
	if s, ok := as.StringArg("name"); ok && s != "" {
		if s[0] == '.' {
			return s[1:]
		}
		name = s
	}
	return path + name
}

// make makes an instance of an extern, parser or control.
func (el *elaborator) make(en *env, c *types.Call, name, local string, at syntax.Pos) any {
	if !el.step(at) {
		return nil
	}
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		if a == nil {
			continue
		}
		args[i] = el.static(en, a, name)
		want := types.Subst(c.Sig.Params[i].Type, c.Bound)
		if x, ok := args[i].(Expr); ok {
			args[i] = el.convert(x, types.Subst(want, en.types))
		}
	}
	switch t := types.Subst(c.Type, en.types).(type) {
	case *types.Extern:
		x := &Extern{Name: name, Local: local, Type: t.Name, Pos: at, TypeArgs: t.Args}
		for _, a := range args {
			v, ok := a.(Expr)
			el.errorIf(!ok && a != nil, at, "unsupported: extern %s with an instance as constructor argument", t.Name)
			x.Args = append(x.Args, v)
		}
		el.prog.Externs = append(el.prog.Externs, x)
		return x
	case *types.Block:
		if name == "" {
			name = t.Name // a block made in the arguments of the package
		}
		return &instance{typ: t, name: name, args: args, at: at}
	}
	el.errorf(at, "%s cannot be instantiated here", c.Type)
	return nil
}

// instance is a parser or control instance; its body is elaborated by build.
type instance struct {
	typ     *types.Block
	name    string
	args    []any
	at      syntax.Pos
	parser  *Parser
	control *Control
	params  []Param
	built   bool
	byRef   bool
}

// isConst reports whether the value is known at compile time.
func isConst(x Expr) bool {
	switch x := x.(type) {
	case *Const, *Zero:
		return true
	case *Composite:
		return !slices.ContainsFunc(x.Elems, func(e Expr) bool { return !isConst(e) })
	}
	return false
}

func number(v *big.Int, t types.Type, at syntax.Pos) *Const {
	return &Const{Node: Node{T: t, Pos: at}, Val: v}
}
