package syntax

import "fmt"

// block reads { ... } in a scope of its own.
func (p *parser) block() *Block {
	defer p.enter()()
	p.push()
	defer p.pop()
	b := &Block{StmtAt: StmtAt{At: p.pos()}}
	p.expect("{", "at the beginning of a block")
	p.members(fmt.Sprintf("the block opened at line %d", b.Pos.Line), func() { b.Stmts = append(b.Stmts, p.stmt()) })
	b.End = p.pos()
	p.next()
	return b
}

// stmt reads a statement or a declaration among statements.
func (p *parser) stmt() Stmt {
	defer p.enter()()
	at := StmtAt{At: p.pos()}
	as := p.annotations()
	switch {
	case p.is("{"):
		return p.block()
	case p.accept(";"):
		return &empty{StmtAt: at}
	case p.is("const"):
		return &DeclStmt{StmtAt: at, Decl: p.constDecl(as)}
	case p.is("if"):
		return p.ifStmt(at)
	case p.is("switch"):
		return p.switchStmt(at)
	case p.accept("exit"):
		p.expect(";", "after exit")
		return &Exit{StmtAt: at}
	case p.accept("return"):
		r := &Return{StmtAt: at}
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
		return &Break{StmtAt: at}
	case p.is("continue") && p.at(1).Is(";"):
		p.next()
		p.next()
		return &Continue{StmtAt: at}
	}
	if p.declStarts() {
		if d := p.localDecl(as); d != nil {
			return &DeclStmt{StmtAt: at, Decl: d}
		}
	}
	s := p.simpleStmt()
	p.expect(";", "after the statement")
	return s
}

// declStarts reports whether a variable or instance declaration may begin here: a type, or two
// successive names (the first is then an undeclared type).
func (p *parser) declStarts() bool {
	if p.startsType() {
		return true
	}
	return p.isName() && p.at(1).kind == tokenIdent && !reserved[p.at(1).Text]
}

// localDecl reads "T name [= init];" or "T(args) name;". For a call such as T.apply() it reads
// nothing and returns nil.
func (p *parser) localDecl(as Annotations) Decl {
	at := p.pos()
	start := p.i
	var t Type
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
func (p *parser) instance(at At, as Annotations, t Type) *Instance {
	d := &Instance{Named: Named{At: at, Annotations: as}, Type: t}
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
func (p *parser) simpleStmt() Stmt {
	at := StmtAt{At: p.pos()}
	x := p.postfix()
	t := p.tok()
	switch {
	case t.kind == tokenOp && assignOps[t.Text]:
		p.next()
		return &Assign{StmtAt: at, Op: t.Text, Left: x, Right: p.expr()}
	case t.Is(">") && p.at(1).Is(">=") && !p.at(1).Spaced:
		p.next()
		p.next()
		return &Assign{StmtAt: at, Op: ">>=", Left: x, Right: p.expr()}
	}
	c, ok := x.(*Call)
	if !ok {
		// "t.apply().hit;" discards its value.
		p.expected("'=' or '(' : a statement is an assignment or a call")
	}
	return &ExprStmt{StmtAt: at, Call: c}
}

func (p *parser) ifStmt(at StmtAt) Stmt {
	p.next()
	s := &If{StmtAt: at}
	p.expect("(", "after if")
	s.Cond = p.expr()
	p.expect(")", "after the condition")
	s.Then = p.stmt()
	if p.accept("else") {
		s.Else = p.stmt()
	}
	return s
}

func (p *parser) switchStmt(at StmtAt) Stmt {
	p.next()
	s := &Switch{StmtAt: at}
	p.expect("(", "after switch")
	s.X = p.expr()
	p.expect(")", "after the switch expression")
	p.body("at the beginning of the cases", "the switch", func() {
		c := &SwitchCase{At: p.pos()}
		if p.accept("default") || p.accept("_") {
			c.Label = &Any{ExprAt: ExprAt{At: c.At}}
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

func (p *parser) forStmt(at StmtAt) Stmt {
	p.next()
	p.next()
	p.push()
	defer p.pop()
	if in := p.forIn(at); in != nil {
		return in
	}
	s := &For{StmtAt: at}
	p.list(";", "after the initialisation of the loop", func() { s.Init = append(s.Init, p.forInit()) })
	s.Cond = p.expr()
	p.expect(";", "after the condition of the loop")
	p.list(")", "after the loop header", func() { s.Post = append(s.Post, p.simpleStmt()) })
	s.Body = p.stmt()
	return s
}

func (p *parser) forInit() Stmt {
	at := StmtAt{At: p.pos()}
	as := p.annotations()
	if !p.declStarts() {
		return p.simpleStmt()
	}
	return &DeclStmt{StmtAt: at, Decl: p.variable(as, p.typ())}
}

// variable reads "name [= init]" after the type.
func (p *parser) variable(as Annotations, t Type) *VarDecl {
	d := &VarDecl{Named: p.named("a variable name", as), Type: t}
	if p.accept("=") {
		d.Init = p.expr()
	}
	p.declare(d.Name, false)
	return d
}

// forIn reads what follows "for (" in "for (T x in list) body". If the loop has another form, it reads
// nothing and returns nil.
func (p *parser) forIn(at StmtAt) Stmt {
	s := &ForIn{StmtAt: at}
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
