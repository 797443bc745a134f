package types

import (
	"fmt"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp/syntax"
)

func (c *checker) action(d *syntax.ActionDecl) {
	c.nameFits(d.Annotations)
	o := &ActionObj{obj: obj{d.Name, d.Pos}, Decl: d, Local: c.scope != c.global}
	c.push()
	params := c.paramList(d.Params, ofAction)
	o.Sig = &Signature{Name: d.Name, Params: params, Result: Void, Pos: d.Pos}
	o.Params = c.declareParams(d.Params, params, false)
	for i, p := range params {
		c.errorIf(p.Dir == syntax.None && isBlockType(p.Type), p.Pos,
			"parameter '%s' of action '%s' has type %s", p.Name, d.Name, p.Type)
		c.errorIf(i > 0 && p.Dir != syntax.None && params[i-1].Dir == syntax.None, p.Pos,
			"parameter '%s' has a direction and comes after a parameter without one: parameters without direction "+
				"come last",
			p.Name)
	}
	old := c.ctx
	c.ctx = context{in: inAction}
	c.block(d.Body)
	c.ctx = old
	c.pop()
	c.define(d, o)
}

func (c *checker) blockDecl(d *syntax.BlockDecl) {
	c.push()
	t := &Block{Kind: d.Kind, Name: d.Name, Vars: c.typeParams(d.TypeParams)}
	t.Params = c.paramList(d.Params, ofBlock)
	t.Ctor = c.paramList(d.CtorParams, ofPackage)
	if !d.IsType {
		t.Decl = d
		c.errorIf(len(d.TypeParams) > 0, d.Pos,
			"%[1]s '%[2]s' has a body and type parameters: only %[1]s types can be generic", d.Kind, d.Name)
		c.declareParams(d.Params, t.Params, false)
		c.declareParams(d.CtorParams, t.Ctor, true)
		if d.Kind == syntax.KindParser {
			c.parserBody(d)
		} else {
			c.controlBody(d)
		}
	}
	c.pop()
	c.define(d, &typeObj{obj{d.Name, d.Pos}, t})
}

func (c *checker) parserBody(d *syntax.BlockDecl) {
	old := c.ctx
	c.ctx = context{in: inParser}
	defer func() { c.ctx = old }()
	for _, l := range d.Locals {
		c.decl(l)
	}
	states := map[string]*StateObj{
		"accept": {obj: obj{name: "accept"}},
		"reject": {obj: obj{name: "reject"}},
	}
	for _, s := range d.States {
		if s.Name == "accept" || s.Name == "reject" {
			c.errorf(s.Pos, "state '%s' is built in and cannot be declared", s.Name)
			continue
		}
		if other := states[s.Name]; other != nil {
			c.errorf(s.Pos, "state '%s' is already declared at %s", s.Name, other.pos)
			continue
		}
		states[s.Name] = &StateObj{obj{s.Name, s.Pos}, s}
		c.info.Defs[s] = states[s.Name]
	}
	c.errorIf(states["start"] == nil, d.Pos, "parser '%s' has no state 'start'", d.Name)
	for _, s := range d.States {
		c.push()
		if o := states[s.Name]; o != nil && o.Decl != nil {
			c.shadow(o)
		}
		c.stmts(s.Stmts)
		if s.Next != nil {
			c.transition(s.Next, states)
		}
		c.pop()
	}
}

func (c *checker) valueSet(d *syntax.ValueSetDecl) {
	o := &ValueSetObj{obj: obj{d.Name, d.Pos}, Elem: c.declared(d.Elem, "value set '"+d.Name+"'"), Decl: d}
	for _, t := range Leaves(o.Elem, nil) {
		if t != Invalid && (IsHeader(o.Elem) || IsUnion(o.Elem) || !IsScalar(t)) {
			c.errorf(d.Elem.Position(),
				"a value set of %s: expected bit<>, int<>, bool, an enum, error, or a struct or tuple of these", o.Elem)
			break
		}
	}
	if n, ok := c.constInt(d.Size, "the size of value set '"+d.Name+"'"); ok {
		o.Size = n
	}
	c.define(d, o)
}

func (c *checker) transition(t *syntax.Transition, states map[string]*StateObj) {
	target := func(n syntax.Node, id syntax.Ident) {
		s := states[id.Name]
		if s == nil {
			c.errorf(id.Pos, "state '%s' is not declared", id.Name)
			return
		}
		c.info.Targets[n] = s
	}
	if t.Select == nil {
		target(t, t.Target)
		return
	}
	var keys []Type
	for _, e := range t.Select {
		x := c.value(e)
		if x.t == Int {
			c.errorf(e.Position(), "a selected expression needs a width: write %s with one, such as 8w1", x.t)
			x.t = Invalid
		}
		if x.t != Invalid && !IsScalar(x.t) {
			c.errorf(e.Position(), "cannot select by %s: expected bit<>, int<>, bool, an enum or error", x.t)
			x.t = Invalid
		}
		keys = append(keys, x.t)
	}
	for _, k := range t.Cases {
		c.keysets(k.Pos, k.Keys, keys, "select")
		target(k, k.Target)
	}
}

// keysets checks the sets of one select case or table entry.
func (c *checker) keysets(at syntax.Pos, sets []syntax.Expr, keys []Type, of string) {
	if len(sets) == 1 && isAny(sets[0]) {
		return // a single default stands for all keys
	}
	if n, ok := sets[0].(*syntax.Name); ok && len(sets) == 1 && len(keys) > 1 {
		if x := c.expr(n); Is[*Set](x.t) {
			c.valueSetFits(n.Pos, x.t, keys)
			return
		}
	}
	if len(sets) != len(keys) {
		c.errorf(at, "%s for the %s of the %s", number.Count(len(sets), "value"), number.Count(len(keys), "key"), of)
		return
	}
	for i, s := range sets {
		c.keyset(s, keys[i])
	}
}

func (c *checker) valueSetFits(at syntax.Pos, t Type, keys []Type) {
	elem := t.(*Set).Elem
	parts := Leaves(elem, nil)
	ok := len(parts) == len(keys)
	for i := 0; ok && i < len(parts); i++ {
		ok = Identical(Strip(parts[i]), Strip(keys[i]))
	}
	c.errorIf(!ok && elem != Invalid, at,
		"the value set has elements of type %s, which do not fit the selected expressions", elem)
}

func (c *checker) keyset(e syntax.Expr, t Type) {
	number := func(x syntax.Expr, what string) {
		c.exprAs(x, Arithmetic(t), what) // a mask of a serialisable enum has its base type
		if _, ok := Strip(t).(*Bit); !ok && t != Invalid {
			c.errorf(e.Position(), "a mask or range needs a key of type bit<> or int<>, but this key has type %s", t)
		}
	}
	switch e := e.(type) {
	case *syntax.Any:
	case *syntax.Mask:
		number(e.X, "the value of the mask")
		number(e.Y, "the mask")
	case *syntax.Range:
		number(e.X, "the lower end of the range")
		number(e.Y, "the upper end of the range")
	default:
		x := c.expr(e)
		if Is[*Set](x.t) {
			c.valueSetFits(e.Position(), x.t, []Type{t})
			return
		}
		c.fits(e, x, t, "the value")
	}
}

func (c *checker) controlBody(d *syntax.BlockDecl) {
	old := c.ctx
	c.ctx = context{in: inControl}
	defer func() { c.ctx = old }()
	c.push()
	c.scope.of = d
	defer c.pop()
	for _, l := range d.Locals {
		c.decl(l)
	}
	if d.Body != nil {
		c.block(d.Body)
	}
}

func (c *checker) table(d *syntax.TableDecl) {
	c.nameFits(d.Annotations)
	o := &TableObj{obj: obj{d.Name, d.Pos}, Decl: d, Properties: map[string]*syntax.Property{}}
	names := map[string]bool{}
	for _, k := range d.Keys {
		c.nameFits(k.Annotations)
		if n, ok := k.Annotations.StringArg("name"); ok {
			c.errorIf(names[n], k.Pos, "table '%s' has a key of name '%s' already", d.Name, n)
			names[n] = true
		}
		x := c.value(k.Expr)
		if x.t == Int {
			c.errorf(k.Pos, "a key needs a width: this one has type int")
			x.t = Invalid
		}
		if x.t != Invalid && !IsScalar(x.t) {
			c.errorf(k.Pos, "unsupported: a key of type %s: expected bit<>, int<>, bool, an enum or error", x.t)
			x.t = Invalid
		}
		if mk, ok := c.scope.lookup(k.MatchKind.Name).(*matchKindObj); !ok {
			c.errs.Undeclared(k.MatchKind.Pos, "match kind ", k.MatchKind.Name)
		} else if mk.name == "lpm" || mk.name == "range" {
			if _, isBit := Strip(x.t).(*Bit); !isBit && x.t != Invalid {
				c.errorf(k.Pos, "match kind %s needs a key of type bit<> or int<>, but this key has type "+
					"%s", mk.name, x.t)
			}
		}
		o.Keys = append(o.Keys, x.t)
	}
	c.errorIf(d.Actions == nil, d.Pos, "table '%s' has no list of actions", d.Name)
	c.shadowProperty("actions", d.Pos)
	if d.HasKey {
		c.shadowProperty("key", d.Pos)
	}
	if d.HasEntries {
		c.shadowProperty("entries", d.Pos)
	}
	for _, r := range d.Actions {
		c.tableAction(o, r)
	}
	for _, p := range d.Properties {
		c.property(o, p)
	}
	if o.Default == nil && o.Properties["default_action"] == nil {
		c.noAction(o)
	}
	for _, e := range d.Entries {
		c.entry(o, e)
	}
	c.define(d, o)
}

func (c *checker) lookupAction(r *syntax.ActionRef) *ActionObj {
	n := r.Name.(*syntax.Name)
	o := c.find(n.Name, n.Global)
	a, ok := o.(*ActionObj)
	if !ok {
		if o == nil {
			c.errs.Undeclared(r.Pos, "action ", n.Name)
		} else {
			c.errorf(r.Pos, "'%s' is not an action (declared at %s)", n.Name, o.Position())
		}
		return nil
	}
	c.info.Uses[n] = a
	return a
}

// Directed returns the number of parameters of the action that have a direction. These parameters come first.
func (a *ActionObj) Directed() int {
	n := 0
	for n < len(a.Params) && a.Params[n].Dir != syntax.None {
		n++
	}
	return n
}

// tableAction checks one element of the actions list. Parameters with a direction get their arguments here; the
// other parameters get their arguments from the table's entries.
func (c *checker) tableAction(t *TableObj, r *syntax.ActionRef) {
	a := c.lookupAction(r)
	if a == nil {
		c.checkArgs(r.Args)
		return
	}
	for _, other := range t.Actions {
		if other.Action == a {
			c.errorf(r.Pos, "table '%s' has action '%s' already", t.name, a.name)
			return
		}
	}
	c.errorIf(r.Annotations.Find("defaultonly") != nil && r.Annotations.Find("tableonly") != nil, r.Pos,
		"action '%s' is @defaultonly and @tableonly: nothing could choose it", a.name)
	n := a.Directed()
	ta := &TableAction{Action: a, Ref: r}
	args, problem := align(a.Sig.Params[:n], r.Args)
	if problem != "" {
		c.checkArgs(r.Args)
		c.errorf(r.Pos, "action '%s': %s for the parameters with a direction", a.name, problem)
	} else {
		ta.Args = args
		for i, e := range args {
			if e != nil {
				p := a.Sig.Params[i]
				c.arg(e, c.expr(e), p, p.Type, "action '"+a.name+"'")
			}
		}
	}
	t.Actions = append(t.Actions, ta)
}

// noAction makes NoAction the default action of a table that has none.
func (c *checker) noAction(t *TableObj) {
	a, ok := c.global.lookup("NoAction").(*ActionObj)
	if !ok {
		c.errorf(t.pos, "table '%s' has no default_action, and action NoAction is not declared: include core.p4",
			t.name)
		return
	}
	for _, ta := range t.Actions {
		if ta.Action == a {
			t.Default = ta
			return
		}
	}
	t.Default = &TableAction{Action: a, Ref: &syntax.ActionRef{At: syntax.At{Pos: t.pos}}}
	t.Actions = append(t.Actions, t.Default)
}

// choose checks an entry or default_action that uses one of the table's actions. It also checks the action data.
func (c *checker) choose(t *TableObj, r *syntax.ActionRef, what string) (*TableAction, []syntax.Expr) {
	a := c.lookupAction(r)
	if a == nil {
		c.checkArgs(r.Args)
		return nil, nil
	}
	var ta *TableAction
	for _, x := range t.Actions {
		if x.Action == a {
			ta = x
		}
	}
	if ta == nil {
		names := lists.Map(t.Actions, func(x *TableAction) string { return x.Action.name })
		c.checkArgs(r.Args)
		c.errorf(r.Pos, "%s '%s' is not in the actions of table '%s': expected %s",
			what, a.name, t.name, strings.Join(names, ", "))
		return nil, nil
	}
	n := a.Directed()
	given := r.Args
	if len(given) == len(a.Params) && n > 0 && given[0].Name == "" {
		// The arguments for parameters with a direction repeat the arguments in the actions list.
		for i, x := range given[:n] {
			if x.Value != nil {
				c.expr(x.Value)
			}
			if i < len(ta.Args) && syntax.Text(x.Value) != syntax.Text(ta.Args[i]) {
				c.errorf(x.Pos, "argument '%s' of %s '%s' differs from the argument in the list of actions",
					a.Params[i].name, what, a.name)
			}
		}
		given = given[n:]
	}
	args, problem := align(a.Sig.Params[n:], given)
	if problem != "" {
		c.checkArgs(r.Args)
		c.errorf(r.Pos, "%s '%s': %s", what, a.name, problem)
		return ta, nil
	}
	for i, e := range args {
		if e == nil {
			continue
		}
		p := a.Sig.Params[n+i]
		x := c.exprAs(e, p.Type, fmt.Sprintf("argument '%s' of action '%s'", p.Name, a.name))
		c.errorIf(x.v == nil && x.t != Invalid && !c.static(e), e.Position(),
			"argument '%s' of %s '%s' is not known at compile time", p.Name, what, a.name)
	}
	return ta, args
}

// property checks a property of a table. The architecture checks the properties that only the architecture knows.
func (c *checker) property(t *TableObj, p *syntax.Property) {
	if t.Properties[p.Name] != nil {
		c.errorf(p.Pos, "table '%s' has a second property '%s'", t.name, p.Name)
		return
	}
	t.Properties[p.Name] = p
	c.shadowProperty(p.Name, p.Pos)
	switch p.Name {
	case "default_action":
		t.ConstDefault = p.Const
		t.Default, t.DefaultArgs = c.choose(t, p.Action, "default_action")
		if a := t.Default; a != nil && a.Ref.Annotations.Find("tableonly") != nil {
			c.errorf(p.Pos, "action '%s' is @tableonly: it cannot be the default of table '%s'", a.Action.name, t.name)
		}
	case "size":
		if n, ok := c.constInt(p.Value, "the size of table '"+t.name+"'"); ok {
			c.errorIf(n < 0, p.Pos, "table '%s' has a negative size", t.name)
			t.Size = n
		}
	case "priority_delta":
		if n, ok := c.constInt(p.Value, "priority_delta of table '"+t.name+"'"); ok && n < 1 {
			c.errorf(p.Pos, "table '%s' has priority_delta = %d, expected at least 1", t.name, n)
		}
	case "largest_priority_wins":
		c.exprAs(p.Value, Bool, "largest_priority_wins of table '"+t.name+"'")
	default:
		c.expr(p.Value)
	}
}

func (c *checker) entry(t *TableObj, e *syntax.Entry) {
	if len(t.Keys) == 0 {
		c.errorf(e.Pos, "table '%s' has entries but no key", t.name)
		return
	}
	c.keysets(e.Pos, e.Keys, t.Keys, "table")
	if e.Priority != nil {
		c.constInt(e.Priority, "the priority")
	}
	a, args := c.choose(t, e.Action, "action")
	if a != nil {
		c.errorIf(a.Ref.Annotations.Find("defaultonly") != nil, e.Pos,
			"action '%s' is @defaultonly: table '%s' cannot have an entry with it", a.Action.name, t.name)
		t.Entries = append(t.Entries, &TableEntry{Decl: e, Action: a, Args: args})
	}
}
