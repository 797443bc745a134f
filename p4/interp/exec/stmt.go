package exec

import (
	"slices"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// block compiles statements that run until one of them raises a signal.
func (b *Builder) block(blk *ir.Block) Do {
	if blk == nil {
		return func(*Machine) {}
	}
	return sequence(b.stmts(blk.Stmts))
}

func (b *Builder) stmts(list []ir.Stmt) []Do {
	var out []Do
	for _, s := range list {
		if n, ok := s.(*ir.Nested); ok { // blocks only matter for names
			out = append(out, b.stmts(n.Block.Stmts)...)
			continue
		}
		if d := b.stmt(s); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func sequence(list []Do) Do {
	switch len(list) {
	case 0:
		return func(*Machine) {}
	case 1:
		return list[0]
	case 2:
		x, y := list[0], list[1]
		return func(m *Machine) {
			x(m)
			if m.sig == sigNone {
				y(m)
			}
		}
	}
	return func(m *Machine) {
		for _, s := range list {
			s(m)
			if m.sig != sigNone {
				return
			}
		}
	}
}

// plain compiles statements that all run even if a signal is pending: the copies in and out of
// calls.
func (b *Builder) plain(list []ir.Stmt) Do {
	out := b.stmts(list)
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return all(out)
}

// all runs everything even if a signal is pending.
func all(list []Do) Do {
	return func(m *Machine) {
		for _, s := range list {
			s(m)
		}
	}
}

func (b *Builder) stmt(s ir.Stmt) Do {
	switch s := s.(type) {
	case *ir.Assign:
		return b.assign(s)
	case *ir.Eval:
		return b.eval(s.X)
	case *ir.If:
		return b.ifStmt(s)
	case *ir.Switch:
		return b.switchStmt(s)
	case *ir.SetValid:
		return b.setValid(s)
	case *ir.Shift:
		return b.shift(s)
	case *ir.Nested:
		return b.block(s.Block)
	case *ir.Return:
		return func(m *Machine) { m.sig = sigReturn }
	case *ir.Exit:
		return func(m *Machine) { m.sig = sigExit }
	case *ir.Break:
		return func(m *Machine) { m.sig = sigBreak }
	case *ir.Continue:
		return func(m *Machine) { m.sig = sigContinue }
	case *ir.Loop:
		return b.loop(s)
	}
	b.unsupported(s.Position(), "this statement")
	return nil
}

// eval compiles an expression whose value is not used.
func (b *Builder) eval(x ir.Expr) Do {
	switch x := x.(type) {
	case *ir.Call:
		return b.call(x)
	case *ir.Apply:
		apply := b.apply(x)
		return func(m *Machine) { apply(m) }
	case *ir.ExternCall:
		c := b.extern(x)
		switch {
		case c.Do != nil:
			return c.Do
		case c.Word != nil:
			return func(m *Machine) { c.Word(m) }
		case c.Into != nil:
			t := b.Temp(types.Slots(x.T))
			return func(m *Machine) { c.Into(m, t) }
		}
		return nil
	}
	if oneWord(x.Type()) {
		w := b.Word(x)
		return func(m *Machine) { w(m) }
	}
	into, t := b.into(x), b.Temp(types.Slots(x.Type()))
	return func(m *Machine) { into(m, t) }
}

// mayStop reports whether evaluating the expression can raise a signal. After a signal, an
// assignment must not happen.
func mayStop(x ir.Expr) bool {
	var p *ir.LValue
	switch x := x.(type) {
	case *ir.Call, *ir.ExternCall, *ir.Apply:
		return true
	case *ir.Load:
		p = x.LValue
	case *ir.IsValid:
		p = x.LValue
	}
	if p != nil && slices.ContainsFunc(p.Dyn, func(d ir.Dyn) bool { return d.Kind != ir.DynIndex }) {
		return true
	}
	stop := false
	ir.Parts(x, func(part ir.Expr) { stop = stop || mayStop(part) })
	return stop
}

func (b *Builder) assign(s *ir.Assign) Do {
	n := types.Slots(s.Dst.Type)
	if n == 0 {
		return nil
	}
	check := mayStop(s.Src)
	if oneWord(s.Dst.Type) && len(s.Dst.Siblings) == 0 {
		return b.assignWord(s, check)
	}
	slot, static := s.Dst.Static()
	if static && len(s.Dst.Siblings) == 0 && !check {
		into := b.into(s.Src)
		return func(m *Machine) { into(m, slot) }
	}
	src, store := b.Load(s.Src), b.StoreAny(s.Dst)
	return func(m *Machine) {
		a := src(m)
		if m.sig == sigNone {
			store(m, a)
		}
	}
}

func (b *Builder) assignWord(s *ir.Assign, check bool) Do {
	src := b.Word(s.Src)
	if slot, ok := s.Dst.Static(); ok {
		if check {
			return func(m *Machine) {
				if v := src(m); m.sig == sigNone {
					m.F[slot] = v
				}
			}
		}
		if k, ok := constWord(s.Src); ok {
			return func(m *Machine) { m.F[slot] = k }
		}
		if from, ok := slotOf(s.Src); ok {
			return func(m *Machine) { m.F[slot] = m.F[from] }
		}
		return func(m *Machine) { m.F[slot] = src(m) }
	}
	store := b.Store(s.Dst)
	return func(m *Machine) {
		if v := src(m); m.sig == sigNone {
			store(m, v)
		}
	}
}

func (b *Builder) ifStmt(s *ir.If) Do {
	cond, then := b.Bool(s.Cond), b.block(s.Then)
	stops := mayStop(s.Cond)
	var other Do = func(*Machine) {}
	if s.Else != nil {
		other = b.block(s.Else)
	}
	if stops {
		return func(m *Machine) {
			v := cond(m)
			switch {
			case m.sig != sigNone:
			case v:
				then(m)
			default:
				other(m)
			}
		}
	}
	if s.Else == nil {
		return func(m *Machine) {
			if cond(m) {
				then(m)
			}
		}
	}
	return func(m *Machine) {
		if cond(m) {
			then(m)
		} else {
			other(m)
		}
	}
}

func (b *Builder) switchStmt(s *ir.Switch) Do {
	bodies := make([]Do, len(s.Cases))
	other := Do(func(*Machine) {})
	for i, c := range s.Cases {
		bodies[i] = b.block(c.Body)
		if c.Default {
			other = bodies[i]
		}
	}
	type label struct {
		words []uint64
		body  Do
	}
	var labels []label
	w, _ := widthOf(s.X.Type())
	dense := oneWord(s.X.Type())
	for i, c := range s.Cases {
		for _, v := range c.Values {
			l := label{types.Words(v.Val, w), bodies[i]}
			labels = append(labels, l)
			dense = dense && l.words[0] < 64
		}
	}
	if dense {
		x := b.Word(s.X)
		var table [64]Do
		for _, l := range slices.Backward(labels) {
			table[l.words[0]] = l.body
		}
		return func(m *Machine) {
			v := x(m)
			if m.sig != sigNone {
				return
			}
			if v < 64 && table[v] != nil {
				table[v](m)
				return
			}
			other(m)
		}
	}
	base, n := b.Load(s.X), types.Slots(s.X.Type())
	return func(m *Machine) {
		a := base(m)
		if m.sig != sigNone {
			return
		}
		for _, l := range labels {
			if slices.Equal(l.words, m.F[a:a+n]) {
				l.body(m)
				return
			}
		}
		other(m)
	}
}

func (b *Builder) setValid(s *ir.SetValid) Do {
	at := b.at(s.LValue, true)
	bits, varbit := 0, -1
	for _, f := range wire(s.LValue.Type, 0, nil) {
		if f.variable {
			varbit = f.off
		} else {
			bits += f.width
		}
	}
	v, drop := word(s.Valid), Do(func(*Machine) {})
	if s.Valid && len(s.LValue.Siblings) > 0 {
		drop = b.invalidate(s.LValue.Siblings)
	}
	return func(m *Machine) {
		drop(m)
		a := at(m)
		switch {
		case m.F[a] == v:
		case s.Valid:
			m.Grown += bits / 8
		default:
			m.Grown -= bits / 8
			if varbit >= 0 {
				m.Grown -= int(m.F[a+varbit]) / 8
			}
		}
		m.F[a] = v
	}
}

// shift compiles push_front and pop_front (specification 1.2.4, section 8.18).
func (b *Builder) shift(s *ir.Shift) Do {
	t, ok := s.LValue.Type.(*types.Stack)
	if !ok {
		b.unsupported(s.Pos, "this stack operation")
		return nil
	}
	at := b.at(s.LValue, true)
	stride, size, n := types.Slots(t.Elem), t.Size, s.Count
	return func(m *Machine) {
		a := at(m)
		elems := m.F[a+1 : a+1+size*stride]
		next := int(m.F[a])
		if s.Push {
			copy(elems[n*stride:], elems[:(size-n)*stride])
			clear(elems[:n*stride])
			next = min(size, next+n)
		} else {
			copy(elems, elems[n*stride:])
			clear(elems[(size-n)*stride:])
			next = max(0, next-n)
		}
		m.F[a] = uint64(next)
	}
}

func (b *Builder) loop(s *ir.Loop) Do {
	cond, body, post, at := b.Bool(s.Cond), b.block(s.Body), b.block(s.Post), s.Pos
	cost := ir.Size(s.Body, s.Post) + 1
	return func(m *Machine) {
		for cond(m) && m.sig == sigNone {
			if m.spend(cost, at); m.sig != sigNone {
				return
			}
			body(m)
			switch m.sig {
			case sigContinue:
				m.sig = sigNone
			case sigBreak:
				m.sig = sigNone
				return
			case sigNone:
			default:
				return
			}
			post(m)
		}
	}
}

// call compiles a call of anything with a body. Results are copied out even if the body
// exits or rejects (specification 1.2.4, section 12.6).
func (b *Builder) call(x *ir.Call) Do {
	in, out := b.plain(x.In), b.plain(x.Out)
	var body Do
	cost := 1 + len(x.In) + len(x.Out)
	if x.Parser != nil {
		body = b.parser(x.Parser) // states count their own steps
		cost += ir.Size(x.Parser.Init)
	} else {
		of, blocks := x.Callee()
		body = b.body(of, blocks...)
		cost += ir.Size(blocks...)
	}
	return invoke(in, body, out, cost, x.Pos)
}

// invoke runs a body between the copies of its arguments.
func invoke(in, body, out Do, cost int, at syntax.Pos) Do {
	return func(m *Machine) {
		if m.sig != sigNone {
			return
		}
		if m.spend(cost, at); m.sig != sigNone {
			return
		}
		if in != nil {
			in(m)
			if m.sig != sigNone {
				return
			}
		}
		body(m)
		if m.sig == sigReturn {
			m.sig = sigNone
		}
		if out == nil {
			return
		}
		if m.sig == sigNone {
			out(m)
			return
		}
		pending := m.sig
		m.sig = sigNone
		out(m)
		m.sig = pending
	}
}

// body compiles the blocks of a function, action or control once for all its calls.
func (b *Builder) body(of any, blocks ...*ir.Block) Do {
	d := b.bodies[of]
	if d == nil {
		var list []Do
		for _, x := range blocks {
			list = append(list, b.block(x))
		}
		d = sequence(list)
		b.bodies[of] = d
	}
	return d
}
