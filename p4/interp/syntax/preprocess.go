package syntax

import (
	"path"
	"strings"
)

// Limits that no real program reaches. They stop runs on hostile input.
const (
	maxIncludeDepth = 64
	maxTokens       = 4 << 20
	maxFiles        = 1000
	maxHide         = 256     // macros nested in one expansion
	maxExpansion    = 1 << 19 // tokens made by macros
)

// Config defines where text and macros come from.
type Config struct {
	// Open returns the text of a file named by an #include "name" (already joined to
	// the folder of the including file), or of the program itself.
	Open func(name string) ([]byte, error)
	// System returns the text of an #include <name> that the architecture provides. For <name> it is tried before
	// IncludeDirs, and for "name" it is tried last.
	System func(name string) (text string, ok bool)
	// SystemNames lists the names that System knows, in order, for messages.
	SystemNames []string
	// IncludeDirs are searched for both forms of include, after the above.
	IncludeDirs []string
	// Predefined are the macros of the architecture, set before the first line: "NAME" or
	// "NAME=value".
	Predefined []string
	// Defines are further macros, set by the user. A macro that the program never uses, or that is
	// given twice, is an error.
	Defines []string
}

type preprocessor struct {
	cfg    Config
	errs   *List
	macros map[string]*macro
	given  []*macro // of Config.Defines
	out    []Token
	files  int
	work   int // tokens made by macros so far
	failed bool
}

// Preprocess reads the file and everything that it includes, and returns the remaining
// tokens. Problems go to errs; the tokens always end with TokenEOF.
func Preprocess(name string, cfg Config, errs *List) []Token {
	p := &preprocessor{cfg: cfg, errs: errs, macros: make(map[string]*macro)}
	p.predefine()
	text, err := cfg.Open(name)
	if err != nil {
		errs.Errorf(Pos{File: name}, "cannot read the program: %v", err)
	} else {
		p.file(name, string(text), 0)
		p.unused()
	}
	end := Pos{File: name, Line: 1, Col: 1}
	if n := len(p.out); n > 0 {
		end = p.out[n-1].Pos
	}
	return append(p.out, Token{kind: tokenEOF, Pos: end, First: true})
}

// condition is one open #if.
type condition struct {
	at      Pos
	active  bool // this branch is kept
	taken   bool // an earlier branch was kept, or the whole #if is skipped
	sawElse bool
}

// file preprocesses one file's text.
func (p *preprocessor) file(name, text string, depth int) {
	p.files++
	if depth > maxIncludeDepth || p.files > maxFiles {
		p.fail(Pos{File: name}, "includes are nested too deeply or without end")
		return
	}
	toks := lexFile(name, text)
	var conds []condition
	skipping := func() bool {
		return len(conds) > 0 && !conds[len(conds)-1].active
	}
	for i := 0; toks[i].kind != tokenEOF && !p.failed; {
		t := toks[i]
		if t.First && t.kind == tokenOp && t.Text == "#" {
			j := i + 1
			for toks[j].kind != tokenEOF && !toks[j].First {
				j++
			}
			conds = p.directive(t, toks[i+1:j], text, conds, depth)
			i = j
			continue
		}
		j := i + 1
		for toks[j].kind != tokenEOF && !(toks[j].First && toks[j].kind == tokenOp && toks[j].Text == "#") {
			j++
		}
		if !skipping() {
			p.emit(p.expand(toks[i:j]))
		}
		i = j
	}
	for _, c := range conds {
		p.errs.Errorf(c.at, "#if without #endif")
	}
}

func (p *preprocessor) emit(toks []Token) {
	for _, t := range toks {
		if t.kind == tokenIllegal {
			p.errs.Errorf(t.Pos, "%s", t.Text)
			continue
		}
		p.out = append(p.out, t)
	}
	if len(p.out) > maxTokens {
		p.fail(p.out[len(p.out)-1].Pos, "the program has more than %d tokens", maxTokens)
	}
}

func (p *preprocessor) fail(at Pos, format string, args ...any) {
	if !p.failed {
		p.errs.Errorf(at, format, args...)
	}
	p.failed = true
}

const directiveNames = "include, define, undef, if, ifdef, ifndef, elif, else, endif, error, warning, pragma or line"

// directive executes one line that starts with '#'; args are the tokens after it.
func (p *preprocessor) directive(hash Token, args []Token, text string, conds []condition, depth int) []condition {
	if len(args) == 0 {
		return conds // a lone '#' means nothing
	}
	name, rest := args[0], args[1:]
	skipping := len(conds) > 0 && !conds[len(conds)-1].active
	top := len(conds) - 1
	switch name.Text {
	case "if", "ifdef", "ifndef":
		c := condition{at: hash.Pos, taken: skipping}
		if !skipping {
			c.active = p.test(name, rest)
			c.taken = c.active
		}
		return append(conds, c)
	case "elif", "else":
		if top < 0 || conds[top].sawElse {
			p.errs.Errorf(hash.Pos, "#%s without #if", name.Text)
			return conds
		}
		c := &conds[top]
		c.sawElse = name.Text == "else"
		c.active = !c.taken && (c.sawElse || p.test(name, rest))
		c.taken = c.taken || c.active
		return conds
	case "endif":
		if top < 0 {
			p.errs.Errorf(hash.Pos, "#endif without #if")
			return conds
		}
		return conds[:top]
	}
	if skipping {
		return conds
	}
	switch name.Text {
	case "include":
		p.include(hash, rest, text, depth)
	case "define":
		p.define(name.Pos, rest)
	case "undef":
		if len(rest) != 1 || rest[0].kind != tokenIdent {
			p.errs.Errorf(hash.Pos, "#undef: expected one macro name")
			break
		}
		delete(p.macros, rest[0].Text)
	case "error":
		p.errs.Errorf(hash.Pos, "#error %s", raw(rest, text))
	case "warning":
		p.errs.Warnf(hash.Pos, "#warning %s", raw(rest, text))
	case "pragma", "line":
	default:
		if name.kind == tokenInt {
			break // a line marker left by another preprocessor
		}
		p.errs.Errorf(name.Pos, "unknown directive #%s: expected %s", name.Text, directiveNames)
	}
	return conds
}

// raw returns the source text of a directive's tokens.
func raw(toks []Token, text string) string {
	if len(toks) == 0 {
		return ""
	}
	return text[toks[0].off:toks[len(toks)-1].end]
}

func (p *preprocessor) test(name Token, rest []Token) bool {
	if name.Text == "ifdef" || name.Text == "ifndef" {
		if len(rest) == 0 || rest[0].kind != tokenIdent {
			p.errs.Errorf(name.Pos, "#%s: expected a macro name", name.Text)
			return false
		}
		return p.defined(rest[0].Text) == (name.Text == "ifdef")
	}
	return p.evalCondition(name, rest)
}

func (p *preprocessor) defined(name string) bool {
	m := p.macros[name]
	if m != nil {
		m.used = true
	}
	return m != nil
}

func (p *preprocessor) include(hash Token, rest []Token, text string, depth int) {
	if len(rest) > 0 && rest[0].kind == tokenIdent { // the name may come from a macro
		rest = p.expand(rest)
	}
	switch {
	case len(rest) == 1 && rest[0].kind == tokenString:
		p.includeFile(hash, rest[0].Text, false, depth)
	case len(rest) >= 3 && rest[0].Is("<") && rest[len(rest)-1].Is(">"):
		var b strings.Builder
		for _, t := range rest[1 : len(rest)-1] {
			if t.off >= 0 && t.end <= len(text) && t.off <= t.end && t.Pos.File == hash.Pos.File {
				b.WriteString(text[t.off:t.end])
			} else {
				b.WriteString(t.Text)
			}
		}
		p.includeFile(hash, b.String(), true, depth)
	default:
		p.errs.Errorf(hash.Pos, "#include: expected \"file\" or <file>")
	}
}

func (p *preprocessor) includeFile(hash Token, name string, system bool, depth int) {
	own := func() bool {
		body, ok := "", false
		if p.cfg.System != nil {
			body, ok = p.cfg.System(name)
		}
		if ok {
			p.file("<"+name+">", body, depth+1)
		}
		return ok
	}
	// The architecture's own files have precedence over copies in include folders, because the externs of the
	// architecture match the declarations in its own files.
	if system && own() {
		return
	}
	var candidates []string
	switch {
	case system:
	case path.IsAbs(name):
		candidates = append(candidates, name)
	default:
		candidates = append(candidates, path.Join(path.Dir(hash.Pos.File), name))
	}
	for _, dir := range p.cfg.IncludeDirs {
		candidates = append(candidates, path.Join(dir, name))
	}
	for _, c := range candidates {
		if body, err := p.cfg.Open(c); err == nil {
			p.file(c, string(body), depth+1)
			return
		}
	}
	// Like other compilers, also find the architecture's own file for "core.p4" in quotes.
	if !system && own() {
		return
	}
	if system {
		p.fail(hash.Pos, "#include <%s>: not available: expected one of <%s>, or a file in an include folder",
			name, strings.Join(p.cfg.SystemNames, ">, <"))
		return
	}
	p.fail(hash.Pos, "#include %q: no such file (looked for %s)", name, strings.Join(candidates, ", "))
}
