package analysis

import (
	"fmt"
	"maps"
	"slices"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
)

// access is what a packet has done with a register so far on one way.
type access struct {
	read, written bool
	index         string // of the cell
	at            source.Pos
}

// paths are the ways through the program up to some statement. What a way did with one
// register says nothing about another, for conditions are not looked into: it is enough to
// know, for each register, what any of them did. nil are no ways at all.
type paths map[*ir.Extern][]access

// of is what the ways did with a register.
func (p paths) of(r *ir.Extern) []access {
	if list, ok := p[r]; ok {
		return list
	}
	return []access{{}} // nothing so far
}

// with is p with another history of a register.
func (p paths) with(r *ir.Extern, list []access) paths {
	q := maps.Clone(p)
	q[r] = list
	return q
}

// join is both.
func join(p, q paths) paths {
	if p == nil {
		return q
	}
	if q == nil {
		return p
	}
	out := maps.Clone(p)
	maps.Copy(out, q)
	for r := range out {
		out[r] = merged(p.of(r), q.of(r))
	}
	return out
}

// merged has what is in a or b, the first of those that have done the same.
func merged(a, b []access) []access {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(out, x.same) {
			out = append(out, x)
		}
	}
	return out
}

func (a access) same(b access) bool {
	return a.read == b.read && a.written == b.written && a.index == b.index
}

// tracer follows a packet through the pipelines on all paths at once.
type tracer struct {
	l        *linter
	versions map[int]int // of words of the frame: how often they may have been written
	clock    int
	steps    int
	returned paths // those that left the present body early
	exited   paths
}

// registers checks that on each path through the pipelines a register is read at most
// once and written at most once, in this order and at one index.
func (l *linter) registers(p *interp.Program) {
	t := &tracer{l: l, versions: map[int]int{}}
	ways := paths{}
	for _, c := range p.Pipelines() {
		t.exited = nil
		ways = t.body(c.Init, ways)
		ways = t.body(c.Body, ways)
		ways = join(ways, t.exited) // exit ends the block, not the packet
	}
}

// body runs a body that return leaves.
func (t *tracer) body(b *ir.Block, ways paths) paths {
	outer := t.returned
	t.returned = nil
	ways = t.block(b, ways)
	ways = join(ways, t.returned)
	t.returned = outer
	return ways
}

func (t *tracer) block(b *ir.Block, ways paths) paths {
	if b == nil {
		return ways
	}
	for _, s := range b.Stmts {
		if t.steps++; t.steps > maxNodes || ways == nil {
			return ways
		}
		ways = t.stmt(s, ways)
	}
	return ways
}

func (t *tracer) stmts(list []ir.Stmt, ways paths) paths {
	return t.block(&ir.Block{Stmts: list}, ways)
}

func (t *tracer) stmt(s ir.Stmt, ways paths) paths {
	switch s := s.(type) {
	case *ir.Assign:
		ways = t.expr(s.Src, ways)
		t.wrote(s.Dst)
	case *ir.Eval:
		return t.expr(s.X, ways)
	case *ir.Nested:
		return t.block(s.Block, ways)
	case *ir.If:
		ways = t.expr(s.Cond, ways)
		return join(t.block(s.Then, ways), t.block(s.Else, ways))
	case *ir.Switch:
		ways = t.expr(s.X, ways)
		var out paths
		covered := false
		for _, c := range s.Cases {
			out = join(out, t.block(c.Body, ways))
			covered = covered || c.Default
		}
		if !covered {
			out = join(out, ways)
		}
		return out
	case *ir.Loop:
		// Two rounds show whether a register is met again.
		for range 2 {
			ways = t.expr(s.Cond, ways)
			ways = join(ways, t.block(s.Post, t.block(s.Body, ways)))
		}
	case *ir.Return:
		t.returned = join(t.returned, ways)
		return nil
	case *ir.Exit:
		t.exited = join(t.exited, ways)
		return nil
	}
	return ways
}

// wrote notes that a place has another value now.
func (t *tracer) wrote(p *ir.Place) {
	first, n := p.Extent()
	t.clock++
	for i := first; i < first+n; i++ {
		t.versions[i] = t.clock
	}
}

// expr runs the calls in an expression, in order of evaluation.
func (t *tracer) expr(x ir.Expr, ways paths) paths {
	switch x := x.(type) {
	case *ir.Binary:
		if x.Op == "&&" || x.Op == "||" {
			ways = t.expr(x.X, ways)
			return join(t.expr(x.Y, ways), ways)
		}
	case *ir.Cond:
		ways = t.expr(x.C, ways)
		return join(t.expr(x.X, ways), t.expr(x.Y, ways))
	case *ir.Call:
		return t.call(x, ways)
	case *ir.Apply:
		return t.apply(x.Table, ways)
	case *ir.ExternCall:
		return t.extern(x, ways)
	}
	ir.Parts(x, func(part ir.Expr) { ways = t.expr(part, ways) })
	return ways
}

func (t *tracer) call(x *ir.Call, ways paths) paths {
	ways = t.stmts(x.In, ways)
	_, blocks := x.Callee()
	for _, b := range blocks {
		ways = t.body(b, ways)
	}
	return t.stmts(x.Out, ways)
}

func (t *tracer) apply(tb *ir.Table, ways paths) paths {
	for _, k := range tb.Keys {
		ways = t.expr(k.Expr, ways)
	}
	var out paths
	for _, u := range tb.Actions {
		for _, d := range u.Action.Data {
			t.wrote(&ir.Place{Var: d, Type: d.Type})
		}
		q := t.stmts(u.In, ways)
		q = t.body(u.Action.Body, q)
		out = join(out, t.stmts(u.Out, q))
	}
	return out
}

func (t *tracer) extern(x *ir.ExternCall, ways paths) paths {
	for _, a := range x.Args {
		if a.Value != nil && a.In {
			ways = t.expr(a.Value, ways)
		}
	}
	if x.Instance != nil && x.Instance.Type == "register" {
		ways = t.access(x, ways)
	}
	for _, a := range x.Args {
		if a.Out && a.Place != nil {
			t.wrote(a.Place)
		}
	}
	return ways
}

// access notes a read or write of a register on every path.
func (t *tracer) access(x *ir.ExternCall, ways paths) paths {
	r := x.Instance
	write := x.Name == "write"
	index := ""
	for _, a := range x.Args {
		if a.Name == "index" {
			index = t.spell(a.Value)
		}
	}
	if ways == nil { // exit was called on the way here
		return nil
	}
	var after []access
	for _, a := range ways.of(r) {
		switch {
		case write && a.written:
			t.l.at(x.Pos, "register", "register %s is written a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.read:
			t.l.at(x.Pos, "register", "register %s is read a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.written:
			t.l.at(x.Pos, "register", "register %s is read after it was written for the same packet (at %s)", r.Name, a.at)
		case write && a.read && a.index != index:
			t.l.at(x.Pos, "register", "register %s is written at another index than it was read at (at %s)", r.Name, a.at)
		}
		a.read, a.written = a.read || !write, a.written || write
		a.index, a.at = index, x.Pos
		after = merged(after, []access{a})
	}
	return ways.with(r, after)
}

// spell writes down an index so that equal spellings are equal values: variables carry
// the number of their last write.
func (t *tracer) spell(x ir.Expr) string {
	switch x := x.(type) {
	case *ir.Const:
		return x.Val.String()
	case *ir.Load:
		first, n := x.Place.Extent()
		s := ""
		for i := first; i < first+n; i++ {
			s += fmt.Sprintf("w%d.%d ", i, t.versions[i])
		}
		if b := x.Place.Bits; b != nil {
			s += fmt.Sprintf("[%d:%d]", b.Hi, b.Lo)
		}
		for _, d := range x.Place.Dyn {
			if d.Index != nil {
				s += "[" + t.spell(d.Index) + "]"
			}
		}
		return s
	case *ir.Cast:
		return fmt.Sprintf("(%s)%s", x.T, t.spell(x.X))
	case *ir.Slice:
		return fmt.Sprintf("%s[%d:%d]", t.spell(x.X), x.Hi, x.Lo)
	case *ir.Unary:
		return x.Op + t.spell(x.X)
	case *ir.Binary:
		return "(" + t.spell(x.X) + x.Op + t.spell(x.Y) + ")"
	}
	return fmt.Sprintf("%p", x) // something else: equal only to itself
}
