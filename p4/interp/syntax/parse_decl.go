package syntax

// guardDecl reads one top-level declaration and recovers from syntax errors in it.
func (p *parser) guardDecl() (d Decl) {
	p.guard(func() { d = p.topDecl() }, func() {
		p.skipPast()
		for p.is("}") { // a superfluous brace, or the rest of a damaged declaration
			p.next()
		}
	})
	return d
}

func (p *parser) topDecl() Decl {
	as := p.annotations()
	t := p.tok()
	switch {
	case t.Is(";"):
		p.next()
		return nil
	case t.Is("const"):
		return p.constDecl(as)
	case t.Is("typedef"), t.Is("type"):
		return p.typedef(as)
	case t.Is("header"), t.Is("struct"), t.Is("header_union"):
		return p.aggregate(as)
	case t.Is("enum"):
		return p.enum(as)
	case t.Is("error"), t.Is("match_kind"):
		if p.at(1).Is("{") {
			return p.names(as)
		}
	case t.Is("extern"):
		return p.extern(as)
	case t.Is("action"):
		return p.action(as)
	case t.Is("parser"), t.Is("control"):
		return p.blockDecl(as)
	case t.Is("package"):
		return p.packageDecl(as)
	}
	if t.kind != tokenIdent || reserved[t.Text] && !p.startsType() {
		if !t.Is(".") && !t.Is("void") {
			p.expected("a declaration")
		}
	}
	return p.functionOrInstance(as)
}

// functionOrInstance reads "T(args) name;" or "T name(params) {...}".
func (p *parser) functionOrInstance(as Annotations) Decl {
	at := p.pos()
	typ := p.typ()
	if p.is("(") {
		return p.instance(at, as, typ)
	}
	f := p.prototype(as, typ)
	if !p.is("{") {
		p.expected("'{' at the beginning of the body of function '" + f.Name + "'")
	}
	p.push()
	for _, tp := range f.TypeParams {
		p.declare(tp.Name, true)
	}
	p.declareParams(f.Params)
	f.Body = p.block()
	p.pop()
	return f
}

// prototype reads "name<T>(params)" after the result type. The type parameters are in scope only
// in the prototype.
func (p *parser) prototype(as Annotations, result Type) *FuncDecl {
	f := &FuncDecl{Result: result}
	p.name(&f.Named, as, "a function name", false)
	p.push()
	defer p.pop()
	f.TypeParams = p.typeParams()
	f.Params = p.params()
	return f
}

// params reads "(param, ...)".
func (p *parser) params() []*Param {
	p.expect("(", "before the parameters")
	var list []*Param
	p.list(")", "after the parameters", func() {
		q := &Param{}
		as := p.annotations()
		switch {
		case p.accept("in"):
			q.Dir = In
		case p.accept("out"):
			q.Dir = Out
		case p.accept("inout"):
			q.Dir = InOut
		}
		q.Type = p.typ()
		q.Named = p.named("a parameter name", as)
		if p.accept("=") {
			q.Default = p.expr()
		}
		list = append(list, q)
	})
	return list
}

// name reads the name of a declaration.
func (p *parser) name(d *Named, as Annotations, what string, isType bool) {
	*d = p.named(what, as)
	p.declare(d.Name, isType)
}

// named reads a name after its annotations.
func (p *parser) named(what string, as Annotations) Named {
	id := p.ident(what)
	return Named{At: id.At, Annotations: as, Name: id.Name}
}

func (p *parser) declareParams(list []*Param) {
	for _, q := range list {
		p.declare(q.Name, false)
	}
}

func (p *parser) constDecl(as Annotations) *ConstDecl {
	p.next()
	d := &ConstDecl{Type: p.typ(), Named: p.named("the name of the constant", as)}
	p.expect("=", "after the name of a constant")
	d.Value = p.expr()
	p.declare(d.Name, false)
	p.expect(";", "after the constant '"+d.Name+"'")
	return d
}

func (p *parser) typedef(as Annotations) Decl {
	d := &TypedefDecl{New: p.next().Text == "type", Type: p.typ()}
	p.name(&d.Named, as, "the name of the type", true)
	p.expect(";", "after the type '"+d.Name+"'")
	return d
}

func (p *parser) aggregate(as Annotations) Decl {
	d := &Aggregate{Kind: p.next().Text}
	p.name(&d.Named, as, "the name of the "+d.Kind, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.typeParams()
	p.body("before the fields of '"+d.Name+"'", "'"+d.Name+"'", func() {
		as := p.annotations()
		f := &Field{Type: p.typ(), Named: p.named("a field name", as)}
		p.expect(";", "after the field '"+f.Name+"'")
		d.Fields = append(d.Fields, f)
	})
	return d
}

func (p *parser) enum(as Annotations) Decl {
	p.next()
	d := &EnumDecl{}
	if p.is("bit") || p.is("int") || p.isName() && !p.at(1).Is("{") {
		d.Base = p.typ()
	}
	p.name(&d.Named, as, "the name of the enum", true)
	p.expect("{", "before the members of '"+d.Name+"'")
	p.list("}", "after the members of '"+d.Name+"'", func() {
		p.annotations()
		m := EnumMember{Ident: p.ident("a member of the enum")}
		if p.accept("=") {
			m.Value = p.expr()
		}
		d.Members = append(d.Members, m)
	})
	return d
}

// names reads "error { A, B }" or "match_kind { a, b }".
func (p *parser) names(as Annotations) Decl {
	n := Named{At: p.pos(), Annotations: as}
	kind := p.next().Text
	n.Name = kind
	p.expect("{", "")
	var members []Ident
	p.list("}", "after the members of "+kind, func() { members = append(members, p.ident("a name")) })
	if kind == "error" {
		return &ErrorDecl{Named: n, Members: members}
	}
	for _, m := range members {
		p.declare(m.Name, false)
	}
	return &MatchKindDecl{Named: n, Members: members}
}

func (p *parser) extern(as Annotations) Decl {
	p.next()
	if p.isExternObject() {
		return p.externObject(as)
	}
	f := p.prototype(as, p.typ())
	f.Extern = true
	p.expect(";", "after the extern function '"+f.Name+"'")
	return f
}

func (p *parser) isExternObject() bool {
	if !p.isName() {
		return false
	}
	if p.at(1).Is("{") || p.at(1).Is(";") {
		return true
	}
	start := p.i
	ok := p.try(func() {
		p.next()
		p.typeParams()
		p.expect("{", "")
	})
	p.i = start
	return ok
}

func (p *parser) externObject(as Annotations) Decl {
	d := &ExternObject{Named: Named{At: p.pos(), Annotations: as}}
	d.Name = p.next().Text
	p.declare(d.Name, true)
	if p.accept(";") {
		return d
	}
	p.push()
	defer p.pop()
	d.TypeParams = p.typeParams()
	p.body("before the methods of '"+d.Name+"'", "extern '"+d.Name+"'", func() {
		mas := p.annotations()
		at := p.pos()
		abstract := p.accept("abstract")
		if p.tok().Text == d.Name && p.at(1).Is("(") {
			p.next()
			f := &FuncDecl{Named: Named{At: at, Annotations: mas, Name: d.Name}, Extern: true}
			f.Params = p.params()
			d.Ctors = append(d.Ctors, f)
		} else {
			f := p.prototype(mas, p.typ())
			f.Extern, f.Abstract = true, abstract
			d.Methods = append(d.Methods, f)
		}
		p.expect(";", "after a method of '"+d.Name+"'")
	})
	return d
}

func (p *parser) action(as Annotations) *ActionDecl {
	p.next()
	d := &ActionDecl{}
	p.name(&d.Named, as, "the name of the action", false)
	d.Params = p.params()
	p.push()
	p.declareParams(d.Params)
	d.Body = p.block()
	p.pop()
	return d
}

func (p *parser) packageDecl(as Annotations) Decl {
	p.next()
	d := &PackageDecl{}
	p.name(&d.Named, as, "the name of the package", true)
	p.push()
	d.TypeParams = p.typeParams()
	d.Params = p.params()
	p.pop()
	p.expect(";", "after the package '"+d.Name+"'")
	return d
}

// blockDecl reads a parser or a control, or the type of one.
func (p *parser) blockDecl(as Annotations) Decl {
	d := &BlockDecl{Kind: p.next().Text}
	p.name(&d.Named, as, "the name of the "+d.Kind, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.typeParams()
	d.Params = p.params()
	if p.accept(";") {
		d.IsType = true
		return d
	}
	if p.is("(") {
		d.CtorParams = p.params()
	}
	p.declareParams(d.Params)
	p.declareParams(d.CtorParams)
	what := d.Kind + " '" + d.Name + "'"
	p.expect("{", "before the body of "+what)
	member := p.controlMember
	if d.Kind == KindParser {
		member = p.parserMember
	}
	p.members(what, func() { member(d) })
	if d.Kind == KindControl && d.Body == nil {
		p.fail("%s has no apply block", what)
	}
	p.next()
	return d
}

func (p *parser) parserMember(d *BlockDecl) {
	as := p.annotations()
	if p.is("state") {
		d.States = append(d.States, p.state(as))
		return
	}
	l := p.parserLocal(as)
	if l == nil {
		return
	}
	if len(d.States) > 0 {
		p.errs.Errorf(l.Position(),
			"'%s' is declared after state '%s': declarations of a parser come before its states",
			l.DeclName(), d.States[0].Name)
	}
	d.Locals = append(d.Locals, l)
}

func (p *parser) parserLocal(as Annotations) Decl {
	switch {
	case p.accept(";"):
		return nil
	case p.is("const"):
		return p.constDecl(as)
	case p.is("value_set"):
		return p.valueSet(as)
	case p.declStarts():
		if d := p.localDecl(as); d != nil {
			return d
		}
	}
	p.undeclared("a state, a declaration or '}'")
	return nil
}

func (p *parser) valueSet(as Annotations) Decl {
	p.next()
	d := &ValueSetDecl{}
	p.expect("<", "after value_set")
	d.Elem = p.typ()
	p.expect(">", "after the type of the value set")
	p.expect("(", "before the size of the value set")
	d.Size = p.expr()
	p.expect(")", "after the size of the value set")
	p.name(&d.Named, as, "the name of the value set", false)
	p.expect(";", "after the value set '"+d.Name+"'")
	return d
}

func (p *parser) state(as Annotations) *StateDecl {
	p.next()
	d := &StateDecl{Named: p.named("the name of the state", as)}
	p.push()
	defer p.pop()
	p.body("after the name of state '"+d.Name+"'", "state '"+d.Name+"'", func() {
		if d.Next != nil {
			p.fail("found %s, expected '}': the transition is the last statement of a state", p.tok().describe())
		}
		if p.is("transition") {
			d.Next = p.transition()
		} else {
			d.Stmts = append(d.Stmts, p.stmt())
		}
	})
	return d
}

func (p *parser) transition() *Transition {
	t := &Transition{At: p.pos()}
	p.next()
	if !p.accept("select") {
		t.Target = p.ident("a state or select")
		p.expect(";", "after the transition")
		return t
	}
	p.expect("(", "after select")
	t.Select = []Expr{}
	p.list(")", "after the selected expressions", func() { t.Select = append(t.Select, p.expr()) })
	p.body("before the cases", "the cases", func() {
		c := &SelectCase{At: p.pos(), Keys: p.keysets()}
		p.expect(":", "between the values and the state of a case")
		c.Target = p.ident("a state")
		p.expect(";", "after the case")
		t.Cases = append(t.Cases, c)
	})
	p.accept(";")
	return t
}

func (p *parser) controlMember(d *BlockDecl) {
	as := p.annotations()
	var l Decl
	switch {
	case p.accept(";"):
	case p.is("apply"):
		if d.Body != nil {
			p.fail("control '%s' has a second apply block", d.Name)
		}
		p.next()
		d.Body = p.block()
	case p.is("const"):
		l = p.constDecl(as)
	case p.is("action"):
		l = p.action(as)
	case p.is("table"):
		l = p.table(as)
	case p.declStarts():
		if l = p.localDecl(as); l != nil {
			break
		}
		fallthrough
	default:
		p.undeclared("a declaration, an action, a table or the apply block")
	}
	if l == nil {
		return
	}
	if d.Body != nil {
		p.errs.Errorf(l.Position(),
			"'%s' is declared after the apply block: the apply block of a control comes last", l.DeclName())
	}
	d.Locals = append(d.Locals, l)
}
