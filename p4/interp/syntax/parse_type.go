package syntax

var baseTypes = map[string]bool{
	"bool": true, "int": true, "bit": true, "string": true, "error": true, "match_kind": true, "void": true,
}

// startsType reports whether the current token must begin a type: a type keyword or a
// name declared as a type.
func (p *parser) startsType() bool {
	t := p.tok()
	if t.Is(".") {
		return p.at(1).kind == tokenIdent && p.scopes[0][p.at(1).Text]
	}
	if t.kind != tokenIdent {
		return false
	}
	return baseTypes[t.Text] || t.Text == "varbit" || t.Text == "tuple" || p.isTypeName(t.Text) ||
		t.Text == "list" && p.at(1).Is("<") && !p.declared("list")
}

func (p *parser) declared(name string) bool {
	for _, s := range p.scopes {
		if _, ok := s[name]; ok {
			return true
		}
	}
	return false
}

// typ reads a type, header stacks included.
func (p *parser) typ() Type {
	defer p.enter()()
	t := p.simpleType()
	for p.is("[") {
		at := p.pos()
		p.next()
		size := p.expr()
		p.expect("]", "after the size of the stack")
		t = &StackType{TypeAt: TypeAt{At: at}, Elem: t, Size: size}
	}
	return t
}

// simpleType reads a type without stack brackets. During a speculative parse it does not retry a position where it
// has failed to read a type, because nested attempts would take exponential time.
func (p *parser) simpleType() Type {
	start, ok := p.i, false
	if p.trying > 0 && p.noType[start] {
		panic(bailout{})
	}
	defer func() {
		if !ok {
			p.noType[start] = true
		}
	}()
	t := p.simpleType1()
	ok = true
	return t
}

func (p *parser) simpleType1() Type {
	at := TypeAt{At: p.pos()}
	t := p.tok()
	switch {
	case t.Is("_"):
		p.next()
		return &AnyType{TypeAt: at}
	case t.Is("bit"), t.Is("int"), t.Is("varbit"):
		p.next()
		if !p.is("<") {
			if t.Text == "varbit" {
				p.expect("<", "after varbit")
			}
			return &BaseType{TypeAt: at, Name: t.Text}
		}
		p.next()
		s := &SizedType{TypeAt: at, Name: t.Text}
		if p.accept("(") {
			s.Width = p.expr()
			p.expect(")", "after the width")
		} else {
			s.Width = p.primary()
		}
		p.expect(">", "after the width of "+t.Text)
		return s
	case t.kind == tokenIdent && baseTypes[t.Text]:
		p.next()
		return &BaseType{TypeAt: at, Name: t.Text}
	case t.Is("tuple"):
		p.next()
		return &TupleType{TypeAt: at, Elems: p.typeArgs("after tuple")}
	case t.Is("list") && p.at(1).Is("<") && !p.declared("list"):
		p.next()
		args := p.typeArgs("after list")
		if len(args) != 1 {
			p.fail("list has %d type arguments, expected 1", len(args))
		}
		return &ListType{TypeAt: at}
	}
	n := &NamedType{TypeAt: at}
	n.Global = p.accept(".")
	n.Name = p.ident("a type").Name
	if p.is("<") {
		n.Args = p.typeArgs("")
	}
	return n
}

// typeArgs reads "< type, ... >".
func (p *parser) typeArgs(where string) []Type {
	p.expect("<", where)
	var args []Type
	if p.accept(">") {
		return nil // tuple<> has no elements
	}
	for {
		args = append(args, p.typ())
		if !p.accept(",") {
			break
		}
	}
	p.expect(">", "after the type arguments")
	return args
}

// typeParams reads an optional "<T, U>" and declares the names as types in the current
// scope.
func (p *parser) typeParams() []Ident {
	if !p.accept("<") {
		return nil
	}
	var names []Ident
	for {
		id := p.ident("a type parameter")
		p.declare(id.Name, true)
		names = append(names, id)
		if !p.accept(",") {
			break
		}
	}
	p.expect(">", "after the type parameters")
	return names
}
