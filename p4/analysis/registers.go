package analysis

import (
	"fmt"
	"maps"
	"slices"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
)

// access records what a packet has done with a register so far on one path.
type access struct {
	read, written bool
	index         string // index of the cell
	at            syntax.Pos
}

// paths describes the ways through the program up to some statement. Conditions are not evaluated, so the accesses
// to one register are independent of the accesses to another. It is therefore enough to store, for each register,
// the accesses that a packet may have made on some way. nil means that no way leads to the statement.
type paths map[*ir.Extern][]access

// of returns the accesses to a register on each path.
func (p paths) of(r *ir.Extern) []access {
	if list, ok := p[r]; ok {
		return list
	}
	return []access{{}} // nothing so far
}

// join returns the paths of p and q together.
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

// merged returns the accesses in a or b, without duplicates.
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
	*flow
	l        *linter
	ways     paths
	versions map[int]int // by word of the frame: the clock of its last write
	clock    int
	returned paths // paths that left the current body early
	exited   paths
}

// registers checks that on each path through the pipelines a register is read at most
// once and written at most once, in this order and at the same index.
func (l *linter) registers(p *interp.Program) {
	t := &tracer{l: l, versions: map[int]int{}, ways: paths{}}
	t.flow = &flow{analysis: t}
	for _, c := range p.Pipelines() {
		t.exited = nil
		t.body(c.Init)
		t.body(c.Body)
		t.ways = join(t.ways, t.exited) // exit ends only the block; the packet goes on
	}
}

func (t *tracer) body(b *ir.Block) {
	outer := t.returned
	t.returned = nil
	t.block(b)
	t.ways = join(t.ways, t.returned)
	t.returned = outer
}

func (t *tracer) alternatives(on ir.Expr, bodies ...func()) {
	if on != nil {
		t.eval(on)
	}
	start := t.ways
	var out paths
	for _, body := range bodies {
		t.ways = start
		body()
		out = join(out, t.ways)
	}
	t.ways = out
}

func (t *tracer) stmt(s ir.Stmt) bool {
	if t.ways == nil {
		return true // no path reaches this statement
	}
	switch s := s.(type) {
	case *ir.Assign:
		t.eval(s.Src)
		t.wrote(s.Dst)
	case *ir.Return:
		t.returned, t.ways = join(t.returned, t.ways), nil
	case *ir.Exit:
		t.exited, t.ways = join(t.exited, t.ways), nil
	default:
		return false
	}
	return true
}

// wrote notes that the value of an lvalue has changed.
func (t *tracer) wrote(p *ir.LValue) {
	first, n := p.Extent()
	t.clock++
	for i := first; i < first+n; i++ {
		t.versions[i] = t.clock
	}
}

func (t *tracer) eval(x ir.Expr) {
	switch x := x.(type) {
	case *ir.Apply:
		for _, k := range x.Table.Keys {
			t.eval(k.Expr)
		}
		var bodies []func()
		for _, u := range x.Table.Actions {
			bodies = append(bodies, func() {
				for _, d := range u.Action.Data {
					t.wrote(&ir.LValue{Var: d, Type: d.Type})
				}
				t.stmts(u.In)
				t.body(u.Action.Body)
				t.stmts(u.Out)
			})
		}
		t.alternatives(nil, bodies...)
	case *ir.ExternCall:
		for _, a := range x.Args {
			if a.Value != nil && a.In {
				t.eval(a.Value)
			}
		}
		if x.Instance != nil && x.Instance.Type == "register" && t.ways != nil {
			t.access(x)
		}
		for _, a := range x.Args {
			if a.Out && a.LValue != nil {
				t.wrote(a.LValue)
			}
		}
	default:
		t.parts(x)
	}
}

// access notes a read or write of a register on every path.
func (t *tracer) access(x *ir.ExternCall) {
	r := x.Instance
	write := x.Name == "write"
	index := ""
	for _, a := range x.Args {
		if a.Name == "index" {
			index = t.spell(a.Value)
		}
	}
	var after []access
	for _, a := range t.ways.of(r) {
		switch {
		case write && a.written:
			t.l.at(x.Pos, "register", "register %s is written a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.read:
			t.l.at(x.Pos, "register", "register %s is read a second time for one packet (first at %s)", r.Name, a.at)
		case !write && a.written:
			t.l.at(x.Pos, "register",
				"register %s is read after it was written (at %s) for the same packet", r.Name, a.at)
		case write && a.read && a.index != index:
			t.l.at(x.Pos, "register",
				"register %s is written at a different index from the one that was read (at %s)", r.Name, a.at)
		}
		a.read, a.written = a.read || !write, a.written || write
		a.index, a.at = index, x.Pos
		after = merged(after, []access{a})
	}
	t.ways = maps.Clone(t.ways)
	t.ways[r] = after
}

// spell writes an index so that equal spellings mean equal values. For this purpose, the spelling of a variable
// contains the number of its last write.
func (t *tracer) spell(x ir.Expr) string {
	switch x := x.(type) {
	case *ir.Const:
		return x.Val.String()
	case *ir.Load:
		first, n := x.LValue.Extent()
		s := ""
		for i := first; i < first+n; i++ {
			s += fmt.Sprintf("w%d.%d ", i, t.versions[i])
		}
		if b := x.LValue.Bits; b != nil {
			s += fmt.Sprintf("[%d:%d]", b.Hi, b.Lo)
		}
		for _, d := range x.LValue.Dyn {
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
	return fmt.Sprintf("%p", x) // any other expression equals only itself
}
