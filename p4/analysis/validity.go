package analysis

import (
	"maps"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// validity records which headers are invalid or may be invalid. The key is the first word of the header in the
// frame. A header that is missing from the map counts as valid, as in p4c, even if nothing is known about the
// header.
type validity map[int]certainty

type certainty uint8

const (
	invalid certainty = iota + 1
	maybeInvalid
)

// headers finds accesses to fields of headers that are or may be invalid. It follows the program as p4c does: code
// after an early exit from a body still counts, the effects of a table's actions are forgotten after the table, and
// a condition that mentions the validity of a header counts as a check of this header.
type headers struct {
	*linter
	*flow
	known validity
}

func (l *linter) headers(c *ir.Control) {
	h := &headers{linter: l, known: validity{}}
	h.flow = &flow{analysis: h, open: true}
	h.block(c.Init)
	h.block(c.Body)
}

func (h *headers) body(b *ir.Block) { h.block(b) }

func (h *headers) stmt(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Assign:
		h.assign(s)
	case *ir.SetValid:
		h.set(s.LValue, s.Valid)
		for _, q := range s.LValue.Siblings {
			h.set(q, false)
		}
	case *ir.Shift:
		h.forget(s.LValue)
	default:
		return false
	}
	return true
}

func (h *headers) alternatives(on ir.Expr, bodies ...func()) {
	h.eval(on)
	start := h.known
	var ends []validity
	for _, body := range bodies {
		h.known = maps.Clone(start)
		body()
		ends = append(ends, h.known)
	}
	h.known = ends[0]
	for _, end := range ends[1:] {
		all := maps.Clone(h.known)
		maps.Copy(all, end)
		for slot := range all {
			if h.known[slot] != end[slot] {
				h.known[slot] = maybeInvalid
			}
		}
	}
}

// assume handles the headers whose validity a condition tests. A header counts as valid where the condition holds
// or, if "!" precedes the test, where the condition does not hold.
func (h *headers) assume(x ir.Expr, holds bool) {
	switch x := x.(type) {
	case *ir.IsValid:
		if holds {
			h.forget(x.LValue)
		}
	case *ir.Unary:
		h.assume(x.X, holds != (x.Op == "!"))
	case *ir.Binary:
		if x.Op == "&&" || x.Op == "||" {
			h.assume(x.X, holds)
			h.assume(x.Y, holds)
		}
	}
}

func (h *headers) set(p *ir.LValue, valid bool) {
	first, ok := p.Static()
	switch {
	case !ok:
	case valid:
		delete(h.known, first)
	default:
		h.known[first] = invalid
	}
}

// forget marks all headers of an lvalue as valid.
func (h *headers) forget(p *ir.LValue) {
	first, n := p.Extent()
	maps.DeleteFunc(h.known, func(slot int, _ certainty) bool { return slot >= first && slot < first+n })
}

func (h *headers) assign(s *ir.Assign) {
	h.eval(s.Src)
	h.access(s.Dst, s.Dst.Pos)
	h.forget(s.Dst)
	to, n := s.Dst.Extent()
	switch src := s.Src.(type) {
	case *ir.Load:
		from, _ := src.LValue.Extent()
		for i := range n {
			if c, ok := h.known[from+i]; ok {
				h.known[to+i] = c
			}
		}
	case *ir.Zero:
		if types.IsHeader(s.Dst.Type) {
			h.set(s.Dst, false)
		}
	}
}

func (h *headers) eval(x ir.Expr) {
	switch x := x.(type) {
	case *ir.Load:
		h.access(x.LValue, x.Pos)
	case *ir.Apply:
		h.apply(x.Table)
	case *ir.ExternCall:
		for _, a := range x.Args {
			if a.LValue != nil {
				h.access(a.LValue, a.LValue.Pos)
			}
		}
	}
	h.parts(x)
}

func (h *headers) apply(t *ir.Table) {
	for _, k := range t.Keys {
		h.eval(k.Expr)
	}
	before := h.known
	for _, u := range t.Actions {
		h.known = maps.Clone(before)
		h.stmts(u.In)
		h.block(u.Action.Body)
	}
	h.known = before
}

// access reports a use of a field whose header is or may be invalid.
func (h *headers) access(p *ir.LValue, at syntax.Pos) {
	slot, name := headerOf(p)
	switch h.known[slot] {
	case invalid:
		h.at(at, "header", "a field of %s, which is invalid here: p4c warns", name)
	case maybeInvalid:
		h.at(at, "header", "a field of %s, which may be invalid here: p4c warns", name)
	}
}

// headerOf returns the first word and the name of the header that contains an lvalue. The word is -1 if there is no
// such header, or if the header is known only at run time.
func headerOf(p *ir.LValue) (slot int, name string) {
	if len(p.Dyn) > 0 {
		return -1, ""
	}
	return headerAt(p.Var.Type, p.Off, p.Var.Slot, p.Var.Name)
}

// headerAt finds the header that contains the word at offset off of a value of type t. slot is the first word of the
// value.
func headerAt(t types.Type, off, slot int, name string) (int, string) {
	if types.IsHeader(t) && off > 0 { // offset 0 stands for the whole header, or its validity
		return slot, name
	}
	k := 0
	for e, at := range types.Elements(t) {
		if s, ok := t.(*types.Struct); !types.IsHeader(t) && off >= at && off < at+types.Slots(e) {
			if ok {
				name += "." + s.Fields[k].Name
			}
			return headerAt(e, off-at, slot+at, name)
		}
		k++
	}
	return -1, ""
}
