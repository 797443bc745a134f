package analysis

import (
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
)

// analysis lists the methods of an analysis that a flow calls while it walks a program.
type analysis interface {
	// step counts a statement; it reports whether to go on.
	step(at syntax.Pos) bool
	// stmt handles a statement. If it returns false, the flow handles it.
	stmt(s ir.Stmt) bool
	eval(x ir.Expr)
	// alternatives runs all bodies, of which a packet runs only one. The expression decides which one; it may be
	// nil.
	alternatives(on ir.Expr, bodies ...func())
	// assume is called at the beginning of a body. holds is the value of the condition in this body.
	assume(cond ir.Expr, holds bool)
	// body runs the body of an action or a control. A return statement in it ends only this body.
	body(b *ir.Block)
}

// flow walks a control in the order of execution and expands calls in place.
type flow struct {
	analysis
	steps int
	open  bool // true if a switch with a default may still choose none of its cases
}

func (f *flow) step(syntax.Pos) bool {
	f.steps++
	return f.steps <= maxNodes
}

func (f *flow) assume(ir.Expr, bool) {}

func (f *flow) block(b *ir.Block) {
	if b != nil {
		f.stmts(b.Stmts)
	}
}

func (f *flow) stmts(list []ir.Stmt) {
	for _, s := range list {
		if !f.analysis.step(s.Position()) {
			return
		}
		if !f.analysis.stmt(s) {
			f.into(s)
		}
	}
}

// into walks the statements and expressions inside a statement.
func (f *flow) into(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Eval:
		f.eval(s.X)
	case *ir.Nested:
		f.block(s.Block)
	case *ir.If:
		f.decide(s.Cond, func() { f.block(s.Then) }, func() { f.block(s.Else) })
	case *ir.Switch:
		var bodies []func()
		covered := false
		for _, k := range s.Cases {
			bodies = append(bodies, func() { f.block(k.Body) })
			covered = covered || k.Default
		}
		if !covered || f.open {
			bodies = append(bodies, func() {})
		}
		f.alternatives(s.X, bodies...)
	case *ir.Loop:
		for range 2 { // the second pass sees the effects of the first
			f.alternatives(s.Cond, func() {}, func() { f.block(s.Body); f.block(s.Post) })
		}
	}
}

// decide walks both bodies of a condition as alternatives.
func (f *flow) decide(cond ir.Expr, then, other func()) {
	f.alternatives(cond,
		func() { f.analysis.assume(cond, true); then() },
		func() { f.analysis.assume(cond, false); other() })
}

// parts walks an expression in order of evaluation. It leaves tables to the analysis.
func (f *flow) parts(x ir.Expr) {
	switch x := x.(type) {
	case *ir.Binary:
		if x.Op == "&&" || x.Op == "||" {
			f.alternatives(x.X, func() { f.analysis.assume(x.X, x.Op == "&&"); f.eval(x.Y) }, func() {})
			return
		}
	case *ir.Cond:
		f.decide(x.C, func() { f.eval(x.X) }, func() { f.eval(x.Y) })
		return
	case *ir.Call:
		f.call(x)
		return
	}
	ir.Parts(x, f.eval)
}

// call walks the code that a call runs.
func (f *flow) call(x *ir.Call) {
	f.stmts(x.In)
	_, blocks := x.Callee()
	for _, b := range blocks {
		f.body(b)
	}
	f.stmts(x.Out)
}
