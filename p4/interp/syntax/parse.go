package syntax

import "fmt"

// maxDepth bounds the nesting of expressions, types and statements.
const maxDepth = 400

// maxOperators bounds the binary operators of an expression, because a chain of n operators is a tree of depth n.
const maxOperators = 10000

// Parse builds the tree of a whole program. Problems go to errs; the tree contains the declarations that could be
// read.
func Parse(toks []Token, errs *List) *Program {
	p := &parser{toks: toks, errs: errs, scopes: []map[string]bool{{}}, noType: map[int]bool{}}
	prog := &Program{}
	for p.tok().kind != tokenEOF && !errs.Full() {
		before := p.i
		if d := p.guardDecl(); d != nil {
			prog.Decls = append(prog.Decls, d)
		}
		if p.i == before {
			p.i++ // always advance
		}
	}
	return prog
}

type parser struct {
	toks      []Token
	i         int
	errs      *List
	trying    int // above 0 while the parser tries a reading
	depth     int
	exprs     int               // expressions that are open
	operators int               // number of operators of the outermost expression
	scopes    []map[string]bool // name -> is a type
	ended     bool              // an unexpected end of file has been reported
	noType    map[int]bool      // token indices where reading a type failed
}

// bailout is the panic value that unwinds to the nearest recovery point.
type bailout struct{}

func (p *parser) tok() Token { return p.at(0) }

func (p *parser) at(n int) Token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) pos() At { return At{Pos: p.tok().Pos} }

func (p *parser) next() Token {
	t := p.tok()
	if p.i < len(p.toks)-1 {
		p.i++
	}
	return t
}

// fail reports a syntax error at the current token and unwinds.
func (p *parser) fail(format string, args ...any) {
	if atEnd := p.tok().kind == tokenEOF; p.trying == 0 && !(atEnd && p.ended) {
		p.errs.Errorf(p.tok().Pos, format, args...)
		p.ended = p.ended || atEnd
	}
	panic(bailout{})
}

// expected reports that the current token is not the expected one.
func (p *parser) expected(what string) {
	p.fail("found %s, expected %s", p.tok().describe(), what)
}

// undeclared reports that the type of an instance is not declared. If the type is declared, it reports that the
// current token is not the expected one.
func (p *parser) undeclared(what string) {
	t := p.tok()
	if p.isName() && !p.isTypeName(t.Text) && (p.at(1).Is("(") || p.at(1).Is("<")) {
		if p.trying == 0 {
			p.errs.Undeclared(t.Pos, "parser, control or extern ", t.Text)
		}
		panic(bailout{})
	}
	p.expected(what)
}

func (p *parser) is(text string) bool { return p.tok().Is(text) }

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

// expect consumes a token or fails; where describes its place, for the message.
func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.expected(fmt.Sprintf("'%s' %s", text, where))
	}
}

// enter counts one level of nesting. The caller defers the function that it returns.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.depth = 0 // so that unwinding code can run
		p.fail("nested more than %d levels deep", maxDepth)
	}
	d := p.depth
	return func() { p.depth = d - 1 }
}

// try runs a reading and reports whether the reading succeeded. If it failed, the position is restored.
func (p *parser) try(read func()) (ok bool) {
	start := p.i
	p.trying++
	defer func() { p.trying-- }()
	return p.attempt(read, true, func() { p.i = start })
}

// guard runs read; after a syntax error it calls skip.
func (p *parser) guard(read, skip func()) { p.attempt(read, p.trying == 0, skip) }

// attempt runs read. If here is set and read fails with a syntax error, attempt recovers and calls failed.
func (p *parser) attempt(read func(), here bool, failed func()) (ok bool) {
	depth, scopes := p.depth, len(p.scopes)
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bailout); !mine || !here {
				panic(r)
			}
			p.depth, p.scopes = depth, p.scopes[:scopes]
			failed()
		}
	}()
	read()
	return true
}

// members runs read again and again, until the '}' that ends the construct. what names the construct in messages. A
// syntax error in one member skips this member.
func (p *parser) members(what string, read func()) {
	for !p.is("}") {
		if p.tok().kind == tokenEOF {
			p.fail("found end of file, expected '}' at the end of %s", what)
		}
		before := p.i
		p.guard(read, p.skipPast)
		if p.i == before && !p.is("}") {
			p.next()
		}
	}
}

// body reads members from '{' to '}'; where describes the place of the '{', for messages.
func (p *parser) body(where, what string, read func()) {
	p.expect("{", where)
	p.members(what, read)
	p.next()
}

// list calls read for each item of a comma-separated list, up to the token that ends it.
func (p *parser) list(end, where string, read func()) {
	for !p.is(end) {
		read()
		if !p.accept(",") {
			break
		}
	}
	p.expect(end, where)
}

// skipPast moves past the next ';' of this nesting level, past a complete {...}, or to the '}' that
// closes the enclosing block.
func (p *parser) skipPast() {
	depth := 0
	for p.tok().kind != tokenEOF {
		switch {
		case p.is("{"):
			depth++
		case p.is("}"):
			if depth == 0 {
				return
			}
			if depth--; depth == 0 {
				p.next()
				p.accept(";")
				return
			}
		case p.is(";") && depth == 0:
			p.next()
			return
		}
		p.next()
	}
}

// Scopes of names.

func (p *parser) push() { p.scopes = append(p.scopes, map[string]bool{}) }
func (p *parser) pop()  { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) declare(name string, isType bool) {
	p.scopes[len(p.scopes)-1][name] = isType
}

func (p *parser) isTypeName(name string) bool {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if t, ok := p.scopes[i][name]; ok {
			return t
		}
	}
	return false
}

// reserved words cannot be names. apply, key, actions, state, entries, type and priority can: they
// are keywords only in certain places of the grammar.
var reserved = map[string]bool{
	"abstract": true, "action": true, "bit": true, "bool": true, "const": true, "control": true, "default": true,
	"else": true, "enum": true, "error": true, "exit": true, "extern": true, "false": true,
	"header": true, "header_union": true, "if": true, "in": true, "inout": true, "int": true,
	"match_kind": true, "out": true, "package": true, "parser": true, "return": true,
	"select": true, "string": true, "struct": true, "switch": true, "table": true,
	"this": true, "transition": true, "true": true, "tuple": true, "typedef": true,
	"value_set": true, "varbit": true, "void": true, "_": true,
}

func (p *parser) isName() bool {
	t := p.tok()
	return t.kind == tokenIdent && !reserved[t.Text]
}

func (p *parser) ident(what string) Ident {
	if !p.isName() {
		if t := p.tok(); t.kind == tokenIdent {
			p.fail("found the keyword '%s', expected %s", t.Text, what)
		}
		p.expected(what)
	}
	t := p.next()
	return Ident{At: At{Pos: t.Pos}, Name: t.Text}
}

// member reads a name after a dot, where keywords such as apply are also names.
func (p *parser) member() Token {
	if p.tok().kind != tokenIdent || p.is("_") {
		p.expected("a member name after '.'")
	}
	return p.next()
}

// annotations reads the annotations before a declaration or statement.
func (p *parser) annotations() Annotations {
	var as Annotations
	for p.is("@") {
		a := Annotation{At: p.pos()}
		p.next()
		if p.tok().kind != tokenIdent {
			p.expected("an annotation name after '@'")
		}
		a.Name = p.next().Text
		switch {
		case a.Name == "pragma":
			line := p.at(-1).Pos.Line
			if p.tok().kind == tokenIdent && !p.tok().First {
				a.Name = p.next().Text
			}
			for p.tok().kind != tokenEOF && !p.tok().First && p.tok().Pos.Line == line {
				p.next()
			}
		case p.is("("):
			start := p.i
			if !p.try(func() { a.Args = p.annotationArgs() }) {
				a.Args = nil
			}
			p.i = start
			p.balanced("(", ")")
		case p.is("["):
			p.balanced("[", "]")
		}
		as = append(as, a)
	}
	return as
}

func (p *parser) annotationArgs() []Expr {
	p.expect("(", "")
	var args []Expr
	p.list(")", "", func() {
		if p.isName() && p.at(1).Is("=") {
			p.next()
			p.next()
		}
		args = append(args, p.expr())
	})
	return args
}

// balanced skips a bracketed run of tokens.
func (p *parser) balanced(open, closer string) {
	for depth := 0; ; {
		t := p.tok()
		if t.kind == tokenEOF {
			p.fail("annotation is not closed: expected '%s'", closer)
		}
		p.next()
		switch {
		case t.Is(open):
			depth++
		case t.Is(closer):
			if depth--; depth == 0 {
				return
			}
		}
	}
}
