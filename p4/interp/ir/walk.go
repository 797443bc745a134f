package ir

// Walk calls visit once for every expression of a program. It visits the parts of an expression after the
// expression.
func Walk(p *Program, visit func(Expr)) {
	w := &walker{visit: visit}
	for _, q := range p.Parsers {
		w.parser(q)
	}
	for _, c := range p.Controls {
		w.blocks(c.Init, c.Body)
	}
	for _, t := range p.Tables {
		w.table(t)
	}
	for _, a := range p.Actions {
		w.blocks(a.Body)
	}
	for _, f := range p.Functions {
		w.blocks(f.Body)
	}
}

// Reach calls visit once for every expression that running a parser or control can evaluate: in its
// own code, in its callees and in the tables that it applies. One of p and c is nil.
func Reach(p *Parser, c *Control, visit func(Expr)) {
	w := &walker{}
	seen := map[any]bool{}
	first := func(x any) bool {
		again := seen[x]
		seen[x] = true
		return !again
	}
	parser := func(p *Parser) {
		if p != nil && first(p) {
			w.parser(p)
		}
	}
	w.visit = func(x Expr) {
		visit(x)
		switch x := x.(type) {
		case *Call:
			parser(x.Parser)
			if of, blocks := x.Callee(); first(of) {
				w.blocks(blocks...)
			}
		case *Apply:
			if !first(x.Table) {
				return
			}
			w.table(x.Table)
			for _, u := range x.Table.Actions {
				if first(u.Action) {
					w.blocks(u.Action.Body)
				}
			}
		}
	}
	parser(p)
	if c != nil && first(c) {
		w.blocks(c.Init, c.Body)
	}
}

// Size counts the statements and expressions of blocks. The count is the cost of running the blocks once, without
// the calls in them.
func Size(blocks ...*Block) int {
	n := 0
	w := &walker{visit: func(Expr) { n++ }, statement: func() { n++ }}
	w.blocks(blocks...)
	return n
}

type walker struct {
	visit     func(Expr)
	statement func() // called for every statement; may be nil
}

func (w *walker) parser(p *Parser) {
	w.blocks(p.Init)
	for _, s := range p.States {
		w.blocks(s.Body)
		if s.Next == nil {
			continue
		}
		for _, k := range s.Next.Keys {
			w.expr(k)
		}
		for _, c := range s.Next.Cases {
			for _, set := range c.Sets {
				w.expr(set.X)
				w.expr(set.Y)
			}
		}
	}
}

func (w *walker) table(t *Table) {
	for _, k := range t.Keys {
		w.expr(k.Expr)
	}
	for _, u := range t.Actions {
		w.stmts(u.In)
		w.stmts(u.Out)
	}
}

func (w *walker) blocks(list ...*Block) {
	for _, b := range list {
		if b != nil {
			w.stmts(b.Stmts)
		}
	}
}

func (w *walker) stmts(list []Stmt) {
	for _, s := range list {
		if w.statement != nil {
			w.statement()
		}
		w.stmt(s)
	}
}

func (w *walker) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		indices(s.Dst, w.expr)
		w.expr(s.Src)
	case *Eval:
		w.expr(s.X)
	case *If:
		w.expr(s.Cond)
		w.blocks(s.Then, s.Else)
	case *Switch:
		w.expr(s.X)
		for _, c := range s.Cases {
			w.blocks(c.Body)
		}
	case *SetValid:
		indices(s.LValue, w.expr)
	case *Shift:
		indices(s.LValue, w.expr)
	case *Nested:
		w.blocks(s.Block)
	case *Loop:
		w.expr(s.Cond)
		w.blocks(s.Body, s.Post)
	}
}

func (w *walker) expr(x Expr) {
	if x == nil {
		return
	}
	w.visit(x)
	if call, ok := x.(*Call); ok {
		w.stmts(call.In)
		w.stmts(call.Out)
		return
	}
	Parts(x, w.expr)
}

// Parts calls visit for the operands of an expression, in order of evaluation. It skips the code
// that a call runs and the copies of its arguments.
func Parts(x Expr, visit func(Expr)) {
	switch x := x.(type) {
	case *Load:
		indices(x.LValue, visit)
	case *Unary:
		visit(x.X)
	case *Binary:
		visit(x.X)
		visit(x.Y)
	case *Cond:
		visit(x.C)
		visit(x.X)
		visit(x.Y)
	case *Cast:
		visit(x.X)
	case *Slice:
		visit(x.X)
	case *IsValid:
		indices(x.LValue, visit)
	case *LastIndex:
		indices(x.LValue, visit)
	case *Part:
		visit(x.X)
	case *Composite:
		for _, e := range x.Elems {
			visit(e)
		}
	case *ExternCall:
		for _, a := range x.Args {
			indices(a.LValue, visit)
			if a.Value != nil && !a.Out {
				visit(a.Value)
			}
		}
	}
}

// Callee returns the function, action or control that a call runs, and its blocks.
func (c *Call) Callee() (of any, blocks []*Block) {
	switch {
	case c.Function != nil:
		return c.Function, []*Block{c.Function.Body}
	case c.Action != nil:
		return c.Action, []*Block{c.Action.Body}
	case c.Control != nil:
		return c.Control, []*Block{c.Control.Init, c.Control.Body}
	}
	return nil, nil
}

// Runs reports whether evaluating an expression runs code, which may write variables.
func Runs(x Expr) bool {
	switch x.(type) {
	case *Call, *ExternCall, *Apply:
		return true
	}
	runs := false
	Parts(x, func(part Expr) { runs = runs || Runs(part) })
	return runs
}

// indices calls visit for every index that is computed to find an lvalue. p may be nil.
func indices(p *LValue, visit func(Expr)) {
	if p == nil {
		return
	}
	for _, d := range p.Dyn {
		if d.Index != nil {
			visit(d.Index)
		}
	}
}
