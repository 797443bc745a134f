package ast

// Inspect calls visit for every expression and statement inside a declaration, parents first.
func Inspect(d Decl, visit func(Node)) {
	w := walker{visit}
	b, ok := d.(*BlockDecl)
	if !ok {
		w.decl(d)
		return
	}
	for _, l := range b.Locals {
		w.decl(l)
	}
	for _, s := range b.States {
		w.stmts(s.Stmts)
		if s.Next != nil {
			w.exprs(s.Next.Select)
			for _, c := range s.Next.Cases {
				w.exprs(c.Keys)
			}
		}
	}
	if b.Body != nil {
		w.stmt(b.Body)
	}
}

// InspectStmt calls visit for a statement and everything inside it.
func InspectStmt(s Stmt, visit func(Node)) { walker{visit}.stmt(s) }

// InspectExpr calls visit for an expression and its parts.
func InspectExpr(e Expr, visit func(Node)) { walker{visit}.expr(e) }

type walker struct{ visit func(Node) }

func (w walker) decl(d Decl) {
	switch d := d.(type) {
	case *ConstDecl:
		w.expr(d.Value)
	case *VarDecl:
		w.expr(d.Init)
	case *Instance:
		w.args(d.Args)
	case *ActionDecl:
		w.stmt(d.Body)
	case *TableDecl:
		for _, k := range d.Keys {
			w.expr(k.Expr)
		}
		for _, a := range d.Actions {
			w.args(a.Args)
		}
		for _, e := range d.Entries {
			w.exprs(e.Keys)
			w.args(e.Action.Args)
		}
		for _, p := range d.Properties {
			w.expr(p.Value)
			if p.Action != nil {
				w.args(p.Action.Args)
			}
		}
	}
}

func (w walker) args(list []*Arg) {
	for _, a := range list {
		w.expr(a.Value)
	}
}

func (w walker) exprs(list []Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w walker) expr(e Expr) {
	if e == nil {
		return
	}
	w.visit(e)
	switch e := e.(type) {
	case *Member:
		w.expr(e.X)
	case *Index:
		w.expr(e.X)
		w.expr(e.I)
	case *Slice:
		w.expr(e.X)
		w.expr(e.Hi)
		w.expr(e.Lo)
	case *Unary:
		w.expr(e.X)
	case *Binary:
		w.expr(e.X)
		w.expr(e.Y)
	case *Cond:
		w.expr(e.C)
		w.expr(e.X)
		w.expr(e.Y)
	case *Cast:
		w.expr(e.X)
	case *Call:
		w.expr(e.Fun)
		w.args(e.Args)
	case *ListExpr:
		w.exprs(e.Elems)
	case *RecordExpr:
		w.exprs(e.Values)
	case *Mask:
		w.expr(e.X)
		w.expr(e.Y)
	case *Range:
		w.expr(e.X)
		w.expr(e.Y)
	}
}

func (w walker) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w walker) stmt(s Stmt) {
	if s == nil {
		return
	}
	w.visit(s)
	switch s := s.(type) {
	case *Block:
		if s != nil {
			w.stmts(s.Stmts)
		}
	case *DeclStmt:
		w.decl(s.Decl)
	case *Assign:
		w.expr(s.Left)
		w.expr(s.Right)
	case *ExprStmt:
		w.expr(s.Call)
	case *If:
		w.expr(s.Cond)
		w.stmt(s.Then)
		w.stmt(s.Else)
	case *Switch:
		w.expr(s.X)
		for _, c := range s.Cases {
			w.expr(c.Label)
			if c.Body != nil {
				w.stmt(c.Body)
			}
		}
	case *Return:
		w.expr(s.X)
	case *For:
		w.stmts(s.Init)
		w.expr(s.Cond)
		w.stmts(s.Post)
		w.stmt(s.Body)
	case *ForIn:
		w.expr(s.Over)
		w.stmt(s.Body)
	}
}
