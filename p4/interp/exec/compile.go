package exec

import (
	"math/big"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// maxFrame is the largest frame, temporaries included.
const maxFrame = 1 << 22

// Word computes a value of one word.
type Word func(m *Machine) uint64

// into computes a value of any size and stores it at word dst of the frame.
type into func(m *Machine, dst int)

// Do runs code without a result.
type Do func(m *Machine)

// addr returns the first word of an lvalue.
type addr func(m *Machine) int

// externs compiles calls of externs. An architecture implements it.
type externs interface {
	// CompileCall compiles a call of an extern function, or of a method if call.Extern is set.
	// Builder itself handles packets, verify and static_assert. For an unknown extern CompileCall
	// returns an error with its name.
	CompileCall(b *Builder, call *ir.ExternCall) (Code, error)
	// CompileTable may attach state to a table from its properties.
	CompileTable(b *Builder, t *Table, p ir.Property) error
}

// Code is a compiled call. Word is set for a one-word result, and Into for a larger result. If the call has no
// result, Do is set.
type Code struct {
	Do   Do
	Word Word
	Into into
}

// Builder compiles a program.
type Builder struct {
	core    *Core
	externs externs
	errs    *syntax.List
	words   int // frame size so far, temporaries included
	zeros   int // words that are always zero
	trash   int // first of the words that are only written, never read
	void    int // size of zeros and of trash, each

	bodies   map[any]Do // bodies of parsers, controls, functions and actions
	tables   map[*ir.Table]*Table
	sets     map[*ir.ValueSet]*ValueSet
	errIndex map[string]uint64
}

// Compile makes a program ready to run. Problems, such as externs that the architecture
// does not have, go to errs; the result must then not be used.
func Compile(p *ir.Program, x externs, errs *syntax.List) *Core {
	b := &Builder{externs: x, errs: errs, words: p.FrameSize,
		bodies: map[any]Do{}, tables: map[*ir.Table]*Table{},
		sets:     map[*ir.ValueSet]*ValueSet{},
		errIndex: map[string]uint64{},
	}
	for i, e := range p.Errors {
		b.errIndex[e] = uint64(i)
	}
	b.core = &Core{bodies: b.bodies}
	for _, v := range p.Vars {
		b.void = max(b.void, types.Slots(v.Type))
	}
	b.zeros = b.Temp(b.void)
	b.trash = b.Temp(b.void)
	for _, vs := range p.ValueSets {
		s := &ValueSet{Def: vs}
		b.sets[vs] = s
		b.core.ValueSets = append(b.core.ValueSets, s)
	}
	for _, t := range p.Tables {
		rt := newTable(t, errs)
		b.tables[t] = rt
		b.core.Tables = append(b.core.Tables, rt)
		for _, prop := range t.Properties {
			if err := x.CompileTable(b, rt, prop); err != nil {
				errs.Errorf(prop.Pos, "%v", err)
			}
		}
	}
	for _, q := range p.Parsers {
		b.parser(q)
	}
	for _, c := range p.Controls {
		b.body(c, c.Init, c.Body)
	}
	if b.words > maxFrame {
		errs.Errorf(syntax.Pos{},
			"the program needs %d words of storage, more than the %d supported", b.words, maxFrame)
		return b.core
	}
	b.core.Machine = &Machine{F: make([]uint64, b.words), vars: p.FrameSize}
	return b.core
}

// Temp reserves n words of the frame and returns the first.
func (b *Builder) Temp(n int) int {
	s := b.words
	b.words += n
	return s
}

// errorIndex returns the value of a member of type error, or 0 if there is no such member.
func (b *Builder) errorIndex(name string) uint64 { return b.errIndex[name] }

// oneWord reports whether values of the type take exactly one word.
func oneWord(t types.Type) bool {
	switch x := types.Strip(t).(type) {
	case *types.Bit:
		return x.Width <= 64
	case *types.Enum:
		return true
	case *types.Basic:
		return x == types.Bool || x == types.Error || x == types.Int
	}
	return false
}

// widthOf returns the width and signedness of a number; bool, enum and error count as
// 64 bits.
func widthOf(t types.Type) (w int, signed bool) {
	if b, ok := types.Strip(t).(*types.Bit); ok {
		return b.Width, b.Signed
	}
	return 64, false
}

// Const returns the value of a numeric expression, if the expression is constant.
func Const(x ir.Expr) (*big.Int, bool) {
	c, ok := x.(*ir.Const)
	if !ok || c.T == types.String {
		return nil, false
	}
	return c.Val, true
}

// constWord returns the word of a constant of at most 64 bits.
func constWord(x ir.Expr) (uint64, bool) {
	v, ok := Const(x)
	if !ok || !oneWord(x.Type()) {
		return 0, false
	}
	w, _ := widthOf(x.Type())
	if x.Type() == types.Int {
		// The expression is an int next to a sized number, such as a shift amount.
		if v.IsUint64() {
			return v.Uint64(), true
		}
		return ^uint64(0), true
	}
	return types.Words(v, w)[0], true
}

// Addr compiles the address of an lvalue. If the index is outside a header stack, the compiled code returns the
// address of words that are zero or, if write is set, of words that are never read.
func (b *Builder) Addr(p *ir.LValue, write bool) (slot int, dyn addr) {
	first := p.Var.Slot + p.Off // a separate variable, because the closure below keeps it
	if len(p.Dyn) == 0 {
		return first, nil
	}
	var steps []addr
	for _, d := range p.Dyn {
		steps = append(steps, b.dyn(d))
	}
	void := b.zeros
	if write {
		void = b.trash
	}
	return 0, func(m *Machine) int {
		a := first
		for _, step := range steps {
			k := step(m)
			if k < 0 {
				return void
			}
			a += k
		}
		return a
	}
}

// at compiles the address of an lvalue. It is slower than Addr for fixed addresses.
func (b *Builder) at(p *ir.LValue, write bool) addr {
	slot, dyn := b.Addr(p, write)
	if dyn != nil {
		return dyn
	}
	return func(*Machine) int { return slot }
}

// dyn compiles one run-time index. The compiled code returns how many words the index adds to the address, or -1 if
// the index is outside the stack.
func (b *Builder) dyn(d ir.Dyn) addr {
	stride, n, counter := d.Stride, d.Len, d.Counter
	oob := b.errorIndex("StackOutOfBounds")
	switch d.Kind {
	case ir.DynNext:
		return func(m *Machine) int {
			i := m.F[counter]
			if i >= uint64(n) {
				m.reject(oob)
				return -1
			}
			return int(i) * stride
		}
	case ir.DynLast:
		return func(m *Machine) int {
			i := m.F[counter]
			if i == 0 || i > uint64(n) {
				m.reject(oob)
				return -1
			}
			return int(i-1) * stride
		}
	}
	if !oneWord(d.Index.Type()) {
		into, t := b.into(d.Index), b.Temp(types.Slots(d.Index.Type()))
		words := types.Slots(d.Index.Type())
		return func(m *Machine) int {
			into(m, t)
			if m.F[t] >= uint64(n) || !isZero(m.F[t+1:t+words]) {
				return -1
			}
			return int(m.F[t]) * stride
		}
	}
	index := b.Word(d.Index)
	return func(m *Machine) int {
		i := index(m)
		if i >= uint64(n) {
			return -1
		}
		return int(i) * stride
	}
}

// Load compiles the address of a value for reading: the address of a variable, or of a temporary
// that the code fills.
func (b *Builder) Load(x ir.Expr) addr {
	if l, ok := x.(*ir.Load); ok && l.LValue.Bits == nil {
		return b.at(l.LValue, false)
	}
	t := b.Temp(types.Slots(x.Type()))
	into := b.into(x)
	return func(m *Machine) int {
		into(m, t)
		return t
	}
}

// Store compiles an assignment of a one-word value to an lvalue.
func (b *Builder) Store(p *ir.LValue) func(m *Machine, v uint64) {
	if p.Bits != nil {
		return b.storeBits(p)
	}
	slot, dyn := b.Addr(p, true)
	if dyn == nil {
		return func(m *Machine, v uint64) { m.F[slot] = v }
	}
	return func(m *Machine, v uint64) { m.F[dyn(m)] = v }
}

// storeBits compiles an assignment to a slice of at most 64 bits.
func (b *Builder) storeBits(p *ir.LValue) func(m *Machine, v uint64) {
	base := *p
	base.Bits = nil
	slot, dyn := b.Addr(&base, true)
	hi, lo := p.Bits.Hi, p.Bits.Lo
	if p.Bits.Of.Width <= 64 {
		ones := mask(hi-lo+1) << lo
		if dyn == nil {
			return func(m *Machine, v uint64) { m.F[slot] = m.F[slot]&^ones | v<<lo&ones }
		}
		return func(m *Machine, v uint64) {
			a := dyn(m)
			m.F[a] = m.F[a]&^ones | v<<lo&ones
		}
	}
	words, at := types.Slots(p.Bits.Of), b.at(&base, true)
	t := b.Temp(1)
	return func(m *Machine, v uint64) {
		a := at(m)
		m.F[t] = v
		wideInsert(m.F[a:a+words], m.F[t:t+1], hi, lo)
	}
}

// StoreAny compiles an assignment of a value of any size. The value is at word src.
func (b *Builder) StoreAny(p *ir.LValue) func(m *Machine, src int) {
	if oneWord(p.Type) {
		store := b.Store(p)
		return func(m *Machine, src int) { store(m, m.F[src]) }
	}
	if p.Bits != nil {
		base := *p
		base.Bits = nil
		at := b.at(&base, true)
		hi, lo, words, n := p.Bits.Hi, p.Bits.Lo, types.Slots(p.Bits.Of), types.Slots(p.Type)
		return func(m *Machine, src int) {
			a := at(m)
			wideInsert(m.F[a:a+words], m.F[src:src+n], hi, lo)
		}
	}
	at, copyTo := b.at(p, true), mover(p.Type)
	drop := b.invalidate(p.Siblings)
	return func(m *Machine, src int) {
		a := at(m)
		copyTo(m.F, a, src)
		if drop != nil && m.F[a] != 0 {
			drop(m)
		}
	}
}

// invalidate compiles code that makes headers invalid. It returns nil if there are no headers.
func (b *Builder) invalidate(lvalues []*ir.LValue) Do {
	if len(lvalues) == 0 {
		return nil
	}
	var addrs []addr
	for _, p := range lvalues {
		addrs = append(addrs, b.at(p, true))
	}
	return func(m *Machine) {
		for _, a := range addrs {
			m.F[a(m)] = 0
		}
	}
}

// segment is a run of words in a value. The fields of a header are copied only if the header is valid.
type segment struct {
	off, words int
	header     bool
}

func segments(t types.Type, off int, out []segment) []segment {
	if types.IsHeader(t) {
		return append(out, segment{off, types.Slots(t), true})
	}
	switch t.(type) {
	case *types.Struct, *types.Tuple, *types.Stack:
		if _, ok := t.(*types.Stack); ok { // nextIndex
			out = segments(types.Unsigned(32), off, out)
		}
		for e, at := range types.Elements(t) {
			out = segments(e, off+at, out)
		}
		return out
	}
	n := types.Slots(t)
	if n == 0 {
		return out
	}
	if k := len(out); k > 0 && !out[k-1].header && out[k-1].off+out[k-1].words == off {
		out[k-1].words += n
		return out
	}
	return append(out, segment{off, n, false})
}

// mover returns the code that copies a value of a type inside the frame.
func mover(t types.Type) func(f []uint64, dst, src int) {
	segs := segments(t, 0, nil)
	if len(segs) == 0 {
		return func([]uint64, int, int) {}
	}
	if len(segs) == 1 && !segs[0].header {
		n := segs[0].words
		return func(f []uint64, dst, src int) { copy(f[dst:dst+n], f[src:src+n]) }
	}
	return func(f []uint64, dst, src int) {
		for _, s := range segs {
			d, a := dst+s.off, src+s.off
			if s.header && f[a] == 0 {
				f[d] = 0
				continue
			}
			copy(f[d:d+s.words], f[a:a+s.words])
		}
	}
}

// unsupported reports code that the executor cannot run.
func (b *Builder) unsupported(at syntax.Pos, what any) {
	b.errs.Errorf(at, "unsupported: %v", what)
}
