package exec

import (
	"math/big"
	"slices"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// into compiles an expression of any size.
func (b *Builder) into(x ir.Expr) into {
	if oneWord(x.Type()) {
		w := b.Word(x)
		return func(m *Machine, dst int) { m.F[dst] = w(m) }
	}
	switch x := x.(type) {
	case *ir.Const:
		return b.constInto(x)
	case *ir.Zero:
		n := types.Slots(x.T)
		return func(m *Machine, dst int) { clear(m.F[dst : dst+n]) }
	case *ir.Load:
		return b.loadInto(x)
	case *ir.Composite:
		return b.compositeInto(x)
	case *ir.Cond:
		c, y, z := b.Bool(x.C), b.into(x.X), b.into(x.Y)
		return func(m *Machine, dst int) {
			if c(m) {
				y(m, dst)
			} else {
				z(m, dst)
			}
		}
	case *ir.Part:
		base, off, move := b.Load(x.X), x.Off, mover(x.T)
		return func(m *Machine, dst int) { move(m.F, dst, base(m)+off) }
	case *ir.Call:
		run, move := b.call(x), mover(x.T)
		if x.Result == nil {
			break
		}
		s, _ := x.Result.Static()
		return func(m *Machine, dst int) {
			run(m)
			move(m.F, dst, s)
		}
	case *ir.ExternCall:
		if c := b.extern(x); c.Into != nil {
			return c.Into
		}
	case *ir.Unary:
		return b.unaryInto(x)
	case *ir.Binary:
		return b.binaryInto(x)
	case *ir.Cast:
		return b.castInto(x)
	case *ir.Slice:
		base, words, n := b.Load(x.X), types.Slots(x.X.Type()), types.Slots(x.T)
		hi, lo := x.Hi, x.Lo
		return func(m *Machine, dst int) {
			a := base(m)
			wideSlice(m.F[dst:dst+n], m.F[a:a+words], hi, lo)
		}
	}
	b.unsupported(x.Position(), "this expression")
	return func(*Machine, int) {}
}

func (b *Builder) constInto(x *ir.Const) into {
	w, _ := widthOf(x.T)
	words := types.Words(x.Val, w)
	if types.Slots(x.T) != len(words) {
		return func(*Machine, int) {} // a string: nothing to store
	}
	return func(m *Machine, dst int) { copy(m.F[dst:dst+len(words)], words) }
}

func (b *Builder) loadInto(x *ir.Load) into {
	if x.LValue.Bits != nil {
		return b.into(sliced(x))
	}
	move, at := mover(x.T), b.at(x.LValue, false)
	return func(m *Machine, dst int) { move(m.F, dst, at(m)) }
}

// compositeInto builds the value in a temporary first, because its parts may read the destination
// ("p = {p.y, p.x}").
func (b *Builder) compositeInto(x *ir.Composite) into {
	n := types.Slots(x.T)
	t := b.Temp(n)
	type part struct {
		off  int
		into into
	}
	var parts []part
	for i, e := range x.Elems {
		_, off := types.Element(x.T, i)
		if types.Slots(e.Type()) > 0 {
			parts = append(parts, part{off, b.into(e)})
		}
	}
	header := types.IsHeader(x.T)
	move := mover(x.T)
	return func(m *Machine, dst int) {
		clear(m.F[t : t+n])
		if header {
			m.F[t] = 1
		}
		for _, p := range parts {
			p.into(m, t+p.off)
		}
		move(m.F, dst, t)
	}
}

// unaryInto compiles -x as 0 - x, and ~x as all ones minus x.
func (b *Builder) unaryInto(x *ir.Unary) into {
	base, from := b.Load(x.X), make([]uint64, types.Slots(x.T))
	n := len(from)
	w, _ := widthOf(x.T)
	if x.Op == "~" {
		for i := range from {
			from[i] = ^uint64(0)
		}
	}
	return func(m *Machine, dst int) {
		a := base(m)
		wideSub(m.F[dst:dst+n], from, m.F[a:a+n])
		trim(m.F[dst:dst+n], w)
	}
}

// operand compiles a wide operand whose value must not change while later operands are evaluated. If x is a
// variable, operand copies it only if a later operand may change it.
func (b *Builder) operand(x ir.Expr, later ...ir.Expr) addr {
	base := b.Load(x)
	if _, isLoad := x.(*ir.Load); !isLoad {
		return base
	}
	for _, y := range later {
		if ir.Runs(y) {
			n := types.Slots(x.Type())
			t := b.Temp(n)
			return func(m *Machine) int {
				a := base(m)
				copy(m.F[t:t+n], m.F[a:a+n])
				return t
			}
		}
	}
	return base
}

func (b *Builder) binaryInto(x *ir.Binary) into {
	n := types.Slots(x.T)
	w, signed := widthOf(x.T)
	switch x.Op {
	case "<<", ">>":
		base, amount := b.operand(x.X, x.Y), b.amount(x.Y)
		left := x.Op == "<<"
		return func(m *Machine, dst int) {
			a := base(m)
			k := int(amount(m))
			if left {
				wideShl(m.F[dst:dst+n], m.F[a:a+n], k, w)
			} else {
				wideShr(m.F[dst:dst+n], m.F[a:a+n], k, w, signed)
			}
		}
	case "++":
		return b.concatInto(x)
	}
	p, q := b.operand(x.X, x.Y), b.Load(x.Y)
	var f func(dst, a, c []uint64)
	switch x.Op {
	case "+":
		f = wideAdd
	case "-":
		f = wideSub
	case "&":
		f = func(dst, a, c []uint64) {
			for i := range dst {
				dst[i] = a[i] & c[i]
			}
		}
	case "|":
		f = func(dst, a, c []uint64) {
			for i := range dst {
				dst[i] = a[i] | c[i]
			}
		}
	case "^":
		f = func(dst, a, c []uint64) {
			for i := range dst {
				dst[i] = a[i] ^ c[i]
			}
		}
	case "*", "/", "%", "|+|", "|-|":
		return b.rare(x, p, q)
	default:
		b.unsupported(x.Pos, "operator "+x.Op)
		return func(*Machine, int) {}
	}
	return func(m *Machine, dst int) {
		a := p(m)
		c := q(m)
		d := m.F[dst : dst+n]
		f(d, m.F[a:a+n], m.F[c:c+n])
		trim(d, w)
	}
}

// rare compiles operations that are rare on more than 64 bits. It calls the functions that compute constants; these
// allocate memory.
func (b *Builder) rare(x *ir.Binary, p, q addr) into {
	n := types.Slots(x.T)
	bit := types.Strip(x.T).(*types.Bit)
	return func(m *Machine, dst int) {
		a, c := p(m), q(m)
		number := func(at int) *big.Int { return bit.Wrap(types.FromWords(m.F[at : at+n])) }
		d := m.F[dst : dst+n]
		if (x.Op == "/" || x.Op == "%") && isZero(m.F[c:c+n]) {
			m.dividedByZero()
			copy(d, m.F[a:a+n])
			if x.Op == "/" {
				copy(d, types.Words(big.NewInt(-1), bit.Width))
			}
			return
		}
		v, err := types.BinaryOp(x.Op, number(a), number(c), bit)
		if err != nil {
			m.Fail(err)
			return
		}
		copy(d, types.Words(v, bit.Width))
	}
}

func (b *Builder) concatInto(x *ir.Binary) into {
	n := types.Slots(x.T)
	w, _ := widthOf(x.T)
	yw, _ := widthOf(x.Y.Type())
	xw, _ := widthOf(x.X.Type())
	p, q := b.operand(x.X, x.Y), b.Load(x.Y)
	px, py := types.Slots(x.X.Type()), types.Slots(x.Y.Type())
	t := b.Temp(n)
	return func(m *Machine, dst int) {
		a := p(m)
		c := q(m)
		r := m.F[t : t+n]
		wideExtend(r, m.F[a:a+px], xw, false, w)
		wideShl(r, r, yw, w)
		for i := range py {
			r[i] |= m.F[c+i]
		}
		copy(m.F[dst:dst+n], r)
	}
}

func (b *Builder) castInto(x *ir.Cast) into {
	base := b.Load(x.X)
	n, from := types.Slots(x.T), types.Slots(x.X.Type())
	w, _ := widthOf(x.T)
	fw, signed := widthOf(x.X.Type())
	return func(m *Machine, dst int) {
		a := base(m)
		wideExtend(m.F[dst:dst+n], m.F[a:a+from], fw, signed, w)
	}
}

// compareWide compiles comparisons of wide numbers and of composite values.
func (b *Builder) compareWide(x *ir.Binary) func(*Machine) bool {
	p, q := b.operand(x.X, x.Y), b.Load(x.Y)
	t := x.X.Type()
	if bit, ok := types.Strip(t).(*types.Bit); ok {
		n := types.Slots(t)
		return byOrder(x.Op, func(m *Machine) int {
			a := p(m)
			c := q(m)
			if bit.Signed {
				return wideCmpSigned(m.F[a:a+n], m.F[c:c+n], bit.Width)
			}
			return wideCmp(m.F[a:a+n], m.F[c:c+n])
		})
	}
	if t == types.String {
		a, ok1 := x.X.(*ir.Const)
		c, ok2 := x.Y.(*ir.Const)
		same := ok1 && ok2 && a.Str == c.Str
		return func(*Machine) bool { return same == (x.Op == "==") }
	}
	equal := b.equal(t)
	want := x.Op == "=="
	return func(m *Machine) bool {
		a := p(m)
		return equal(m.F, a, q(m)) == want
	}
}

// equal returns code that compares two values in the frame (specification 1.2.4, sections 8.16 to 8.20). Headers are
// equal if both are invalid, or both valid with equal fields. The nextIndex of stacks is not compared.
func (b *Builder) equal(t types.Type) func(f []uint64, x, y int) bool {
	switch t := t.(type) {
	case *types.New:
		return b.equal(t.Under)
	case *types.Struct, *types.Tuple:
		var offs []int
		var eqs []func([]uint64, int, int) bool
		for e, off := range types.Elements(t) {
			offs = append(offs, off)
			eqs = append(eqs, b.equal(e))
		}
		header := types.IsHeader(t)
		return func(f []uint64, x, y int) bool {
			if header && (f[x] != f[y] || f[x] == 0) {
				return f[x] == f[y]
			}
			for i, eq := range eqs {
				if !eq(f, x+offs[i], y+offs[i]) {
					return false
				}
			}
			return true
		}
	case *types.Stack:
		eq, stride, n := b.equal(t.Elem), types.Slots(t.Elem), t.Size
		return func(f []uint64, x, y int) bool {
			for i := range n {
				if !eq(f, x+1+i*stride, y+1+i*stride) {
					return false
				}
			}
			return true
		}
	}
	words := types.Slots(t)
	return func(f []uint64, x, y int) bool { return slices.Equal(f[x:x+words], f[y:y+words]) }
}
