package syntax

import (
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/number"
)

type macro struct {
	name     string
	function bool
	params   []string
	variadic bool // the last parameter takes all remaining arguments
	body     []Token
	builtin  func(at Pos) Token
	used     bool // expanded or tested
}

func (p *preprocessor) predefine() {
	p.macros["__LINE__"] = &macro{name: "__LINE__", builtin: func(at Pos) Token {
		return Token{kind: tokenInt, Text: strconv.Itoa(at.Line), Pos: at}
	}}
	p.macros["__FILE__"] = &macro{name: "__FILE__", builtin: func(at Pos) Token {
		return Token{kind: tokenString, Text: at.File, Pos: at}
	}}
	for _, d := range append([]string{"__p4c__=1", "__pintlab__=1"}, p.cfg.Predefined...) {
		p.predefined(d)
	}
	given := map[string]string{}
	for _, d := range p.cfg.Defines {
		m := p.predefined(d)
		if m == nil {
			continue
		}
		if before, ok := given[m.name]; ok {
			p.errs.Errorf(Pos{File: "command line"}, "macro %s is defined twice: %q and %q", m.name, before, d)
		}
		given[m.name] = d
		p.given = append(p.given, m)
	}
}

// predefined sets a macro of the form NAME or NAME=value. For other text it returns nil.
func (p *preprocessor) predefined(d string) *macro {
	name, value, found := strings.Cut(d, "=")
	if !found {
		value = "1"
	}
	toks := lexFile("command line", value)
	if name == "" || !isName(name) {
		p.errs.Errorf(Pos{File: "command line"}, "cannot define %q: expected NAME or NAME=value", d)
		return nil
	}
	m := &macro{name: name, body: toks[:len(toks)-1]}
	p.macros[name] = m
	return m
}

// unused reports macros that the user has set and that the program does not use. After another error it reports
// nothing, because part of the program may not have been read.
func (p *preprocessor) unused() {
	if p.errs.Err() != nil {
		return
	}
	for _, m := range p.given {
		if !m.used {
			p.errs.Errorf(Pos{File: "command line"}, "macro %s has no effect: the program never uses it", m.name)
		}
	}
}

func isName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}

func (p *preprocessor) define(at Pos, rest []Token) {
	if len(rest) == 0 || rest[0].kind != tokenIdent {
		p.errs.Errorf(at, "#define: expected a macro name")
		return
	}
	m := &macro{name: rest[0].Text}
	if m.name == "defined" {
		p.errs.Errorf(at, "#define: 'defined' cannot be a macro")
		return
	}
	body := rest[1:]
	if len(body) > 0 && body[0].Is("(") && !body[0].Spaced {
		m.function = true
		i := 1
		for ; i < len(body) && !body[i].Is(")"); i++ {
			if body[i].kind == tokenIdent && (i == 1 || body[i-1].Is(",")) {
				if slices.Contains(m.params, body[i].Text) {
					p.errs.Errorf(body[i].Pos, "#define %s: parameter '%s' is named twice", m.name, body[i].Text)
				}
				m.params = append(m.params, body[i].Text)
			} else if body[i].Is("...") && i+1 < len(body) && body[i+1].Is(")") &&
				(i == 1 || body[i-1].Is(",") || body[i-1].kind == tokenIdent) {
				m.variadic = true
				if body[i-1].kind != tokenIdent { // "..." after a name makes that name variadic
					m.params = append(m.params, "__VA_ARGS__")
				}
			} else if !body[i].Is(",") || i == 1 || body[i-1].Is(",") {
				p.errs.Errorf(body[i].Pos,
					"#define %s: found %s in the parameter list, expected a name", m.name, body[i].describe())
				return
			}
		}
		if i == len(body) {
			p.errs.Errorf(at, "#define %s: expected ')' after the parameters", m.name)
			return
		}
		body = body[i+1:]
	}
	m.body = slices.Clone(body)
	if old := p.macros[m.name]; old != nil && !sameMacro(old, m) {
		p.errs.Warnf(rest[0].Pos, "macro %s is defined again with another meaning", m.name)
	}
	p.macros[m.name] = m
}

func sameMacro(a, b *macro) bool {
	return a.function == b.function && a.variadic == b.variadic && slices.Equal(a.params, b.params) &&
		a.builtin == nil &&
		slices.EqualFunc(a.body, b.body, func(x, y Token) bool { return x.kind == y.kind && x.Text == y.Text })
}

// expand replaces macros in a run of tokens until no macro is left. A token records the macros that produced it.
// These macros do not expand the token again, so recursion ends (the algorithm of Prosser that the C standard
// describes).
func (p *preprocessor) expand(in []Token) []Token {
	var out []Token
	in = slices.Clone(in)
	slices.Reverse(in) // a stack: the next token is the last element
	for len(in) > 0 && !p.failed {
		t := in[len(in)-1]
		in = in[:len(in)-1]
		m := p.macros[t.Text]
		if t.kind != tokenIdent || m == nil || t.hides(t.Text) {
			out = append(out, t)
			continue
		}
		m.used = true
		if p.work++; len(t.hide) > maxHide {
			p.fail(t.Pos, "the expansion of macro %s does not end: more than %d macros within each other",
				m.name, maxHide)
			return out
		}
		if p.endless(t.Pos, m) {
			return out
		}
		if m.builtin != nil {
			b := m.builtin(t.Pos)
			b.Spaced, b.First = t.Spaced, t.First
			out = append(out, b)
			continue
		}
		var body []Token
		if m.function {
			args, rest, ok := p.arguments(t, m, in)
			if !ok {
				out = append(out, t) // the name without "(" is an ordinary name
				continue
			}
			in = rest
			body = p.substitute(t, m, args)
		} else {
			body = p.substitute(t, m, nil)
		}
		hide := append(slices.Clone(t.hide), m.name)
		for i := len(body) - 1; i >= 0; i-- {
			b := body[i]
			if len(b.hide) == 0 { // the token is from the macro, not from an argument
				b.hide = slices.Clip(hide)
			}
			for _, h := range hide {
				if !b.hides(h) {
					b.hide = append(slices.Clip(b.hide), h)
				}
			}
			b.Pos = t.Pos
			b.First = i == 0 && t.First
			if i == 0 {
				b.Spaced = t.Spaced
			}
			in = append(in, b)
		}
	}
	return out
}

// endless reports an error if macros have made too many tokens. m is the last of these macros.
func (p *preprocessor) endless(at Pos, m *macro) bool {
	if p.work > maxExpansion {
		p.fail(at, "the expansion of macro %s does not end: macros make more than %d tokens", m.name, maxExpansion)
	}
	return p.failed
}

// arguments collects the arguments of a function-like macro from the stack; ok is
// false if the name is not followed by "(".
func (p *preprocessor) arguments(use Token, m *macro, stack []Token) (args [][]Token, rest []Token, ok bool) {
	n := len(stack)
	if n == 0 || !stack[n-1].Is("(") {
		return nil, stack, false
	}
	depth := 0
	var arg []Token
	for i := n - 1; i >= 0; i-- {
		t := stack[i]
		if t.kind == tokenOp {
			switch {
			case t.Text == "(":
				depth++
				if depth == 1 {
					continue
				}
			case t.Text == ")":
				depth--
				if depth == 0 {
					args = append(args, arg)
					if m.variadic && len(args) == len(m.params)-1 {
						args = append(args, nil)
					}
					if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
						args = nil
					}
					if len(args) != len(m.params) {
						p.fail(use.Pos, "macro %s has %s here, expected %d", m.name,
							number.Count(len(args), "argument"), len(m.params))
					}
					return args, stack[:i], true
				}
			case t.Text == "," && depth == 1 && !(m.variadic && len(args) == len(m.params)-1):
				args = append(args, arg)
				arg = nil
				continue
			}
		}
		arg = append(arg, t)
	}
	p.fail(use.Pos, "use of macro %s: expected ')' before the end of the file or the next directive", m.name)
	return nil, nil, false
}

// substitute puts the arguments into the macro's body and applies # and ##.
func (p *preprocessor) substitute(use Token, m *macro, args [][]Token) []Token {
	if p.failed {
		return nil
	}
	var out []Token
	expanded := make([][]Token, len(args))
	done := make([]bool, len(args))
	param := func(t Token) int {
		if t.kind != tokenIdent {
			return -1
		}
		return slices.Index(m.params, t.Text)
	}
	for i := 0; i < len(m.body) && !p.failed; i++ {
		t := m.body[i]
		pastes := i+1 < len(m.body) && m.body[i+1].Is("##")
		pasted := i > 0 && m.body[i-1].Is("##")
		switch {
		case m.function && t.Is("#") && i+1 < len(m.body) && param(m.body[i+1]) >= 0:
			i++
			out = append(out, Token{kind: tokenString, Text: spell(args[param(m.body[i])]), Spaced: t.Spaced})
			continue
		case t.Is("##") && i > 0 && i+1 < len(m.body):
			continue // the tokens are joined when the right operand is reached
		}
		piece := []Token{t}
		if k := param(t); k >= 0 && k < len(args) {
			piece = args[k]
			if !pastes && !pasted {
				if !done[k] {
					expanded[k], done[k] = p.expand(args[k]), true
				}
				piece = expanded[k]
			}
		}
		last := m.variadic && param(t) == len(m.params)-1
		switch {
		case pasted && last && len(out) > 0 && out[len(out)-1].Is(","):
			// ", ## __VA_ARGS__" joins nothing: without further arguments the comma is removed.
			if len(piece) == 0 {
				out = out[:len(out)-1]
			}
		case pasted && len(out) > 0 && len(piece) > 0:
			joined := p.paste(use, out[len(out)-1], piece[0])
			out = append(out[:len(out)-1], joined...)
			piece = piece[1:]
		}
		out = append(out, piece...)
		p.work += len(piece)
		p.endless(use.Pos, m)
	}
	return out
}

// paste joins two tokens into one.
func (p *preprocessor) paste(use, a, b Token) []Token {
	toks := lexFile(use.Pos.File, a.Text+b.Text)
	if len(toks) != 2 {
		p.errs.Errorf(use.Pos, "## joins %s and %s, which do not make one token", a.describe(), b.describe())
	}
	toks = toks[:len(toks)-1]
	for i := range toks {
		toks[i].Pos, toks[i].First = use.Pos, false
	}
	if len(toks) > 0 {
		toks[0].Spaced = a.Spaced
	}
	return toks
}

// spell returns the text of tokens for the # operator.
func spell(toks []Token) string {
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && t.Spaced {
			b.WriteByte(' ')
		}
		b.WriteString(t.String())
	}
	return b.String()
}
