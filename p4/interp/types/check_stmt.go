package types

import (
	"fmt"
	"strings"

	"pintlab/p4/interp/syntax"
)

// block checks a block in its own scope. It reports whether control never reaches the end of the block.
func (c *checker) block(b *syntax.Block) (ends bool) {
	c.push()
	defer c.pop()
	return c.stmts(b.Stmts)
}

func (c *checker) stmts(list []syntax.Stmt) (ends bool) {
	for _, s := range list {
		if c.stmt(s) {
			ends = true
		}
	}
	return ends
}

// stmt checks a statement and reports whether control never reaches the code after it.
func (c *checker) stmt(s syntax.Stmt) (ends bool) {
	switch s := s.(type) {
	case *syntax.Block:
		return c.block(s)
	case *syntax.DeclStmt:
		if i, ok := s.Decl.(*syntax.Instance); ok {
			c.errorf(i.Pos, "instance '%s' among statements: instances are declared at the top level, "+
				"or before the states of a parser or the apply block of a control", i.Name)
		}
		c.decl(s.Decl)
	case *syntax.Assign:
		c.assign(s)
	case *syntax.ExprStmt:
		c.expr(s.Call)
		if info := c.info.Calls[s.Call]; info != nil && info.Kind == CallCtor {
			c.errorf(s.Pos, "the instance has no name, so nothing can use it: expected a name after it")
		}
	case *syntax.If:
		c.condition(s.Cond, "if")
		t := c.nested(s.Then)
		if s.Else != nil {
			return c.nested(s.Else) && t
		}
	case *syntax.Switch:
		return c.switchStmt(s)
	case *syntax.Return:
		c.returnStmt(s)
		return true
	case *syntax.Exit:
		c.errorIf(c.ctx.in == inParser || c.ctx.in == inFunction, s.Pos, "exit cannot be used in a parser or function")
		return true
	case *syntax.For:
		c.push()
		c.stmts(s.Init)
		c.condition(s.Cond, "for")
		c.stmts(s.Post)
		c.loop(s.Body)
		c.pop()
	case *syntax.ForIn:
		c.forIn(s)
	case *syntax.Break, *syntax.Continue:
		c.errorIf(c.ctx.loops == 0, s.Position(), "break and continue can only be used in a loop")
		return true
	}
	return false
}

// nested checks the statement of a branch. The statement has a scope even without braces.
func (c *checker) nested(s syntax.Stmt) bool {
	c.push()
	defer c.pop()
	return c.stmt(s)
}

func (c *checker) condition(e syntax.Expr, of string) {
	if x := c.value(e); x.t != Bool && x.t != Invalid {
		c.errorf(e.Position(), "the condition of %s has type %s, expected bool", of, x.t)
	}
}

func (c *checker) loop(body syntax.Stmt) {
	c.ctx.loops++
	c.nested(body)
	c.ctx.loops--
}

func (c *checker) forIn(s *syntax.ForIn) {
	var elem Type = Invalid
	if r, ok := s.Over.(*syntax.Range); ok {
		x, y := c.value(r.X), c.value(r.Y)
		t := Common(x.t, y.t)
		if t == nil || !Is[*Bit](Strip(t)) && t != Int {
			c.errorIf(x.t != Invalid && y.t != Invalid, r.Pos, "the ends of the range have types %s and %s", x.t, y.t)
		} else {
			elem = t
		}
		c.info.Types[s.Over] = &Set{Elem: elem}
	} else {
		x := c.value(s.Over)
		switch t := x.t.(type) {
		case *Stack:
			elem = t.Elem
		case *Tuple:
			if len(t.Elems) > 0 {
				elem = t.Elems[0]
			}
		default:
			c.errorIf(t != Invalid, s.Over.Position(),
				"cannot loop over %s: expected a range, a list or a header stack", t)
		}
	}
	c.push()
	defer c.pop()
	if s.Type != nil {
		t := c.typ(s.Type)
		c.errorIf(!assignable(t, elem), s.Pos, "the loop variable has type %s, the elements have type %s", t, elem)
		v := &VarObj{obj: obj{s.Var.Name, s.Var.Pos}, Type: t}
		c.define(s, v)
	} else if v, ok := c.scope.lookup(s.Var.Name).(*VarObj); ok {
		c.info.Defs[s] = v
		c.errorIf(!assignable(v.Type, elem), s.Pos,
			"the loop variable has type %s, the elements have type %s", v.Type, elem)
	} else {
		c.errorf(s.Var.Pos, "'%s' is not a variable", s.Var.Name)
	}
	c.loop(s.Body)
}

func (c *checker) varDecl(d *syntax.VarDecl) {
	t := c.declared(d.Type, "variable '"+d.Name+"'")
	if t != Invalid && (isBlockType(t) || t == Void || t == matchKind || t == Int || t == String) {
		c.errorf(d.Pos, "variable '%s' has type %s, which has no values at run time", d.Name, t)
		t = Invalid
	}
	if d.Init != nil {
		c.exprAs(d.Init, t, "the initial value of '"+d.Name+"'")
	}
	c.define(d, &VarObj{obj: obj{d.Name, d.Pos}, Type: t})
}

func (c *checker) assign(s *syntax.Assign) {
	left := c.value(s.Left)
	if left.t != Invalid && !left.lv {
		c.errorf(s.Left.Position(), "'%s' cannot be written%s", syntax.Text(s.Left), c.whyReadOnly(s.Left))
	}
	if s.Op == "=" {
		c.exprAs(s.Right, left.t, "the value")
		return
	}
	// x op= y is x = x op y.
	bin := &syntax.Binary{ExprAt: syntax.ExprAt{At: s.At}, Op: strings.TrimSuffix(s.Op, "="), X: s.Left, Y: s.Right}
	x := c.expr(bin)
	c.fits(bin, x, left.t, "the result of "+s.Op)
	c.info.Compound[s] = bin
}

func (c *checker) whyReadOnly(e syntax.Expr) string {
	for {
		switch x := e.(type) {
		case *syntax.Member:
			e = x.X
		case *syntax.Index:
			e = x.X
		case *syntax.Slice:
			e = x.X
		case *syntax.Name:
			switch o := c.info.Uses[x].(type) {
			case *ConstObj:
				return ": it is a constant"
			case *ParamObj:
				if o.Ctor {
					return ": it is a constructor parameter"
				}
				return fmt.Sprintf(": parameter '%s' is %s", o.name, o.Dir)
			}
			return ""
		default:
			return ""
		}
	}
}

func (c *checker) returnStmt(s *syntax.Return) {
	switch {
	case c.ctx.in == inParser:
		c.errorf(s.Pos, "return cannot be used in a parser")
	case c.ctx.in == inFunction && c.ctx.result != Void:
		if s.X == nil {
			c.errorf(s.Pos, "return without a value, expected %s", c.ctx.result)
			return
		}
		c.exprAs(s.X, c.ctx.result, "the value returned")
		return
	case s.X != nil:
		c.errorf(s.Pos, "return with a value, but nothing is returned here")
	}
	if s.X != nil {
		c.expr(s.X)
	}
}

func (c *checker) switchStmt(s *syntax.Switch) (ends bool) {
	c.errorIf(c.ctx.in == inParser, s.Pos, "switch cannot be used in a parser: transition select chooses there")
	x := c.value(s.X)
	run, isRun := x.t.(*ActionRun)
	c.errorIf(isRun && c.ctx.in != inControl, s.Pos,
		"switch on action_run can only be used in the apply block of a control")
	if !isRun && x.t != Invalid {
		if _, ok := Strip(x.t).(*Bit); !ok && !IsScalar(x.t) {
			c.errorf(s.X.Position(), "cannot switch over %s: expected action_run, bit<>, int<>, an enum or error", x.t)
			x.t = Invalid
		}
	}
	seen := map[string]bool{}
	hasDefault, all := false, true
	for i, k := range s.Cases {
		key := ""
		switch {
		case isAny(k.Label):
			key = "default"
			hasDefault = true
			c.errorIf(i != len(s.Cases)-1, k.Pos, "default must be the last label")
		case isRun:
			key = c.actionLabel(k, run)
		default:
			v := c.exprAs(k.Label, x.t, "the label")
			if v.v != nil {
				key = convertConst(v.v, x.t).String()
			} else if v.t != Invalid && x.t != Invalid && !c.static(k.Label) {
				c.errorf(k.Pos, "the label is not known at compile time")
			}
		}
		c.errorIf(key != "" && seen[key], k.Pos, "the switch has this label already")
		seen[key] = true
		if k.Body != nil {
			all = c.block(k.Body) && all
		} else if i == len(s.Cases)-1 {
			all = false
		}
	}
	return hasDefault && all
}

func isAny(e syntax.Expr) bool {
	_, ok := e.(*syntax.Any)
	return ok
}

func (c *checker) actionLabel(k *syntax.SwitchCase, run *ActionRun) string {
	n, ok := k.Label.(*syntax.Name)
	if ok {
		for i, a := range run.Actions {
			if a == n.Name {
				c.info.Labels[k] = i
				return a
			}
		}
		c.errorf(k.Pos, "'%s' is not an action of the table: expected %s or default",
			n.Name, strings.Join(run.Actions, ", "))
		return ""
	}
	c.errorf(k.Pos, "the label must be the name of an action")
	return ""
}
