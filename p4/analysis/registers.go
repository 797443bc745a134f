package analysis

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
)

// access is what a packet has done with a register so far on one path.
type access struct {
	read, written bool
	index         string // of the cell
	at            source.Pos
}

// path is one way through the program: the accesses and which statements remain.
type path map[*ir.Extern]access

// maxPaths bounds the paths that are kept apart; beyond it, paths that have done the
// same with each register count as one anyway, so that only odd programs reach it.
const maxPaths = 4096

// tracer follows a packet through the pipelines on all paths at once.
type tracer struct {
	l        *linter
	versions map[int]int // of words of the frame: how often they may have been written
	clock    int
	steps    int
	returned []path // paths that left the present body early
	exited   []path
}

// registers checks that on each path through the pipelines a register is read at most
// once and written at most once, in this order and at one index.
func (l *linter) registers(p *interp.Program) {
	t := &tracer{l: l, versions: map[int]int{}}
	paths := []path{{}}
	for _, c := range p.Pipelines() {
		t.exited = nil
		paths = t.body(c.Init, paths)
		paths = t.body(c.Body, paths)
		paths = dedupe(append(paths, t.exited...)) // exit ends the block, not the packet
	}
}

// dedupe keeps one of each set of paths that have done the same.
func dedupe(paths []path) []path {
	seen := map[string]bool{}
	var out []path
	for _, p := range paths {
		k := p.key()
		if !seen[k] && len(out) < maxPaths {
			seen[k] = true
			out = append(out, p)
		}
	}
	return out
}

func (p path) key() string {
	var parts []string
	for r, a := range p {
		parts = append(parts, fmt.Sprint(r.Index, a.read, a.written, a.index))
	}
	slices.Sort(parts)
	return strings.Join(parts, ";")
}

func (p path) with(r *ir.Extern, a access) path {
	q := make(path, len(p)+1)
	for k, v := range p {
		q[k] = v
	}
	q[r] = a
	return q
}

// body runs a body that return leaves.
func (t *tracer) body(b *ir.Block, paths []path) []path {
	outer := t.returned
	t.returned = nil
	paths = t.block(b, paths)
	paths = dedupe(append(paths, t.returned...))
	t.returned = outer
	return paths
}

func (t *tracer) block(b *ir.Block, paths []path) []path {
	if b == nil {
		return paths
	}
	for _, s := range b.Stmts {
		if t.steps++; t.steps > maxNodes || len(paths) == 0 {
			return paths
		}
		paths = t.stmt(s, paths)
	}
	return paths
}

func (t *tracer) stmts(list []ir.Stmt, paths []path) []path {
	return t.block(&ir.Block{Stmts: list}, paths)
}

func (t *tracer) stmt(s ir.Stmt, paths []path) []path {
	switch s := s.(type) {
	case *ir.Assign:
		paths = t.expr(s.Src, paths)
		t.wrote(s.Dst)
	case *ir.Eval:
		return t.expr(s.X, paths)
	case *ir.Nested:
		return t.block(s.Block, paths)
	case *ir.If:
		paths = t.expr(s.Cond, paths)
		then := t.block(s.Then, paths)
		return dedupe(append(then, t.block(s.Else, paths)...))
	case *ir.Switch:
		paths = t.expr(s.X, paths)
		var out []path
		covered := false
		for _, c := range s.Cases {
			out = append(out, t.block(c.Body, paths)...)
			covered = covered || c.Default
		}
		if !covered {
			out = append(out, paths...)
		}
		return dedupe(out)
	case *ir.Loop:
		// Two rounds show whether a register is met again.
		for range 2 {
			paths = t.expr(s.Cond, paths)
			paths = dedupe(append(paths, t.block(s.Post, t.block(s.Body, paths))...))
		}
	case *ir.Return:
		t.returned = append(t.returned, paths...)
		return nil
	case *ir.Exit:
		t.exited = append(t.exited, paths...)
		return nil
	}
	return paths
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
func (t *tracer) expr(x ir.Expr, paths []path) []path {
	switch x := x.(type) {
	case *ir.Unary:
		return t.expr(x.X, paths)
	case *ir.Binary:
		paths = t.expr(x.X, paths)
		if x.Op == "&&" || x.Op == "||" {
			return dedupe(append(t.expr(x.Y, paths), paths...))
		}
		return t.expr(x.Y, paths)
	case *ir.Cond:
		paths = t.expr(x.C, paths)
		a := t.expr(x.X, paths)
		return dedupe(append(a, t.expr(x.Y, paths)...))
	case *ir.Cast:
		return t.expr(x.X, paths)
	case *ir.Slice:
		return t.expr(x.X, paths)
	case *ir.Part:
		return t.expr(x.X, paths)
	case *ir.Composite:
		for _, e := range x.Elems {
			paths = t.expr(e, paths)
		}
	case *ir.Call:
		return t.call(x, paths)
	case *ir.Apply:
		return t.apply(x.Table, paths)
	case *ir.ExternCall:
		return t.extern(x, paths)
	}
	return paths
}

func (t *tracer) call(x *ir.Call, paths []path) []path {
	paths = t.stmts(x.In, paths)
	switch {
	case x.Function != nil:
		paths = t.body(x.Function.Body, paths)
	case x.Action != nil:
		paths = t.body(x.Action.Body, paths)
	case x.Control != nil:
		paths = t.block(x.Control.Init, paths)
		paths = t.body(x.Control.Body, paths)
	}
	return t.stmts(x.Out, paths)
}

func (t *tracer) apply(tb *ir.Table, paths []path) []path {
	for _, k := range tb.Keys {
		paths = t.expr(k.Expr, paths)
	}
	var out []path
	for _, u := range tb.Actions {
		for _, d := range u.Action.Data {
			t.wrote(&ir.Place{Var: d, Type: d.Type})
		}
		q := t.stmts(u.In, paths)
		q = t.body(u.Action.Body, q)
		out = append(out, t.stmts(u.Out, q)...)
	}
	return dedupe(out)
}

func (t *tracer) extern(x *ir.ExternCall, paths []path) []path {
	for _, a := range x.Args {
		if a.Value != nil && a.In {
			paths = t.expr(a.Value, paths)
		}
	}
	if x.Instance != nil && x.Instance.Type == "register" {
		paths = t.access(x, paths)
	}
	for _, a := range x.Args {
		if a.Out && a.Place != nil {
			t.wrote(a.Place)
		}
	}
	return paths
}

// access notes a read or write of a register on every path.
func (t *tracer) access(x *ir.ExternCall, paths []path) []path {
	r := x.Instance
	write := x.Name == "write"
	index := ""
	for _, a := range x.Args {
		if a.Name == "index" {
			index = t.spell(a.Value)
		}
	}
	var out []path
	for _, p := range paths {
		a := p[r]
		switch {
		case write && a.written:
			t.l.add(x, "register", "register %s is written a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.read:
			t.l.add(x, "register", "register %s is read a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.written:
			t.l.add(x, "register", "register %s is read after it was written for the same packet (at %s)", r.Name, a.at)
		case write && a.read && a.index != index:
			t.l.add(x, "register", "register %s is written at another index than it was read at (at %s)", r.Name, a.at)
		}
		a.read, a.written = a.read || !write, a.written || write
		a.index, a.at = index, x.Pos
		out = append(out, p.with(r, a))
	}
	return dedupe(out)
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
