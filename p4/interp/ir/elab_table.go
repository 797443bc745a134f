package ir

import (
	"math/big"
	"slices"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// actionOf returns an action. Actions declared at the top level are elaborated when first needed.
func (el *elaborator) actionOf(en *env, o *types.ActionObj) *Action {
	if a, ok := en.lookup(o).(*Action); ok {
		return a
	}
	if o.Local {
		return nil
	}
	a := el.action(el.global, o)
	el.global.bind[o] = a
	return a
}

func (el *elaborator) action(en *env, o *types.ActionObj) *Action {
	path := en.path
	if !o.Local {
		path = ""
	}
	a := &Action{Name: controlName(path, o.Decl.Annotations, o.Name()), Local: o.Name(), Pos: o.Position()}
	inner := en.child()
	inner.path = path
	inner.result = nil
	for _, p := range o.Params {
		v := el.newVar(p.Name(), p.Type, p.Position())
		q := Param{Name: p.Name(), Dir: p.Dir, Type: p.Type, LValue: whole(v)}
		a.Params = append(a.Params, q)
		inner.bind[p] = q.LValue
		if p.Dir == syntax.None {
			if len(a.Data) == 0 {
				a.DataSlot = v.Slot
			}
			a.Data = append(a.Data, v)
			a.DataWords += types.Slots(p.Type)
		}
	}
	el.prog.Actions = append(el.prog.Actions, a)
	a.Body = el.block(inner, o.Decl.Body)
	return a
}

func (el *elaborator) table(en *env, o *types.TableObj) *Table {
	d := o.Decl
	t := &Table{Name: controlName(en.path, d.Annotations, d.Name), Local: d.Name, Pos: d.Pos,
		ConstDefault: o.ConstDefault, ConstEntries: d.ConstEntries, Size: o.Size, PriorityDelta: 1,
		Default: EntryAction{Use: -1}}
	if !el.step(d.Pos) {
		return t
	}
	el.prog.Tables = append(el.prog.Tables, t)
	for _, k := range d.Keys {
		t.Keys = append(t.Keys, el.key(en, k))
	}
	for _, ta := range o.Actions {
		a := el.actionOf(en, ta.Action)
		if a == nil {
			continue
		}
		u := &ActionUse{Action: a}
		if ta.Ref != nil {
			u.DefaultOnly = ta.Ref.Annotations.Find("defaultonly") != nil
			u.TableOnly = ta.Ref.Annotations.Find("tableonly") != nil
		}
		n := ta.Action.Directed()
		if len(ta.Args) == n {
			u.In, u.Out = el.copies(en, a.Params[:n], ta.Args, d.Pos)
		}
		t.Actions = append(t.Actions, u)
	}
	t.Default = el.entryAction(en, o, o.Default, o.DefaultArgs)
	el.properties(en, o, t)
	for _, e := range o.Entries {
		t.Entries = append(t.Entries, el.entry(en, o, t, e))
	}
	el.priorities(t)
	return t
}

// priorities sets the priorities of a table's entries if at least one entry has a priority (specification, section
// 14.2.1.4). An entry without a priority comes priority_delta after the previous entry.
func (el *elaborator) priorities(t *Table) {
	first := slices.IndexFunc(t.Entries, func(e *Entry) bool { return e.HasPriority })
	if first < 0 {
		return
	}
	if at := t.Entries[first].Pos; t.ConstEntries {
		el.errorf(at, "table %s has 'const entries': their order decides, so they cannot have priorities", t.Name)
		return
	} else if !slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Match != Exact && k.Match != LPM }) {
		el.errorf(at, "table %s has only keys that match exactly or by lpm: its entries cannot have priorities", t.Name)
		return
	}
	if first > 0 {
		el.errorf(t.Entries[0].Pos, "table %s has an entry with a priority: the first entry also needs a "+
			"priority", t.Name)
		return
	}
	step, least := -t.PriorityDelta, 1
	if t.SmallestPriorityWins {
		step, least = t.PriorityDelta, 0
	}
	last := 0
	for _, e := range t.Entries {
		if !e.HasPriority {
			e.Priority, e.HasPriority = last+step, true
		}
		if last = e.Priority; last < least {
			el.errorf(e.Pos, "table %s: the entry has priority %d, expected at least %d", t.Name, last, least)
			return
		}
	}
}

func (el *elaborator) key(en *env, k *syntax.KeyElement) Key {
	key := Key{Name: syntax.Text(k.Expr), Pos: k.Pos, Expr: el.expr(en, k.Expr), Match: MatchKind(k.MatchKind.Name)}
	if s, ok := k.Annotations.StringArg("name"); ok {
		key.Name = s
	}
	switch key.Match {
	case Exact, LPM, Ternary, Range, Optional, Selector:
	default:
		el.errorf(k.MatchKind.Pos,
			"unsupported: match kind '%s': expected exact, lpm, ternary, range, optional or selector", key.Match)
	}
	return key
}

// entryAction evaluates the data of an action.
func (el *elaborator) entryAction(en *env, o *types.TableObj, ta *types.TableAction, args []syntax.Expr) EntryAction {
	out := EntryAction{Use: -1}
	if ta == nil {
		return out
	}
	for i, x := range o.Actions {
		if x == ta {
			out.Use = i
		}
	}
	n := ta.Action.Directed()
	for i, e := range args {
		if e == nil {
			continue
		}
		v := el.exprAs(en, e, ta.Action.Params[n+i].Type)
		out.Words = append(out.Words, el.words64(v)...)
	}
	return out
}

// words64 returns the words of a constant, in the order of its layout.
func (el *elaborator) words64(x Expr) []uint64 {
	switch x := x.(type) {
	case *Const:
		w := 64
		if b, ok := types.Strip(x.T).(*types.Bit); ok {
			w = b.Width
		}
		return types.Words(x.Val, w)
	case *Zero:
		return make([]uint64, types.Slots(x.T))
	case *Composite:
		var out []uint64
		if types.IsHeader(x.T) {
			out = append(out, 1)
		}
		for _, e := range x.Elems {
			out = append(out, el.words64(e)...)
		}
		return out
	}
	el.errorIf(x.Type() != types.Invalid, x.Position(), "the value is not known at compile time")
	return make([]uint64, types.Slots(x.Type()))
}

func (el *elaborator) entry(en *env, o *types.TableObj, t *Table, e *types.TableEntry) *Entry {
	out := &Entry{Pos: e.Decl.Pos, Const: e.Decl.Const || t.ConstEntries}
	keys := e.Decl.Keys
	for i, k := range t.Keys {
		var x syntax.Expr
		if len(keys) == len(t.Keys) {
			x = keys[i]
		} else {
			x = &syntax.Any{} // one default for all
		}
		out.Keys = append(out.Keys, el.entryKey(en, x, k))
	}
	if e.Decl.Priority != nil {
		out.HasPriority = true
		out.Priority = el.constInt(en, e.Decl.Priority)
	}
	if a := e.Decl.Annotations.Find("priority"); a != nil && len(a.Args) == 1 {
		if lit, ok := a.Args[0].(*syntax.IntLit); ok {
			if v, _, _, err := types.Literal(lit.Text); err == nil && v.IsInt64() {
				out.Rank = int(v.Int64())
			}
		}
	}
	out.Action = el.entryAction(en, o, e.Action, e.Args)
	return out
}

func (el *elaborator) entryKey(en *env, x syntax.Expr, k Key) EntryKey {
	t := k.Expr.Type()
	value := func(e syntax.Expr) *big.Int {
		switch c := el.exprAs(en, e, t).(type) {
		case *Const:
			return c.Val
		case Expr:
			el.errorIf(c.Type() != types.Invalid, e.Position(), "the key of an entry is not known at compile time")
		}
		return new(big.Int)
	}
	bad := func(kind string) EntryKey {
		el.errorf(x.Position(), "key '%s' matches %s: %s is not possible in an entry", k.Name, k.Match, kind)
		return EntryKey{Kind: SetAny}
	}
	switch e := x.(type) {
	case *syntax.Any:
		if k.Match == Exact {
			if x.Position().IsValid() {
				return bad("'_' or default")
			}
		}
		return EntryKey{Kind: SetAny}
	case *syntax.Mask:
		if k.Match != Ternary && k.Match != LPM && k.Match != Optional {
			return bad("a mask")
		}
		return EntryKey{Kind: SetMask, X: value(e.X), Y: value(e.Y)}
	case *syntax.Range:
		if k.Match != Range {
			return bad("a range")
		}
		return EntryKey{Kind: SetRange, X: value(e.X), Y: value(e.Y)}
	}
	return EntryKey{Kind: SetValue, X: value(x)}
}

func (el *elaborator) properties(en *env, o *types.TableObj, t *Table) {
	for _, p := range o.Decl.Properties {
		if o.Properties[p.Name] != p {
			continue
		}
		switch p.Name {
		case "default_action", "size":
			continue
		case "largest_priority_wins":
			if c, ok := el.expr(en, p.Value).(*Const); ok {
				t.SmallestPriorityWins = c.Val.Sign() == 0
			}
			continue
		case "priority_delta":
			t.PriorityDelta = el.constInt(en, p.Value)
			continue
		}
		q := Property{Name: p.Name, Pos: p.Pos}
		switch v := el.static(en, p.Value, t.Name+"."+p.Name).(type) {
		case *Extern:
			q.Extern = v
		case Expr:
			q.Value = v
		}
		t.Properties = append(t.Properties, q)
	}
}
