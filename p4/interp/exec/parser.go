package exec

import (
	"fmt"
	"math/big"
	"slices"

	"pintlab/internal/number"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// parser compiles a parser: its states run until accept, reject or another signal.
func (b *Builder) parser(p *ir.Parser) Do {
	if d := b.bodies[p]; d != nil {
		return d
	}
	init := b.block(p.Init)
	bodies := make([]Do, len(p.States))
	next := make([]func(*Machine) int, len(p.States))
	costs := make([]int, len(p.States))
	for i, s := range p.States {
		bodies[i] = b.block(s.Body)
		next[i] = b.selection(s.Next)
		costs[i] = ir.Size(s.Body) + 1
	}
	start := ir.Reject.Index
	if p.Start != nil {
		start = p.Start.Index
	}
	states := p.States
	d := func(m *Machine) {
		init(m)
		for i := start; m.sig == sigNone; {
			if i < 0 {
				if i == ir.Reject.Index {
					m.sig = sigReject // with the error that is set, if any
				}
				return
			}
			if m.spend(costs[i], states[i].Pos); m.sig != sigNone {
				return
			}
			bodies[i](m)
			if m.sig != sigNone {
				return
			}
			i = next[i](m)
		}
	}
	b.bodies[p] = d
	return d
}

// matcher reports whether the keys, which start at a word of the frame, are in a set.
type matcher func(m *Machine, key int) bool

// selection compiles a transition to the index of the next state.
func (b *Builder) selection(s *ir.Select) func(*Machine) int {
	if len(s.Keys) == 0 || len(s.Cases) > 0 && always(s.Cases[0]) {
		target := ir.Reject.Index
		if len(s.Cases) > 0 {
			target = s.Cases[0].Target.Index
		}
		return func(*Machine) int { return target }
	}
	noMatch := b.errorIndex("NoMatch")
	if f := b.oneKey(s, noMatch); f != nil {
		return f
	}
	var slots []int
	var keys []into
	total := 0
	for _, k := range s.Keys {
		total += types.Slots(k.Type())
	}
	t := b.Temp(total)
	for _, k := range s.Keys {
		slots = append(slots, t)
		keys = append(keys, b.into(k))
		t += types.Slots(k.Type())
	}
	first := slots[0]
	type branch struct {
		sets   []matcher
		slots  []int
		target int
	}
	var branches []branch
	for _, c := range s.Cases {
		br := branch{target: c.Target.Index}
		if c.ValueSet != nil {
			br.sets, br.slots = []matcher{b.inValueSet(c.ValueSet)}, []int{first}
		}
		for i, set := range c.Sets {
			if set.Kind != ir.SetAny {
				br.sets = append(br.sets, b.set(set, s.Keys[i].Type()))
				br.slots = append(br.slots, slots[i])
			}
		}
		branches = append(branches, br)
	}
	return func(m *Machine) int {
		for i, k := range keys {
			k(m, slots[i])
			if m.sig != sigNone {
				return ir.Reject.Index
			}
		}
	next:
		for i := range branches {
			br := &branches[i]
			for k, set := range br.sets {
				if !set(m, br.slots[k]) {
					continue next
				}
			}
			return br.target
		}
		m.reject(noMatch)
		return ir.Reject.Index
	}
}

// always reports whether a case matches all keys.
func always(c ir.SelectCase) bool {
	return c.ValueSet == nil && !slices.ContainsFunc(c.Sets, func(s ir.Set) bool { return s.Kind != ir.SetAny })
}

// oneKey compiles a select over one number whose values are constants and masks. This is the usual form. For other
// selects oneKey returns nil.
func (b *Builder) oneKey(s *ir.Select, noMatch uint64) func(*Machine) int {
	if len(s.Keys) != 1 || !oneWord(s.Keys[0].Type()) {
		return nil
	}
	type branch struct {
		value, mask uint64
		target      int
	}
	var branches []branch
	for _, c := range s.Cases {
		if c.ValueSet != nil {
			return nil
		}
		br := branch{target: c.Target.Index}
		if len(c.Sets) == 1 && c.Sets[0].Kind != ir.SetAny {
			v, ok := constWord(c.Sets[0].X)
			br.value, br.mask = v, ^uint64(0)
			if ok && c.Sets[0].Kind == ir.SetMask {
				br.mask, ok = constWord(c.Sets[0].Y)
				br.value &= br.mask
			} else if c.Sets[0].Kind != ir.SetValue {
				ok = false
			}
			if !ok {
				return nil
			}
		}
		branches = append(branches, br)
	}
	key := b.Word(s.Keys[0])
	return func(m *Machine) int {
		v := key(m)
		if m.sig != sigNone {
			return ir.Reject.Index
		}
		for i := range branches {
			if br := &branches[i]; v&br.mask == br.value {
				return br.target
			}
		}
		m.reject(noMatch)
		return ir.Reject.Index
	}
}

// set compiles a test for a key in a set.
func (b *Builder) set(s ir.Set, t types.Type) matcher {
	n := types.Slots(t)
	w, signed := widthOf(t)
	value := func(x ir.Expr) addr {
		if v, ok := Const(x); ok { // the words of constants are computed once
			words := types.Words(v, w)
			tmp := b.Temp(len(words))
			return func(m *Machine) int {
				copy(m.F[tmp:], words)
				return tmp
			}
		}
		return b.Load(x)
	}
	switch s.Kind {
	case ir.SetMask:
		x, y := value(s.X), value(s.Y)
		return func(m *Machine, key int) bool {
			a, c := x(m), y(m)
			for i := range n {
				if (m.F[key+i]^m.F[a+i])&m.F[c+i] != 0 {
					return false
				}
			}
			return true
		}
	case ir.SetRange:
		x, y := value(s.X), value(s.Y)
		return func(m *Machine, key int) bool {
			a, c := x(m), y(m)
			k, lo, hi := m.F[key:key+n], m.F[a:a+n], m.F[c:c+n]
			if signed {
				return wideCmpSigned(lo, k, w) <= 0 && wideCmpSigned(k, hi, w) <= 0
			}
			return wideCmp(lo, k) <= 0 && wideCmp(k, hi) <= 0
		}
	case ir.SetValueSet:
		return b.inValueSet(s.ValueSet)
	case ir.SetAny:
		return func(*Machine, int) bool { return true }
	}
	x, equal := value(s.X), b.equal(t)
	return func(m *Machine, key int) bool { return equal(m.F, key, x(m)) }
}

// ValueSet is a parser value set at run time.
type ValueSet struct {
	Def     *ir.ValueSet
	members [][]uint64
}

func (b *Builder) inValueSet(vs *ir.ValueSet) matcher {
	s := b.sets[vs]
	n := 0
	if s == nil {
		return func(*Machine, int) bool { return false }
	}
	for _, t := range vs.Types {
		n += types.Slots(t)
	}
	return func(m *Machine, key int) bool { return s.index(m.F[key:key+n]) >= 0 }
}

// Add adds a member, which has one value per key.
func (s *ValueSet) Add(values []*big.Int) error {
	words, err := s.layout(values)
	if err != nil {
		return err
	}
	if s.index(words) >= 0 {
		return fmt.Errorf("value set %s has this value already", s.Def.Name)
	}
	if len(s.members) >= s.Def.Size {
		return fmt.Errorf("value set %s holds %s: %w", s.Def.Name, number.Count(s.Def.Size, "value"), errFull)
	}
	s.members = append(s.members, words)
	return nil
}

// Remove removes a member.
func (s *ValueSet) Remove(values []*big.Int) error {
	words, err := s.layout(values)
	if err != nil {
		return err
	}
	i := s.index(words)
	if i < 0 {
		return fmt.Errorf("value set %s has no such value", s.Def.Name)
	}
	s.members = slices.Delete(s.members, i, i+1)
	return nil
}

// index returns the index of a member, or -1 if there is no such member.
func (s *ValueSet) index(words []uint64) int {
	return slices.IndexFunc(s.members, func(m []uint64) bool { return slices.Equal(m, words) })
}

// Clear removes all members.
func (s *ValueSet) Clear() { s.members = nil }

func (s *ValueSet) layout(values []*big.Int) ([]uint64, error) {
	if len(values) != len(s.Def.Types) {
		return nil, fmt.Errorf("value set %s has values of %s, not %d", s.Def.Name,
			number.Count(len(s.Def.Types), "part"), len(values))
	}
	var words []uint64
	for i, t := range s.Def.Types {
		w, _ := keyWidth(t)
		if values[i].Sign() < 0 || values[i].BitLen() > w {
			return nil, fmt.Errorf("value set %s: value %s does not fit %s", s.Def.Name, values[i], t)
		}
		words = append(words, types.Words(values[i], w)...)
	}
	return words, nil
}
