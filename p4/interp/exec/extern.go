package exec

import (
	"fmt"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// extern compiles a call of an extern. It handles packets and verify; the architecture handles all
// other externs.
func (b *Builder) extern(x *ir.ExternCall) Code {
	switch {
	case x.Extern == "packet_in":
		return b.packetIn(x)
	case x.Extern == "packet_out" && x.Name == "emit" && len(x.Args) == 1:
		return Code{Do: b.emit(x.Args[0].Value)}
	case x.Extern == "" && x.Name == "verify" && len(x.Args) == 2:
		return b.verify(x)
	case x.Extern == "" && x.Name == "static_assert":
		return b.staticAssert(x)
	}
	c, err := b.externs.CompileCall(b, x)
	if err != nil {
		b.errs.Errorf(x.Pos, "%v", err)
		return refused
	}
	return c
}

// refused stands for a call whose error has been reported.
var refused = Code{Do: func(*Machine) {}, Word: func(*Machine) uint64 { return 0 }}

func (b *Builder) packetIn(x *ir.ExternCall) Code {
	switch {
	case x.Name == "extract" && len(x.Args) == 1 && x.Args[0].LValue != nil:
		return Code{Do: b.extract(x.Args[0].LValue, nil)}
	case x.Name == "extract" && len(x.Args) == 2 && x.Args[0].LValue != nil:
		return Code{Do: b.extract(x.Args[0].LValue, b.Word(x.Args[1].Value))}
	case x.Name == "lookahead":
		return b.lookahead(x)
	case x.Name == "advance" && len(x.Args) == 1:
		n := b.Word(x.Args[0].Value)
		short := b.errorIndex("PacketTooShort")
		return Code{Do: func(m *Machine) {
			k := n(m)
			if m.sig != sigNone {
				return
			}
			if k > uint64(m.In.Left()) {
				m.reject(short)
				return
			}
			m.In.Pos += int(k)
		}}
	case x.Name == "length":
		return Code{Word: func(m *Machine) uint64 { return uint64(m.In.Len()) }}
	}
	b.unsupported(x.Pos, "method "+x.Name+" of packet_in")
	return Code{}
}

// field is one number of a header on the wire.
type field struct {
	off, words int
	width      int
	variable   bool // a varbit field, whose length is in word off
}

// wire lists the numbers of a header, struct or tuple in the order of the wire format. It leaves
// out validity words.
func wire(t types.Type, off int, out []field) []field {
	switch x := types.Strip(t).(type) {
	case *types.Basic:
		switch x {
		case types.Bool:
			return append(out, field{off: off, words: 1, width: 1})
		case types.Error:
			return append(out, field{off: off, words: 1, width: 32})
		}
	case *types.Bit:
		return append(out, field{off: off, words: types.Slots(x), width: x.Width})
	case *types.Enum:
		return append(out, field{off: off, words: 1, width: 32})
	case *types.Varbit:
		return append(out, field{off: off, words: types.Slots(x), width: x.Max, variable: true})
	case *types.Struct, *types.Tuple:
		for e, at := range types.Elements(x) {
			out = wire(e, off+at, out)
		}
	}
	return out
}

// extract compiles packet.extract (specification 1.2.4, section 13.8.3). If the header does not fit, packet and
// header stay unchanged. If several errors apply, extract reports the one that comes first in section 13.8.3.
func (b *Builder) extract(p *ir.LValue, size Word) Do {
	if !types.IsHeader(p.Type) {
		b.errs.Errorf(p.Pos, "extract needs a header, but this is %s", p.Type)
		return func(*Machine) {}
	}
	fields := wire(p.Type, 0, nil)
	fixed := 0
	variable := -1
	simple := true
	for i, f := range fields {
		if f.variable {
			variable = i
		} else {
			fixed += f.width
		}
		simple = simple && f.words == 1 && !f.variable
	}
	if variable >= 0 && size == nil {
		b.errs.Errorf(p.Pos, "%s has a varbit field: extract needs its size as second argument", p.Type)
	}
	if variable < 0 && size != nil {
		b.errs.Errorf(p.Pos, "%s has no varbit field: extract takes no size for it", p.Type)
	}
	short, long := b.errorIndex("PacketTooShort"), b.errorIndex("HeaderTooShort")
	bad := b.errorIndex("ParserInvalidArgument")
	slot, dyn := b.Addr(p, true)
	counter := nextCounter(p)
	drop := b.invalidate(p.Siblings)
	finish := func(m *Machine, a int) {
		m.F[a] = 1
		if drop != nil {
			drop(m)
		}
		if counter >= 0 {
			m.F[counter]++
		}
	}
	if simple && size == nil {
		return func(m *Machine) {
			a := slot
			if dyn != nil {
				if a = dyn(m); m.sig != sigNone {
					return
				}
			}
			if m.In.Left() < fixed {
				m.reject(short)
				return
			}
			pos := m.In.Pos
			for i := range fields {
				f := &fields[i]
				m.F[a+f.off] = bitsAt(m.In.Data, pos, f.width)
				pos += f.width
			}
			m.In.Pos = pos
			finish(m, a)
		}
	}
	return func(m *Machine) {
		a := slot
		if dyn != nil {
			a = dyn(m)
		}
		n := uint64(0)
		if size != nil {
			n = size(m)
		}
		if m.sig != sigNone {
			return
		}
		switch {
		case n&7 != 0:
			m.reject(bad)
			return
		case uint64(m.In.Left()) < uint64(fixed)+n:
			m.reject(short)
			return
		case variable >= 0 && n > uint64(fields[variable].width):
			m.reject(long)
			return
		}
		for _, f := range fields {
			w, at := f.width, a+f.off
			if f.variable {
				m.F[at] = n
				clear(m.F[at+1 : at+f.words])
				at, w = at+1, int(n)
			}
			m.In.words(m.F[at:at+(w+63)/64], w)
		}
		finish(m, a)
	}
}

// nextCounter returns the word that holds nextIndex, if the lvalue is the .next of a header stack or a part of it.
// Otherwise it returns -1.
func nextCounter(p *ir.LValue) int {
	for _, d := range p.Dyn {
		if d.Kind == ir.DynNext {
			return d.Counter
		}
	}
	return -1
}

// lookahead compiles packet.lookahead<T>(): it reads T without advancing.
func (b *Builder) lookahead(x *ir.ExternCall) Code {
	fields := wire(x.T, 0, nil)
	total := 0
	for _, f := range fields {
		if f.variable {
			b.errs.Errorf(x.Pos, "lookahead of %s, which has a varbit field, is not possible", x.T)
		}
		total += f.width
	}
	short := b.errorIndex("PacketTooShort")
	if oneWord(x.T) {
		return Code{Word: func(m *Machine) uint64 {
			if m.sig != sigNone {
				return 0
			}
			if m.In.Left() < total {
				m.reject(short)
				return 0
			}
			return bitsAt(m.In.Data, m.In.Pos, total)
		}}
	}
	header := types.IsHeader(x.T)
	return Code{Into: func(m *Machine, dst int) {
		if m.sig != sigNone {
			return
		}
		if m.In.Left() < total {
			m.reject(short)
			return
		}
		pos := m.In.Pos
		if header {
			m.F[dst] = 1
		}
		for _, f := range fields {
			m.In.words(m.F[dst+f.off:dst+f.off+f.words], f.width)
		}
		m.In.Pos = pos
	}}
}

func (b *Builder) verify(x *ir.ExternCall) Code {
	cond, err := b.Bool(x.Args[0].Value), b.Word(x.Args[1].Value)
	return Code{Do: func(m *Machine) {
		ok := cond(m)
		if m.sig != sigNone || ok {
			return
		}
		m.reject(err(m))
	}}
}

// staticAssert evaluates static_assert at compile time.
func (b *Builder) staticAssert(x *ir.ExternCall) Code {
	if len(x.Args) > 0 {
		if v, ok := Const(x.Args[0].Value); !ok || v.Sign() == 0 {
			msg := ""
			if len(x.Args) > 1 {
				if c, ok := x.Args[1].Value.(*ir.Const); ok {
					msg = ": " + c.Str
				}
			}
			b.errs.Errorf(x.Pos, "static_assert failed%s", msg)
		}
	}
	return Code{Word: func(*Machine) uint64 { return 1 }, Do: func(*Machine) {}}
}

// emit compiles packet_out.emit. It appends valid headers, also those inside structs, stacks and
// unions (specification 1.2.4, section 15.1).
func (b *Builder) emit(x ir.Expr) Do {
	if c, ok := x.(*ir.Composite); ok {
		var list []Do
		for _, e := range c.Elems {
			list = append(list, b.emit(e))
		}
		if types.IsHeader(c.T) {
			return b.Bits(x)
		}
		return sequence(list)
	}
	plan := emitPlan(x.Type(), 0, nil)
	if plan == nil {
		switch x.Type().(type) {
		case *types.Struct, *types.Tuple:
			if types.Slots(x.Type()) == 0 { // nothing in it
				return func(*Machine) {}
			}
		}
		b.errs.Errorf(x.Position(),
			"emit needs a header, header stack, header_union or a struct of these, but this is %s", x.Type())
		return func(*Machine) {}
	}
	base := b.Load(x)
	return func(m *Machine) {
		a := base(m)
		for i := range plan {
			h := &plan[i]
			if m.F[a+h.valid] != 0 {
				put(&m.Out, m.F, a, h.fields)
			}
		}
	}
}

type emitHeader struct {
	valid  int
	fields []field
}

func emitPlan(t types.Type, off int, out []emitHeader) []emitHeader {
	if types.IsHeader(t) {
		return append(out, emitHeader{off, wire(t, off, nil)})
	}
	for e, at := range types.Elements(t) {
		out = emitPlan(e, off+at, out)
	}
	return out
}

// put appends fields of the value at word a.
func put(w *bitWriter, f []uint64, a int, fields []field) {
	for i := range fields {
		fd := &fields[i]
		at := a + fd.off
		switch {
		case fd.variable:
			w.words(f[at+1:at+fd.words], int(f[at]))
		case fd.words == 1:
			w.word(f[at], fd.width)
		default:
			w.words(f[at:at+fd.words], fd.width)
		}
	}
}

// Bits compiles code that appends a value to Machine.Bytes bit by bit, in wire format, as input of
// hashes and checksums. It skips invalid headers.
func (b *Builder) Bits(x ir.Expr) Do {
	if c, ok := x.(*ir.Composite); ok {
		var list []Do
		for _, e := range c.Elems {
			list = append(list, b.Bits(e))
		}
		return all(list)
	}
	if oneWord(x.Type()) {
		w, _ := keyWidth(x.Type())
		v := b.Word(x)
		return func(m *Machine) { m.Bytes.word(v(m), w) }
	}
	if x.Type() == types.String {
		return func(*Machine) {}
	}
	base := b.Load(x)
	heads := emitPlan(x.Type(), 0, nil)
	if len(heads) > 0 {
		return func(m *Machine) {
			a := base(m)
			for i := range heads {
				if h := &heads[i]; m.F[a+h.valid] != 0 {
					put(&m.Bytes, m.F, a, h.fields)
				}
			}
		}
	}
	fields := wire(x.Type(), 0, nil)
	return func(m *Machine) { put(&m.Bytes, m.F, base(m), fields) }
}

// Unknown returns the error for an extern that an architecture does not have.
func Unknown(x *ir.ExternCall, arch string) error {
	if x.Extern != "" {
		return fmt.Errorf("unsupported: method %s of extern %s: architecture %s has none of that name",
			x.Name, x.Extern, arch)
	}
	return fmt.Errorf("unsupported: extern function %s: architecture %s has none of that name", x.Name, arch)
}
