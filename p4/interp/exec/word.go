package exec

import (
	"math/bits"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// Word compiles an expression whose value takes one word.
func (b *Builder) Word(x ir.Expr) Word {
	if v, ok := constWord(x); ok {
		return func(*Machine) uint64 { return v }
	}
	switch x := x.(type) {
	case *ir.Const, *ir.Zero:
		return func(*Machine) uint64 { return 0 }
	case *ir.Load:
		return b.loadWord(x)
	case *ir.Unary:
		return b.unaryWord(x)
	case *ir.Binary:
		return b.binaryWord(x)
	case *ir.Cond:
		c, y, z := b.Bool(x.C), b.Word(x.X), b.Word(x.Y)
		return func(m *Machine) uint64 {
			if c(m) {
				return y(m)
			}
			return z(m)
		}
	case *ir.Cast:
		return b.castWord(x)
	case *ir.Slice:
		return b.sliceWord(x)
	case *ir.IsValid:
		valid := b.isValid(x.LValue)
		return func(m *Machine) uint64 { return word(valid(m)) }
	case *ir.LastIndex:
		at := b.at(x.LValue, false)
		return func(m *Machine) uint64 { return (m.F[at(m)] - 1) & mask(32) }
	case *ir.Part:
		base, off := b.Load(x.X), x.Off
		return func(m *Machine) uint64 { return m.F[base(m)+off] }
	case *ir.Call:
		run, slot := b.call(x), x.Result
		if slot == nil {
			break
		}
		s, _ := slot.Static()
		return func(m *Machine) uint64 {
			run(m)
			return m.F[s]
		}
	case *ir.ExternCall:
		if c := b.extern(x); c.Word != nil {
			return c.Word
		}
	case *ir.Apply:
		return b.applyWord(x)
	}
	b.unsupported(x.Position(), "this expression")
	return func(*Machine) uint64 { return 0 }
}

func word(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func (b *Builder) loadWord(x *ir.Load) Word {
	if x.LValue.Bits != nil {
		return b.Word(sliced(x))
	}
	slot, dyn := b.Addr(x.LValue, false)
	if dyn != nil {
		return func(m *Machine) uint64 { return m.F[dyn(m)] }
	}
	return func(m *Machine) uint64 { return m.F[slot] }
}

// sliced turns the load of a slice into a slice of a load.
func sliced(x *ir.Load) ir.Expr {
	base, r := *x.LValue, x.LValue.Bits
	base.Bits, base.Type = nil, r.Of
	return &ir.Slice{Node: x.Node, X: &ir.Load{Node: ir.Node{T: r.Of, Pos: x.Pos}, LValue: &base}, Hi: r.Hi, Lo: r.Lo}
}

// slotOf returns the word of a variable with a fixed address; ok is false for other expressions.
func slotOf(x ir.Expr) (int, bool) {
	if l, ok := x.(*ir.Load); ok {
		return l.LValue.Static()
	}
	return 0, false
}

func (b *Builder) unaryWord(x *ir.Unary) Word {
	w, _ := widthOf(x.T)
	ones := mask(w)
	if !oneWord(x.X.Type()) {
		b.unsupported(x.Pos, "operator "+x.Op)
		return func(*Machine) uint64 { return 0 }
	}
	y := b.Word(x.X)
	switch x.Op {
	case "!":
		return func(m *Machine) uint64 { return y(m) ^ 1 }
	case "~":
		return func(m *Machine) uint64 { return ^y(m) & ones }
	}
	return func(m *Machine) uint64 { return -y(m) & ones }
}

// signExtend converts a value of int<w> to int64.
func signExtend(v uint64, w int) int64 {
	s := 64 - w
	return int64(v<<s) >> s
}

func (b *Builder) castWord(x *ir.Cast) Word {
	w, _ := widthOf(x.T)
	if !oneWord(x.X.Type()) {
		base := b.Load(x.X)
		ones := mask(w)
		return func(m *Machine) uint64 { return m.F[base(m)] & ones }
	}
	from, signed := widthOf(x.X.Type())
	y := b.Word(x.X)
	ones := mask(w)
	switch {
	case signed && w > from:
		return func(m *Machine) uint64 { return uint64(signExtend(y(m), from)) & ones }
	case w >= from:
		return y
	}
	return func(m *Machine) uint64 { return y(m) & ones }
}

func (b *Builder) sliceWord(x *ir.Slice) Word {
	hi, lo := x.Hi, x.Lo
	ones := mask(hi - lo + 1)
	if oneWord(x.X.Type()) {
		if s, ok := slotOf(x.X); ok {
			return func(m *Machine) uint64 { return m.F[s] >> lo & ones }
		}
		y := b.Word(x.X)
		return func(m *Machine) uint64 { return y(m) >> lo & ones }
	}
	base, words := b.Load(x.X), types.Slots(x.X.Type())
	k, r := lo>>6, uint(lo&63)
	return func(m *Machine) uint64 {
		a := base(m)
		v := m.F[a+k] >> r
		if r > 0 && k+1 < words {
			v |= m.F[a+k+1] << (64 - r)
		}
		return v & ones
	}
}

// isValid compiles the validity of a header, or of any member of a union.
func (b *Builder) isValid(p *ir.LValue) func(*Machine) bool {
	if types.IsUnion(p.Type) {
		var offs []int
		for _, off := range types.Elements(p.Type) {
			offs = append(offs, off)
		}
		at := b.at(p, false)
		return func(m *Machine) bool {
			a := at(m)
			for _, o := range offs {
				if m.F[a+o] != 0 {
					return true
				}
			}
			return false
		}
	}
	slot, dyn := b.Addr(p, false)
	if dyn != nil {
		return func(m *Machine) bool { return m.F[dyn(m)] != 0 }
	}
	return func(m *Machine) bool { return m.F[slot] != 0 }
}

// Bool compiles a condition.
func (b *Builder) Bool(x ir.Expr) func(*Machine) bool {
	switch x := x.(type) {
	case *ir.IsValid:
		return b.isValid(x.LValue)
	case *ir.Load:
		if s, ok := slotOf(x); ok {
			return func(m *Machine) bool { return m.F[s] != 0 }
		}
	case *ir.Unary:
		if x.Op == "!" {
			y := b.Bool(x.X)
			return func(m *Machine) bool { return !y(m) }
		}
	case *ir.Binary:
		switch x.Op {
		case "&&":
			y, z := b.Bool(x.X), b.Bool(x.Y)
			return func(m *Machine) bool { return y(m) && z(m) }
		case "||":
			y, z := b.Bool(x.X), b.Bool(x.Y)
			return func(m *Machine) bool { return y(m) || z(m) }
		}
		return b.compare(x)
	}
	y := b.Word(x)
	return func(m *Machine) bool { return y(m) != 0 }
}

func (b *Builder) compare(x *ir.Binary) func(*Machine) bool {
	if !oneWord(x.X.Type()) || !oneWord(x.Y.Type()) {
		return b.compareWide(x)
	}
	w, signed := widthOf(x.X.Type())
	if s, ok := slotOf(x.X); ok && !signed {
		if k, ok := constWord(x.Y); ok {
			switch x.Op {
			case "==":
				return func(m *Machine) bool { return m.F[s] == k }
			case "!=":
				return func(m *Machine) bool { return m.F[s] != k }
			case "<":
				return func(m *Machine) bool { return m.F[s] < k }
			case "<=":
				return func(m *Machine) bool { return m.F[s] <= k }
			case ">":
				return func(m *Machine) bool { return m.F[s] > k }
			case ">=":
				return func(m *Machine) bool { return m.F[s] >= k }
			}
		}
	}
	y, z := b.Word(x.X), b.Word(x.Y)
	if signed {
		y, z = inOrder(y, w), inOrder(z, w)
	}
	switch x.Op {
	case "==":
		return func(m *Machine) bool { a := y(m); return a == z(m) }
	case "!=":
		return func(m *Machine) bool { a := y(m); return a != z(m) }
	case "<":
		return func(m *Machine) bool { a := y(m); return a < z(m) }
	case "<=":
		return func(m *Machine) bool { a := y(m); return a <= z(m) }
	case ">":
		return func(m *Machine) bool { a := y(m); return a > z(m) }
	case ">=":
		return func(m *Machine) bool { a := y(m); return a >= z(m) }
	}
	b.unsupported(x.Pos, "operator "+x.Op)
	return func(*Machine) bool { return false }
}

// inOrder flips the sign bit of an int<w>, so that unsigned comparison gives the order of signed numbers.
func inOrder(x Word, w int) Word {
	sign := uint64(1) << (w - 1)
	return func(m *Machine) uint64 { return x(m) ^ sign }
}

// byOrder derives a comparison operator from a three-way comparison.
func byOrder(op string, cmp func(*Machine) int) func(*Machine) bool {
	switch op {
	case "==":
		return func(m *Machine) bool { return cmp(m) == 0 }
	case "!=":
		return func(m *Machine) bool { return cmp(m) != 0 }
	case "<":
		return func(m *Machine) bool { return cmp(m) < 0 }
	case "<=":
		return func(m *Machine) bool { return cmp(m) <= 0 }
	case ">":
		return func(m *Machine) bool { return cmp(m) > 0 }
	}
	return func(m *Machine) bool { return cmp(m) >= 0 }
}

func (b *Builder) binaryWord(x *ir.Binary) Word {
	switch x.Op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
		c := b.Bool(x)
		return func(m *Machine) uint64 { return word(c(m)) }
	case "<<", ">>":
		return b.shiftWord(x)
	}
	if s, ok := slotOf(x.X); ok {
		if k, ok := constWord(x.Y); ok {
			if f := slotConst(x, s, k); f != nil {
				return f
			}
		}
		if t, ok := slotOf(x.Y); ok {
			if f := slotSlot(x, s, t); f != nil {
				return f
			}
		}
	}
	return b.binaryGeneral(x, b.Word(x.X), b.Word(x.Y))
}

// slotConst compiles the frequent variable-and-constant operations.
func slotConst(x *ir.Binary, s int, k uint64) Word {
	w, _ := widthOf(x.T)
	ones := mask(w)
	switch x.Op {
	case "+":
		return func(m *Machine) uint64 { return (m.F[s] + k) & ones }
	case "-":
		return func(m *Machine) uint64 { return (m.F[s] - k) & ones }
	case "&":
		return func(m *Machine) uint64 { return m.F[s] & k }
	case "|":
		return func(m *Machine) uint64 { return m.F[s] | k }
	case "^":
		return func(m *Machine) uint64 { return m.F[s] ^ k }
	}
	return nil
}

// slotSlot compiles the frequent operations on two variables.
func slotSlot(x *ir.Binary, s, t int) Word {
	w, _ := widthOf(x.T)
	ones := mask(w)
	switch x.Op {
	case "+":
		return func(m *Machine) uint64 { return (m.F[s] + m.F[t]) & ones }
	case "-":
		return func(m *Machine) uint64 { return (m.F[s] - m.F[t]) & ones }
	case "&":
		return func(m *Machine) uint64 { return m.F[s] & m.F[t] }
	case "|":
		return func(m *Machine) uint64 { return m.F[s] | m.F[t] }
	case "^":
		return func(m *Machine) uint64 { return m.F[s] ^ m.F[t] }
	}
	return nil
}

func (b *Builder) binaryGeneral(x *ir.Binary, y, z Word) Word {
	w, signed := widthOf(x.T)
	ones := mask(w)
	switch x.Op {
	case "+":
		return func(m *Machine) uint64 { a := y(m); return (a + z(m)) & ones }
	case "-":
		return func(m *Machine) uint64 { a := y(m); return (a - z(m)) & ones }
	case "*":
		return func(m *Machine) uint64 { a := y(m); return (a * z(m)) & ones }
	case "/":
		return func(m *Machine) uint64 {
			a, c := y(m), z(m)
			if c == 0 {
				m.dividedByZero()
				return ones
			}
			return a / c
		}
	case "%":
		return func(m *Machine) uint64 {
			a, c := y(m), z(m)
			if c == 0 {
				m.dividedByZero()
				return a
			}
			return a % c
		}
	case "&":
		return func(m *Machine) uint64 { a := y(m); return a & z(m) }
	case "|":
		return func(m *Machine) uint64 { a := y(m); return a | z(m) }
	case "^":
		return func(m *Machine) uint64 { a := y(m); return a ^ z(m) }
	case "|+|", "|-|":
		add := x.Op == "|+|"
		if signed {
			return func(m *Machine) uint64 {
				a := signExtend(y(m), w)
				return saturateSigned(a, signExtend(z(m), w), w, add) & ones
			}
		}
		return func(m *Machine) uint64 { a := y(m); return saturateUnsigned(a, z(m), ones, add) }
	case "++":
		shift, _ := widthOf(x.Y.Type())
		return func(m *Machine) uint64 { a := y(m); return (a<<shift | z(m)) & ones }
	}
	b.unsupported(x.Pos, "operator "+x.Op)
	return func(*Machine) uint64 { return 0 }
}

func saturateUnsigned(a, c, ones uint64, add bool) uint64 {
	if !add {
		if a < c {
			return 0
		}
		return a - c
	}
	s, carry := bits.Add64(a, c, 0)
	if carry != 0 || s > ones {
		return ones
	}
	return s
}

func saturateSigned(a, c int64, w int, add bool) uint64 {
	top := int64(mask(w - 1))
	low := -top - 1
	s := a + c
	overflow := c > 0 && s < a || c < 0 && s > a
	if !add {
		s = a - c
		overflow = c < 0 && s < a || c > 0 && s > a
	}
	switch {
	case overflow && (a > 0), !overflow && s > top:
		return uint64(top)
	case overflow && (a < 0), !overflow && s < low:
		return uint64(low)
	case overflow: // 0 - the smallest number
		return uint64(top)
	}
	return uint64(s)
}

func (b *Builder) shiftWord(x *ir.Binary) Word {
	w, signed := widthOf(x.T)
	ones := mask(w)
	y := b.Word(x.X)
	if v, ok := Const(x.Y); ok {
		n := uint64(w)
		if v.IsUint64() {
			n = min(n, v.Uint64())
		}
		switch {
		case x.Op == "<<":
			return func(m *Machine) uint64 { return y(m) << n & ones }
		case signed:
			return func(m *Machine) uint64 { return uint64(signExtend(y(m), w)>>min(n, 63)) & ones }
		}
		return func(m *Machine) uint64 { return y(m) >> n }
	}
	n := b.amount(x.Y)
	switch {
	case x.Op == "<<":
		return func(m *Machine) uint64 { a := y(m); return a << n(m) & ones }
	case signed:
		return func(m *Machine) uint64 { a := signExtend(y(m), w); return uint64(a>>n(m)) & ones }
	}
	return func(m *Machine) uint64 { a := y(m); return a >> n(m) }
}

// amount compiles a shift amount, limited to types.MaxWidth.
func (b *Builder) amount(x ir.Expr) func(*Machine) uint {
	if oneWord(x.Type()) {
		y := b.Word(x)
		return func(m *Machine) uint { return uint(min(y(m), types.MaxWidth)) }
	}
	base, words := b.Load(x), types.Slots(x.Type())
	return func(m *Machine) uint {
		a := base(m)
		if !isZero(m.F[a+1 : a+words]) {
			return types.MaxWidth
		}
		return uint(min(m.F[a], types.MaxWidth))
	}
}
