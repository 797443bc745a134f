package syntax

// precedence ranks the binary operators, loosest first. Unlike in C, the bitwise operators bind
// more tightly than comparisons (specification, appendix G).
var precedence = map[string]int{
	"||": 1,
	"&&": 2,
	"==": 3, "!=": 3,
	"<": 4, ">": 4, "<=": 4, ">=": 4,
	"|":  5,
	"^":  6,
	"&":  7,
	"<<": 8, ">>": 8,
	"+": 9, "-": 9, "|+|": 9, "|-|": 9, "++": 9,
	"*": 10, "/": 10, "%": 10,
}

func (p *parser) expr() Expr {
	defer p.enter()()
	if p.exprs == 0 {
		p.operators = 0
	}
	p.exprs++
	defer func() { p.exprs-- }()
	at := ExprAt{At: p.pos()}
	c := p.binary(1)
	if !p.accept("?") {
		return c
	}
	x := p.expr()
	p.expect(":", "of the conditional expression")
	return &Cond{ExprAt: at, C: c, X: x, Y: p.expr()}
}

// operator returns the binary operator at the current token, and joins "> >".
func (p *parser) operator() (op string, tokens int) {
	t := p.tok()
	if t.kind != tokenOp {
		return "", 0
	}
	if t.Text == ">" && !p.at(1).Spaced {
		switch p.at(1).Text {
		case ">":
			return ">>", 2
		case ">=":
			return "", 0 // ">>=" assigns
		}
	}
	if t.Text == "++" && p.at(1).Is(":") {
		return "", 0
	}
	return t.Text, 1
}

func (p *parser) binary(min int) Expr {
	at := ExprAt{At: p.pos()}
	x := p.unary()
	for {
		op, n := p.operator()
		level := precedence[op]
		if level < min || level == 0 {
			return x
		}
		if op == "+" && p.at(1).Is(":") {
			return x // the "+:" of a slice
		}
		p.i += n
		if p.operators++; p.operators > maxOperators {
			p.fail("more than %d operators in one expression", maxOperators)
		}
		leave := p.enter()
		x = &Binary{ExprAt: at, Op: op, X: x, Y: p.binary(level + 1)}
		leave()
	}
}

func (p *parser) unary() Expr {
	defer p.enter()()
	at := ExprAt{At: p.pos()}
	t := p.tok()
	switch {
	case t.Is("!"), t.Is("~"), t.Is("-"), t.Is("+"):
		p.next()
		return &Unary{ExprAt: at, Op: t.Text, X: p.unary()}
	case t.Is("("):
		if c := p.cast(); c != nil {
			return c
		}
	}
	return p.postfix()
}

// cast reads "(type) expression" if the next tokens are a cast.
func (p *parser) cast() Expr {
	at := ExprAt{At: p.pos()}
	start := p.i
	p.next()
	if !p.startsType() {
		p.i = start
		return nil
	}
	var t Type
	ok := p.try(func() {
		t = p.typ()
		p.expect(")", "after the type")
	})
	if !ok {
		p.i = start
		return nil
	}
	return &Cast{ExprAt: at, Type: t, X: p.unary()}
}

// postfix reads a primary expression and the members, indices and calls after it.
func (p *parser) postfix() Expr {
	at := ExprAt{At: p.pos()}
	x := p.primary()
	for n := 0; ; n++ {
		if n > maxDepth {
			p.fail("more than %d members, indices or calls in one expression", maxDepth)
		}
		switch {
		case p.is("."):
			p.next()
			m := p.member()
			x = &Member{ExprAt: at, X: x, Name: m.Text, NamePos: At{Pos: m.Pos}}
		case p.is("["):
			p.next()
			x = p.index(at, x)
		case p.is("("):
			x = &Call{ExprAt: at, Fun: x, Args: p.args()}
		case p.is("<") && callable(x):
			var targs []Type
			ok := p.try(func() {
				targs = p.typeArgs("")
				if !p.is("(") {
					p.expected("'('")
				}
			})
			if !ok {
				return x
			}
			x = &Call{ExprAt: at, Fun: x, TypeArgs: targs, Args: p.args()}
		default:
			return x
		}
	}
}

func callable(x Expr) bool {
	switch x.(type) {
	case *Name, *Member:
		return true
	}
	return false
}

// index reads "i]", "hi:lo]" or "lo+:width]" after "[".
func (p *parser) index(at ExprAt, x Expr) Expr {
	i := p.expr()
	var out Expr
	switch {
	case p.accept(":"):
		out = &Slice{ExprAt: at, X: x, Hi: i, Lo: p.expr()}
	case p.is("+") && p.at(1).Is(":"):
		p.next()
		p.next()
		w := p.expr()
		one := &IntLit{ExprAt: at, Text: "1"}
		last := &Binary{ExprAt: at, Op: "-", X: &Binary{ExprAt: at, Op: "+", X: i, Y: w}, Y: one}
		out = &Slice{ExprAt: at, X: x, Hi: last, Lo: i}
	default:
		out = &Index{ExprAt: at, X: x, I: i}
	}
	p.expect("]", "after the index")
	return out
}

// args reads "( arg, ... )".
func (p *parser) args() []*Arg {
	p.expect("(", "")
	var args []*Arg
	p.list(")", "after the arguments", func() {
		a := &Arg{At: p.pos()}
		if p.isName() && p.at(1).Is("=") {
			a.Name = p.next().Text
			p.next()
		}
		if !p.accept("_") {
			a.Value = p.expr()
		}
		args = append(args, a)
	})
	return args
}

func (p *parser) primary() Expr {
	at := ExprAt{At: p.pos()}
	t := p.tok()
	switch t.kind {
	case tokenInt:
		p.next()
		return &IntLit{ExprAt: at, Text: t.Text}
	case tokenString:
		p.next()
		return &StringLit{ExprAt: at, Value: t.Text}
	}
	switch {
	case t.Is("true"), t.Is("false"):
		p.next()
		return &BoolLit{ExprAt: at, Value: t.Text == "true"}
	case t.Is("this"):
		p.fail("unsupported: 'this', which belongs to abstract extern methods")
	case t.Is("("):
		p.next()
		x := p.expr()
		p.expect(")", "")
		return x
	case t.Is("{"):
		return p.braces()
	case t.Is("..."):
		p.next()
		return &DefaultExpr{ExprAt: at}
	case p.startsType():
		typ := p.typ1()
		if !p.is(".") && !p.is("(") {
			p.fail("found %s after the type, expected '.' or '('", p.tok().describe())
		}
		return &TypeName{ExprAt: at, Type: typ}
	case t.Is("."):
		p.next()
		return &Name{ExprAt: at, Name: p.ident("a name after '.'").Name, Global: true}
	}
	if !p.isName() {
		p.expected("an expression")
	}
	p.next()
	return &Name{ExprAt: at, Name: t.Text}
}

// typ1 reads a type that begins an expression. "a < b" stays a comparison unless type arguments
// follow the type name.
func (p *parser) typ1() Type {
	at := TypeAt{At: p.pos()}
	var t Type
	if p.try(func() { t = p.simpleType() }) {
		return t
	}
	if !p.isName() {
		return p.simpleType() // again, to report the error
	}
	return &NamedType{TypeAt: at, Name: p.next().Text}
}

// braces reads {#}, { a, b }, { a = 1, b = 2 } and their forms with "...".
func (p *parser) braces() Expr {
	defer p.enter()()
	at := ExprAt{At: p.pos()}
	p.expect("{", "")
	if p.is("#") {
		p.next()
		p.expect("}", "after '{#'")
		return &InvalidExpr{ExprAt: at}
	}
	if p.isName() && p.at(1).Is("=") {
		return p.record(at)
	}
	l := &ListExpr{ExprAt: at}
	p.list("}", "after the list", func() {
		if p.is("...") && (p.at(1).Is("}") || p.at(1).Is(",") && p.at(2).Is("}")) {
			p.next()
			l.Rest = true
		} else {
			l.Elems = append(l.Elems, p.expr())
		}
	})
	return l
}

func (p *parser) record(at ExprAt) Expr {
	r := &RecordExpr{ExprAt: at}
	p.list("}", "after the fields", func() {
		if p.is("...") {
			p.next()
			r.Rest = true
		} else {
			r.Names = append(r.Names, p.ident("a field name"))
			p.expect("=", "after the field name")
			r.Values = append(r.Values, p.expr())
		}
	})
	return r
}

// keyset reads one set: an expression, a mask, a range, default or _.
func (p *parser) keyset() Expr {
	at := ExprAt{At: p.pos()}
	if p.accept("default") || p.accept("_") {
		return &Any{ExprAt: at}
	}
	x := p.expr()
	switch {
	case p.accept("&&&"):
		return &Mask{ExprAt: at, X: x, Y: p.expr()}
	case p.accept(".."):
		return &Range{ExprAt: at, X: x, Y: p.expr()}
	}
	return x
}

// keysets reads the left side of a select case or table entry: one set, or a
// parenthesised list of sets. A ':' follows both.
func (p *parser) keysets() []Expr {
	var list []Expr
	if p.is("(") && p.try(func() {
		p.next()
		for {
			list = append(list, p.keyset())
			if !p.accept(",") || p.is(")") {
				break
			}
		}
		p.expect(")", "")
		if !p.is(":") {
			p.expected("':'")
		}
	}) {
		return list
	}
	set := p.keyset()
	if l, ok := set.(*ListExpr); ok && !l.Rest {
		return l.Elems // p4c also accepts {1, 2} for (1, 2)
	}
	return []Expr{set}
}
