package analysis

import (
	"maps"
	"slices"

	"pintlab/internal/lists"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

func (g *graph) eval(x ir.Expr) { g.expr(x) }

func (g *graph) alternatives(on ir.Expr, bodies ...func()) { g.fork(g.condition(on), bodies...) }

func (g *graph) body(b *ir.Block) {
	escaped := g.escaped
	g.block(b)
	g.escaped = escaped
}

func (g *graph) stmt(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Assign:
		g.assign(s)
	case *ir.If:
		return g.extreme(s)
	case *ir.SetValid:
		g.setValid(s.LValue, s)
		for _, q := range s.LValue.Siblings {
			g.setValid(q, s)
		}
	case *ir.Shift:
		// A shift moves the whole stack, because every element gets the value of its neighbour.
		g.write(s.LValue, s, s.LValue.Text, []value{g.read(s.LValue)})
	case *ir.Return:
		g.escaped = union(g.escaped, g.ctl)
	case *ir.Exit:
		g.exited = union(g.exited, g.ctl)
	case *ir.Loop:
		g.found.at(s.Pos, "loop", "a loop cannot be laid out in stages")
	default:
		return false
	}
	return true
}

// setValid writes the validity of a header.
func (g *graph) setValid(p *ir.LValue, s ir.Stmt) {
	q := *p
	q.Type, q.Siblings = types.Bool, nil
	g.write(&q, s, "validity of "+p.Text, []value{nil})
}

// extreme walks an if that computes the larger or smaller of two numbers, such as if (a > b) b = a. One ALU
// operation does this.
func (g *graph) extreme(s *ir.If) bool {
	c, ok := s.Cond.(*ir.Binary)
	if !ok || s.Else != nil && len(s.Else.Stmts) > 0 || len(s.Then.Stmts) != 1 || !logical(c.Op) ||
		c.Op == "==" || c.Op == "!=" || c.Op == "&&" || c.Op == "||" {
		return false
	}
	a, ok := s.Then.Stmts[0].(*ir.Assign)
	if !ok || a.Decl || a.Reset || !wiring(a.Src) {
		return false
	}
	dst := &ir.Load{Node: ir.Node{T: a.Dst.Type, Pos: a.Pos}, LValue: a.Dst}
	if !(same(c.X, dst) && same(c.Y, a.Src) || same(c.Y, dst) && same(c.X, a.Src)) {
		return false
	}
	name := "max"
	if same(c.X, dst) == (c.Op == ">" || c.Op == ">=") {
		name = "min"
	}
	g.store(a.Dst, []value{g.op(s.Pos, name, g.expr(a.Src), g.read(a.Dst))})
	return true
}

// same reports whether two expressions are the same bits of the same variable. The destination of an assignment
// contains the bits in its lvalue. Where a value is used, the bits are a slice expression.
func same(x, y ir.Expr) bool {
	px, hx, lx := bitsOf(x)
	py, hy, ly := bitsOf(y)
	return px != nil && py != nil && px.Var == py.Var && px.Off == py.Off && hx == hy && lx == ly
}

// bitsOf returns the variable of an expression and the range of its bits, -1 for all bits.
func bitsOf(x ir.Expr) (p *ir.LValue, hi, lo int) {
	switch x := x.(type) {
	case *ir.Load:
		if len(x.LValue.Dyn) > 0 {
			return nil, 0, 0
		}
		if b := x.LValue.Bits; b != nil {
			return x.LValue, b.Hi, b.Lo
		}
		return x.LValue, -1, -1
	case *ir.Slice:
		p, hi, _ := bitsOf(x.X)
		if p == nil || hi >= 0 {
			return nil, 0, 0
		}
		return p, x.Hi, x.Lo
	}
	return nil, 0, 0
}

// assign walks an assignment. The last operation of the right side writes the destination.
func (g *graph) assign(s *ir.Assign) {
	if s.Decl {
		g.declare(s.Dst)
	}
	switch {
	case s.Reset: // zeros cost nothing, and only a new variable can have been written before
		if s.Decl && g.private(s.Dst) {
			g.store(s.Dst, []value{nil})
		}
	case s.Decl:
		g.store(s.Dst, g.parts(s.Src))
	case wiring(s.Src) || !g.conditional(s.Dst):
		g.write(s.Dst, s, s.Dst.Text, g.parts(s.Src))
	default: // the operation is predicated, so it also waits for the old value, which may stay
		old := g.read(s.Dst)
		v := g.expr(s.Src)
		g.after(v, old)
		g.store(s.Dst, []value{v})
	}
}

// after makes the nodes that computed v wait for the nodes that computed old.
func (g *graph) after(v, old value) {
	for _, d := range v {
		if n := &g.nodes[d.node]; n.kind != tableNode {
			n.data = union(n.data, without(old, d.node))
		}
	}
}

// without returns the parts of a value that come from nodes before node id.
func without(v value, id int) value {
	var out value
	for _, d := range v {
		if d.node < id {
			out = append(out, d)
		}
	}
	return out
}

// write stores values that cost nothing. A write that always happens needs no operation. In a conditional write, a
// value that was computed in this branch can be written at once, because it was computed under the same condition.
// Any other value needs a move.
func (g *graph) write(p *ir.LValue, s ir.Stmt, label string, parts []value) {
	if !g.conditional(p) {
		g.store(p, parts)
		return
	}
	old := g.read(p)
	if v := union(parts...); g.ofBranch(v, old) {
		g.after(v, old)
		g.store(p, parts)
		return
	}
	v := g.add(node{kind: moveNode, label: "write " + label, pos: s.Position()}, append(parts, old)...)
	g.store(p, []value{v})
}

// ofBranch reports whether a value was computed in the current branch. It ignores the inputs that the old value of
// the destination also has.
func (g *graph) ofBranch(v, old value) bool {
	computed := false
	for _, d := range v {
		switch {
		case d.node >= g.branchStart && g.nodes[d.node].kind != tableNode:
			computed = true
		case !slices.Contains(old, d):
			return false
		}
	}
	return computed
}

// fork walks all bodies, of which only one runs, depending on c. Afterwards a word depends on everything that it
// depends on at the end of at least one body.
func (g *graph) fork(c value, bodies ...func()) {
	oldCtl, oldStart, oldBranch := g.ctl, g.branchStart, g.branch
	g.ctl = union(g.ctl, c)
	g.depth++
	start := g.env
	escaped, exited := g.escaped, g.exited
	var ends []map[int]value
	var esc, ex []value
	for _, body := range bodies {
		g.env = maps.Clone(start)
		g.escaped, g.exited = escaped, exited
		g.branchStart = len(g.nodes)
		g.branches++
		g.branch = g.branches
		body()
		ends = append(ends, g.env)
		esc, ex = append(esc, g.escaped), append(ex, g.exited)
	}
	g.env = merge(ends)
	g.escaped, g.exited = union(esc...), union(ex...)
	g.depth--
	g.ctl, g.branchStart, g.branch = oldCtl, oldStart, oldBranch
	if len(g.escaped) > len(escaped) || len(g.exited) > len(exited) {
		g.branchStart = len(g.nodes) // the code after the bodies is a separate branch
	}
}

func merge(ends []map[int]value) map[int]value {
	out := map[int]value{}
	for _, e := range ends {
		for k, v := range e {
			out[k] = union(out[k], v)
		}
	}
	return out
}

// apply walks a table: a node for the match, then its actions as alternatives.
func (g *graph) apply(x *ir.Apply) value {
	t := x.Table
	keys := lists.Map(t.Keys, func(k ir.Key) value { return g.expr(k.Expr) })
	outer := g.table
	v := g.add(node{kind: tableNode, label: "table " + t.Name, pos: t.Pos, match: t}, keys...)
	id := v[0].node
	chosen := value{{id, 0}}
	var bodies []func()
	for _, u := range t.Actions {
		bodies = append(bodies, func() {
			for _, d := range u.Action.Data {
				for i := range types.Slots(d.Type) {
					g.env[d.Slot+i], g.born[d.Slot+i] = nil, g.depth
				}
			}
			g.stmts(u.In)
			g.table = id
			g.body(u.Action.Body)
			g.table = outer
			g.stmts(u.Out)
		})
	}
	if len(bodies) > 0 {
		g.fork(chosen, bodies...)
	}
	return chosen
}

func (g *graph) extern(x *ir.ExternCall) value {
	var ins []value
	for _, a := range x.Args {
		if a.In && a.Value != nil {
			ins = append(ins, g.expr(a.Value))
		}
	}
	n := node{kind: unitNode, label: x.Name, pos: x.Pos}
	for _, a := range x.Args {
		if bits, _ := types.Bits(a.Type); a.In && x.Name == "hash" && a.Name == "data" {
			n.bytes = (bits + 7) / 8
		}
		if bits, _ := types.Bits(a.Type); a.Out && x.Name == "hash" {
			n.bits = bits
		}
		if _, known := a.Value.(*ir.Const); known && a.Name == "index" {
			n.free = true
		}
	}
	if x.Instance != nil {
		n.label = x.Instance.Name + "." + x.Name
		if x.Instance.Type == "register" {
			n.kind, n.reg, n.write = registerNode, x.Instance, x.Name == "write"
		}
	}
	switch x.Name {
	case "hash", "random":
		n.kind = hashNode
	case "mark_to_drop", "log_msg", "assert", "assume", "static_assert":
		// mark_to_drop sets intrinsic metadata, which is a move. The other functions compute nothing in a switch.
		n.kind = moveNode
		if x.Name != "mark_to_drop" {
			return nil
		}
		if len(g.ctl) == 0 && len(g.escaped) == 0 && len(g.exited) == 0 {
			return nil
		}
		ins = nil
	}
	v := g.add(n, ins...)
	if x.Name == "mark_to_drop" {
		return v
	}
	for _, a := range x.Args {
		if a.Out && a.LValue != nil {
			g.result(a.LValue, v)
		}
	}
	return v
}

// result stores the result of an extern. If the call is conditional, the old value may stay.
func (g *graph) result(p *ir.LValue, v value) {
	if g.conditional(p) {
		old := g.read(p)
		g.after(v, old)
	}
	g.store(p, []value{v})
}
