package parse

import (
	"fmt"

	"pintlab/p4/interp/ast"
	"pintlab/p4/interp/scan"
)

// block reads { ... } in a scope of its own.
func (p *parser) block() *ast.Block {
	defer p.enter()()
	p.push()
	defer p.pop()
	b := &ast.Block{StmtAt: ast.StmtAt{At: p.pos()}}
	p.expect("{", "at the beginning of a block")
	p.members(fmt.Sprintf("the block opened at line %d", b.Pos.Line), func() { b.Stmts = append(b.Stmts, p.stmt()) })
	b.End = p.pos()
	p.next()
	return b
}

// stmt reads a statement or a declaration among statements.
func (p *parser) stmt() ast.Stmt {
	defer p.enter()()
	at := ast.StmtAt{At: p.pos()}
	as := p.annotations()
	switch {
	case p.is("{"):
		return p.block()
	case p.accept(";"):
		return &ast.Empty{StmtAt: at}
	case p.is("const"):
		return &ast.DeclStmt{StmtAt: at, Decl: p.constDecl(as)}
	case p.is("if"):
		return p.ifStmt(at)
	case p.is("switch"):
		return p.switchStmt(at)
	case p.accept("exit"):
		p.expect(";", "after exit")
		return &ast.Exit{StmtAt: at}
	case p.accept("return"):
		r := &ast.Return{StmtAt: at}
		if !p.is(";") {
			r.X = p.expr()
		}
		p.expect(";", "after return")
		return r
	case p.is("for") && p.at(1).Is("("):
		return p.forStmt(at)
	case p.is("break") && p.at(1).Is(";"):
		p.next()
		p.next()
		return &ast.Break{StmtAt: at}
	case p.is("continue") && p.at(1).Is(";"):
		p.next()
		p.next()
		return &ast.Continue{StmtAt: at}
	}
	if p.declStarts() {
		if d := p.localDecl(as); d != nil {
			return &ast.DeclStmt{StmtAt: at, Decl: d}
		}
	}
	s := p.simpleStmt()
	p.expect(";", "after the statement")
	return s
}

// declStarts reports whether a variable or instance declaration may begin here: a type, or two names
// in a row (the first of which is then an undeclared type).
func (p *parser) declStarts() bool {
	if p.startsType() {
		return true
	}
	return p.isName() && p.at(1).Kind == scan.Ident && !reserved[p.at(1).Text]
}

// localDecl reads "T name [= init];" or "T(args) name;". For a call such as T.apply() it reads
// nothing and returns nil.
func (p *parser) localDecl(as ast.Annotations) ast.Decl {
	at := p.pos()
	start := p.i
	var t ast.Type
	if !p.try(func() { t = p.typ() }) {
		t = p.typ() // report the error
	}
	switch {
	case p.is("."):
		p.i = start
		return nil
	case p.is("("):
		return p.instance(at, as, t)
	}
	d := p.variable(as, t)
	p.expect(";", "after the declaration of '"+d.Name+"'")
	return d
}

// instance reads "(args) name [= {...}];" after its type.
func (p *parser) instance(at ast.At, as ast.Annotations, t ast.Type) *ast.Instance {
	d := &ast.Instance{Named: ast.Named{At: at, Annotations: as}, Type: t}
	d.Args = p.args()
	d.Name = p.ident("the name of the instance").Name
	p.declare(d.Name, false)
	if p.accept("=") {
		d.HasBody = true
		p.balanced("{", "}")
	}
	p.expect(";", "after the instance '"+d.Name+"'")
	return d
}

var assignOps = map[string]bool{
	"=": true, "+=": true, "-=": true, "|+|=": true, "|-|=": true, "*=": true, "/=": true,
	"%=": true, "<<=": true, "&=": true, "|=": true, "^=": true,
}

// simpleStmt reads an assignment or a call, without the semicolon.
func (p *parser) simpleStmt() ast.Stmt {
	at := ast.StmtAt{At: p.pos()}
	x := p.postfix()
	t := p.tok()
	switch {
	case t.Kind == scan.Op && assignOps[t.Text]:
		p.next()
		return &ast.Assign{StmtAt: at, Op: t.Text, Left: x, Right: p.expr()}
	case t.Is(">") && p.at(1).Is(">=") && !p.at(1).Spaced:
		p.next()
		p.next()
		return &ast.Assign{StmtAt: at, Op: ">>=", Left: x, Right: p.expr()}
	}
	c, ok := x.(*ast.Call)
	if !ok {
		// "t.apply().hit;" discards its value.
		p.expected("'=' or '(' : a statement is an assignment or a call")
	}
	return &ast.ExprStmt{StmtAt: at, Call: c}
}

func (p *parser) ifStmt(at ast.StmtAt) ast.Stmt {
	p.next()
	s := &ast.If{StmtAt: at}
	p.expect("(", "after if")
	s.Cond = p.expr()
	p.expect(")", "after the condition")
	s.Then = p.stmt()
	if p.accept("else") {
		s.Else = p.stmt()
	}
	return s
}

func (p *parser) switchStmt(at ast.StmtAt) ast.Stmt {
	p.next()
	s := &ast.Switch{StmtAt: at}
	p.expect("(", "after switch")
	s.X = p.expr()
	p.expect(")", "after the switch expression")
	p.body("at the beginning of the cases", "the switch", func() {
		c := &ast.SwitchCase{At: p.pos()}
		if p.accept("default") || p.accept("_") {
			c.Label = &ast.Any{ExprAt: ast.ExprAt{At: c.At}}
		} else {
			c.Label = p.expr()
		}
		p.expect(":", "after the label")
		if p.is("{") {
			c.Body = p.block()
		}
		s.Cases = append(s.Cases, c)
	})
	return s
}

func (p *parser) forStmt(at ast.StmtAt) ast.Stmt {
	p.next()
	p.next()
	p.push()
	defer p.pop()
	if in := p.forIn(at); in != nil {
		return in
	}
	s := &ast.For{StmtAt: at}
	p.list(";", "after the initialisation of the loop", func() { s.Init = append(s.Init, p.forInit()) })
	s.Cond = p.expr()
	p.expect(";", "after the condition of the loop")
	p.list(")", "after the loop header", func() { s.Post = append(s.Post, p.simpleStmt()) })
	s.Body = p.stmt()
	return s
}

func (p *parser) forInit() ast.Stmt {
	at := ast.StmtAt{At: p.pos()}
	as := p.annotations()
	if !p.declStarts() {
		return p.simpleStmt()
	}
	return &ast.DeclStmt{StmtAt: at, Decl: p.variable(as, p.typ())}
}

// variable reads "name [= init]" after the type.
func (p *parser) variable(as ast.Annotations, t ast.Type) *ast.VarDecl {
	d := &ast.VarDecl{Named: p.named("a variable name", as), Type: t}
	if p.accept("=") {
		d.Init = p.expr()
	}
	p.declare(d.Name, false)
	return d
}

// forIn reads what follows "for (" in "for (T x in list) body". If the loop has another form, it reads
// nothing and returns nil.
func (p *parser) forIn(at ast.StmtAt) ast.Stmt {
	s := &ast.ForIn{StmtAt: at}
	ok := p.try(func() {
		p.annotations()
		if !p.isName() || !p.at(1).Is("in") {
			s.Type = p.typ()
		}
		s.Var = p.ident("a variable name")
		p.expect("in", "")
	})
	if !ok {
		return nil
	}
	p.declare(s.Var.Name, false)
	s.Over = p.keyset()
	p.expect(")", "after the loop header")
	s.Body = p.stmt()
	return s
}
