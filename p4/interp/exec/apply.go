package exec

import (
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// result is the result of applying a table.
type result struct {
	hit bool
	use int
}

// apply compiles the application of a table. The compiled code computes the keys in order, looks up the entry,
// copies the entry's action data to the action's parameters, and runs the action.
func (b *Builder) apply(x *ir.Apply) func(*Machine) result {
	t := b.tables[x.Table]
	if t == nil {
		b.unsupported(x.Pos, "table "+x.Table.Name)
		return func(*Machine) result { return result{} }
	}
	type key struct {
		into into
		slot int
	}
	var keys []key
	first := b.Temp(t.words)
	slot := first
	for _, k := range x.Table.Keys {
		if k.Match == ir.Selector {
			continue
		}
		keys = append(keys, key{b.into(k.Expr), slot})
		slot += types.Slots(k.Expr.Type())
	}
	last := slot
	actions := make([]Do, len(x.Table.Actions))
	data := make([]int, len(x.Table.Actions))
	for i, u := range x.Table.Actions {
		cost := 1 + len(u.In) + len(u.Out) + ir.Size(u.Action.Body)
		actions[i] = invoke(b.plain(u.In), b.body(u.Action, u.Action.Body), b.plain(u.Out), cost, x.Pos)
		data[i] = u.Action.DataSlot
	}
	return func(m *Machine) result {
		if m.sig != sigNone {
			return result{}
		}
		for i := range keys {
			keys[i].into(m, keys[i].slot)
		}
		if m.sig != sigNone {
			return result{}
		}
		e := t.lookup(m.F[first:last])
		r := result{hit: e != nil}
		if e == nil {
			e = &t.def
		} else if t.OnHit != nil {
			t.OnHit(m, e)
		}
		words := e.Data
		r.use = e.Use
		if t.resolve != nil && r.hit {
			r.use, words = t.resolve(m, e)
		}
		if r.use < 0 {
			return r
		}
		copy(m.F[data[r.use]:], words)
		actions[r.use](m)
		return r
	}
}

// applyWord compiles the use of the result of applying a table.
func (b *Builder) applyWord(x *ir.Apply) Word {
	apply := b.apply(x)
	switch x.Want {
	case ir.WantHit:
		return func(m *Machine) uint64 { return word(apply(m).hit) }
	case ir.WantMiss:
		return func(m *Machine) uint64 { return word(!apply(m).hit) }
	}
	return func(m *Machine) uint64 { return uint64(apply(m).use) }
}

// selectorKey compiles the selector keys of a table to a list of bits, for an action selector.
func (b *Builder) selectorKey(t *Table) Do {
	parts := []Do{func(m *Machine) { m.Bytes.Reset() }}
	for _, i := range t.selector {
		parts = append(parts, b.Bits(t.Def.Keys[i].Expr))
	}
	return all(parts)
}
